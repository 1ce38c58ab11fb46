import type { DayClock } from '../../ground/time/day-clock';
import type { HitSettings } from '../../database/hit-settings';
import type { Moments } from '../../database/retention-rules';
import { MAX_EVENT_AGE_MS } from '../../hits/events/event-age';
import { SALT_OUTLIVES_DAY_MS } from '../../hits/rules/salt-lifetime';
import { LIVE_WINDOW_S } from '../../hits/rules/live-window';
import { type ValueLimits, valueLimitsOf } from '../../hits/rules/value-limits';
import { GIVEN_UP_AFTER_DAYS, ROLLED_UP_AHEAD_DAYS } from '../rollups/rollup-rules';
import { mergeDay } from '../segments/segment-merge-rules';

/** Days whose salt is gone: new hits have no known visitor. */
interface AnonymousDays {
  before: number;
  /** A row of the inbox that was accepted later has no hit of these days. */
  acceptedBefore: number;
}

/** Days that are over. */
export interface OverDays extends AnonymousDays {
  /** By the database's clock. */
  now: number;
  /** Days before it are sealed. */
  sealBefore: number;
  /** Events of days before it are no longer accepted, so all of their hits move to the columns. */
  finalBefore: number;
  /** When a day is sealed, and when its events are no longer accepted. */
  sealAt: (day: number) => number;
  finalAt: (day: number) => number;
  /** When the visitors of a day are forgotten. */
  forgetAt: (day: number) => number;
  /** Days before it are rolled up even with few hits: their hits expire soon, but the statistics stay. */
  rollAllBefore: number;
  /** Days before it that cannot be rolled up are given up, so that their hits expire. */
  giveUpBefore: number;
  /** When a day is rolled up even with few hits. */
  rollAt: (day: number) => number;
  /** The first day with statistics. */
  statsFrom: number;
  valueLimits: ValueLimits;
  timezone: string;
  moves: HitSettings['moves'];
}

const MINUTE_MS = 60_000;
/** Live visitors are read from batches. */
const SEALED_AFTER_MS = 1000 * LIVE_WINDOW_S + 5 * MINUTE_MS;
const FINAL_AFTER_MS = MAX_EVENT_AGE_MS + 5 * MINUTE_MS;

/** A smaller day is one row, and is sealed together with days of other websites. */
export const SMALL_DAY_HITS = 2000;

/**
 * Shares of the hits in columns. Beyond the first, late hits move to the columns when no more arrive; beyond the
 * second, at once.
 */
export const [FEW_LATE, MANY_LATE] = [0.05, 0.25];

export function anonymousDays({ now, dayOf, endOf }: Moments): AnonymousDays {
  const before = dayOf(now - SALT_OUTLIVES_DAY_MS);
  return { before, acceptedBefore: endOf(before - 1) + SALT_OUTLIVES_DAY_MS };
}

export function overDays(moments: Moments): OverDays {
  const { now, trusted, dayOf, endOf, settings } = moments;
  const { archiveDays = Infinity, statsDays = Infinity, newValuesPerDay, timezone, moves } = settings;
  const forgetAt = (day: number) => endOf(day) + SALT_OUTLIVES_DAY_MS;
  const anonymous = anonymousDays(moments);
  const rolledUpDays = statsDays > archiveDays ? archiveDays - ROLLED_UP_AHEAD_DAYS : Infinity;
  return {
    ...anonymous,
    now,
    sealBefore: dayOf(now - SEALED_AFTER_MS),
    finalBefore: dayOf(now - FINAL_AFTER_MS),
    sealAt: (day) => endOf(day) + SEALED_AFTER_MS,
    finalAt: (day) => endOf(day) + FINAL_AFTER_MS,
    forgetAt,
    // A day is rolled up before it moves.
    rollAllBefore: Math.max(
      rolledUpDays === Infinity ? 0 : dayOf(trusted) - rolledUpDays,
      moves ? anonymous.before : 0,
    ),
    giveUpBefore: statsDays > archiveDays ? dayOf(trusted) - archiveDays - GIVEN_UP_AFTER_DAYS : 0,
    rollAt: (day) =>
      Math.min(
        rolledUpDays === Infinity ? Infinity : endOf(day + rolledUpDays),
        moves ? forgetAt(day) : Infinity,
      ),
    moves,
    statsFrom: statsDays === Infinity ? 0 : dayOf(trusted) - statsDays,
    valueLimits: valueLimitsOf(newValuesPerDay),
    timezone,
  };
}

/** The moment at which a day is sealed. */
export function sealAt(clock: DayClock, day: number): number {
  return clock.endOf(day) + SEALED_AFTER_MS;
}

/** The days of a website with later work. */
export interface DaysAhead {
  /** Days with hits but no columns. */
  open: number[];
  /** Days with hits outside of their columns. */
  late: number[];
  /** Sealed days whose segments may be merged. */
  sealed: { day: number; hits: number }[];
}

/** The next moment with work on a website's days; `Infinity` until further hits arrive. */
export function dueAfter(websiteId: number, { open, late, sealed }: DaysAhead, over: OverDays): number {
  const moments = [
    ...open.map(over.sealAt),
    ...late.map(over.finalAt),
    ...sealed.map(({ day, hits }) => over.finalAt(hits < SMALL_DAY_HITS ? mergeDay(websiteId, day) : day)),
  ];
  return Math.min(...moments);
}
