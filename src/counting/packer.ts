import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { monthOf } from '../storage/calendar';
import {
  closeDaysBefore,
  closedDays,
  type ClosedDays,
  merged,
  noteUnused,
  packed,
} from '../storage/closed-days';
import { dayWithRows, firstDay } from '../storage/counters';
import { packedDay, type PieceLimits, type Prepared, removedCounts } from '../storage/day-counts';
import { DIMENSIONS, STAT_NAMES } from '../storage/dimensions';
import { applySegments, bytesOfSegments, type SegmentChange } from '../storage/segment-rows';
import { type Between, dropMonth, mergedMonth, unmergedNames } from '../storage/segment-store';
import { freeIds, unusedIds } from '../storage/unused-values';
import { largestIds } from '../storage/value-ids';
import { retireNewValues, VALUE_LIMITS } from '../storage/value-limits';
import type { CountingLease } from './counting-lease';

/** What a transaction writes, so that it is short. */
const PIECE: PieceLimits = { rows: 10_000, bytes: 2 * 1024 * 1024 };
/** A read adds the rows of an open day up each time, which takes about 1 µs a row. */
export const MAX_OPEN_ROWS = 5000;

/** Values are removed in pieces that do not keep a fold waiting for long. */
const MAX_FREED = 5000;
/** Of the limit: a fuller dictionary is searched for unused values each day. */
const NEARLY_FULL = 0.9;
const CODES = STAT_NAMES.map((name) => DIMENSIONS[name].code).sort((one, other) => one - other);

/** The days at whose turn something has to be done. */
export interface Calendar {
  today: number;
  /** What was counted on days before it is given up. */
  keptFrom: number;
}

/**
 * Does the next piece of packing what is over; false when there is none. A piece is prepared without a transaction, since
 * nobody else changes what is packed while the website's lease is unbroken, and written in a short one: wherever it is
 * interrupted, what is not packed yet is still in rows, and readers add both.
 */
export async function packSome(
  database: Database,
  lease: CountingLease,
  calendar: Calendar,
  limits = PIECE,
): Promise<boolean> {
  return take(database, lease, await new Packer(database, lease, limits).nextStep(calendar));
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
  return take(database, lease, await packedDay(database, websiteId, day, PIECE));
}

async function take(
  database: Database,
  lease: CountingLease,
  prepared: Prepared | undefined,
): Promise<boolean> {
  if (!prepared) return false;
  await database.write(async (manager) => {
    await lease.fence(manager);
    await prepared(manager);
  });
  lease.committed();
  return true;
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

  async nextStep(calendar: Calendar): Promise<Prepared | undefined> {
    const { database, websiteId, limits } = this;
    const state = await closedDays(database, websiteId);
    if (state.closedBefore < calendar.today) return this.closing(calendar);
    const expiry = await this.nextExpiry(calendar.keptFrom);
    if (expiry)
      return async (writing) => {
        await expiry(writing);
        await noteUnused(writing, websiteId, CODES[0]!);
      };
    const day = await firstDay(database, 'stat_counters', websiteId, 0, state.closedBefore);
    if (day !== undefined) return packedDay(database, websiteId, day, limits);
    return (await this.nextMonth(state)) ?? (await this.nextUnused(state)) ?? lastPiece(websiteId, state);
  }

  private async closing({ today, keptFrom }: Calendar): Promise<Prepared> {
    const { database, websiteId } = this;
    const largest = await largestIds(database, websiteId);
    const isFull = largest.some((id) => id > NEARLY_FULL * VALUE_LIMITS.all);
    return async (writing) => {
      await closeDaysBefore(database.dialect, writing, websiteId, today);
      await retireNewValues(writing, websiteId, today, keptFrom);
      if (isFull) await noteUnused(writing, websiteId, CODES[0]!);
    };
  }

  private async nextExpiry(keptFrom: number): Promise<Prepared | undefined> {
    const { database, websiteId, limits } = this;
    const month = await firstDay(database, 'stat_segments', websiteId, 0, monthOf(keptFrom));
    if (month !== undefined) return (writing) => dropMonth(writing, websiteId, monthOf(month));
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

  /** Frees the numbers of values that no counter uses, one name after the other. */
  private async nextUnused({ unusedFrom }: ClosedDays): Promise<Prepared | undefined> {
    const { database, websiteId } = this;
    if (unusedFrom === 0) return undefined;
    for (const name of CODES) {
      if (name < unusedFrom) continue;
      const ids = await unusedIds(database, { websiteId, name }, MAX_FREED, this.between());
      if (ids.length === 0) continue;
      return async (writing) => {
        await freeIds(writing, { websiteId, name }, ids);
        await noteUnused(writing, websiteId, name);
      };
    }
    return (writing) => noteUnused(writing, websiteId, 0);
  }

  private between(): Between {
    return async () => {
      await yieldIfNeeded();
      await this.lease.renewIfDue();
    };
  }
}

/** Nothing is left to do, which is noted so that nobody looks again. */
function lastPiece(websiteId: number, { version, packedVersion }: ClosedDays): Prepared | undefined {
  if (packedVersion === version) return undefined;
  return async (writing) => {
    const now = await closedDays(writing, websiteId);
    if (now.version === version) await packed(writing, websiteId, version);
  };
}
