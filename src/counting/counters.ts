import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { DIMENSIONS, nameOf, STAT_NAMES, type StatName } from '../stats/dimensions';
import { SPANS } from '../stats/segment';
import { Sums } from '../stats/sums';
import { Values } from '../stats/values';
import { closedDays, raiseVersion } from './closed-days';
import type { Dictionary } from './dictionary';
import type { Counted } from './fold';
import { insertRows } from '../database/rows';
import { addToDay, type CountsByName, NAME_CODES, packedOn } from './segments';

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
  const { closedBefore } = await closedDays(manager, websiteId);
  if (counts.some(({ day }) => day < closedBefore)) await raiseVersion(manager, websiteId);
}

/** What the counters of one day say, packed or not. */
export async function countsOf(manager: EntityManager, websiteId: number, day: number): Promise<Counted[]> {
  const byName = await packedOn(manager, websiteId, day);
  for (const [name, sums] of (await rowsOn(manager, websiteId, day)).counts) addTo(byName, name, sums);
  const counts: Counted[] = [];
  for (const [code, sums] of byName) {
    const name = nameOf(code);
    const ids = Array.from(sums.ids());
    const values = await new Values(manager, websiteId, name).of(ids);
    for (const id of ids)
      counts.push({ name, day, value: values.get(id)!.toString(), hits: sums.counts[id]! });
  }
  return counts;
}

/** Takes out all that was counted on one day. */
export async function removeCounts(manager: EntityManager, websiteId: number, day: number): Promise<void> {
  const { mergedBefore } = await closedDays(manager, websiteId);
  const taken: CountsByName = new Map();
  for (const [name, sums] of await packedOn(manager, websiteId, day)) addTo(taken, name, sums, -1);
  await addToDay(manager, websiteId, day, taken, mergedBefore);
  await manager.query(
    `DELETE FROM stat_counters WHERE website_id = ? AND name IN (${NAME_CODES}) AND day = ?`,
    [websiteId, day],
  );
  await raiseVersion(manager, websiteId);
}

/** Moves rows of a closed day into its segments; where there are very many, some of them. */
export async function packDay(
  manager: EntityManager,
  websiteId: number,
  day: number,
  mostRows?: number,
): Promise<void> {
  const { mergedBefore } = await closedDays(manager, websiteId);
  const { counts, last } = await rowsOn(manager, websiteId, day, mostRows);
  await addToDay(manager, websiteId, day, counts, mergedBefore);
  for (const name of counts.keys())
    await manager.query(
      `DELETE FROM stat_counters WHERE website_id = ? AND name = ? AND day = ? AND value_id <= ?`,
      [websiteId, name, day, name === last?.name ? last.value_id : Number.MAX_SAFE_INTEGER],
    );
}

/** The first day from `from` on that a table has something of; each name is one step through the primary key. */
export async function firstDay(
  manager: EntityManager,
  table: 'stat_counters' | 'stat_segments',
  websiteId: number,
  from: number,
  before: number,
): Promise<number | undefined> {
  if (from >= before) return undefined;
  const span = table === 'stat_segments' ? `AND span = ${SPANS.days}` : '';
  const days = STAT_NAMES.map(
    (name) =>
      `SELECT MIN(day) AS day FROM ${table} WHERE website_id = ? AND name = ${DIMENSIONS[name].code} ${span}
      AND day >= ${from} AND day < ${before}`,
  );
  const rows = await manager.query<{ day: number | null }[]>(
    days.join(' UNION ALL '),
    STAT_NAMES.map(() => websiteId),
  );
  const found = rows.map(({ day }) => day).filter((day) => day !== null);
  return found.length === 0 ? undefined : Math.min(...found);
}

interface Row {
  name: number;
  value_id: number;
  hits: number;
}

async function rowsOn(
  manager: EntityManager,
  websiteId: number,
  day: number,
  mostRows = Number.MAX_SAFE_INTEGER,
) {
  const rows = await manager.query<Row[]>(
    `SELECT name, value_id, hits FROM stat_counters
    WHERE website_id = ? AND name IN (${NAME_CODES}) AND day = ? ORDER BY name, value_id LIMIT ${mostRows}`,
    [websiteId, day],
  );
  const counts: CountsByName = new Map();
  for (const { name, value_id, hits } of rows) {
    let sums = counts.get(name);
    if (!sums) counts.set(name, (sums = new Sums()));
    sums.add(value_id, Number(hits));
  }
  return { counts, last: rows.length === mostRows ? rows.at(-1) : undefined };
}

function addTo(counts: CountsByName, name: number, sums: Sums, times = 1): void {
  const own = counts.get(name) ?? new Sums();
  own.addAll(sums, times);
  counts.set(name, own);
}
