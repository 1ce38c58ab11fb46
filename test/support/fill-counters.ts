import { createHash } from 'node:crypto';
import { day, fold } from '../../src/common/parsers';
import type { Database } from '../../src/database/database';
import { DIMENSIONS, type StatName } from '../../src/stats/dimensions';

export type Count = [day: string, value: string, hits: number];

/** Puts counts into the tables as they stand there once events have been counted. */
export async function fillCounters(
  database: Database,
  websiteId: number,
  name: StatName,
  counts: Count[],
): Promise<void> {
  const { code, label, labels } = DIMENSIONS[name];
  const values = [...new Set(counts.map(([, value]) => value))];
  const bytes = (text: string) => Buffer.from(text);
  await database.write(async (manager) => {
    for (const [index, value] of values.entries()) {
      const foldedLabel = labels === 'in the dictionary' ? bytes(fold(label(value))) : null;
      await manager.query('INSERT INTO stat_values VALUES (?, ?, ?, ?, ?, ?, ?)', [
        websiteId,
        code,
        index + 1,
        createHash('sha256').update(value).digest(),
        bytes(value),
        bytes(fold(value)),
        foldedLabel,
      ]);
    }
    for (const [date, value, hits] of counts)
      await manager.query('INSERT INTO stat_counters VALUES (?, ?, ?, ?, ?)', [
        websiteId,
        code,
        day(date),
        values.indexOf(value) + 1,
        hits,
      ]);
  });
}
