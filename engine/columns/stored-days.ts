import { isDeepStrictEqual } from 'node:util';
import type { Check } from '../ground/deadline-check';
import type { Queryable, Reading } from '../database/rows';
import type { Span } from '../hits/calendar';
import type { DayOfHits } from '../hits/hit-block';
import type { SeenIf } from '../hits/seen-if';
import type { ColumnDay } from './segments/hit-segments';
import { HITS_OF_PART } from './segments/part-format';
import { readHitsInColumns, type SomeHits } from './segments/hits-in-columns';
import { Batch } from './batches/batch';
import { hitsOfBatch } from './batches/hits-of-batch';
import { endOf, HitsRemoved, readNextBatches } from './batches/batches';
import { DamagedVisitors } from './ordering/day-visitors';
import { LateVisitors } from './batches/late-visitors';
import { type Extent } from '../port';

const LAST_DAY = 2 ** 31 - 1;
/** A code in each column, and its texts. */
const BYTES_OF_HIT = 120;

export interface HitsOfDay extends DayOfHits {
  /** The first hits of the day, if they are in columns. The others are in batches. */
  readonly columns: ColumnDay | undefined;
}

interface DayRow {
  day: number;
  hits: number | string;
  segment: number | string;
  first_part: number;
  last_part: number;
  in_columns: number | string;
  sealing: number | string | null;
  sealed_at: number | string | null;
  home: number;
}

/** It is one statement, so that a day that is being moved is not missed. */
const DAYS = `SELECT day, MAX(hits) AS hits, MAX(segment) AS segment, MAX(first_part) AS first_part, MAX(last_part) AS last_part,
    MAX(in_columns) AS in_columns, MAX(sealing) AS sealing, MAX(sealed_at) AS sealed_at, MAX(home) AS home
  FROM (
    SELECT day, first_hit + size AS hits, 0 AS segment, 0 AS first_part, 0 AS last_part, 0 AS in_columns,
      NULL AS sealing, 0 AS sealed_at, 0 AS home
    FROM hit_batches WHERE website_id = ? AND day BETWEEN ? AND ?
    UNION ALL
    SELECT day, hits, segment, first_part, last_part, hits, sealing, sealed_at, home
    FROM hit_days WHERE website_id = ? AND day BETWEEN ? AND ?
  ) kept
  WHERE day >= (SELECT archived_from FROM counting WHERE website_id = ?) GROUP BY day`;

/** The days of a span with stored hits. */
export async function readDays(
  reader: Queryable,
  websiteId: number,
  { from = 0, to = LAST_DAY }: Partial<Span> = {},
): Promise<HitsOfDay[]> {
  const parameters = [websiteId, from, to, websiteId, from, to, websiteId];
  const rows = await reader.query<DayRow[]>(`${DAYS} ORDER BY day`, parameters);
  return rows.map(asDay);
}

/** The days of a website that is seen, and whether it has exclusions. Undefined if it is not seen. */
export async function readSeenDays(
  reader: Queryable,
  websiteId: number,
  seenIf: SeenIf,
  { from, to }: Span,
): Promise<{ days: HitsOfDay[]; isPartly: boolean } | undefined> {
  const rows = await reader.query<((DayRow | Record<keyof DayRow, null>) & { partly: unknown })[]>(
    `SELECT days.*, left_out.website_id AS partly FROM websites website
    LEFT JOIN left_out ON left_out.website_id = website.id
    LEFT JOIN (${DAYS}) days ON days.day IS NOT NULL
    WHERE website.id = ? AND ${seenIf.sql} ORDER BY days.day`,
    [...[websiteId, from, to, websiteId, from, to, websiteId], websiteId, ...seenIf.parameters],
  );
  if (rows.length === 0) return undefined;
  const days = rows.flatMap((row) => (row.day === null ? [] : [asDay(row)]));
  return { days, isPartly: rows[0]!.partly !== null };
}

function asDay(row: DayRow): HitsOfDay {
  const { day, segment, first_part, last_part, in_columns, sealing, sealed_at, home } = row;
  const hits = Number(row.hits);
  const columns: ColumnDay = {
    home: Number(home),
    segment: Number(segment),
    firstPart: first_part,
    lastPart: last_part,
    hits: Number(in_columns),
    sealing: sealing === null ? null : Number(sealing),
    sealedAt: Number(sealed_at),
  };
  if (columns.segment === 0) return { day, hits, version: 0, isSealed: false, columns: undefined };
  return { day, hits, version: columns.sealedAt, isSealed: columns.hits === hits, columns };
}

