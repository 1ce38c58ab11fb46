import { release } from '../../ground/memory/release';
import type { Dialect } from '../../database/dialect';
import { changedBy, insertAll, type Insertion, type Queryable, type Transaction } from '../../database/rows';
import type { DayKey } from '../../port';
import { removalsOf } from '../../rows/row-days';
import { nameVersion, releaseVersion, remoteVersions } from '../homes/remote-versions';
import { addLateColumns, type EncodedPart, isLate, STRUCTURE } from './part-format';
import {
  ALL_COLUMNS,
  columnsIn,
  DamagedColumns,
  MAX_PART_ROW_BYTES,
  type PartKey,
  type PartRow,
} from './part-rows';

/*
 * The hits of a sealed day are in columns: in one or more parts, which are rows of `hit_columns`. Parts that were
 * written together are a segment. A segment's number is used once, and its rows never change. A row of `hit_days` names
 * the segment of a day and its parts; rows of other segments are ignored. Merging moves the days of several segments
 * into one, without changing the order of hits.
 *
 * The hits of an old day may be rows of `hits` instead: then the number of the segment is the version of these rows.
 */

const COLUMNS = ['website_id', 'segment', 'part', 'kind', 'piece', 'last_day', 'data'];
/** Servers end a recursion after 1,000 steps. */
const SEGMENTS_AT_ONCE = 500;
const DAY_COLUMNS = [
  'website_id',
  'day',
  'segment',
  'first_part',
  'last_part',
  'hits',
  'sealing',
  'sealed_at',
  'home',
];

/** Where the hits of a sealed day are. `lost` are those that were given up. Remote homes have larger numbers. */
export const HOMES = { columns: 0, rows: 1, lost: 2 } as const;

export function isRemote(home: number): boolean {
  return home > HOMES.lost;
}

/** The place of a day's columns, or of its rows. */
export interface ColumnDay {
  home: number;
  /** The version, if its hits are rows. */
  segment: number;
  firstPart: number;
  lastPart: number;
  hits: number;
  /** The number of its visitors' hashes. Null once they are forgotten. */
  sealing: number | null;
  /** It rises whenever other hits are written. A move of the same hits keeps it. */
  sealedAt: number;
}

/** The place of hits that are being written. */
export type WrittenColumns = Omit<ColumnDay, 'sealedAt'>;

/** A day whose hits are in columns. */
export interface DayInColumns {
  day: number;
  columns: ColumnDay;
}

/** The current days of a segment. */
export interface SegmentDays {
  segment: number;
  days: DayInColumns[];
  hits: number;
}

/** Consecutive parts of a segment. */
export type PartRange = Omit<WrittenColumns, 'home' | 'hits' | 'sealing'>;

/**
 * Reads some columns of parts, by number. Missing columns are missing in the result, unless the release that wrote the
 * part had no such field: then they are empty.
 */
export async function readParts(
  reader: Queryable,
  websiteId: number,
  parts: Pick<PartKey, 'segment' | 'part'>[],
  columns: readonly number[],
): Promise<Map<string, EncodedPart | undefined>> {
  const late = columns.filter(isLate);
  const kinds = [ALL_COLUMNS, ...new Set(late.length > 0 ? [STRUCTURE, ...columns] : columns)];
  // If the parts were alternatives in one condition, SQLite would read all columns of the website.
  const ofPart = `SELECT segment, part, kind, piece, data FROM hit_columns
    WHERE website_id = ? AND segment = ? AND part = ? AND kind IN (${kinds.map(() => '?').join(', ')})`;
  const rows = await reader.query<(Omit<PartRow, 'websiteId' | 'segment'> & { segment: number | string })[]>(
    parts.map(() => ofPart).join(' UNION ALL '),
    parts.flatMap(({ segment, part }) => [websiteId, segment, part, ...kinds]),
  );
  rows.sort((one, other) => one.kind - other.kind || one.piece - other.piece);
  const byPart = new Map<string, PartRow[]>();
  for (const row of rows) {
    const own: PartRow = { ...row, websiteId, segment: Number(row.segment) };
    const key = partName(own);
    byPart.set(key, [...(byPart.get(key) ?? []), own]);
  }
  return new Map([...byPart].map(([key, own]) => [key, columnsOf(own, late)]));
}

/** The columns of a part. Rows that were copied into them are released. */
function columnsOf(rows: PartRow[], late: readonly number[]): EncodedPart | undefined {
  const columns = columnsIn(rows);
  if (columns) addLateColumns(columns, late);
  const inUse = new Set(Array.from(columns?.values() ?? [], ({ buffer }) => buffer));
  for (const { data } of rows) if (!inUse.has(data.buffer)) release(data);
  return columns;
}

export function partName({ segment, part }: Pick<PartKey, 'segment' | 'part'>): string {
  return `${segment} ${part}`;
}

/** The requested columns. Throws if one is missing or damaged. */
export function expectColumns(
  stored: EncodedPart | undefined,
  columns: readonly number[],
  key: PartKey,
  day: number,
): EncodedPart {
  if (!stored || columns.some((column) => !stored.has(column))) throw new DamagedColumns(key, day);
  return stored;
}

