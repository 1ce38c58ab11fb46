import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database';
import { readClosedDays, type DaysNoted, noteDays } from '../../storage/closed-days';
import { readDaysInColumns } from '../../storage/segments/hit-segments';
import { readReplacedDays } from '../../storage/batches/batches';
import { type HitsOfDay, readDays } from '../../storage/stored-days';
import { type MergeLimits, nextMerge } from './segment-merge';
import { type ColumnWork, LeftoverRemoval, REPLACED_STAYS_MS } from './column-work';
import type { CountingLease } from '../websites/counting-lease';
import { dueAfter } from '../seal/sealing-times';
import type { OverDays } from '../seal/sealing-times';
import { findFirstDayWithoutRollup, nextRollup } from './rollup-work';
import { DayClosing } from '../seal/day-closing';
import type { SealingLimits } from '../seal/sealing-memory';

export interface ColumnLimits {
  closing?: Partial<SealingLimits>;
  merge?: MergeLimits;
}

export interface DaysToClose extends OverDays {
  /** Days that are left out for now. */
  isPaused?: (day: number) => boolean;
  /** Days whose hits are still being sent, for example by an import. */
  isFilled?: (day: number) => boolean;
}

/** A share of the hits in columns: more late hits go to the columns once none came for a while, and many at once. */
const [FEW_LATE, MANY_LATE] = [0.05, 0.25];

/** The first day that has to become columns, or segments that have to become one; false where there are none. */
export async function nextColumnWork(
  database: Database,
  lease: CountingLease,
  over: DaysToClose,
  limits: ColumnLimits = {},
): Promise<ColumnWork | false> {
  const { websiteId } = lease;
  const { sealBefore, finalBefore } = over;
  const noted = await readClosedDays(database, websiteId);
  if (noted.dueAt > over.now && noted.sealedBefore === sealBefore && noted.columnsBefore === finalBefore)
    return false;
  const { removable, removeAt } = await findReplacedBatches(database, websiteId, over.now);
  const removal = await LeftoverRemoval.find(database, websiteId, removable, limits.closing?.bytesAtOnce);
  if (removal) return removal;
  const { open, behind } = await findDaysBehindColumns(database, websiteId, sealBefore);
  const before = await readAnonymousBefore(database, over, behind);
  const due = behind.filter((day) => isDue(day, over, before));
  const next = due.find((day) => !over.isPaused?.(day.day) && !waits(day, over, before));
  if (next) return closingOf(database, lease, next, over, limits.closing);
  const rollup = await nextRollup(database, lease, over, over.isPaused);
  if (rollup) return rollup;
  const left = behind.map(({ day }) => day).filter((day) => day < finalBefore);
  const leftDays = { left, before: finalBefore, isPaused: over.isPaused };
  const { merge, leftOut } = await nextMerge(database, websiteId, lease.nextUse, leftDays, limits.merge);
  if (merge) return merge;
  const reached = {
    sealedBefore: Math.min(sealBefore, ...due.map(({ day }) => day)),
    columnsBefore: Math.min(before < over.before ? before : finalBefore, ...leftOut),
  };
  const late = behind.map(({ day }) => day);
  await noteReached(database, lease, over, { noted, reached, open, late, removeAt });
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
  const all = { maxValues: over.valueLimits.newPerDay, ...limits };
  return new DayClosing(database, websiteId, day, nextUse, forgetAt, all);
}

interface Reached {
  noted: DaysNoted;
  reached: Pick<DaysNoted, 'sealedBefore' | 'columnsBefore'>;
  open: number[];
  late: number[];
  /** When batches that were replaced are to be removed. */
  removeAt: number;
}

/** Notes how far the days of a website are in columns. It stays due as long as a day is left. */
async function noteReached(
  database: Database,
  lease: CountingLease,
  over: OverDays,
  { noted, reached, open, late, removeAt }: Reached,
): Promise<void> {
  const { websiteId } = lease;
  const { sealBefore, finalBefore } = over;
  const isAll = reached.sealedBefore === sealBefore && reached.columnsBefore === finalBefore;
  const ahead = async () => ({
    open,
    late,
    sealed: await readDaysInColumns(database, websiteId, finalBefore),
  });
  const rollAt =
    over.rollAllBefore > 0 ? over.rollAt(await findFirstDayWithoutRollup(database, websiteId)) : Infinity;
  const dueAt = isAll
    ? Math.min(removeAt, rollAt, dueAfter(websiteId, await ahead(), over))
    : Math.min(noted.dueAt, over.now);
  const closedBefore = Math.max(noted.closedBefore, sealBefore);
  const now = { ...noted, ...reached, closedBefore, dueAt };
  if (isDeepStrictEqual(now, noted)) return;
  await database.write(async (manager) => {
    await lease.fence(manager);
    await noteDays(manager, [websiteId], now);
  });
  lease.noteCommit();
}

/** The days whose batches were replaced a while ago, and when those of the next one are to be removed. */
async function findReplacedBatches(
  database: Database,
  websiteId: number,
  now: number,
): Promise<{ removable: number[]; removeAt: number }> {
  const days = (await readReplacedDays(database, websiteId)).map(({ day, sealedAt }) => ({
    day,
    removeAt: sealedAt + REPLACED_STAYS_MS,
  }));
  return {
    removable: days.filter(({ removeAt }) => removeAt <= now).map(({ day }) => day),
    removeAt: Math.min(...days.map(({ removeAt }) => removeAt).filter((at) => at > now)),
  };
}

/** Whether the hits of a day have to go to its columns, now or once no further ones come. */
function isDue({ day, hits, columns }: HitsOfDay, over: DaysToClose, anonymousBefore: number): boolean {
  if (day < anonymousBefore) return true;
  // Its visitors are still known, and hits that wait say whether a visitor is one of them.
  if (day < over.before) return false;
  return day < over.finalBefore || !columns || (hits - columns.hits) / columns.hits >= FEW_LATE;
}

/** Late hits that are not many go to the columns together. */
function waits({ day, hits, columns }: HitsOfDay, over: DaysToClose, anonymousBefore: number): boolean {
  if (day < anonymousBefore || !columns || !over.isFilled?.(day)) return false;
  return (hits - columns.hits) / columns.hits < MANY_LATE;
}

/** Days before it get columns without hashes. A salt may be removed late, and a past day may still get hits. */
async function readAnonymousBefore(
  database: Database,
  { before, isFilled }: DaysToClose,
  behind: readonly HitsOfDay[],
): Promise<number> {
  const [row] = await database.query<{ salt: number | null }[]>('SELECT MIN(day) AS salt FROM salts');
  const all = Math.min(before, row!.salt ?? before);
  return behind.find(({ day }) => day < all && isFilled?.(day))?.day ?? all;
}

/** The days before one that have hits behind their columns, or no columns, and the first one from then on that has hits. */
async function findDaysBehindColumns(
  database: Database,
  websiteId: number,
  before: number,
): Promise<{ behind: HitsOfDay[]; open: number[] }> {
  const all = await readDays(database, websiteId);
  const inBatches = all.filter(({ hits, columns }) => hits !== columns?.hits);
  return {
    behind: inBatches.filter(({ day }) => day < before),
    open: inBatches.flatMap(({ day }) => (day < before ? [] : [day])),
  };
}
