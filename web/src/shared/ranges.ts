import { localTimeIn } from './local-time';

const DAY_MS = 86_400_000;

export const RANGES = [
  ...(['today', 'yesterday', '24h', '7d', '28d', '30d', '90d'] as const),
  ...(['month', 'last_month', 'year', '12m', 'all'] as const),
] as const;
export type RangeName = (typeof RANGES)[number] | 'custom';
/** Whole weeks, so that a range has the same weekdays as the one before it. */
export const DEFAULT_RANGE = '28d';
const UNITS = ['hour', 'day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];

/** The change of the address that selects a named range. */
export function rangeChange(range: (typeof RANGES)[number]) {
  const others = { from: undefined, to: undefined, by: undefined, at: undefined };
  return { range: range === DEFAULT_RANGE ? undefined : range, ...others };
}

/** Two days as `Y-m-d`, both included. */
export interface Span {
  from: string;
  to: string;
  /** The first and the last moment, if it is a part of its days. */
  moments?: readonly [string, string];
}

/** The parameters of a range of days. */
export const daysOnly = ({ from, to }: Span) => ({ from, to });

/** The range of a query. */
export const queryRange = ({ from, to, moments }: Span) => moments ?? [from, to];

/** The ranges that a reader may choose, and their last day. */
export interface Bounds {
  ranges: readonly (typeof RANGES)[number][];
  today: string;
  lastDay: string;
  /** The last 24 hours. */
  hours: readonly [string, string];
}

interface Reader {
  isOwner: boolean;
  mayFilter: boolean;
}

/** Readers who may not filter only see past days, and only the owner sees hours. */
export function boundsFor({ isOwner, mayFilter }: Reader, timezone: string, now = new Date()): Bounds {
  const today = todayIn(timezone, now);
  const common = { today, hours: lastHours(timezone, now) };
  if (mayFilter)
    return { ...common, ranges: RANGES.filter((name) => isOwner || name !== '24h'), lastDay: today };
  const lastDay = plusDays(today, -1);
  const hidden = new Set<RangeName>(['today', '24h']);
  if (firstOfMonth(today) > lastDay) hidden.add('month');
  if (firstOfYear(today) > lastDay) hidden.add('year');
  return { ...common, ranges: RANGES.filter((name) => !hidden.has(name)), lastDay };
}

const HOUR_S = 3600;

/** The hour of the clock that goes on, and the 23 before it. Some zones are half an hour apart from others. */
function lastHours(timezone: string, now: Date): readonly [string, string] {
  const moment = Math.floor(now.getTime() / 1000);
  const sinceHour = (moment + localTimeIn(timezone).offsetAt(moment)) % HOUR_S;
  const end = moment - sinceHour + HOUR_S;
  return [momentText(end - 24 * HOUR_S), momentText(end - 1)];
}

/** A moment in seconds as the API writes it. */
export function momentText(second: number): string {
  return new Date(1000 * second).toISOString().replace('.000Z', 'Z');
}

/** Before any website. */
export const FIRST_DAY = '1970-01-01';

export const dayNumber = (text: string) => Date.parse(`${text}T00:00:00Z`) / DAY_MS;
const textOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

export function plusDays(text: string, days: number): string {
  return textOf(dayNumber(text) + days);
}

/** A span of the same length, `days` later. */
export function shifted({ from, to, moments }: Span, days: number): Span {
  const [first, last] = moments ?? [];
  return {
    ...{ from: plusDays(from, days), to: plusDays(to, days) },
    ...(first && last && { moments: [plusMoments(first, days), plusMoments(last, days)] }),
  };
}

export function plusMoments(moment: string, days: number): string {
  return momentText(Math.floor((Date.parse(moment) + days * DAY_MS) / 1000));
}

export function daysIn({ from, to }: Span): number {
  return dayNumber(to) - dayNumber(from) + 1;
}

/** Today in the time zone of the statistics. */
export function todayIn(timezone: string, now = new Date()): string {
  const moment = Math.floor(now.getTime() / 1000);
  return momentText(moment + localTimeIn(timezone).offsetAt(moment)).slice(0, 'YYYY-MM-DD'.length);
}

export function isDay(text: string | null): text is string {
  return (
    text !== null &&
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    dayNumber(text) >= 0 &&
    textOf(dayNumber(text)) === text
  );
}

/** A chart has a point for each day or month. A link to millions of them would stop the browser. */
const MAX_OWN_DAYS = 36_525;

/** The range in an address, or the default one. */
export function rangeIn(address: URLSearchParams, { ranges, today, lastDay }: Bounds): RangeName {
  const name = address.get('range');
  const [from, to] = [address.get('from'), address.get('to')];
  const isOver = lastDay === today || (from ?? '') <= lastDay;
  const isSpan = isDay(from) && isDay(to) && from <= to && daysIn({ from, to }) <= MAX_OWN_DAYS;
  if (name === 'custom' && isSpan && isOver) return 'custom';
  return ranges.find((known) => known === name) ?? DEFAULT_RANGE;
}

const LAST_DAYS: Partial<Record<RangeName, number>> = {
  ...{ today: 1, '7d': 7, '28d': 28, '30d': 30, '90d': 90 },
};

/** Undefined for all days, because their first day must be requested. */
export function spanOf(
  range: RangeName,
  { today, lastDay, hours }: Omit<Bounds, 'ranges'>,
  address: URLSearchParams,
): Span | undefined {
  const days = LAST_DAYS[range];
  if (days !== undefined) return { from: plusDays(lastDay, 1 - days), to: lastDay };
  switch (range) {
    case 'yesterday':
      return { from: plusDays(today, -1), to: plusDays(today, -1) };
    case '24h':
      return { from: plusDays(today, -1), to: today, moments: hours };
    case 'month':
      return { from: firstOfMonth(today), to: lastDay };
    case 'last_month':
      return monthBefore(today);
    case 'year':
      return { from: firstOfYear(today), to: lastDay };
    case '12m':
      return { from: firstOfMonth(lastDay, -11), to: lastDay };
    case 'all':
      return undefined;
    default:
      return { from: address.get('from')!, to: lastOf(address.get('to')!, today, lastDay) };
  }
}

/** The first day of the month of a day, or of the month `later` months after it. */
function firstOfMonth(day: string, later = 0): string {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + later);
  return first.toISOString().slice(0, 10);
}
const firstOfYear = (day: string) => `${day.slice(0, 4)}-01-01`;

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
  if (span.moments) return ['hour'];
  const days = daysIn(span);
  const units = UNITS.filter((unit) => days >= DAYS_FOR[unit].least && days <= DAYS_FOR[unit].most);
  return hasHours ? units : units.filter((unit) => unit !== 'hour');
}

