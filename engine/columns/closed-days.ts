import type { Dialect } from '../database/dialect';
import { placeholdersFor, type Queryable, type Transaction } from '../database/rows';

/** The progress of a website's days. Only retention writes this row without the website's lease. */
export interface ClosedDays extends DaysNoted {
  /** Raised by each change of a count of a day before `closedBefore`. */
  version: number;
  /** The generation of the text tables. */
  epoch: number;
  /** Tells whether hits of the website are removed for good. */
  hasPurges: boolean;
}

export interface DaysNoted {
  /** Days before it are over, and their new hits are late. It never decreases. */
  closedBefore: number;
  /** Days before it have columns, and few hits outside of them. */
  sealedBefore: number;
  /** Days before it have all of their hits in columns. */
  columnsBefore: number;
  /** The next moment with work on days that are over; `Infinity` until further hits arrive. */
  dueAt: number;
}

export async function readClosedDays(reader: Queryable, websiteId: number): Promise<ClosedDays> {
  const [row] = await reader.query<Record<string, unknown>[]>(
    `SELECT closed_before, version, epoch, sealed_before, columns_before, due_at,
      EXISTS (SELECT 1 FROM purges WHERE purges.website_id = closed_days.website_id) AS has_purges
    FROM closed_days WHERE website_id = ?`,
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
    hasPurges: column('has_purges') === 1,
  };
}

/** Makes the row of a website's lease, if nobody has taken it yet. */
export async function addCounting(
  { insertIfMissing }: Dialect,
  manager: Transaction,
  websiteId: number,
): Promise<void> {
  await manager.query(
    `${insertIfMissing} counting (website_id, owner, token, expires_at, folds, archived_from)
    VALUES (?, '', 0, 0, 0, 0)`,
    [websiteId],
  );
}

/** Does nothing if the website has its row. */
export async function addClosedDays(
  { insertIfMissing }: Dialect,
  manager: Transaction,
  websiteId: number,
): Promise<void> {
  await manager.query(
    `${insertIfMissing} closed_days
    (website_id, closed_before, version, rollups, epoch, sealed_before, columns_before, due_at)
    VALUES (?, 0, 0, 0, 0, 0, 0, NULL)`,
    [websiteId],
  );
}

/** Call it in every transaction that changes a count of a closed day. It invalidates cached sums and ETags. */
export async function raiseCountsVersion(manager: Transaction, websiteId: number): Promise<void> {
  await manager.query('UPDATE closed_days SET version = version + 1 WHERE website_id = ?', [websiteId]);
}

/** Call it in every transaction that adds rollups or texts. */
export async function raiseRollups(manager: Transaction, websiteId: number): Promise<void> {
  await manager.query('UPDATE closed_days SET rollups = rollups + 1 WHERE website_id = ?', [websiteId]);
}

/** Marks the days before a day as over. */
export async function closeDaysBefore(manager: Transaction, websiteId: number, day: number): Promise<void> {
  await manager.query('UPDATE closed_days SET closed_before = ? WHERE website_id = ? AND closed_before < ?', [
    day,
    websiteId,
    day,
  ]);
}

/** Stores the progress of several websites, and the next moment with work. All days before `sealedBefore` are over. */
export async function noteDays(
  manager: Transaction,
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
    WHERE website_id IN ${placeholdersFor(websiteIds)}`,
    [sealedBefore, columnsBefore ?? null, storedMoment(dueAt), closedBefore, closedBefore, ...websiteIds],
  );
}

/** The counting process looks at the website soon. Work on its previous state can no longer be committed. */
export async function makeDue(manager: Transaction, websiteId: number): Promise<void> {
  // First, because folds lock this row before all others.
  await manager.query('UPDATE counting SET token = token + 1 WHERE website_id = ?', [websiteId]);
  await makeDueNow(manager, websiteId);
}

export async function makeDueNow(manager: Transaction, websiteId: number): Promise<void> {
  await manager.query('UPDATE closed_days SET due_at = 0 WHERE website_id = ?', [websiteId]);
}

function storedMoment(moment: number): number | null {
  return moment === Infinity ? null : moment;
}
