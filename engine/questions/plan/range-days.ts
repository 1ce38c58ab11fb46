import type { Span } from '../../hits/calendar';
import type { HitQuery, Range } from './hit-query';

const DAY_S = 86_400;

/** Tells whether each requested range has both of two days, or neither. */
export type AreInSameRanges = (day: number, other: number) => boolean;

export function hasDay({ days: { from, to }, only }: Range, day: number): boolean {
  return day >= from && day <= to && (only?.has(day) ?? true);
}

/** Tells whether all hits of a day are within some moments, whatever the day's time zone. */
export function isWithin(day: number, { from, to }: Span): boolean {
  return (day - 1) * DAY_S >= from && (day + 2) * DAY_S <= to;
}

export function areInSameRanges(hitQueries: Pick<HitQuery, 'range' | 'previous'>[]): AreInSameRanges {
  const ranges = hitQueries.flatMap(({ range, previous }) => (previous ? [range, previous] : [range]));
  return (day, other) => ranges.every((range) => hasDay(range, day) === hasDay(range, other));
}
