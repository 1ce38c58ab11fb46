import type { EntityManager } from 'typeorm';
import type { Dialect } from '../database/dialect';
import { placesFor, type Queryable } from '../database/rows';

/** How far the days of a website have come. Only retention writes the row without the website's lease. */
interface ClosedDays extends DaysNoted {
  /** Raised by whatever changes a count of a day before `closedBefore`. */
  version: number;
  /** The generation of the texts that rollups have codes of. */
  epoch: number;
}

export interface DaysNoted {
  /** Days before it are over: hits of them are late. It never falls. */
  closedBefore: number;
  /** Days before it have columns, and few hits behind them. */
  sealedBefore: number;
  /** All hits of days before it are in columns. */
  columnsBefore: number;
  /** When something is to be done with hits of days that are over; `Infinity` until further hits come. */
  dueAt: number;
}

export async function readClosedDays(reader: Queryable, websiteId: number): Promise<ClosedDays> {
  const [row] = await reader.query<Record<string, unknown>[]>(
    'SELECT closed_before, version, epoch, sealed_before, columns_before, due_at FROM closed_days WHERE website_id = ?',
    [websiteId],
  );
  const column = (name: string) => Number(row?.[name] ?? 0);
  return {
    closedBefore: column('closed_before'),
    version: column('version'),
    epoch: column('epoch'),
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
): Promise<void> {
  await manager.query(
    `${insertIfMissing} closed_days
    (website_id, closed_before, version, rollups, epoch, sealed_before, columns_before, due_at)
    VALUES (?, 0, 0, 0, 0, 0, 0, NULL)`,
    [websiteId],
  );
}

/** Call in every transaction that changes a count of a closed day; it invalidates sums in memory and ETags. */
export async function raiseVersion(manager: EntityManager, websiteId: number): Promise<void> {
  await manager.query('UPDATE closed_days SET version = version + 1 WHERE website_id = ?', [websiteId]);
}

/** Call in every transaction that adds rollups or texts. */
export async function raiseRollups(manager: EntityManager, websiteId: number): Promise<void> {
  await manager.query('UPDATE closed_days SET rollups = rollups + 1 WHERE website_id = ?', [websiteId]);
}

/** Days before one are over. */
export async function closeDaysBefore(manager: EntityManager, websiteId: number, day: number): Promise<void> {
  await manager.query('UPDATE closed_days SET closed_before = ? WHERE website_id = ? AND closed_before < ?', [
    day,
    websiteId,
    day,
  ]);
}

/**
 * Notes of some websites up to which day nothing is to be done until further hits come, and when something is. All days
 * before `sealedBefore` are over.
 */
export async function noteDays(
  manager: EntityManager,
  websiteIds: number[],
  {
    sealedBefore,
    columnsBefore,
    dueAt,
    closedBefore = sealedBefore,
  }: Pick<DaysNoted, 'sealedBefore' | 'dueAt'> & Partial<DaysNoted>,
): Promise<void> {
  await manager.query(
    `UPDATE closed_days SET sealed_before = ?, columns_before = COALESCE(?, columns_before), due_at = ?,
      closed_before = CASE WHEN closed_before < ? THEN ? ELSE closed_before END
    WHERE website_id IN ${placesFor(websiteIds)}`,
    [sealedBefore, columnsBefore ?? null, storedMoment(dueAt), closedBefore, closedBefore, ...websiteIds],
  );
}

function storedMoment(moment: number): number | null {
  return moment === Infinity ? null : moment;
}
