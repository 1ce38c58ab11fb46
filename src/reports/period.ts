import type { DayClock } from '../../engine/ground/time/day-clock';
import { monthOf, type Span } from '../../engine/hits/calendar';

export const RHYTHMS = ['weekly', 'monthly'] as const;
export type Rhythm = (typeof RHYTHMS)[number];

/** The days of one report: a week from Monday, or a calendar month. */
export interface Period extends Span {
  every: Rhythm;
}

/** Reports are due this long after midnight: in the morning, and late enough for late events of servers. */
const MORNING_MS = 6 * 3_600_000;
const DAYS_OF_WEEK = 7;
/** 1970-01-01 was a Thursday. */
const THURSDAY = 3;

export function periodAround(day: number, every: Rhythm): Period {
  if (every === 'monthly') return { every, from: monthOf(day), to: monthOf(day, 1) - 1 };
  const from = day - ((day + THURSDAY) % DAYS_OF_WEEK);
  return { every, from, to: from + DAYS_OF_WEEK - 1 };
}

export function periodBefore({ from, every }: Period): Period {
  return periodAround(from - 1, every);
}

/** The latest period whose report is due. Reports of earlier periods are no longer sent. */
export function periodDue(now: number, every: Rhythm, clock: DayClock): Period {
  return periodBefore(periodAround(clock.dayOf(now - MORNING_MS), every));
}
