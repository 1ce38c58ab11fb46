import type { EntityManager } from 'typeorm';
import type { Dialect } from '../database/dialect';

/**
 * How far the days of a website are closed. The row is read and written only in transactions under the website's
 * lease, so that no fold can count for a day while another transaction closes it.
 */
export interface ClosedDays {
  closedBefore: number;
  /** The first day of the month from which on months have no sums yet. */
  mergedBefore: number;
  version: number;
  /** The version at which no row of a closed day was left; it differs while something is to be packed. */
  packedVersion: number;
}

const NOT_PACKED = -1;

export async function closedDays(manager: EntityManager, websiteId: number): Promise<ClosedDays> {
  const [row] = await manager.query<Record<string, unknown>[]>(
    'SELECT closed_before, merged_before, version, packed_version FROM closed_days WHERE website_id = ?',
    [websiteId],
  );
  return {
    closedBefore: Number(row?.closed_before ?? 0),
    mergedBefore: Number(row?.merged_before ?? 0),
    version: Number(row?.version ?? 0),
    packedVersion: Number(row?.packed_version ?? 0),
  };
}

export async function closeDaysBefore(
  { insertIfMissing }: Dialect,
  manager: EntityManager,
  websiteId: number,
  day: number,
): Promise<void> {
  await manager.query(
    `${insertIfMissing} closed_days (website_id, closed_before, merged_before, version, packed_version)
    VALUES (?, 0, 0, 0, 0)`,
    [websiteId],
  );
  await manager.query(
    'UPDATE closed_days SET closed_before = ?, packed_version = ? WHERE website_id = ? AND closed_before < ?',
    [day, NOT_PACKED, websiteId, day],
  );
}

/** Whatever changes a count of a closed day calls it in its transaction: what was kept of closed ranges is void. */
export async function raiseVersion(manager: EntityManager, websiteId: number): Promise<void> {
  await manager.query('UPDATE closed_days SET version = version + 1 WHERE website_id = ?', [websiteId]);
}

export async function merged(manager: EntityManager, websiteId: number, before: number): Promise<void> {
  await manager.query('UPDATE closed_days SET merged_before = ? WHERE website_id = ? AND merged_before < ?', [
    before,
    websiteId,
    before,
  ]);
}

export async function packed(manager: EntityManager, websiteId: number, version: number): Promise<void> {
  await manager.query('UPDATE closed_days SET packed_version = ? WHERE website_id = ?', [version, websiteId]);
}
