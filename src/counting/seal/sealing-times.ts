import type { DayClock } from '../../common/time/day-clock';
import type { Moments } from '../../retention/rules';
import { MAX_EVENT_AGE_MS, SALT_OUTLIVES_DAY_MS } from '../../retention/salt-lifetime';
import { LIVE_WINDOW_S } from '../../storage/live-window';
import { type ValueLimits, valueLimitsOf } from '../../storage/rollups/limits/value-limits';
import { mergeDay } from '../../storage/segments/segment-merge-rules';

/** Days that get no more hits with a known visitor. */
interface AnonymousDays {
  before: number;
  /** A row of the inbox that was accepted later holds no hit of them. */
  acceptedBefore: number;
}

/** Days that are over. */
export interface OverDays extends AnonymousDays {
  /** By the database's clock. */
  now: number;
  /** Days before it get columns. */
  sealBefore: number;
  /** No event of days before it is accepted any more, so that all of their hits go to the columns. */
  finalBefore: number;
  /** When a day is one of these: it gets columns, and later none of its events is accepted any more. */
  sealAt: (day: number) => number;
  finalAt: (day: number) => number;
  /** When the visitors of a day are forgotten. */
  forgetAt: (day: number) => number;
  /** Days before it are rolled up however few hits they have: these leave soon, and the statistics stay. */
  rollAllBefore: number;
  /** Days before it that cannot be rolled up are given up, so that their hits leave. */
  giveUpBefore: number;
  /** When a day is one of these. */
  rollAt: (day: number) => number;
  /** The first day whose statistics are kept. */
  statsFrom: number;
  valueLimits: ValueLimits;
}

/** Hits wait for the rollup of their day, so it is made before they leave. */
const ROLLED_UP_AHEAD_DAYS = 10;
const GIVEN_UP_AFTER_DAYS = 7;
const MINUTE_MS = 60_000;
/** Live visitors are read in batches. */
const SEALED_AFTER_MS = 1000 * LIVE_WINDOW_S + 5 * MINUTE_MS;
const FINAL_AFTER_MS = MAX_EVENT_AGE_MS + 5 * MINUTE_MS;

/** A day of fewer hits is a row, and sealed together with those of other websites. */
export const SMALL_DAY_HITS = 2000;
/** A row of the inbox that was accepted later than that holds no hit of these days. */
export function anonymousDays({ now, dayOf, endOf }: Moments): AnonymousDays {
  const before = dayOf(now - SALT_OUTLIVES_DAY_MS);
  return { before, acceptedBefore: endOf(before - 1) + SALT_OUTLIVES_DAY_MS };
}

export function overDays(moments: Moments): OverDays {
  const { now, trusted, dayOf, endOf, settings } = moments;
  const { archiveDays = Infinity, statsDays = Infinity, newValuesPerDay } = settings;
  const rolledUpDays = statsDays > archiveDays ? archiveDays - ROLLED_UP_AHEAD_DAYS : Infinity;
  return {
    ...anonymousDays(moments),
    now,
    sealBefore: dayOf(now - SEALED_AFTER_MS),
    finalBefore: dayOf(now - FINAL_AFTER_MS),
    sealAt: (day) => endOf(day) + SEALED_AFTER_MS,
    finalAt: (day) => endOf(day) + FINAL_AFTER_MS,
    forgetAt: (day) => endOf(day) + SALT_OUTLIVES_DAY_MS,
    rollAllBefore: rolledUpDays === Infinity ? 0 : dayOf(trusted) - rolledUpDays,
    giveUpBefore: statsDays > archiveDays ? dayOf(trusted) - archiveDays - GIVEN_UP_AFTER_DAYS : 0,
    rollAt: (day) => (rolledUpDays === Infinity ? Infinity : endOf(day + rolledUpDays)),
    statsFrom: statsDays === Infinity ? 0 : dayOf(trusted) - statsDays,
    valueLimits: valueLimitsOf(newValuesPerDay),
  };
}

/** The moment from which a day gets columns. */
export function sealAt(clock: DayClock, day: number): number {
  return clock.endOf(day) + SEALED_AFTER_MS;
}

/** The days of a website with something to be done later. */
export interface DaysAhead {
  /** Days that have hits and no columns. */
  open: number[];
  /** Days that have hits behind their columns. */
  late: number[];
  /** Days in columns whose segments may become larger ones. */
  sealed: { day: number; hits: number }[];
}

/** When something is to be done with the days of a website; `Infinity` until further hits come. */
export function dueAfter(websiteId: number, { open, late, sealed }: DaysAhead, over: OverDays): number {
  const moments = [
    ...open.map(over.sealAt),
    ...late.map(over.finalAt),
    ...sealed.map(({ day, hits }) => over.finalAt(hits < SMALL_DAY_HITS ? mergeDay(websiteId, day) : day)),
  ];
  return Math.min(...moments);
}
