import type { EntityManager } from 'typeorm';
import { inPieces, type Insertion, type Queryable } from '../../database/rows';
import type { DamagedDay } from '../damaged-hits';
import { type BatchMoments, DamagedBatch, type EncodedBatch, type StoredBatch } from './batch';

/*
 * The hits of a website and day are one sequence, in the order in which they were accepted. Each keeps its place, which
 * begins at 0. A row of `hit_batches` has `size` hits from `first_hit` on, and a row of `batch_visitors` with the same
 * key the hashes of their visitors. Batches follow one another without a gap. Small ones are merged as they grow in
 * number, which changes no place: a reader of some hits of a day goes on after them, and whether there are more,
 * their number tells. Once hits are in columns (`hit_days.hits` of them), their batches are nothing.
 */

export const BATCH_LIMITS = {
  hits: 32_000,
  /** The driver doubles the bytes, and packets hold 1 MiB. */
  storedBytes: 448 * 1024,
  /** Before deflation. */
  bytes: 4 * 1024 * 1024,
};
export const BATCHES_AT_ONCE = 8;
/** Behind the last hit of any day. */
const MAX_PLACE = 2 ** 31 - 1;
/** How many hits of a website and day are in columns. */
const IN_COLUMNS = 'COALESCE((SELECT hits FROM hit_days WHERE website_id = ? AND day = ?), 0)';
const MAX_STORED_BYTES_AT_ONCE = BATCHES_AT_ONCE * BATCH_LIMITS.storedBytes;
/** What batches that are read at once take, one of them as hits. */
export const MAX_BYTES_READ_AT_ONCE = MAX_STORED_BYTES_AT_ONCE + 3 * BATCH_LIMITS.bytes;
const COLUMNS = ['website_id', 'day', 'first_hit', 'size', 'bytes', 'stored_bytes', 'last_at', 'data'];
const VISITOR_COLUMNS = ['website_id', 'day', 'first_hit', 'forget_at', 'hashes'];
/** Most of them are small, or none of them has a hit of late. */
const BATCHES_LOOKED_AT = 512;

/** Which hits of a day a batch has, and how large it is. */
export interface BatchSpan {
  firstHit: number;
  size: number;
  /** Before deflation. */
  bytes: number;
  storedBytes: number;
}

/** A batch that is to be stored. */
export interface NewBatch extends BatchSpan, BatchMoments {
  websiteId: number;
  day: number;
  encoded: EncodedBatch;
}

/** The place behind the last hit of a batch. */
export function endOf({ firstHit, size }: Pick<BatchSpan, 'firstHit' | 'size'>): number {
  return firstHit + size;
}

/** A day that is not there any more, or not from its beginning on. */
export class HitsRemoved extends Error {
  constructor(
    readonly websiteId: number,
    readonly day: number,
    readonly firstHit: number,
    private readonly damage: DamagedDay = new DamagedBatch({ websiteId, day, firstHit }),
  ) {
    super(`Hits of website ${websiteId} and day ${day} were removed meanwhile.`);
  }

  /** Where nobody removed them, they are missing. */
  asDamage(): DamagedDay {
    return this.damage;
  }
}

export function batchInsertions(batches: NewBatch[]): Insertion[] {
  return [
    {
      table: 'hit_batches',
      columns: COLUMNS,
      rows: batches.map(({ websiteId, day, firstHit, size, bytes, storedBytes, lastAt, encoded }) => [
        ...[websiteId, day, firstHit, size, bytes, storedBytes, lastAt],
        encoded.data,
      ]),
    },
    {
      table: 'batch_visitors',
      columns: VISITOR_COLUMNS,
      rows: batches.map(({ websiteId, day, firstHit, forgetAt, encoded }) => [
        ...[websiteId, day, firstHit, forgetAt],
        encoded.hashes,
      ]),
    },
  ];
}

/** How many batches of a day, up to a place, have visitors who were forgotten before they became columns. */
export async function countForgottenBatches(
  reader: Queryable,
  websiteId: number,
  day: number,
  before = MAX_PLACE,
): Promise<number> {
  const [row] = await reader.query<{ forgotten: number | string }[]>(
    `SELECT COUNT(*) AS forgotten FROM hit_batches batch LEFT JOIN batch_visitors visitors ON visitors.website_id = batch.website_id
      AND visitors.day = batch.day AND visitors.first_hit = batch.first_hit
    WHERE batch.website_id = ? AND batch.day = ? AND visitors.website_id IS NULL
      AND batch.first_hit < ? AND batch.first_hit >= ${IN_COLUMNS}`,
    [websiteId, day, before, websiteId, day],
  );
  return Number(row!.forgotten);
}

