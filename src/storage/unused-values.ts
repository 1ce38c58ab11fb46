import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import { inChunks, insertRows } from '../database/rows';
import type { Counters } from './dictionary.query';
import { addSection, sectionsOf } from './segment-format';
import { segmentsWhere } from './segment-rows';
import { Sums } from './sums';

const ROWS_PER_READ = 2000;
const IDS_PER_STATEMENT = 1000;

/** Tells between two pieces of long work whether it is to go on. */
export type MayGoOn = () => Promise<boolean>;

/** Numbers whose values no counter uses in the caller's snapshot; undefined where the work was ended early. */
export async function unusedIds(
  manager: EntityManager,
  counters: Counters,
  mayGoOn: MayGoOn,
): Promise<number[] | undefined> {
  const used = new Sums();
  const isComplete =
    (await addSegments(manager, counters, used, mayGoOn)) &&
    (await addRows(manager, counters, used, mayGoOn));
  if (!isComplete) return undefined;
  const unused: number[] = [];
  for (let after = -1, more = true; more;) {
    if (!(await mayGoOn())) return undefined;
    const rows = await manager.query<{ value_id: number }[]>(
      `SELECT value_id FROM stat_values WHERE website_id = ? AND name = ? AND value_id > ?
      ORDER BY value_id LIMIT ${ROWS_PER_READ}`,
      [counters.websiteId, counters.name, after],
    );
    for (const { value_id } of rows) if (!used.counts[value_id]) unused.push(value_id);
    more = rows.length === ROWS_PER_READ;
    after = rows.at(-1)?.value_id ?? after;
    await yieldIfNeeded();
  }
  return unused;
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
async function addSegments(
  manager: EntityManager,
  { websiteId, name }: Counters,
  used: Sums,
  mayGoOn: MayGoOn,
) {
  for await (const segment of segmentsWhere(manager, websiteId, 'name = ?', [name])) {
    for (const section of sectionsOf(segment)) addSection(used, section);
    await yieldIfNeeded();
    if (!(await mayGoOn())) return false;
  }
  return true;
}

async function addRows(manager: EntityManager, { websiteId, name }: Counters, used: Sums, mayGoOn: MayGoOn) {
  for (let after = { day: -1, value_id: 0 }, more = true; more;) {
    const rows = await manager.query<{ day: number; value_id: number }[]>(
      `SELECT day, value_id FROM stat_counters
      WHERE website_id = ? AND name = ? AND (day > ? OR (day = ? AND value_id > ?))
      ORDER BY day, value_id LIMIT ${ROWS_PER_READ}`,
      [websiteId, name, after.day, after.day, after.value_id],
    );
    for (const { value_id } of rows) used.add(value_id, 1);
    await yieldIfNeeded();
    if (!(await mayGoOn())) return false;
    more = rows.length === ROWS_PER_READ;
    after = rows.at(-1) ?? after;
  }
  return true;
}
