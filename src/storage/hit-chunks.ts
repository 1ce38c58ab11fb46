import type { EntityManager } from 'typeorm';
import { insertRows, type Queryable } from '../database/rows';
import type { EncodedPart } from './part-format';
import { ALL_COLUMNS, columnsIn, DamagedColumns, type PartKey, type PartRow } from './part-rows';

/*
 * The hits of a day that nobody can be told by any more stand in columns: one or more parts, which are rows of
 * `hit_columns`. Parts that were written together are a chunk. Its number is used once, and its rows are never changed.
 * A row of `hit_days` says in which parts of which chunk a day is; rows of a chunk that is not named there are nothing.
 */

const COLUMNS = ['website_id', 'chunk', 'part', 'kind', 'piece', 'last_day', 'data'];
const DAY_COLUMNS = ['website_id', 'day', 'chunk', 'first_part', 'last_part', 'hits'];

/** Where the columns of a day are. */
export interface ColumnDay {
  chunk: number;
  firstPart: number;
  lastPart: number;
  hits: number;
}

/** Parts that follow one another in a chunk. */
export type PartRange = Omit<ColumnDay, 'hits'>;

/** Reads some columns of parts, by their numbers; what does not stand there is missing in the answer. */
export async function storedParts(
  reader: Queryable,
  websiteId: number,
  ranges: PartRange[],
  columns: readonly number[],
): Promise<Map<string, EncodedPart | undefined>> {
  const kinds = [ALL_COLUMNS, ...columns];
  const rows = await reader.query<(Omit<PartRow, 'websiteId' | 'chunk'> & { chunk: number | string })[]>(
    `SELECT chunk, part, kind, piece, data FROM hit_columns
    WHERE website_id = ? AND (${ranges.map(() => '(chunk = ? AND part BETWEEN ? AND ?)').join(' OR ')})
      AND kind IN (${kinds.map(() => '?').join(', ')}) ORDER BY chunk, part, kind, piece`,
    [
      websiteId,
      ...ranges.flatMap(({ chunk, firstPart, lastPart }) => [chunk, firstPart, lastPart]),
      ...kinds,
    ],
  );
  const byPart = new Map<string, PartRow[]>();
  for (const row of rows) {
    const own: PartRow = { ...row, websiteId, chunk: Number(row.chunk) };
    const key = partName(own);
    byPart.set(key, [...(byPart.get(key) ?? []), own]);
  }
  return new Map([...byPart].map(([key, own]) => [key, columnsIn(own)]));
}

export function partName({ chunk, part }: Pick<PartKey, 'chunk' | 'part'>): string {
  return `${chunk} ${part}`;
}

/** The columns that were asked for, all of which have to be there. */
export function trusted(
  stored: EncodedPart | undefined,
  columns: readonly number[],
  key: PartKey,
  day: number,
): EncodedPart {
  if (!stored || columns.some((column) => !stored.has(column))) throw new DamagedColumns(key, day);
  return stored;
}

export async function insertParts(manager: EntityManager, rows: PartRow[], lastDay: number): Promise<void> {
  const values = rows.map(({ websiteId, chunk, part, kind, piece, data }) => [
    ...[websiteId, chunk, part, kind, piece],
    ...[lastDay, data],
  ]);
  await insertRows(manager, 'hit_columns', COLUMNS, values);
}

export async function insertColumnDay(
  manager: EntityManager,
  websiteId: number,
  day: number,
  { chunk, firstPart, lastPart, hits }: ColumnDay,
): Promise<void> {
  await insertRows(manager, 'hit_days', DAY_COLUMNS, [[websiteId, day, chunk, firstPart, lastPart, hits]]);
}

/** Removes what was written of a day before the work broke off. */
export async function removeUnfinished(
  manager: EntityManager,
  websiteId: number,
  lastDay: number,
): Promise<void> {
  await manager.query(
    `DELETE FROM hit_columns WHERE website_id = ? AND last_day = ?
    AND chunk NOT IN (SELECT chunk FROM hit_days WHERE website_id = ?)`,
    [websiteId, lastDay, websiteId],
  );
}
