const DAY_MS = 86_400_000;

export const RANGES = [
  ...(['today', 'yesterday', '7d', '30d', '90d'] as const),
  ...(['month', 'last_month', 'year', '12m', 'all'] as const),
] as const;
export type RangeName = (typeof RANGES)[number] | 'custom';
const UNITS = ['hour', 'day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];
/** The units that a series can be requested in; weeks are added up from days. */
export type Step = Exclude<Unit, 'week'>;

/** The change of the address that selects a named range. */
export function rangeChange(range: (typeof RANGES)[number]) {
  const others = { from: undefined, to: undefined, by: undefined, at: undefined };
  return { range: range === '30d' ? undefined : range, ...others };
}

/** Two days as `Y-m-d`, both included. */
export interface Span {
  from: string;
  to: string;
}

/** The ranges that a reader may choose, and their last day. */
export interface Bounds {
  ranges: readonly (typeof RANGES)[number][];
  today: string;
  lastDay: string;
}

/** Readers who may not filter only see past days. */
export function boundsFor({ mayFilter }: { mayFilter: boolean }, today: string): Bounds {
  if (mayFilter) return { ranges: RANGES, today, lastDay: today };
  return { ranges: RANGES.filter((name) => name !== 'today'), today, lastDay: plusDays(today, -1) };
}

/** Before any website. */
export const FIRST_DAY = '1970-01-01';

export const dayNumber = (text: string) => Date.parse(`${text}T00:00:00Z`) / DAY_MS;
const textOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

export function plusDays(text: string, days: number): string {
  return textOf(dayNumber(text) + days);
}

/** A span of the same length, `days` later. */
export function shifted({ from, to }: Span, days: number): Span {
  return { from: plusDays(from, days), to: plusDays(to, days) };
}

export function daysIn({ from, to }: Span): number {
  return dayNumber(to) - dayNumber(from) + 1;
}

/** Today in the time zone of the statistics. */
export function todayIn(timezone: string, now = new Date()): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(now);
}

export function isDay(text: string | null): text is string {
  return (
    text !== null &&
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    dayNumber(text) >= 0 &&
    textOf(dayNumber(text)) === text
  );
}

/** The range in an address; the last 30 days by default. */
export function rangeIn(address: URLSearchParams, { ranges, today, lastDay }: Bounds): RangeName {
  const name = address.get('range');
  const [from, to] = [address.get('from'), address.get('to')];
  const isOver = lastDay === today || (from ?? '') <= lastDay;
  if (name === 'custom' && isDay(from) && isDay(to) && from <= to && isOver) return 'custom';
  return ranges.find((known) => known === name) ?? '30d';
}

/** Undefined for all days, because their first day must be requested. */
export function spanOf(
  range: RangeName,
  { today, lastDay }: Omit<Bounds, 'ranges'>,
  address: URLSearchParams,
): Span | undefined {
  const last = (days: number) => ({ from: plusDays(lastDay, 1 - days), to: lastDay });
  switch (range) {
    case 'today':
      return last(1);
    case 'yesterday':
      return { from: plusDays(today, -1), to: plusDays(today, -1) };
    case '7d':
      return last(7);
    case '30d':
      return last(30);
    case '90d':
      return last(90);
    case 'month':
      return { from: firstOfMonth(lastDay), to: lastDay };
    case 'last_month':
      return monthBefore(lastDay);
    case 'year':
      return { from: `${lastDay.slice(0, 4)}-01-01`, to: lastDay };
    case '12m':
      return {
        from: plusDays(
          `${Number(lastDay.slice(0, 4)) - 1}${lastDay.slice(4)}`.replace('-02-29', '-02-28'),
          1,
        ),
        to: lastDay,
      };
    case 'all':
      return undefined;
    case 'custom':
      return { from: address.get('from')!, to: lastOf(address.get('to')!, today, lastDay) };
  }
}

const firstOfMonth = (day: string) => `${day.slice(0, 7)}-01`;

function monthBefore(day: string): Span {
  const to = plusDays(firstOfMonth(day), -1);
  return { from: firstOfMonth(to), to };
}

/** A range may end in the future, unless today is not shown. */
function lastOf(to: string, today: string, lastDay: string): string {
  return lastDay < today && to > lastDay ? lastDay : to;
}

/** A query has up to 1,000 rows. */
const MAX_DAYS = 1000;
const DAYS_FOR: Record<Unit, { least: number; most: number }> = {
  hour: { least: 1, most: 7 },
  day: { least: 2, most: MAX_DAYS },
  week: { least: 8, most: MAX_DAYS },
  month: { least: 32, most: Infinity },
};

/** A unit that results in a readable chart. */
export function unitFor(span: Span, hasHours: boolean): Unit {
  const days = daysIn(span);
  if (days <= 2 && hasHours) return 'hour';
  if (days <= 92) return 'day';
  return days <= 200 ? 'week' : 'month';
}

/** The units that divide a span into several buckets, but not too many. */
export function unitsFor(span: Span, hasHours: boolean): Unit[] {
  const days = daysIn(span);
  const units = UNITS.filter((unit) => days >= DAYS_FOR[unit].least && days <= DAYS_FOR[unit].most);
  return hasHours ? units : units.filter((unit) => unit !== 'hour');
}

export function unitIn(address: URLSearchParams, span: Span, hasHours: boolean): Unit {
  return unitsFor(span, hasHours).find((unit) => unit === address.get('by')) ?? unitFor(span, hasHours);
}

export function stepOf(unit: Unit, span: Span): Step {
  if (unit === 'hour') return 'hour';
  return daysIn(span) <= MAX_DAYS ? 'day' : 'month';
}

/** The days of a span, in order. */
export function daysOf({ from, to }: Span): string[] {
  return Array.from({ length: daysIn({ from, to }) }, (_, index) => plusDays(from, index));
}

/** The days of a span in a month `Y-m`. */
export function daysOfMonth(month: string, span: Span): Span {
  const next = new Date(`${month}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  const last = plusDays(next.toISOString().slice(0, 10), -1);
  const from = `${month}-01`;
  return { from: from < span.from ? span.from : from, to: last > span.to ? span.to : last };
}

/** Weeks begin on a Monday. */
export function beginsUnit(day: string, unit: Unit): boolean {
  if (unit === 'month') return day.endsWith('-01');
  // 1970-01-01 was a Thursday.
  return unit === 'day' || (dayNumber(day) + 3) % 7 === 0;
}