/** The hits of one day. Only its last batch is read: MySQL would sort all of them by `first_hit`. */
export async function readDay(reader: Queryable, websiteId: number, day: number): Promise<HitsOfDay> {
  const [row] = await reader.query<(Omit<DayRow, 'day' | 'hits'> & { in_batches: number | string })[]>(
    `SELECT COALESCE(d.segment, 0) AS segment, d.first_part, d.last_part, COALESCE(d.hits, 0) AS in_columns, d.sealing, d.sealed_at, d.home,
      COALESCE((SELECT b.first_hit + b.size FROM hit_batches b WHERE b.website_id = c.website_id AND b.day = ?
        ORDER BY b.website_id DESC, b.day DESC, b.first_hit DESC LIMIT 1), 0) AS in_batches
    FROM counting c LEFT JOIN hit_days d ON d.website_id = c.website_id AND d.day = ?
    WHERE c.website_id = ? AND c.archived_from <= ?`,
    [day, day, websiteId, day],
  );
  if (!row) return { day, hits: 0, version: 0, isSealed: false, columns: undefined };
  return asDay({ ...row, day, hits: Math.max(Number(row.in_batches), Number(row.in_columns)) });
}

/** Tells whether a day is still stored in the same place. If it is, missing hits are damage. */
export async function isUnmoved(
  reader: Queryable,
  websiteId: number,
  { day, hits, columns }: HitsOfDay,
): Promise<boolean> {
  const now = await readDay(reader, websiteId, day);
  const placeOf = (of: ColumnDay | undefined) => [of?.segment, of?.hits, of?.sealing];
  return now.hits >= hits && isDeepStrictEqual(placeOf(now.columns), placeOf(columns));
}

/** Leaves out days before `from`. */
export async function readExtent(reader: Queryable, websiteId: number, from: number): Promise<Extent> {
  const [row] = await reader.query<Record<'in_batches' | 'in_columns' | 'archived_from', number | null>[]>(
    `SELECT (SELECT MIN(day) FROM hit_batches WHERE website_id = ? AND day >= ?) AS in_batches,
      (SELECT MIN(day) FROM hit_days WHERE website_id = ? AND day >= ?) AS in_columns,
      (SELECT archived_from FROM counting WHERE website_id = ?) AS archived_from`,
    [websiteId, from, websiteId, from, websiteId],
  );
  const { in_batches, in_columns, archived_from } = row!;
  const days = [in_batches, in_columns].filter((day) => day !== null);
  const first = days.length === 0 ? undefined : Math.min(...days);
  return { first, keptFrom: Math.max(from, archived_from ?? 0) };
}

/** The first day whose hits may be complete. */
export async function readArchivedFrom(reader: Queryable, websiteId: number): Promise<number> {
  const [row] = await reader.query<{ archived_from: number }[]>(
    'SELECT archived_from FROM counting WHERE website_id = ?',
    [websiteId],
  );
  return row!.archived_from;
}

/** The approximate memory for reading the largest part of a day. */
export function bytesOfPart({ columns }: HitsOfDay): number {
  return columns ? BYTES_OF_HIT * Math.min(columns.hits, HITS_OF_PART) : 0;
}

/** The number of hits after sealing whose visitors are still known. */
export function lateHits({ hits, columns }: HitsOfDay): number {
  return columns && columns.sealing !== null ? hits - columns.hits : 0;
}

/**
 * The hits of a day. Hits in columns come first, by visitor, each visitor with a unique name; then hits in batches, in
 * the order of their acceptance.
 */
export async function* readHitsFrom(
  read: Reading,
  websiteId: number,
  stored: HitsOfDay,
  check?: Check,
): AsyncGenerator<SomeHits> {
  const { day, hits, columns } = stored;
  let place = 0;
  if (columns)
    for await (const some of readHitsInColumns(read, websiteId, day, columns, check)) {
      yield some;
      place = some.end;
    }
  const visitors = lateHits(stored) > 0 ? await lateVisitors(read, websiteId, stored) : undefined;
  for await (const batch of readBatchesFrom(read, websiteId, day, place, hits)) {
    const { firstHit, size } = batch.key;
    const range = { from: place - firstHit, before: Math.min(size, hits - firstHit) };
    for (const some of hitsOfBatch(batch, { ...range, hashes: visitors?.namesOf(batch) ?? batch.hashes }))
      yield { hits: some, end: (place += some.length) };
  }
}

/** The late visitors who are in the columns as well. */
async function lateVisitors(
  read: Reading,
  websiteId: number,
  { day, hits, columns }: HitsOfDay,
): Promise<LateVisitors> {
  const visitors = new LateVisitors();
  for await (const batch of readBatchesFrom(read, websiteId, day, columns!.hits, hits)) visitors.add(batch);
  const reader: Queryable = { query: (sql, parameters) => read((own) => own.query(sql, parameters)) };
  try {
    await visitors.find(reader, { websiteId, day, sealing: columns!.sealing! });
  } catch (error) {
    // The hashes are removed with the salt of the day.
    throw error instanceof DamagedVisitors ? new HitsRemoved(websiteId, day, 0, error) : error;
  }
  return visitors;
}

/** The batches of a day with the hits of a range; its end is excluded. */
export async function* readBatchesFrom(
  read: Reading,
  websiteId: number,
  day: number,
  from: number,
  before: number,
): AsyncGenerator<Batch> {
  for (let place = from; place < before;)
    for (const stored of await read((reader) => readNextBatches(reader, websiteId, day, place))) {
      if (place >= before) return;
      yield await Batch.open(stored);
      place = endOf(stored);
    }
}
