import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { monthOf } from '../stats/cover';
import { type ClosedDays, closeDaysBefore, closedDays, merged, packed } from './closed-days';
import { firstDay, packDay, removeCounts } from './counters';
import type { CountingLease } from './counting-lease';
import { dropMonth, mergeNames } from './segments';

const MOST_ROWS = 10_000;

/** The days at whose turn something has to be done. */
export interface Calendar {
  today: number;
  /** What was counted on days before it is given up. */
  keptFrom: number;
}

type Piece = (manager: EntityManager) => Promise<unknown>;

/**
 * Does the next piece of packing what is over; false when there is none. Each piece is one transaction under the
 * website's lease: wherever it is interrupted, what is not packed yet is still in rows, and readers add both.
 */
export async function packSome(
  database: Database,
  lease: CountingLease,
  calendar: Calendar,
): Promise<boolean> {
  const piece = await database.read((manager) => nextPiece(database, manager, lease.websiteId, calendar));
  if (!piece) return false;
  await database.write(async (manager) => {
    await lease.use(manager);
    await piece(manager);
  });
  lease.used();
  return true;
}

async function nextPiece(
  { dialect }: Database,
  manager: EntityManager,
  websiteId: number,
  { today, keptFrom }: Calendar,
): Promise<Piece | undefined> {
  const state = await closedDays(manager, websiteId);
  if (state.closedBefore < today) return (writing) => closeDaysBefore(dialect, writing, websiteId, today);
  const expiredMonth = await firstDay(manager, 'stat_segments', websiteId, 0, monthOf(keptFrom));
  if (expiredMonth !== undefined) return (writing) => dropMonth(writing, websiteId, monthOf(expiredMonth));
  for (const table of ['stat_counters', 'stat_segments'] as const) {
    const expired = await firstDay(manager, table, websiteId, 0, keptFrom);
    if (expired !== undefined) return (writing) => removeCounts(writing, websiteId, expired);
  }
  const day = await firstDay(manager, 'stat_counters', websiteId, 0, state.closedBefore);
  if (day !== undefined) return (writing) => packDay(writing, websiteId, day, MOST_ROWS);
  return (await nextMonth(manager, websiteId, state)) ?? lastPiece(websiteId, state);
}

async function nextMonth(
  manager: EntityManager,
  websiteId: number,
  { closedBefore, mergedBefore }: ClosedDays,
): Promise<Piece | undefined> {
  const end = monthOf(closedBefore);
  if (mergedBefore >= end) return undefined;
  const day = await firstDay(manager, 'stat_segments', websiteId, mergedBefore, end);
  if (day === undefined) return (writing) => merged(writing, websiteId, end);
  return async (writing) => {
    await mergeNames(writing, websiteId, monthOf(day));
    await merged(writing, websiteId, monthOf(day, 1));
  };
}

/** Nothing is left to do, which is noted so that nobody looks again. */
function lastPiece(websiteId: number, { version, packedVersion }: ClosedDays): Piece | undefined {
  if (packedVersion === version) return undefined;
  return async (writing) => {
    const now = await closedDays(writing, websiteId);
    if (now.version === version) await packed(writing, websiteId, version);
  };
}