export function partInsertion(parts: PartRow[], lastDay: number): Insertion {
  const rows = parts.map(({ websiteId, segment, part, kind, piece, data }) => [
    ...[websiteId, segment, part, kind, piece],
    ...[lastDay, data],
  ]);
  return { table: 'hit_columns', columns: COLUMNS, rows };
}

export async function insertColumnDay(
  manager: Transaction,
  websiteId: number,
  day: number,
  columns: WrittenColumns,
  sealedAt: number,
): Promise<void> {
  await insertAll(manager, [columnDayInsertion([{ websiteId, day, columns }], sealedAt)]);
}

/** Days that move into columns. */
export function columnDayInsertion(
  days: { websiteId: number; day: number; columns: WrittenColumns }[],
  sealedAt: number,
): Insertion {
  const rows = days.map(
    ({ websiteId, day, columns: { home, segment, firstPart, lastPart, hits, sealing } }) => [
      ...[websiteId, day, segment, firstPart, lastPart],
      ...[hits, sealing, sealedAt, home],
    ],
  );
  return { table: 'hit_days', columns: DAY_COLUMNS, rows };
}

/** The days changed after they were read, so nothing is removed. */
export class DaysChanged extends Error {}

/**
 * Removes the place of a day, if it has not changed. Its visitors may be forgotten at any moment. Its rows are removed
 * later.
 */
export async function removeColumnDay(
  manager: Transaction,
  websiteId: number,
  day: number,
  { home, segment, sealing }: ColumnDay,
): Promise<void> {
  const isSealed = sealing === null ? 'sealing IS NULL' : 'sealing = ?';
  const removed = await changedBy(
    manager,
    `DELETE FROM hit_days WHERE website_id = ? AND day = ? AND segment = ? AND ${isSealed}`,
    [websiteId, day, segment, ...(sealing === null ? [] : [sealing])],
  );
  if (removed !== 1) throw new DaysChanged();
  if (home === HOMES.rows) await insertAll(manager, [unnamedVersions(HOMES.rows, websiteId, [day], segment)]);
  if (isRemote(home)) await releaseVersion(manager, home, { websiteId, day, version: segment });
}

/** Gives up the hits of a day whose remote home has lost them. Its rollups stay; whatever needs its hits is an error. */
export async function giveUpDay(
  manager: Transaction,
  websiteId: number,
  { day, columns: { home, segment } }: DayInColumns,
): Promise<void> {
  const given = await changedBy(
    manager,
    'UPDATE hit_days SET home = ? WHERE website_id = ? AND day = ? AND home = ? AND segment = ?',
    [HOMES.lost, websiteId, day, home, segment],
  );
  if (given !== 1) throw new DaysChanged();
  await releaseVersion(manager, home, { websiteId, day, version: segment });
}

/** Names the rows of some days, if none of the days has changed. The rows have a version that no day names. */
export async function nameRows(
  manager: Transaction,
  websiteId: number,
  days: readonly DayInColumns[],
  version: number,
  home: number,
): Promise<void> {
  for (const { day, columns } of days) {
    const named = await changedBy(
      manager,
      `UPDATE hit_days SET home = ?, segment = ? WHERE website_id = ? AND day = ? AND segment = ? AND hits = ?
        AND sealing IS NULL`,
      [home, version, websiteId, day, columns.segment, columns.hits],
    );
    if (named !== 1) throw new DaysChanged();
    await noteNamed(manager, home, { websiteId, day, version });
  }
}

/** Call it in the transaction in which a day names rows. */
export function noteNamed(manager: Transaction, home: number, key: DayKey): Promise<void> {
  return home === HOMES.rows ? unlistVersion(manager, key) : nameVersion(manager, home, key);
}

/** The rows of this version are named by their day from now on, or removed. */
async function unlistVersion(manager: Transaction, { websiteId, day, version }: DayKey): Promise<void> {
  await manager.query('DELETE FROM unnamed_versions WHERE website_id = ? AND day = ? AND version = ?', [
    websiteId,
    day,
    version,
  ]);
}

/** Rows of these versions are removed, unless days name them before. Call it before the first one is written. */
export function unnamedVersions(
  home: number,
  websiteId: number,
  days: readonly number[],
  version: number,
): Insertion {
  if (home !== HOMES.rows) return remoteVersions(home, websiteId, days, version);
  const rows = days.map((day) => [websiteId, day, version]);
  return { table: 'unnamed_versions', columns: ['website_id', 'day', 'version'], rows };
}

export async function readUnnamedVersions(reader: Queryable, websiteId: number): Promise<DayKey[]> {
  const rows = await reader.query<{ day: number; version: number | string }[]>(
    'SELECT day, version FROM unnamed_versions WHERE website_id = ? ORDER BY day, version',
    [websiteId],
  );
  return rows.map(({ day, version }) => ({ websiteId, day, version: Number(version) }));
}

