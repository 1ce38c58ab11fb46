import { monthOf } from './periods';
import { daysOf, dayNumber, FIRST_DAY, plusDays, type Span } from '../../shared/ranges';

/** The weeks of a month, from Monday to Sunday; empty places belong to other months. */
export function weeksOf(month: Span): (string | undefined)[][] {
  const days: (string | undefined)[] = [...Array<undefined>(weekdayOf(month.from)), ...daysOf(month)];
  const weeks = Math.ceil(days.length / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => days[7 * week + weekday]),
  );
}

/** 0 is Monday; 1970-01-01 was a Thursday. */
const weekdayOf = (day: string) => (((dayNumber(day) + 3) % 7) + 7) % 7;

/** The day of the month `months` later, or the last day of that month. */
export function plusMonths(day: string, months: number): string {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + months);
  const { from, to } = monthOf(first.toISOString().slice(0, 10));
  const same = from.slice(0, 8) + day.slice(8);
  return same < to ? same : to;
}

/** The day to which a key leads in a calendar; undefined for other keys. */
export function dayByKey(key: string, isShifted: boolean, day: string, lastDay: string): string | undefined {
  const next = nextByKey(key, isShifted, day);
  if (next === undefined || next < FIRST_DAY) return next && day;
  return next > lastDay ? lastDay : next;
}

function nextByKey(key: string, isShifted: boolean, day: string): string | undefined {
  const months = isShifted ? 12 : 1;
  switch (key) {
    case 'ArrowLeft':
      return plusDays(day, -1);
    case 'ArrowRight':
      return plusDays(day, 1);
    case 'ArrowUp':
      return plusDays(day, -7);
    case 'ArrowDown':
      return plusDays(day, 7);
    case 'Home':
      return plusDays(day, -weekdayOf(day));
    case 'End':
      return plusDays(day, 6 - weekdayOf(day));
    case 'PageUp':
      return plusMonths(day, -months);
    case 'PageDown':
      return plusMonths(day, months);
    default:
      return undefined;
  }
}
