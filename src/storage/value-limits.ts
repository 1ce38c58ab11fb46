import type { EntityManager } from 'typeorm';
import type { Dialect } from '../database/dialect';
import type { Insertion, Queryable } from '../database/rows';
import type { Span } from './calendar';

/** How many values a website may have under one name; further ones are counted as `OTHER`. */
export interface ValueLimits {
  all: number;
  newPerDay: number;
}

export const OTHER = '(other)';
export const VALUE_LIMITS: ValueLimits = { all: 1_000_000, newPerDay: 250_000 };

/** Events of a day may come so long after it; then the number of its new values is not needed any more. */
const LATEST_DAYS = 3;
const KINDS = { added: 1, merged: 2 } as const;
const KEY = 'website_id, name, day, kind';

/** New values of one name on one day. */
export interface NewValues {
  /** The code of the name. */
  name: number;
  day: number;
  added: number;
  /** Values that were counted as `OTHER`. */
  merged: number;
}

export async function addedValues(
  reader: Queryable,
  websiteId: number,
  name: number,
  day: number,
): Promise<number> {
  const [row] = await reader.query<{ size: number }[]>(
    'SELECT size FROM new_values WHERE website_id = ? AND name = ? AND day = ? AND kind = ?',
    [websiteId, name, day, KINDS.added],
  );
  return Number(row?.size ?? 0);
}

/** Adds to what the table says of each name and day. */
export function newValuesInsertion(
  { addIfThere }: Dialect,
  websiteId: number,
  newValues: NewValues[],
): Insertion {
  const rows = newValues.flatMap(({ name, day, added, merged }) => [
    [websiteId, name, day, KINDS.added, added],
    [websiteId, name, day, KINDS.merged, merged],
  ]);
  return {
    table: 'new_values',
    columns: ['website_id', 'name', 'day', 'kind', 'size'],
    rows: rows.filter(([, , , , size]) => size! > 0),
    ending: addIfThere('new_values', KEY, 'size'),
  };
}

/** Forgets what no event can need any more, and what belongs to days that are not kept. */
export async function retireNewValues(
  manager: EntityManager,
  websiteId: number,
  today: number,
  keptFrom: number,
): Promise<void> {
  await manager.query('DELETE FROM new_values WHERE website_id = ? AND ((kind = ? AND day < ?) OR day < ?)', [
    websiteId,
    KINDS.added,
    today - LATEST_DAYS,
    keptFrom,
  ]);
}

/** The codes of the names of which values were counted as `OTHER` on a day because of the limits. */
export async function limitedNames(reader: Queryable, websiteId: number, day: number): Promise<Set<number>> {
  const rows = await reader.query<{ name: number }[]>(
    'SELECT name FROM new_values WHERE website_id = ? AND day = ? AND kind = ?',
    [websiteId, day, KINDS.merged],
  );
  return new Set(rows.map(({ name }) => name));
}

/** On how many days of a range values of a name were counted as `OTHER` because of the limits. */
export async function limitedDays(
  reader: Queryable,
  websiteId: number,
  name: number,
  { from, to }: Span,
): Promise<number> {
  const [row] = await reader.query<{ days: number }[]>(
    `SELECT COUNT(*) AS days FROM new_values
    WHERE website_id = ? AND name = ? AND day BETWEEN ? AND ? AND kind = ?`,
    [websiteId, name, from, to, KINDS.merged],
  );
  return Number(row!.days);
}