export function unitIn(address: URLSearchParams, span: Span, hasHours: boolean): Unit {
  return unitsFor(span, hasHours).find((unit) => unit === address.get('by')) ?? unitFor(span, hasHours);
}

/** The unit that a series is queried in; others are added up from it. */
export function stepOf(unit: Unit, span: Span): Exclude<Unit, 'week'> {
  if (unit === 'hour') return 'hour';
  return daysIn(span) <= MAX_DAYS ? 'day' : 'month';
}

/** The days of a span, in order. */
export function daysOf({ from, to }: Span): string[] {
  return Array.from({ length: daysIn({ from, to }) }, (_, index) => plusDays(from, index));
}

/** The days of a span in a month `Y-m`. */
export function daysOfMonth(month: string, span: Span): Span {
  const from = `${month}-01`;
  return within(span, from, plusDays(firstOfMonth(from, 1), -1));
}

/** The days of a span in a week `Y-Www` of ISO 8601. The first week of a year has its 4 January. */
export function daysOfWeek(week: string, span: Span): Span {
  const [year, number] = week.split('-W');
  const inFirst = `${year}-01-04`;
  const monday = plusDays(inFirst, 7 * (Number(number) - 1) - mondayBased(inFirst));
  return within(span, monday, plusDays(monday, 6));
}

function within(span: Span, from: string, to: string): Span {
  return { from: from < span.from ? span.from : from, to: to > span.to ? span.to : to };
}

/** Weeks begin on a Monday. */
export function beginsUnit(day: string, unit: Unit): boolean {
  if (unit === 'month') return day.endsWith('-01');
  return unit === 'day' || mondayBased(day) === 0;
}

/** 1970-01-01 was a Thursday. */
function mondayBased(day: string): number {
  return (dayNumber(day) + 3) % 7;
}
