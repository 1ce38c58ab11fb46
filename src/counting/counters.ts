import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { DIMENSIONS, STAT_NAMES, type StatName } from '../stats/dimensions';
import type { Dictionary } from './dictionary';
import type { Counted } from './fold';
import { insertRows } from './rows';

/** Adds counts in the order of the primary key, or two processes' upserts would lock each other out. */
export async function addCounts(
  { dialect }: Database,
  manager: EntityManager,
  websiteId: number,
  dictionary: Dictionary,
  counts: Counted[],
): Promise<void> {
  const ids = new Map<StatName, Map<string, number>>();
  for (const name of new Set(counts.map((count) => count.name))) {
    const values = counts.filter((count) => count.name === name).map(({ value }) => value);
    ids.set(name, await dictionary.learn(manager, name, [...new Set(values)]));
  }
  const rows = counts.map(({ name, day, value, hits }) => [
    DIMENSIONS[name].code,
    day,
    ids.get(name)!.get(value)!,
    hits,
  ]);
  rows.sort((one, other) => one[0]! - other[0]! || one[1]! - other[1]! || one[2]! - other[2]!);
  await insertRows(
    manager,
    'stat_counters',
    ['website_id', 'name', 'day', 'value_id', 'hits'],
    rows.map((row) => [websiteId, ...row]),
    dialect.addIfThere('website_id, name, day, value_id', 'hits'),
  );
}

/** What the counters of one day say. */
export async function countsOf(manager: EntityManager, websiteId: number, day: number): Promise<Counted[]> {
  const names = new Map(STAT_NAMES.map((name) => [DIMENSIONS[name].code, name]));
  const rows = await manager.query<{ name: number; value: Buffer; hits: number }[]>(
    `SELECT counter.name AS name, entry.value AS value, counter.hits AS hits
    FROM stat_counters counter INNER JOIN stat_values entry ON entry.website_id = counter.website_id
      AND entry.name = counter.name AND entry.value_id = counter.value_id
    WHERE counter.website_id = ? AND counter.name IN (${[...names.keys()].join(', ')}) AND counter.day = ?`,
    [websiteId, day],
  );
  return rows.map(({ name, value, hits }) => ({
    name: names.get(name)!,
    day,
    value: value.toString(),
    hits: Number(hits),
  }));
}

export async function removeCounts(manager: EntityManager, websiteId: number, day: number): Promise<void> {
  const codes = STAT_NAMES.map((name) => DIMENSIONS[name].code).join(', ');
  await manager.query(`DELETE FROM stat_counters WHERE website_id = ? AND name IN (${codes}) AND day = ?`, [
    websiteId,
    day,
  ]);
}
