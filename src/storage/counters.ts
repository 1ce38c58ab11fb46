import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Dialect } from '../database/dialect';
import { insertAll, type Insertion, type Queryable } from '../database/rows';
import { closedDays, raiseVersion } from './closed-days';
import { applyValues, type Dictionary, type PreparedValues } from './dictionary';
import { DIMENSIONS, STAT_NAMES, type StatName } from './dimensions';
import { SPANS } from './segment-format';
import { NAME_CODES } from './segment-store';

export const COUNTER_KEY = 'website_id, name, day, value_id';
export const COUNTER_COLUMNS = [...COUNTER_KEY.split(', '), 'hits'];

/** Counts that were prepared without a transaction; one short transaction under the same lease applies them. */
export interface PreparedCounts {
  values: PreparedValues;
  counters: Insertion;
  changesClosedDays: boolean;
}

/** Rows are in the order of the primary key, or the upserts of two processes would deadlock. */
export async function prepareCounts(
  dialect: Dialect,
  reader: Queryable,
  websiteId: number,
  dictionary: Dictionary,
  counts: Increment[],
): Promise<PreparedCounts> {
  const rows: number[][] = [];
  const { closedBefore, epoch } = await closedDays(reader, websiteId);
  dictionary.at(epoch);
  for (const [name, ofName] of byName(counts)) {
    const ids = await dictionary.learn(reader, name, valuesByDay(ofName));
    const { code } = DIMENSIONS[name];
    const own = ofName.map(({ day, value, hits }) => [websiteId, code, day, ids.get(value)!, hits]);
    own.sort((one, other) => one[2]! - other[2]! || one[3]! - other[3]!);
    for (const row of own) rows.push(row);
    await yieldIfNeeded();
  }
  const counters = {
    table: 'stat_counters',
    columns: COUNTER_COLUMNS,
    rows,
    ending: dialect.addIfThere('stat_counters', COUNTER_KEY, 'hits'),
  };
  return {
    values: dictionary.prepared(),
    counters,
    changesClosedDays: counts.some(({ day }) => day < closedBefore),
  };
}

export async function applyCounts(
  manager: EntityManager,
  websiteId: number,
  { values, counters, changesClosedDays }: PreparedCounts,
): Promise<void> {
  await applyValues(manager, websiteId, values);
  await insertAll(manager, [counters]);
  if (changesClosedDays) await raiseVersion(manager, websiteId);
}

function valuesByDay(counts: Increment[]): Map<number, string[]> {
  const days = new Map<number, string[]>();
  for (const { day, value } of counts) {
    const values = days.get(day);
    if (values) values.push(value);
    else days.set(day, [value]);
  }
  return days;
}

/** In the order of the codes. */
function byName(counts: Increment[]): [StatName, Increment[]][] {
  const names = new Map<StatName, Increment[]>();
  for (const count of counts) {
    const own = names.get(count.name);
    if (own) own.push(count);
    else names.set(count.name, [count]);
  }
  return [...names].sort(([one], [other]) => DIMENSIONS[one].code - DIMENSIONS[other].code);
}

/** A day from `from` on that has at least so many rows. */
export async function dayWithRows(
  reader: Queryable,
  websiteId: number,
  from: number,
  leastRows: number,
): Promise<number | undefined> {
  const [row] = await reader.query<{ day: number }[]>(
    `SELECT day FROM stat_counters WHERE website_id = ? AND name IN (${NAME_CODES}) AND day >= ?
    GROUP BY day HAVING COUNT(*) >= ? ORDER BY day LIMIT 1`,
    [websiteId, from, leastRows],
  );
  return row?.day;
}

/** The first day from `from` on that a table has something of; each name is one step through the primary key. */
export async function firstDay(
  reader: Queryable,
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
  const rows = await reader.query<{ day: number | null }[]>(
    days.join(' UNION ALL '),
    STAT_NAMES.map(() => websiteId),
  );
  const found = rows.map(({ day }) => day).filter((day) => day !== null);
  return found.length === 0 ? undefined : Math.min(...found);
}

export interface Increment {
  name: StatName;
  day: number;
  value: string;
  hits: number;
}
