import type { Database } from '../../engine/database/database';
import type { Aggregation } from '../../engine/questions/plan/aggregation';
import { Zone } from '../../engine/questions/plan/buckets';
import type { HitQuery } from '../../engine/questions/plan/hit-query';
import { RowDays } from '../../engine/rows/row-days';
import { SqlCounts } from '../../engine/rows/sql-counts';

export { STORE_COMMANDS } from '../../engine/columns/verify/commands';

/** What counts days in SQL, by the statements of the application. */
export function countsInSql(
  database: Database,
  timezone: string,
  statementsOf: (hitQuery: HitQuery) => Aggregation[],
): SqlCounts {
  return new SqlCounts(database, new RowDays(database), new Zone(timezone), statementsOf);
}
