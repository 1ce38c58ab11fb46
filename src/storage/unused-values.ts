import type { EntityManager } from 'typeorm';
import { inChunks, insertRows, type Queryable } from '../database/rows';
import type { Counters } from './dictionary.query';
import { addSection, sectionsOf } from './segment-format';
import { segmentsWhere } from './segment-rows';
import type { Between } from './segment-store';
import { Sums } from './sums';

const IDS_PER_READ = 10_000;
const IDS_PER_STATEMENT = 1000;

/**
 * Numbers whose values no counter uses, at most so many. Nobody may count the website from this read until they are
 * freed, which the fence of the lease makes sure of.
 */
export async function unusedIds(
  reader: Queryable,
  counters: Counters,
  max: number,
  between: Between,
): Promise<number[]> {
  const used = await usedIds(reader, counters, between);
  const unused: number[] = [];
  let after = -1;
  for (;;) {
    const rows = await reader.query<{ value_id: number }[]>(
      `SELECT value_id FROM stat_values WHERE website_id = ? AND name = ? AND value_id > ?
      ORDER BY value_id LIMIT ${IDS_PER_READ}`,
      [counters.websiteId, counters.name, after],
    );
    for (const { value_id } of rows) if (!used.counts[value_id]) unused.push(value_id);
    if (rows.length < IDS_PER_READ || unused.length >= max) return unused.slice(0, max);
    after = rows.at(-1)!.value_id;
  }
}

/** Removes values so that their numbers can be used again, and raises the epoch of the dictionary. */
export async function freeIds(manager: EntityManager, counters: Counters, ids: number[]): Promise<void> {
  const { websiteId, name } = counters;
  for (const some of inChunks(ids, IDS_PER_STATEMENT))
    await manager.query(
      `DELETE FROM stat_values WHERE website_id = ? AND name = ?
      AND value_id IN (${some.map(() => '?').join(', ')})`,
      [websiteId, name, ...some],
    );
  await insertRows(
    manager,
    'free_value_ids',
    ['website_id', 'name', 'value_id'],
    ids.map((id) => [websiteId, name, id]),
  );
  await manager.query('UPDATE closed_days SET epoch = epoch + 1 WHERE website_id = ?', [websiteId]);
}

/** All segments are read, those of months too: a number that any of them holds keeps its value. */
async function usedIds(reader: Queryable, { websiteId, name }: Counters, between: Between): Promise<Sums> {
  const used = new Sums();
  for await (const segment of segmentsWhere(reader, websiteId, 'name = ?', [name])) {
    for (const section of sectionsOf(segment)) addSection(used, section);
    await between();
  }
  const rows = await reader.query<{ value_id: number }[]>(
    'SELECT DISTINCT value_id FROM stat_counters WHERE website_id = ? AND name = ?',
    [websiteId, name],
  );
  for (const { value_id } of rows) used.add(value_id, 1);
  return used;
}
