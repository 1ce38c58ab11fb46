import type { OverDays } from '../retention';

/** A day of fewer hits is a row, and sealed together with those of other websites. */
export const SMALL_DAY_HITS = 2000;
/** How many small days become one segment together, so that each is moved few times. */
const SMALL_DAYS_TOGETHER = 8;

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
    ...sealed.map(({ day, hits }) => over.finalAt(hits < SMALL_DAY_HITS ? mergingDay(websiteId, day) : day)),
  ];
  return Math.min(...moments);
}

/** The first day from one on with which small days become a larger segment; another one for the next website. */
function mergingDay(websiteId: number, day: number): number {
  return day + SMALL_DAYS_TOGETHER - 1 - ((day + websiteId) % SMALL_DAYS_TOGETHER);
}