/** The days of a website whose batches have at least a number of hits. */
export async function readDaysWithHits(
  reader: Queryable,
  websiteId: number,
  hits: number,
): Promise<number[]> {
  const rows = await reader.query<{ day: number }[]>(
    'SELECT DISTINCT day FROM hit_batches WHERE website_id = ? AND first_hit + size >= ? ORDER BY day',
    [websiteId, hits],
  );
  return rows.map(({ day }) => day);
}

/** How large the batches of a day are together, before deflation and as they are stored. */
export async function readSizeOfBatches(
  reader: Queryable,
  websiteId: number,
  day: number,
): Promise<{ bytes: number; storedBytes: number }> {
  const [row] = await reader.query<Record<'bytes' | 'stored', number | string | null>[]>(
    `SELECT SUM(bytes) AS bytes, SUM(stored_bytes) AS stored FROM hit_batches
    WHERE website_id = ? AND day = ? AND first_hit >= ${IN_COLUMNS}`,
    [websiteId, day, websiteId, day],
  );
  return { bytes: Number(row!.bytes), storedBytes: Number(row!.stored) };
}

/** When the visitors of the first batches of a day are forgotten. */
export async function forgetAtOfBatches(
  reader: Queryable,
  websiteId: number,
  day: number,
): Promise<number | undefined> {
  const [row] = await reader.query<{ first: number | string | null }[]>(
    'SELECT MIN(forget_at) AS first FROM batch_visitors WHERE website_id = ? AND day = ?',
    [websiteId, day],
  );
  return row!.first === null ? undefined : Number(row!.first);
}

/** The last batches of a day whose hits are not in columns, in their order. */
export async function readLastBatches(
  reader: Queryable,
  websiteId: number,
  day: number,
  limit: number,
): Promise<BatchSpan[]> {
  const batches = await reader.query<BatchSpan[]>(
    `SELECT first_hit AS firstHit, size, bytes, stored_bytes AS storedBytes FROM hit_batches
    WHERE website_id = ? AND day = ? AND first_hit >= ${IN_COLUMNS} ORDER BY first_hit DESC LIMIT ${limit}`,
    [websiteId, day, websiteId, day],
  );
  return batches.reverse();
}

/**
 * The next batches of a day; the first one may begin before the place. There have to be hits from that place on. The
 * batches of a small day are read at once, since they are removed in the transaction that replaces them.
 */
export async function readNextBatches(
  reader: Queryable,
  websiteId: number,
  day: number,
  place: number,
  maxStoredBytes = MAX_STORED_BYTES_AT_ONCE,
): Promise<StoredBatch[]> {
  const from = `batch.first_hit + batch.size > ? AND batch.first_hit >= COALESCE(
      (SELECT MAX(first_hit) FROM hit_batches WHERE website_id = ? AND day = ? AND first_hit <= ?), 0)
    ORDER BY batch.first_hit LIMIT `;
  const parameters = [place, websiteId, day, place];
  const spans = await reader.query<{ storedBytes: number }[]>(
    `SELECT batch.stored_bytes AS storedBytes FROM hit_batches batch
    WHERE batch.website_id = ? AND batch.day = ? AND ${from}${BATCHES_LOOKED_AT}`,
    [websiteId, day, ...parameters],
  );
  const [some = []] = inPieces(spans, Infinity, maxStoredBytes, (span) => span.storedBytes);
  const batches = await selectBatches(reader, websiteId, day, `${from}${some.length}`, parameters);
  let end = place;
  for (const batch of batches) {
    if (batch.firstHit > end) throw new HitsRemoved(websiteId, day, end);
    end = endOf(batch);
  }
  if (end === place) throw new HitsRemoved(websiteId, day, place);
  return batches;
}

/** The batches from one to another one, by their first hits. */
export function readBatchesBetween(
  reader: Queryable,
  websiteId: number,
  day: number,
  first: number,
  last: number,
): Promise<StoredBatch[]> {
  const condition = 'batch.first_hit BETWEEN ? AND ? ORDER BY batch.first_hit';
  return selectBatches(reader, websiteId, day, condition, [first, last]);
}

