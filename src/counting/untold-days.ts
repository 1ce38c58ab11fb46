import type { Database } from '../database/database';
import { type ClosedDays, closedDays, noteColumns } from '../storage/closed-days';
import { type HitsOfDay, keptDay } from '../storage/kept-hits';
import { type MergeLimits, nextMerge } from './chunk-merge';
import { type ColumnWork, LeftoverRemoval } from './column-work';
import type { CountingLease } from './counting-lease';
import type { OverDays } from './kept';
import { type ClosingLimits, DayClosing } from './day-closing';
import { VisitorForgetting } from './forgotten-visitors';

export interface ColumnLimits {
  closing?: Partial<ClosingLimits>;
  merge?: MergeLimits;
}

export interface DaysToClose extends OverDays {
  /** Days that are left out for now. */
  isPaused?: (day: number) => boolean;
  /** Days of which hits are still being sent, such as those of an import. */
  isFilled?: (day: number) => boolean;
}

/** A share of the hits in columns: more late hits go to the columns once none came for a while, and many at once. */
const [FEW_LATE, MANY_LATE] = [0.05, 0.25];

/** The first day that has to become columns, or chunks that have to become one; false where there are none. */
export async function nextColumnWork(
  database: Database,
  lease: CountingLease,
  over: DaysToClose,
  limits: ColumnLimits = {},
): Promise<ColumnWork | false> {
  const { websiteId } = lease;
  const { sealBefore, finalBefore } = over;
  const noted = await closedDays(database, websiteId);
  if (noted.sealedBefore === sealBefore && noted.columnsBefore === finalBefore) return false;
  const { before, seen } = await untoldBefore(database, lease, over);
  if (seen !== undefined) return new VisitorForgetting(database, websiteId, seen);
  const removal = await LeftoverRemoval.find(database, websiteId, limits.closing?.bytesAtOnce);
  if (removal) return removal;
  const behind = await daysBehind(database, websiteId, sealBefore);
  const due = behind.filter((day) => isDue(day, over, before));
  const next = due.find((day) => !over.isPaused?.(day.day) && !waits(day, over, before));
  if (next) return closingOf(database, lease, next, over, limits.closing);
  const left = behind.map(({ day }) => day).filter((day) => day < finalBefore);
  const leftDays = { left, before: finalBefore, isPaused: over.isPaused };
  const { merge, leftOut } = await nextMerge(database, websiteId, lease.nextUse, leftDays, limits.merge);
  if (merge) return merge;
  const done = {
    sealedBefore: Math.min(sealBefore, ...due.map(({ day }) => day)),
    columnsBefore: Math.min(before < over.before ? before : finalBefore, ...leftOut),
  };
  const isNoted = noted.sealedBefore === done.sealedBefore && noted.columnsBefore === done.columnsBefore;
  if (!isNoted) await note(database, lease, done);
  return false;
}

function closingOf(
  database: Database,
  { websiteId, nextUse }: CountingLease,
  day: HitsOfDay,
  over: DaysToClose,
  limits: ColumnLimits['closing'],
): DayClosing {
  const forgetAt = day.day >= over.before ? over.forgetAt(day.day) : undefined;
  return new DayClosing(database, websiteId, day, nextUse, forgetAt, limits);
}

async function note(
  database: Database,
  lease: CountingLease,
  done: Pick<ClosedDays, 'sealedBefore' | 'columnsBefore'>,
): Promise<void> {
  await database.write(async (manager) => {
    await lease.fence(manager);
    await noteColumns(manager, lease.websiteId, done);
  });
  lease.committed();
}

/** Whether the hits of a day have to go to its columns, now or once no further ones come. */
function isDue({ day, hits, columns }: HitsOfDay, over: DaysToClose, untoldBefore: number): boolean {
  if (day < untoldBefore) return true;
  // Who was seen on it can still be told, and hits that wait say whether a visitor is one of them.
  if (day < over.before) return false;
  return day < over.finalBefore || !columns || (hits - columns.hits) / columns.hits >= FEW_LATE;
}

/** Late hits that are not many go to the columns together. */
function waits({ day, hits, columns }: HitsOfDay, over: DaysToClose, untoldBefore: number): boolean {
  if (day < untoldBefore || !columns || !over.isFilled?.(day)) return false;
  return (hits - columns.hits) / columns.hits < MANY_LATE;
}

interface Untold {
  before: number;
  /** The first of these days that still has keys of who was seen. */
  seen?: number;
}

/** A salt may be removed late. */
async function untoldBefore(
  database: Database,
  { websiteId }: CountingLease,
  { before, isFilled }: DaysToClose,
): Promise<Untold> {
  const [row] = await database.query<{ salt: number | null; seen: number | null }[]>(
    'SELECT (SELECT MIN(day) FROM salts) AS salt, (SELECT MIN(day) FROM seen WHERE website_id = ?) AS seen',
    [websiteId],
  );
  const { salt, seen } = row!;
  const all = Math.min(before, salt ?? before);
  if (seen === null || seen >= all) return { before: all };
  return isFilled?.(seen) ? { before: seen } : { before: all, seen };
}

/** The days before one that have hits behind their columns, or no columns. */
async function daysBehind(database: Database, websiteId: number, before: number): Promise<HitsOfDay[]> {
  const rows = await database.query<{ day: number }[]>(
    `SELECT DISTINCT day FROM hit_batches
    WHERE website_id = ? AND day < ? AND day >= (SELECT archived_from FROM counting WHERE website_id = ?)
    ORDER BY day`,
    [websiteId, before, websiteId],
  );
  const days: HitsOfDay[] = [];
  for (const { day } of rows) days.push(await keptDay(database, websiteId, day));
  return days.filter(({ hits, columns }) => hits !== columns?.hits);
}
