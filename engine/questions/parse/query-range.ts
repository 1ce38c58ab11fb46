import { DAY_MS, dayText } from '../../ground/time/days';
import { InvalidFields } from '../../ground/errors';
import { monthOf, type Span } from '../../hits/calendar';
import { NotAllowed } from '../../ground/errors';
import { day, moment } from '../../ground/time/parsed';
import { MAX_DAYS_OF_HOURS, type Zone } from '../plan/buckets';
import type { HitQuery, Range } from '../plan/hit-query';

const MAX_FILLED_DAYS = 100_000;

export const COMPARISONS = ['previous', 'year'] as const;
export type ComparisonName = (typeof COMPARISONS)[number];

/** The days of a named range, given today; for all days also the first day with hits. */
const NAMED = {
  today: (today: number) => ({ from: today, to: today }),
  yesterday: (today: number) => ({ from: today - 1, to: today - 1 }),
  '7d': (today: number) => ({ from: today - 6, to: today }),
  '28d': (today: number) => ({ from: today - 27, to: today }),
  '30d': (today: number) => ({ from: today - 29, to: today }),
  '90d': (today: number) => ({ from: today - 89, to: today }),
  '12mo': (today: number) => ({ from: monthOf(today, -11), to: today }),
  month: (today: number) => ({ from: monthOf(today), to: today }),
  last_month: (today: number) => ({ from: monthOf(today, -1), to: monthOf(today) - 1 }),
  year: (today: number) => ({ from: Date.parse(`${dayText(today).slice(0, 4)}-01-01`) / DAY_MS, to: today }),
  all: (today: number, first: number) => ({ from: Math.min(first, today), to: today }),
} satisfies Record<string, (today: number, first: number) => Span>;

type RangeName = keyof typeof NAMED;
export const RANGE_NAMES = Object.keys(NAMED) as RangeName[];

/** A name, days, or moments in seconds since 1970. */
export type RequestedRange = RangeName | { days: Span } | { moments: Span; isCut: boolean };

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
const MILLISECONDS = /^(0|[1-9]\d{0,14})$/;
const LAST_MOMENT = Date.parse('9999-12-31T00:00:00Z');
const ALLOWED = `must be two days (["2026-01-01", "2026-01-31"]), two moments with their offsets (["2026-01-01T12:00:00+02:00", …]) or in milliseconds since 1970, or one of ${RANGE_NAMES.join(', ')}`;

/** Undefined if it is not a range. */
export function rangeIn(sent: unknown): RequestedRange | undefined {
  if (typeof sent === 'string' && Object.hasOwn(NAMED, sent)) return sent as RangeName;
  return Array.isArray(sent) && sent.length === 2 ? (daysOf(sent) ?? momentsOf(sent)) : undefined;
}

export function checkQueryRange(range: RequestedRange | undefined): void {
  if (!range) throw new NotAllowed(ALLOWED);
  if (typeof range === 'string') return;
  const { from, to } = 'days' in range ? range.days : range.moments;
  if (from > to) throw new NotAllowed('must not end before it begins');
}

type RequestedSpan = Exclude<RequestedRange, RangeName>;

function daysOf([from, to]: unknown[]): RequestedSpan | undefined {
  try {
    return { days: { from: day(from as string), to: day(to as string) } };
  } catch (error) {
    if (error instanceof NotAllowed) return undefined;
    throw error;
  }
}

function momentsOf(sent: unknown[]): RequestedSpan | undefined {
  const moments = sent.map(momentOf);
  const [from, to] = moments.map((one) => Math.floor(one / 1000)) as [number, number];
  if (!moments.every((one) => one >= 0 && one < LAST_MOMENT)) return undefined;
  return { moments: { from, to }, isCut: moments.some((one) => one % 1000 !== 0) };
}

/** A moment with its offset, or milliseconds since 1970, as dashboards send them. */
function momentOf(sent: unknown): number {
  if (Number.isInteger(sent)) return sent as number;
  if (typeof sent !== 'string') return NaN;
  return MILLISECONDS.test(sent) ? Number(sent) : moment(sent, MOMENT);
}

export interface Calendar {
  today: number;
  /** The first day with hits. */
  first: number;
}

export function resolved(requested: RequestedRange, { today, first }: Calendar, zone: Zone): Range {
  if (typeof requested === 'string') return { days: NAMED[requested](today, first) };
  return 'days' in requested ? requested : ofMoments(requested.moments, zone);
}

/** The range of the same length right before; or the same days of the year before. */
export function comparedWith({ days, moments }: Range, by: ComparisonName, zone: Zone): Range {
  const { from, to } = moments ?? days;
  const unit = moments ? 1000 : DAY_MS;
  const span =
    by === 'previous'
      ? { from: from - (to - from + 1), to: from - 1 }
      : { from: yearBefore(from, unit), to: yearBefore(to, unit) };
  return moments ? ofMoments(span, zone) : { days: span };
}

function ofMoments(moments: Span, zone: Zone): Range {
  return { days: { from: zone.dayOf(moments.from), to: zone.dayOf(moments.to) }, moments };
}

/** The 29th of February is compared with the 28th. */
function yearBefore(time: number, unit: number): number {
  const date = new Date(time * unit);
  const month = date.getUTCMonth();
  date.setUTCFullYear(date.getUTCFullYear() - 1);
  if (date.getUTCMonth() !== month) date.setUTCDate(0);
  return date.getTime() / unit;
}

export function wordedRange({ days, moments }: Range): { from: string; to: string } {
  const moment = (second: number) => new Date(second * 1000).toISOString().replace('.000Z', 'Z');
  return moments
    ? { from: moment(moments.from), to: moment(moments.to) }
    : { from: dayText(days.from), to: dayText(days.to) };
}

export function checkLength(
  { range, dimensions, fill }: Pick<HitQuery, 'range' | 'dimensions' | 'fill'>,
  path: string,
): void {
  const days = range.days.to - range.days.from + 1;
  if (dimensions.includes('hour') && days > MAX_DAYS_OF_HOURS)
    throw new InvalidFields({
      [`${path}range`]: [`must not be longer than ${MAX_DAYS_OF_HOURS} days with "hour"`],
    });
  if (fill && days > MAX_FILLED_DAYS)
    throw new InvalidFields({
      [`${path}range`]: [`must not be longer than ${MAX_FILLED_DAYS} days, unless "fill" is false`],
    });
}
