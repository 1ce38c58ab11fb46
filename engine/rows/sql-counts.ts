import type { Database } from '../database/database';
import { dayText } from '../ground/time/days';
import { DIMENSIONS, STAT_NAMES, type StatName } from '../hits/stat-names';
import type { QueryName } from '../questions/parse/names';
import type { Aggregation } from '../questions/plan/aggregation';
import type { Zone } from '../questions/plan/buckets';
import type { HitQuery } from '../questions/plan/hit-query';
import { RowCounts, rowsOfDay } from './counted-rows';
import type { BlockWithTexts, RowDays } from './row-days';

/** No day that is kept as rows has this version. */
const UNNAMED = 0;
const READ_PATIENCE_MS = 60_000;

/** Counts a day by statements of SQL, which know nothing of columns and rollups. */
export class SqlCounts {
  constructor(
    private readonly database: Database,
    private readonly rows: RowDays,
    private readonly zone: Zone,
    private readonly statementsOf: (hitQuery: HitQuery) => Aggregation[],
  ) {}

  /** The count of each value of each name. The rows of the day are written for it, and removed. */
  async ofDay(
    websiteId: number,
    day: number,
    blocks: AsyncIterable<BlockWithTexts>,
  ): Promise<Map<StatName, Map<string, number>>> {
    const key = { websiteId, day, version: UNNAMED };
    try {
      await this.rows.write(key, blocks);
      const counts = new Map<StatName, Map<string, number>>();
      for (const name of STAT_NAMES) if (name !== 'dropped') counts.set(name, await this.ofName(key, name));
      return counts;
    } finally {
      await this.rows.drop([key]);
    }
  }

  private async ofName(
    key: { websiteId: number; day: number; version: number },
    name: Exclude<StatName, 'dropped'>,
  ): Promise<Map<string, number>> {
    const { days, counts } = DIMENSIONS[name];
    const range = { days: { from: key.day, to: key.day } };
    const hitQuery: HitQuery = {
      range,
      previous: undefined,
      filter: undefined,
      dimensions: [days ? 'day' : (name as QueryName)],
      metrics: [counts],
      fill: false,
      order: [],
      skip: 0,
      take: 0,
    };
    const [aggregation] = this.statementsOf(hitQuery);
    const counted = await this.database.read(
      (reader) => new RowCounts(reader, hitQuery, range, this.zone).count(aggregation!, rowsOfDay(key)),
      READ_PATIENCE_MS,
    );
    const values = counted!.keys[0]!.map(
      (value, row) => [days ? dayText(key.day) : value, counted!.counts[0]![row]!] as const,
    );
    return new Map(values.filter((own): own is [string, number] => typeof own[0] === 'string'));
  }
}
