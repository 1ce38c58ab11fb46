import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { monthOf } from '../storage/calendar';
import {
  closeDaysBefore,
  closedDays,
  type ClosedDays,
  FIRST_NAME,
  merged,
  noteUnused,
  packed,
} from '../storage/closed-days';
import { dayWithRows, firstDay } from '../storage/counters';
import { packedDay, type PieceLimits, type Prepared, removedCounts } from '../storage/day-counts';
import { removedMonth } from '../storage/expired-months';
import { applySegments, bytesOfSegments, type SegmentChange } from '../storage/segment-rows';
import { type Between, mergedMonth, unmergedNames } from '../storage/segment-store';
import { largestIds } from '../storage/value-ids';
import { retireNewValues, VALUE_LIMITS } from '../storage/value-limits';
import type { CountingLease } from './counting-lease';

/** Bytes that one transaction writes at most, so that it is short. */
const PIECE: PieceLimits = { rows: 10_000, bytes: 2 * 1024 * 1024 };
/** Each read adds up the rows of an open day, which takes about 1 µs a row. */
export const MAX_OPEN_ROWS = 5000;

/** Of the limit: a fuller dictionary is searched for unused values each day. */
const NEARLY_FULL = 0.9;

/** The days that decide what is packed, merged and removed. */
export interface Calendar {
  today: number;
  /** Counts of earlier days are removed. */
  keptFrom: number;
}

/** The result of a piece of packing. */
export interface Packed {
  /** Counters were removed, so values may be unused. */
  removesCounts: boolean;
}

interface Step extends Packed {
  apply: Prepared;
}

/**
 * Does the next piece of packing what is over; undefined when there is none. A piece is prepared without a transaction, since
 * nobody else changes what is packed while the website's lease is unbroken, and written in a short one: wherever it is
 * interrupted, what is not packed yet is still in rows, and readers add both.
 */
export async function packSome(
  database: Database,
  lease: CountingLease,
  calendar: Calendar,
  limits = PIECE,
): Promise<Packed | undefined> {
  const step = await new Packer(database, lease, limits).nextStep(calendar);
  if (!step) return undefined;
  await take(database, lease, step.apply);
  return step;
}

/** Moves rows of an open day into its segments where they have become many; false where they have not. */
export async function packOpenDay(
  database: Database,
  lease: CountingLease,
  leastRows = MAX_OPEN_ROWS,
): Promise<boolean> {
  const { websiteId } = lease;
  const { closedBefore } = await closedDays(database, websiteId);
  if (closedBefore === 0) return false;
  const day = await dayWithRows(database, websiteId, closedBefore, leastRows);
  if (day === undefined) return false;
  await take(database, lease, await packedDay(database, websiteId, day, PIECE));
  return true;
}

async function take(database: Database, lease: CountingLease, prepared: Prepared): Promise<void> {
  await database.write(async (manager) => {
    await lease.fenceCounts(manager);
    await prepared(manager);
  });
  lease.committed();
}

/** Prepares the next piece of one website. */
class Packer {
  private readonly websiteId: number;

  constructor(
    private readonly database: Database,
    private readonly lease: CountingLease,
    private readonly limits: PieceLimits,
  ) {
    this.websiteId = lease.websiteId;
  }

  async nextStep(calendar: Calendar): Promise<Step | undefined> {
    const state = await closedDays(this.database, this.websiteId);
    if (state.closedBefore < calendar.today)
      return { apply: await this.closing(calendar), removesCounts: false };
    const expiry = await this.nextExpiry(calendar.keptFrom);
    if (expiry) return { apply: expiry, removesCounts: true };
    const packing = await this.nextPacking(state);
    return packing && { apply: packing, removesCounts: false };
  }

  private async nextPacking(state: ClosedDays): Promise<Prepared | undefined> {
    const { database, websiteId, limits } = this;
    const day = await firstDay(database, 'stat_counters', websiteId, 0, state.closedBefore);
    if (day !== undefined) return packedDay(database, websiteId, day, limits);
    return (await this.nextMonth(state)) ?? lastPiece(websiteId, state);
  }

  private async closing({ today, keptFrom }: Calendar): Promise<Prepared> {
    const { database, websiteId } = this;
    const largest = await largestIds(database, websiteId);
    const isFull = largest.some((id) => id > NEARLY_FULL * VALUE_LIMITS.all);
    return async (writing) => {
      await closeDaysBefore(database.dialect, writing, websiteId, today);
      await retireNewValues(writing, websiteId, today, keptFrom);
      if (isFull) await noteUnused(writing, websiteId, FIRST_NAME);
    };
  }

  private async nextExpiry(keptFrom: number): Promise<Prepared | undefined> {
    const removal = await this.nextRemoval(keptFrom);
    if (!removal) return undefined;
    return async (writing) => {
      await removal(writing);
      await noteUnused(writing, this.websiteId, FIRST_NAME);
    };
  }

  private async nextRemoval(keptFrom: number): Promise<Prepared | undefined> {
    const { database, websiteId, limits } = this;
    const month = await firstDay(database, 'stat_segments', websiteId, 0, monthOf(keptFrom));
    if (month !== undefined) return removedMonth(database, websiteId, monthOf(month), limits);
    for (const table of ['stat_counters', 'stat_segments'] as const) {
      const expired = await firstDay(database, table, websiteId, 0, keptFrom);
      if (expired !== undefined) return removedCounts(database.dialect, database, websiteId, expired, limits);
    }
    return undefined;
  }

  /** A month is merged name by name; what comes late in between is added to the sums that are there already. */
  private async nextMonth({ closedBefore, mergedBefore }: ClosedDays): Promise<Prepared | undefined> {
    const { database, websiteId } = this;
    const end = monthOf(closedBefore);
    if (mergedBefore >= end) return undefined;
    const day = await firstDay(database, 'stat_segments', websiteId, mergedBefore, end);
    if (day === undefined) return (writing) => merged(writing, websiteId, end);
    const month = monthOf(day);
    const names = await unmergedNames(database, websiteId, month);
    const changes: SegmentChange[] = [];
    while (names.length > 0 && bytesOfSegments(changes) < this.limits.bytes)
      changes.push(
        ...(await mergedMonth(database, websiteId, { name: names.shift()!, month }, this.between())),
      );
    return async (writing) => {
      await applySegments(writing, changes);
      if (names.length === 0) await merged(writing, websiteId, monthOf(day, 1));
    };
  }

  private between(): Between {
    return async () => {
      await yieldIfNeeded();
      await this.lease.renewIfDue();
    };
  }
}

/** Nothing is left to pack, which is noted once no number is to be freed either, so that nobody looks again. */
function lastPiece(
  websiteId: number,
  { version, packedVersion, unusedFrom }: ClosedDays,
): Prepared | undefined {
  if (packedVersion === version || unusedFrom > 0) return undefined;
  return async (writing) => {
    const now = await closedDays(writing, websiteId);
    if (now.version === version) await packed(writing, websiteId, version);
  };
}
