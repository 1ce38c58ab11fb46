import type { Database } from '../../src/database/database';
import type { StatName } from '../../src/storage/stat-names';
import { day } from '../../src/validation/parsers';
import { addCounts } from './add-counts';
import { PATIENCE_MS } from './until';

export type Count = [day: string, value: string, hits: number];

/** Writes rollups like those of sealed days. These days have no hits. */
export async function fillCounters(
  database: Database,
  websiteId: number,
  name: StatName,
  counts: Count[],
): Promise<void> {
  const all = counts.map(([date, value, hits]) => ({ name, day: day(date), value, hits }));
  await database.write((manager) => addCounts(database, manager, websiteId, all), PATIENCE_MS);
}
