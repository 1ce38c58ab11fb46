import { createHash } from 'node:crypto';
import { foldCase } from '../../src/common/text';
import type { Database } from '../../src/database/database';
import { insertRows } from '../../src/database/rows';
import { DIMENSIONS, type StatName } from '../../src/storage/dimensions';
import { day } from '../../src/validation/parsers';

const VALUE_COLUMNS = ['website_id', 'name', 'value_id', 'hash', 'value', 'folded', 'folded_label'];
const COUNTER_COLUMNS = ['website_id', 'name', 'day', 'value_id', 'hits'];
const PATIENCE_MS = 60_000;

export type Count = [day: string, value: string, hits: number];

/** Puts counts into the tables as they stand there once events have been counted. */
export async function fillCounters(
  database: Database,
  websiteId: number,
  name: StatName,
  counts: Count[],
): Promise<void> {
  const { code, label, labels } = DIMENSIONS[name];
  const ids = new Map(
    [...new Set(counts.map(([, value]) => value))].map((value, index) => [value, index + 1]),
  );
  const bytes = (text: string) => Buffer.from(text);
  const values = [...ids].map(([value, id]) => [
    ...[websiteId, code, id, createHash('sha256').update(value).digest()],
    ...[bytes(value), bytes(foldCase(value))],
    labels === 'in the dictionary' ? bytes(foldCase(label(value))) : null,
  ]);
  const counters = counts.map(([date, value, hits]) => [websiteId, code, day(date), ids.get(value)!, hits]);
  await database.write(async (manager) => {
    await insertRows(manager, 'stat_values', VALUE_COLUMNS, values);
    await insertRows(manager, 'stat_counters', COUNTER_COLUMNS, counters);
  }, PATIENCE_MS);
}
