import { DAY_MS } from '../common/time/days';

/** The first day of the month that a day belongs to, as days since 1970; or of one some months later. */
export function monthOf(day: number, later = 0): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1) / DAY_MS;
}

export interface Span {
  from: number;
  to: number;
}