/** The batches that have hits from a place on and one of them since a moment, of the last ones of a day. */
export async function readRecentBatches(
  reader: Queryable,
  websiteId: number,
  day: number,
  place: number,
  since: number,
): Promise<BatchSpan[]> {
  const batches = await reader.query<(BatchSpan & { lastAt: number | string })[]>(
    `SELECT first_hit AS firstHit, size, bytes, stored_bytes AS storedBytes, last_at AS lastAt FROM hit_batches
    WHERE website_id = ? AND day = ? AND first_hit + size > ? ORDER BY first_hit DESC LIMIT ${BATCHES_LOOKED_AT}`,
    [websiteId, day, place],
  );
  return batches.filter(({ lastAt }) => Number(lastAt) >= since).reverse();
}

/** The batches with these first hits. */
export function readBatchesAt(
  reader: Queryable,
  websiteId: number,
  day: number,
  places: number[],
): Promise<StoredBatch[]> {
  const condition = `batch.first_hit IN (${places.map(() => '?').join(', ')}) ORDER BY batch.first_hit`;
  return selectBatches(reader, websiteId, day, condition, places);
}

/** How many hits some batches have that follow one another from a place to another one, neither of which is inside of one. */
export async function countHitsBetween(
  reader: Queryable,
  websiteId: number,
  day: number,
  from: number,
  before: number,
): Promise<number> {
  const [row] = await reader.query<{ hits: number | string | null }[]>(
    `SELECT SUM(size) AS hits FROM hit_batches
    WHERE website_id = ? AND day = ? AND first_hit >= ? AND first_hit + size <= ?`,
    [websiteId, day, from, before],
  );
  return Number(row!.hits);
}

/** The days that have batches whose hits are in columns, and since when. */
export async function readReplacedDays(
  reader: Queryable,
  websiteId: number,
): Promise<{ day: number; sealedAt: number }[]> {
  const rows = await reader.query<{ day: number; sealed_at: number | string }[]>(
    `SELECT DISTINCT batch.day AS day, own.sealed_at AS sealed_at FROM hit_batches batch
    JOIN hit_days own ON own.website_id = batch.website_id AND own.day = batch.day
    WHERE batch.website_id = ? AND batch.first_hit < own.hits`,
    [websiteId],
  );
  return rows.map(({ day, sealed_at }) => ({ day, sealedAt: Number(sealed_at) }));
}

/** Removes some batches of a day whose hits are in columns; false where there may be more. */
export async function removeReplaced(
  manager: EntityManager,
  websiteId: number,
  day: number,
  maxBytes: number,
): Promise<boolean> {
  const most = Math.max(1, Math.floor(maxBytes / BATCH_LIMITS.storedBytes));
  const rows = await manager.query<{ first_hit: number }[]>(
    `SELECT first_hit FROM hit_batches WHERE website_id = ? AND day = ? AND first_hit < ${IN_COLUMNS}
    ORDER BY first_hit LIMIT ${most}`,
    [websiteId, day, websiteId, day],
  );
  const last = rows.at(-1)?.first_hit;
  if (last !== undefined) await removeBatchesBefore(manager, websiteId, day, last + 1);
  return rows.length < most;
}

/** Removes the batches that begin before a place. */
export async function removeBatchesBefore(
  manager: EntityManager,
  websiteId: number,
  day: number,
  place: number,
): Promise<void> {
  for (const table of ['hit_batches', 'batch_visitors'])
    await manager.query(`DELETE FROM ${table} WHERE website_id = ? AND day = ? AND first_hit < ?`, [
      ...[websiteId, day],
      place,
    ]);
}

async function selectBatches(
  reader: Queryable,
  websiteId: number,
  day: number,
  condition: string,
  parameters: unknown[],
): Promise<StoredBatch[]> {
  const rows = await reader.query<
    (Omit<StoredBatch, 'websiteId' | 'day'> & { lastAt: number | string; forgetAt: number | string | null })[]
  >(
    `SELECT batch.first_hit AS firstHit, batch.size AS size, batch.last_at AS lastAt,
      batch.data AS data, visitors.hashes AS hashes, visitors.forget_at AS forgetAt
    FROM hit_batches batch LEFT JOIN batch_visitors visitors ON visitors.website_id = batch.website_id
      AND visitors.day = batch.day AND visitors.first_hit = batch.first_hit
    WHERE batch.website_id = ? AND batch.day = ? AND ${condition}`,
    [websiteId, day, ...parameters],
  );
  return rows.map((row) => ({
    websiteId,
    day,
    ...row,
    lastAt: Number(row.lastAt),
    forgetAt: Number(row.forgetAt),
  }));
}
