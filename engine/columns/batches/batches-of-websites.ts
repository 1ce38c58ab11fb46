import { changedBy, placeholdersFor, type Queryable, type Transaction } from '../../database/rows';
import type { StoredBatch } from './batch';

/** The batches of one day of a website, summed up. */
export interface DayInBatches {
  day: number;
  /** The place of the first hit. */
  firstHit: number;
  /** The place after the last hit. */
  end: number;
  hits: number;
  batches: number;
  /** Before deflation. */
  bytes: number;
}

/** The days with batches of several websites. */
export async function readDaysInBatches(
  reader: Queryable,
  websiteIds: number[],
): Promise<(DayInBatches & { websiteId: number })[]> {
  type Column = 'website_id' | 'day' | 'first_hit' | 'end_hit' | 'hits' | 'batches' | 'bytes';
  const rows = await reader.query<Record<Column, number | string>[]>(
    `SELECT website_id, day, MIN(first_hit) AS first_hit, MAX(first_hit + size) AS end_hit, SUM(size) AS hits,
      COUNT(*) AS batches, SUM(bytes) AS bytes
    FROM hit_batches WHERE website_id IN ${placeholdersFor(websiteIds)} GROUP BY website_id, day ORDER BY website_id, day`,
    websiteIds,
  );
  return rows.map((row) => ({
    websiteId: Number(row.website_id),
    day: Number(row.day),
    firstHit: Number(row.first_hit),
    end: Number(row.end_hit),
    hits: Number(row.hits),
    batches: Number(row.batches),
    bytes: Number(row.bytes),
  }));
}

/** The batches of one day of several websites. The batches of a website are in the order of their hits. */
export async function readBatchesOfDay(
  reader: Queryable,
  day: number,
  websiteIds: number[],
): Promise<StoredBatch[]> {
  const rows = await reader.query<
    (Record<'websiteId' | 'lastAt', number | string> &
      Pick<StoredBatch, 'firstHit' | 'size' | 'data' | 'hashes'> & { forgetAt: number | string | null })[]
  >(
    `SELECT batch.website_id AS websiteId, batch.first_hit AS firstHit, batch.size AS size, batch.last_at AS lastAt,
      batch.data AS data, visitors.hashes AS hashes, visitors.forget_at AS forgetAt
    FROM hit_batches batch LEFT JOIN batch_visitors visitors ON visitors.website_id = batch.website_id
      AND visitors.day = batch.day AND visitors.first_hit = batch.first_hit
    WHERE batch.website_id IN ${placeholdersFor(websiteIds)} AND batch.day = ?
    ORDER BY batch.website_id, batch.first_hit`,
    [...websiteIds, day],
  );
  return rows.map((row) => ({
    ...row,
    day,
    websiteId: Number(row.websiteId),
    lastAt: Number(row.lastAt),
    forgetAt: Number(row.forgetAt),
  }));
}

/**
 * Removes the batches of one day of several websites. Returns the number of batches, and the number of those with
 * hashes.
 */
export async function removeBatchesOfDay(
  manager: Transaction,
  day: number,
  websiteIds: number[],
): Promise<{ batches: number; hashes: number }> {
  const remove = (table: string) =>
    changedBy(
      manager,
      `DELETE FROM ${table} WHERE website_id IN ${placeholdersFor(websiteIds)} AND day = ?`,
      [...websiteIds, day],
    );
  return { batches: await remove('hit_batches'), hashes: await remove('batch_visitors') };
}
