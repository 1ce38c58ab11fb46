import type { QueryRow, StatSummary } from '../../shared/api';
import type { Counted } from '../../shared/names';
import { beginsUnit, daysOf, daysOfMonth, type Span, type Step, type Unit } from '../../shared/ranges';

/** `views` are the page views of visits, for ratios; counters may know of more page views. */
export type Counts = { [name in Counted | 'views']?: number | undefined };

/** A part of a range, and what was counted in it and in its counterpart of the range before. */
export interface Bucket extends Span {
  /** The local hour, as `Y-m-dTHH:mm`. */
  hour?: string;
  /** Empty where it is yet to come. */
  now: Counts;
  before: Counts;
  /** Whether it is not over. */
  isOpen?: boolean;
}

export function bucketsOfRows(rows: readonly QueryRow[], step: Step, span: Span, now: Date): Bucket[] {
  return rows.map(({ previous = {}, ...row }) => {
    const value = row[step]!;
    const isToCome = step === 'hour' && new Date(value) > now;
    return { ...placeOf(value, step, span), now: isToCome ? {} : countsOf(row), before: countsOf(previous) };
  });
}

const COUNTS = ['visitors', 'pageviews', 'visits', 'bounces', 'seconds', 'events'] as const;

/** What is null may not be shown. Where visits are those of some of the days alone, their views follow from the ratio. */
export function countsOf(row: NonNullable<QueryRow['previous']>): Counts {
  const { views_per_visit: ratio, visits, pageviews } = row;
  const views = ratio === undefined ? (pageviews ?? undefined) : (ratio ?? 0) * (visits ?? 0);
  return { ...Object.fromEntries(COUNTS.map((name) => [name, row[name] ?? undefined])), views };
}

function placeOf(value: string, step: Step, span: Span): Span & { hour?: string } {
  if (step === 'month') return daysOfMonth(value, span);
  const day = value.slice(0, 10);
  return step === 'day' ? { from: day, to: day } : { from: day, to: day, hour: value.slice(0, 16) };
}

/** From the counters, which have each day on which there was something. */
export function bucketsOfDays(
  visitor: StatSummary | undefined,
  pageview: StatSummary | undefined,
  span: Span,
): Bucket[] {
  const [visitors, pageviews] = [visitor, pageview].map(
    (summary) => new Map(summary?.entries.map((entry) => [entry.value, entry])),
  );
  return daysOf(span).map((day) => {
    const [visits, views] = [visitors?.get(day), pageviews?.get(day)];
    return {
      from: day,
      to: day,
      now: { visitors: visits?.count ?? 0, pageviews: views?.count ?? 0 },
      before: { visitors: visits?.previous_count ?? 0, pageviews: views?.previous_count ?? 0 },
    };
  });
}

/** Adds days up to weeks or months. Those at the ends may be parts. */
export function addedUp(buckets: readonly Bucket[], unit: Unit): Bucket[] {
  if (unit === 'hour' || unit === 'day') return [...buckets];
  const added: Bucket[] = [];
  for (const bucket of buckets) {
    const last = added.at(-1);
    if (!last || beginsUnit(bucket.from, unit)) added.push(bucket);
    else
      added[added.length - 1] = {
        from: last.from,
        to: bucket.to,
        now: sumOf(last.now, bucket.now),
        before: sumOf(last.before, bucket.before),
      };
  }
  return added;
}

/** Marks what is not over, and empties what is yet to come. */
export function withOpen(buckets: readonly Bucket[], today: string): Bucket[] {
  const lastHour = buckets.findLastIndex(({ hour, now }) => hour !== undefined && now.visitors !== undefined);
  return buckets.map((bucket, index) => {
    const { from, to, hour } = bucket;
    if (from > today) return { ...bucket, now: {} };
    const isOpen = to >= today && (hour === undefined || index === lastHour);
    return isOpen ? { ...bucket, isOpen } : bucket;
  });
}

/** The same buckets with what both know of them; where both do, the second is right. */
export function joined(some: readonly Bucket[], others: readonly Bucket[]): Bucket[] {
  return some.map((bucket, index) => ({
    ...bucket,
    now: { ...bucket.now, ...others[index]?.now },
    before: { ...bucket.before, ...others[index]?.before },
  }));
}

export function sumOf(one: Counts, other: Counts): Counts {
  const names = Object.keys({ ...one, ...other }) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
