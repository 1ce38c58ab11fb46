import { inPieces, type Insertion, type Queryable, type Transaction } from '../../database/rows';
import type { DamagedDay } from '../damaged-hits';
import { type BatchMoments, DamagedBatch, type EncodedBatch, type StoredBatch } from './batch';

/*
 * The hits of a website's day are one sequence in the order of their acceptance. Each hit keeps its place; places begin
 * at 0. A row of `hit_batches` has `size` hits from `first_hit` on. The row of `batch_visitors` with the same key has
 * the hashes of their visitors. Batches follow one another without gaps. Small batches are merged, which changes no
 * place, so a reader can resume at any place. Once the first `hit_days.hits` hits of a day are in columns, batches with
 * these hits are ignored.
 */

export const BATCH_LIMITS = {
  hits: 32_000,
  /** The driver doubles the bytes, and a packet holds 1 MiB. */
  storedBytes: 448 * 1024,
  /** Before deflation. */
  bytes: 4 * 1024 * 1024,
};
export const BATCHES_AT_ONCE = 8;
/** Greater than the place of any hit. */
const MAX_PLACE = 2 ** 31 - 1;
/** The number of hits of a day that are in columns. */
const IN_COLUMNS = 'COALESCE((SELECT hits FROM hit_days WHERE website_id = ? AND day = ?), 0)';
const MAX_STORED_BYTES_AT_ONCE = BATCHES_AT_ONCE * BATCH_LIMITS.storedBytes;
/** The memory for the batches of one read, with one of them decoded. */
export const MAX_BYTES_READ_AT_ONCE = MAX_STORED_BYTES_AT_ONCE + 3 * BATCH_LIMITS.bytes;
const COLUMNS = ['website_id', 'day', 'first_hit', 'size', 'bytes', 'stored_bytes', 'last_at', 'data'];
const VISITOR_COLUMNS = ['website_id', 'day', 'first_hit', 'forget_at', 'hashes'];
/** Most are small, or too old to be needed. */
const BATCHES_LOOKED_AT = 512;

/** The place and size of a batch. */
export interface BatchSpan {
  firstHit: number;
  size: number;
  /** Before deflation. */
  bytes: number;
  storedBytes: number;
}

/** A batch that is not stored yet. */
export interface NewBatch extends BatchSpan, BatchMoments {
  websiteId: number;
  day: number;
  encoded: EncodedBatch;
}

/** The place after the last hit of a batch. */
export function endOf({ firstHit, size }: Pick<BatchSpan, 'firstHit' | 'size'>): number {
  return firstHit + size;
}

/** The day was removed, or its first hits were. */
export class HitsRemoved extends Error {
  constructor(
    readonly websiteId: number,
    readonly day: number,
    readonly firstHit: number,
    private readonly damage: DamagedDay = new DamagedBatch({ websiteId, day, firstHit }),
  ) {
    super(`Hits of website ${websiteId} and day ${day} were removed meanwhile.`);
  }

  /** If nothing removed the hits, they are missing. */
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

/** The number of batches of a day, up to a place, whose visitors were forgotten before the batches were sealed. */
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

/** The days, from one on, with at least a number of hits in batches. */
export async function readDaysWithHits(
  reader: Queryable,
  websiteId: number,
  from: number,
  hits: number,
): Promise<number[]> {
  const rows = await reader.query<{ day: number }[]>(
    'SELECT DISTINCT day FROM hit_batches WHERE website_id = ? AND day >= ? AND first_hit + size >= ? ORDER BY day',
    [websiteId, from, hits],
  );
  return rows.map(({ day }) => day);
}

/** The size of all batches of a day: before deflation, and as stored. */
export async function readSizeOfBatches(
  reader: Queryable,
  websiteId: number,
  day: number,
): Promise<{ bytes: number; storedBytes: number }> {
  const [row] = await reader.query<Record<'bytes' | 'stored_bytes', number | string | null>[]>(
    `SELECT SUM(bytes) AS bytes, SUM(stored_bytes) AS stored_bytes FROM hit_batches
    WHERE website_id = ? AND day = ? AND first_hit >= ${IN_COLUMNS}`,
    [websiteId, day, websiteId, day],
  );
  return { bytes: Number(row!.bytes), storedBytes: Number(row!.stored_bytes) };
}

/** The moment at which the visitors of the first batches of a day are forgotten. */
export async function readForgetAtOfBatches(
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

/** The last batches of a day that are not in columns, in order. */
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
 * The next batches of a day. The first batch may begin before the place, which must have a hit. A small day is read
 * with one statement, because the transaction that replaces its batches removes all of them.
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

/** The batches between two first hits, both included. */
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

/** The last batches of a day that have hits from a place on, and a hit since a moment. */
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

/**
 * The number of hits in the batches between two places, if these batches have no gap. Neither place may be within a
 * batch.
 */
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

/** The days that have columns and batches of the same hits, and the moment of sealing. */
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

/** Removes some batches of a day whose hits are in columns. Returns false if more may be left. */
export async function removeSomeReplacedBatches(
  manager: Transaction,
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
  manager: Transaction,
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
