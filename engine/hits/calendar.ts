import { DAY_MS } from '../ground/time/days';

/** The first day of a day's month, or of a month `later` months after it, as days since 1970. */
export function monthOf(day: number, later = 0): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1) / DAY_MS;
}

export interface Span {
  from: number;
  to: number;
}

/** The days of a complete block, whose details viewers of a shared page see, in order. */
export type DayBlock = readonly number[];
