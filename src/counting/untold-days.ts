import type { Database } from '../database/database';
import { closedDays, noteColumns } from '../storage/closed-days';
import { keptDay } from '../storage/kept-hits';
import { type MergeLimits, nextMerge } from './chunk-merge';
import type { ColumnWork } from './column-work';
import type { CountingLease } from './counting-lease';
import { type UntoldDays, waitsInInbox } from './kept';
import { type ClosingLimits, DayClosing } from './day-closing';
import { VisitorForgetting } from './forgotten-visitors';

export interface ColumnLimits {
  closing?: Partial<ClosingLimits>;
  merge?: MergeLimits;
}

export interface DaysToClose extends UntoldDays {
  /** Days that are left out for now. */
  isPaused?: (day: number) => boolean;
  /** Days of which hits are still being sent, such as those of an import. */
  isFilled?: (day: number) => boolean;
}

/** The first day that has to become columns, or chunks that have to become one; false where there are none. */
export async function nextColumnWork(
  database: Database,
  lease: CountingLease,
  untold: DaysToClose,
  limits: ColumnLimits = {},
): Promise<ColumnWork | false> {
  const { websiteId } = lease;
  const { columnsBefore } = await closedDays(database, websiteId);
  if (columnsBefore === untold.before) return false;
  const { before, seen } = await untoldBefore(database, lease, untold);
  if (seen !== undefined) return new VisitorForgetting(database, websiteId, seen);
  const left = await daysInBatches(database, websiteId, before);
  const day = left.find((own) => !untold.isPaused?.(own));
  if (day !== undefined)
    return new DayClosing(
      database,
      websiteId,
      await keptDay(database, websiteId, day),
      lease.nextUse,
      limits.closing,
    );
  const leftDays = { left, isPaused: untold.isPaused };
  const { merge, leftOut } = await nextMerge(database, websiteId, lease.nextUse, leftDays, limits.merge);
  if (merge) return merge;
  const done = leftOut[0] ?? before;
  if (columnsBefore !== done) {
    await database.write(async (manager) => {
      await lease.fence(manager);
      await noteColumns(manager, websiteId, done);
    });
    lease.committed();
  }
  return false;
}

interface Untold {
  before: number;
  /** The first of these days that still has keys of who was seen. */
  seen?: number;
}

/** A salt may be removed late, and hits may wait in the inbox until they are counted without their visitors. */
async function untoldBefore(
  database: Database,
  { websiteId, seenFrom }: CountingLease,
  { before, acceptedBefore, isFilled }: DaysToClose,
): Promise<Untold> {
  const waits = waitsInInbox(acceptedBefore);
  const [row] = await database.query<
    { salt: number | null; seen: number | null; waiting: number | string }[]
  >(
    `SELECT (SELECT MIN(day) FROM salts) AS salt, (SELECT MIN(day) FROM seen WHERE website_id = ?) AS seen,
      CASE WHEN ${waits.sql} THEN 1 ELSE 0 END AS waiting FROM counting WHERE website_id = ?`,
    [websiteId, ...waits.parameters, websiteId],
  );
  const untold = Number(row!.waiting) === 0 ? before : Math.min(before, seenFrom);
  const { salt, seen } = row!;
  const all = Math.min(untold, salt ?? untold);
  if (seen === null || seen >= all) return { before: all };
  return isFilled?.(seen) ? { before: seen } : { before: all, seen };
}

async function daysInBatches(database: Database, websiteId: number, before: number): Promise<number[]> {
  const rows = await database.query<{ day: number }[]>(
    `SELECT DISTINCT day FROM hit_batches
    WHERE website_id = ? AND day < ? AND day >= (SELECT archived_from FROM counting WHERE website_id = ?)
    ORDER BY day`,
    [websiteId, before, websiteId],
  );
  return rows.map(({ day }) => day);
}
