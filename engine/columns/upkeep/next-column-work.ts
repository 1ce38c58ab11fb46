import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database';
import { type ClosedDays, readClosedDays, type DaysNoted, noteDays } from '../closed-days';
import { readDaysInColumns } from '../segments/hit-segments';
import { readReplacedDays } from '../batches/batches';
import { firstHeldDay, holdUnread } from '../followed-websites';
import { type HitsOfDay, readDays } from '../stored-days';
import { DivisionWork, type EmptyDays } from './division-work';
import { type MergeLimits, nextMerge } from './segment-merge';
import { type ColumnWork, LeftoverRemoval, REPLACED_STAYS_MS } from './column-work';
import type { CountingLease } from '../leases/counting-lease';
import { FEW_LATE, MANY_LATE, dueAfter } from '../seal/sealing-times';
import type { OverDays } from '../seal/sealing-times';
import { movesAt, nextMove } from './day-move';
import { nextPurge, purgesAt } from './next-purge';
import { findFirstDayWithoutRollup, nextRollup } from './rollup-work';
import { DayClosing } from '../seal/day-closing';
import type { SealingLimits } from '../seal/sealing-memory';

export interface ColumnLimits {
  closing?: Partial<SealingLimits>;
  merge?: MergeLimits;
}

export interface DaysToClose extends OverDays {
  /** Days that are suspended after a failure. */
  isPaused?: (day: number) => boolean;
  /** Days that still receive hits, for example from an import. */
  isFilled?: (day: number) => boolean;
  /** Tells whether other work goes before the removal of rows that nothing names. With many days, the look for them is slow. */
  leavesRemoval?: boolean;
  emptyDays?: EmptyDays;
}

/** The next day to seal, days to divide, or segments to merge. False if there are none. */
export async function nextColumnWork(
  database: Database,
  lease: CountingLease,
  over: DaysToClose,
  limits: ColumnLimits = {},
): Promise<ColumnWork | false> {
  const { websiteId } = lease;
  const { sealBefore, finalBefore } = over;
  const noted = await readClosedDays(database, websiteId);
  if (isDone(noted, over)) return false;
  const { removable, removeAt } = await findReplacedBatches(database, websiteId, over.now);
  const findRemoval = () => LeftoverRemoval.find(database, websiteId, removable, limits.closing?.bytesAtOnce);
  const removal = over.leavesRemoval ? undefined : await findRemoval();
  if (removal) return removal;
  const { open, behind } = await findDaysBehindColumns(database, websiteId, sealBefore);
  const before = await readAnonymousBefore(database, over, behind);
  const due = behind.filter((day) => isDue(day, over, before));
  const ready = due.filter((day) => !over.isPaused?.(day.day) && !waits(day, over, before));
  const held = await readHeld(database, websiteId, ready, over);
  const isPaused = (day: number) => held.has(day) || (over.isPaused?.(day) ?? false);
  const next = ready.find(({ day }) => !held.has(day));
  const ofDays = next
    ? closingOf(database, lease, next, over, limits.closing)
    : await nextOfSealedDays(database, lease, { ...over, isPaused }, noted.hasPurges && before);
  if (ofDays) return ofDays;
  const leftDays = {
    left: behind.map(({ day }) => day).filter((day) => day < finalBefore),
    before: finalBefore,
    isPaused,
  };
  const { merge, leftOut } = await nextMerge(database, websiteId, lease.nextUse, leftDays, limits.merge);
  const last = merge ?? (over.leavesRemoval ? await findRemoval() : undefined);
  if (last) return last;
  const reached = {
    sealedBefore: Math.min(sealBefore, ...due.map(({ day }) => day)),
    columnsBefore: Math.min(before < over.before ? before : finalBefore, ...leftOut),
  };
  const late = behind.map(({ day }) => day);
  await noteReached(database, lease, over, { noted, reached, open, late, removeAt });
  return false;
}

