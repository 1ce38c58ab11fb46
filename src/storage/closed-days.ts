import type { EntityManager } from 'typeorm';
import type { Dialect } from '../database/dialect';
import { placesFor, type Queryable } from '../database/rows';

/**
 * How far the days of a website are closed. The row is written only under the website's lease, so that no fold can
 * count for a day while another transaction closes it.
 */
export interface ClosedDays {
  closedBefore: number;
  /** The first day of the month from which on months have no sums yet. */
  mergedBefore: number;
  version: number;
  /** The version at which no row of a closed day was left; it differs while something is to be packed. */
  packedVersion: number;
  /** Raised when numbers of the dictionary are freed, so that they may get another value. */
  epoch: number;
  /** The code of the first name that may have values that no counter uses; 0 where there is none. */
  unusedFrom: number;
  /** Days before it have columns, and few hits behind them. */
  sealedBefore: number;
  /** All hits of days before it are in columns. */
  columnsBefore: number;
  /** When something is to be done with hits of days that are over; `Infinity` until further hits come. */
  dueAt: number;
}

const NOT_PACKED = -1;
/** No name has a lower code. */
export const FIRST_NAME = 1;

export async function closedDays(reader: Queryable, websiteId: number): Promise<ClosedDays> {
  const [row] = await reader.query<Record<string, unknown>[]>(
    'SELECT closed_before, merged_before, version, packed_version, epoch, unused_from, sealed_before, columns_before, due_at FROM closed_days WHERE website_id = ?',
    [websiteId],
  );
  const column = (name: string) => Number(row?.[name] ?? 0);
  return {
    closedBefore: column('closed_before'),
    mergedBefore: column('merged_before'),
    version: column('version'),
    packedVersion: column('packed_version'),
    epoch: column('epoch'),
    unusedFrom: column('unused_from'),
    sealedBefore: column('sealed_before'),
    columnsBefore: column('columns_before'),
    dueAt: row?.due_at === null ? Infinity : column('due_at'),
  };
}

/** Does nothing where the website is there already. */
export async function addClosedDays(
  { insertIfMissing }: Dialect,
  manager: EntityManager,
  websiteId: number,
  dueAt: number,
): Promise<void> {
  await manager.query(
    `${insertIfMissing} closed_days
    (website_id, closed_before, merged_before, version, packed_version, open_version, epoch, unused_from,
      sealed_before, columns_before, due_at)
    VALUES (?, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?)`,
    [websiteId, storedMoment(dueAt)],
  );
}

export async function closeDaysBefore(
  dialect: Dialect,
  manager: EntityManager,
  websiteId: number,
  day: number,
): Promise<void> {
  await addClosedDays(dialect, manager, websiteId, 0);
  await manager.query(
    'UPDATE closed_days SET closed_before = ?, packed_version = ? WHERE website_id = ? AND closed_before < ?',
    [day, NOT_PACKED, websiteId, day],
  );
}

/** Call in every transaction that changes a closed day's counts; it invalidates cached sums and ETags. */
export async function raiseVersion(manager: EntityManager, websiteId: number): Promise<void> {
  await manager.query(
    'UPDATE closed_days SET version = version + 1, open_version = open_version + 1 WHERE website_id = ?',
    [websiteId],
  );
}

/** Call in every transaction that changes segments of days that are still open. */
export async function raiseOpenVersion(manager: EntityManager, websiteId: number): Promise<void> {
  await manager.query('UPDATE closed_days SET open_version = open_version + 1 WHERE website_id = ?', [
    websiteId,
  ]);
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

/** Lets the packer look for values that no counter uses, also where nothing is to be packed. */
export async function searchUnused(manager: EntityManager, websiteId: number): Promise<void> {
  await manager.query('UPDATE closed_days SET unused_from = ?, packed_version = ? WHERE website_id = ?', [
    FIRST_NAME,
    NOT_PACKED,
    websiteId,
  ]);
}

/** Notes from which name on values may be unused. */
export async function noteUnused(manager: EntityManager, websiteId: number, fromName: number): Promise<void> {
  await manager.query('UPDATE closed_days SET unused_from = ? WHERE website_id = ?', [fromName, websiteId]);
}

export type ColumnsNoted = Pick<ClosedDays, 'sealedBefore' | 'columnsBefore' | 'dueAt'>;

/** Notes of some websites up to which day nothing is to be done until further hits come, and when something is. */
export async function noteColumns(
  manager: EntityManager,
  websiteIds: number[],
  { sealedBefore, columnsBefore, dueAt }: Omit<ColumnsNoted, 'columnsBefore'> & Partial<ColumnsNoted>,
): Promise<void> {
  await manager.query(
    `UPDATE closed_days SET sealed_before = ?, columns_before = COALESCE(?, columns_before), due_at = ?
    WHERE website_id IN ${placesFor(websiteIds)}`,
    [sealedBefore, columnsBefore ?? null, storedMoment(dueAt), ...websiteIds],
  );
}

function storedMoment(moment: number): number | null {
  return moment === Infinity ? null : moment;
}