/** Removes some rows of a version that no day names. Returns false if more may be left. */
export async function removeSomeRows(
  manager: Transaction,
  dialect: Dialect,
  { websiteId, day, version }: DayKey,
): Promise<boolean> {
  for (const statement of removalsOf({ dialect }, { websiteId, day, version }))
    if ((await changedBy(manager, ...statement)) > 0) return false;
  await unlistVersion(manager, { websiteId, day, version });
  return true;
}

/** The place of a day in columns. */
export async function readColumnDay(
  reader: Queryable,
  websiteId: number,
  day: number,
): Promise<ColumnDay | undefined> {
  const [row] = await reader.query<
    (Record<'home', number> &
      Record<'segment' | 'hits' | 'sealedAt', number | string> &
      Record<'firstPart' | 'lastPart', number> & { sealing: number | string | null })[]
  >(
    `SELECT home, segment, first_part AS firstPart, last_part AS lastPart, hits, sealing, sealed_at AS sealedAt
    FROM hit_days
    WHERE website_id = ? AND day = ?`,
    [websiteId, day],
  );
  if (!row) return undefined;
  const { segment, hits, sealing, sealedAt } = row;
  const numbers = {
    sealedAt: Number(sealedAt),
    segment: Number(segment),
    hits: Number(hits),
    sealing: sealing === null ? null : Number(sealing),
  };
  return { ...row, ...numbers };
}

/** The days in columns from a day on, with their number of hits. */
export async function readDaysInColumns(
  reader: Queryable,
  websiteId: number,
  from: number,
): Promise<{ day: number; hits: number }[]> {
  const rows = await reader.query<{ day: number; hits: number | string }[]>(
    'SELECT day, hits FROM hit_days WHERE website_id = ? AND day >= ? ORDER BY day',
    [websiteId, from],
  );
  return rows.map(({ day, hits }) => ({ day, hits: Number(hits) }));
}

/** Late hits of the day then have visitors of their own, so its answers may change. */
export async function detachVisitors(manager: Transaction, websiteId: number, day: number): Promise<void> {
  await manager.query('UPDATE hit_days SET sealing = NULL WHERE website_id = ? AND day = ?', [
    websiteId,
    day,
  ]);
}

/** Moves the days of some segments to other parts, if none of them has changed. */
export async function moveDays(
  manager: Transaction,
  websiteId: number,
  segments: SegmentDays[],
  places: Map<number, PartRange>,
): Promise<void> {
  for (const { day, columns } of segments.flatMap(({ days }) => days)) {
    const { segment, firstPart, lastPart } = places.get(day)!;
    const moved = await changedBy(
      manager,
      'UPDATE hit_days SET segment = ?, first_part = ?, last_part = ? WHERE website_id = ? AND day = ? AND segment = ?',
      [segment, firstPart, lastPart, websiteId, day, columns.segment],
    );
    if (moved !== 1) throw new DaysChanged();
  }
}

/** The segments that no day names. It skips from segment to segment, so that it does not read all rows. */
export async function findUnnamedSegments(reader: Queryable, websiteId: number): Promise<number[]> {
  const unnamed: number[] = [];
  for (let last: number | undefined = -1; last !== undefined;) {
    const rows: { segment: number | string; isNamed: number | string }[] = await reader.query(
      `WITH RECURSIVE segments (segment, depth) AS (
        SELECT MIN(segment), 1 FROM hit_columns WHERE website_id = ? AND segment > ?
        UNION ALL
        SELECT (SELECT MIN(segment) FROM hit_columns WHERE website_id = ? AND segment > segments.segment), depth + 1
        FROM segments WHERE segments.segment IS NOT NULL AND depth < ${SEGMENTS_AT_ONCE}
      )
      SELECT segment, segment IN (SELECT segment FROM hit_days WHERE website_id = ?) AS isNamed
      FROM segments WHERE segment IS NOT NULL ORDER BY segment`,
      [websiteId, last, websiteId, websiteId],
    );
    unnamed.push(
      ...rows.filter(({ isNamed }) => Number(isNamed) === 0).map(({ segment }) => Number(segment)),
    );
    last = rows.length < SEGMENTS_AT_ONCE ? undefined : Number(rows.at(-1)!.segment);
  }
  return unnamed;
}

/** Removes some rows of a segment. Returns false if more may be left. */
export async function removeSomeSegmentRows(
  manager: Transaction,
  websiteId: number,
  segment: number,
  maxBytes: number,
): Promise<boolean> {
  const most = Math.max(1, Math.floor(maxBytes / MAX_PART_ROW_BYTES));
  const rows = await manager.query<Pick<PartRow, 'part' | 'kind' | 'piece'>[]>(
    `SELECT part, kind, piece FROM hit_columns WHERE website_id = ? AND segment = ? LIMIT ${most}`,
    [websiteId, segment],
  );
  for (const { part, kind, piece } of rows)
    await manager.query(
      'DELETE FROM hit_columns WHERE website_id = ? AND segment = ? AND part = ? AND kind = ? AND piece = ?',
      [websiteId, segment, part, kind, piece],
    );
  return rows.length < most;
}