/**
 * Rollups come before everything that needs them, but not those of days that are about to be purged. `purgedBefore` is
 * the end of the days that may be, if any are.
 */
async function nextOfSealedDays(
  database: Database,
  lease: CountingLease,
  over: DaysToClose & { isPaused: (day: number) => boolean },
  purgedBefore: number | false,
): Promise<ColumnWork | undefined> {
  const { websiteId, nextUse } = lease;
  const { isPaused } = over;
  const purge =
    purgedBefore === false ? undefined : await nextPurge(database, lease, { ...over, before: purgedBefore });
  return (
    purge ??
    (await nextRollup(database, lease, over, isPaused)) ??
    (await nextDivision(database, websiteId, over, isPaused)) ??
    (await nextMove(database, websiteId, nextUse, over, isPaused))
  );
}

function nextDivision(
  database: Database,
  websiteId: number,
  { emptyDays = new Map(), ...over }: DaysToClose,
  isPaused: (day: number) => boolean,
): Promise<ColumnWork | undefined> {
  return DivisionWork.next(database, websiteId, { ...over, emptyDays, isPaused });
}

/** The days with hits that a reader must read before. */
async function readHeld(
  database: Database,
  websiteId: number,
  ready: readonly HitsOfDay[],
  { now, sealBefore }: OverDays,
): Promise<Set<number>> {
  const days = ready.map(({ day, hits }) => ({ websiteId, day, hits }));
  const held = await holdUnread(database, days, { now, from: firstHeldDay(sealBefore) });
  return new Set(held.map(({ day }) => day));
}

function isDone(noted: DaysNoted, { now, sealBefore, finalBefore }: DaysToClose): boolean {
  return noted.dueAt > now && noted.sealedBefore === sealBefore && noted.columnsBefore === finalBefore;
}

export function closingOf(
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
  noted: ClosedDays;
  reached: Pick<DaysNoted, 'sealedBefore' | 'columnsBefore'>;
  open: number[];
  late: number[];
  /** When replaced batches may be removed. */
  removeAt: number;
}

/** Stores the progress of a website's days. The website stays due as long as a day is left. */
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
  const moveAt = over.moves ? movesAt(await readDays(database, websiteId), over) : Infinity;
  const dueAt = isAll
    ? Math.min(
        removeAt,
        rollAt,
        moveAt,
        noted.hasPurges ? await purgesAt(database, websiteId, over) : Infinity,
        dueAfter(websiteId, await ahead(), over),
      )
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

/** The days whose batches were replaced a while ago, and the moment for the next such day. */
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

/** Tells whether the hits of a day must move to its columns, now or when no more arrive. */
function isDue({ day, hits, columns }: HitsOfDay, over: DaysToClose, anonymousBefore: number): boolean {
  if (day < anonymousBefore) return true;
  // While its visitors are known, late hits can still be matched with them.
  if (day < over.before) return false;
  return day < over.finalBefore || !columns || (hits - columns.hits) / columns.hits >= FEW_LATE;
}

/** Tells whether a few late hits wait, so that they move together. */
function waits({ day, hits, columns }: HitsOfDay, over: DaysToClose, anonymousBefore: number): boolean {
  if (day < anonymousBefore || !columns || !over.isFilled?.(day)) return false;
  return (hits - columns.hits) / columns.hits < MANY_LATE;
}

/** Days before it are sealed without hashes. A salt may be removed late, and a past day may still get hits. */
async function readAnonymousBefore(
  database: Database,
  { before, isFilled }: DaysToClose,
  behind: readonly HitsOfDay[],
): Promise<number> {
  const [row] = await database.query<{ salt: number | null }[]>('SELECT MIN(day) AS salt FROM salts');
  const all = Math.min(before, row!.salt ?? before);
  return behind.find(({ day }) => day < all && isFilled?.(day))?.day ?? all;
}

/** The days before a day with hits outside of columns, and the first later day with hits. */
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
