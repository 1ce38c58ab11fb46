import type { Unit } from './ranges';

const locale = [...navigator.languages];
const numbers = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
const changes = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
const date = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
const days = date({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const shortDays = date({ day: 'numeric', month: 'short' });
const months = date({ month: 'long', year: 'numeric' });
const shortMonths = date({ month: 'short', year: '2-digit' });

const moment = (day: string) => new Date(`${day}T00:00:00Z`);

export const numberText = (count: number) => numbers.format(count);
/** For where there is little room; the whole number stands in a title. */
export const shortNumberText = (count: number) => (count < 100_000 ? numbers : compact).format(count);
export const shareText = (part: number, whole: number) => percents.format(whole === 0 ? 0 : part / whole);
export const dayText = (day: string) => days.format(moment(day));

export interface Change {
  direction: 'up' | 'down' | 'same';
  text: string;
}

/** Undefined where there is nothing to compare with. */
export function changeOf(count: number, previous: number | undefined): Change | undefined {
  if (!previous) return undefined;
  const share = Math.round((count / previous - 1) * 100) / 100;
  return {
    direction: share > 0 ? 'up' : share < 0 ? 'down' : 'same',
    text: changes.format(share).replace('-', '−'),
  };
}

export function bucketText({ from, to }: { from: string; to: string }, unit: Unit): string {
  if (unit === 'day' || from === to) return dayText(from);
  return unit === 'month' ? months.format(moment(from)) : shortDays.formatRange(moment(from), moment(to));
}

/** For an axis, where there is little room. */
export function tickText(day: string, unit: Unit): string {
  return (unit === 'month' ? shortMonths : shortDays).format(moment(day));
}

export function spanText(from: string, to: string): string {
  return from === to
    ? days.format(moment(from))
    : date({ dateStyle: 'medium' }).formatRange(moment(from), moment(to));
}
