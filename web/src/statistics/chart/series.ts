import type { QueryRow, StatSummary } from '../../shared/api';
import type { Counted } from '../../shared/names';
import {
  beginsUnit,
  daysOf,
  daysOfMonth,
  daysOfWeek,
  plusDays,
  shifted,
  type Span,
  type Unit,
} from '../../shared/ranges';

/** `views` are the page views of visits, for ratios; rollups may have more page views. */
export type Counts = { [name in Counted | 'views']?: number | undefined };

/** A part of a range with its counts, and those of its counterpart in the previous period. */
export interface Bucket extends Span {
  /** The local hour, as `Y-m-dTHH:mm`. */
  hour?: string;
  /** The hour with its offset from UTC, by which those that come twice differ. */
  hourOfZone?: string;
  /** Empty if it is in the future. */
  now: Counts;
  before: Counts;
  /** The time that `before` is of, if it is not as many days earlier as that of any other bucket. */
  counterpart?: Place;
  /** Tells whether it is not over. */
  isOpen?: boolean;
  /** Tells whether it is a week or month that the range cuts. */
  isCut?: boolean;
}

type Place = Span & Pick<Bucket, 'hour'>;

export function bucketsOfRows(
  rows: readonly QueryRow[],
  step: Unit,
  span: Span,
  now: Date,
  back = 0,
): Bucket[] {
  const earlier = shifted(span, -back);
  return rows.filter(isWithin(span)).map(({ previous = {}, counterpart, ...row }) => {
    const value = row[step]!;
    const isToCome = step === 'hour' && new Date(value) > now;
    return {
      ...placeOf(value, step, span),
      ...(step === 'hour' && { hourOfZone: value }),
      ...{ now: isToCome ? {} : countsOf(row), before: countsOf(previous) },
      ...(counterpart !== undefined && { counterpart: placeOf(counterpart, step, earlier) }),
    };
  });
}

/** A series has all hours of its days. */
const isWithin =
  ({ moments }: Span) =>
  ({ hour = '' }: QueryRow) =>
    !moments || (Date.parse(hour) >= Date.parse(moments[0]) && Date.parse(hour) <= Date.parse(moments[1]));

const COUNTS = ['visitors', 'pageviews', 'visits', 'bounces', 'seconds', 'events'] as const;

/** Null values may not be shown. */
export function countsOf(row: NonNullable<QueryRow['previous']>): Counts {
  const known = COUNTS.flatMap((name) => (typeof row[name] === 'number' ? [[name, row[name]] as const] : []));
  return { ...Object.fromEntries(known), ...(typeof row.pageviews === 'number' && { views: row.pageviews }) };
}

function placeOf(value: string, step: Unit, span: Span): Place {
  if (step === 'week') return daysOfWeek(value, span);
  if (step === 'month') return daysOfMonth(value, span);
  const day = value.slice(0, 10);
  return step === 'day' ? { from: day, to: day } : { from: day, to: day, hour: value.slice(0, 16) };
}

/** Buckets from rollups, which have an entry for each day with counts. */
export function bucketsOfDays(
  visitor: StatSummary | undefined,
  pageview: StatSummary | undefined,
  span: Span,
): Bucket[] {
  const [visitors, pageviews] = [visitor, pageview].map(
    (summary) => new Map(summary?.entries.map((entry) => [entry.value, entry])),
  );
  const isCompared = visitor?.entries.some(({ previous_count }) => previous_count !== undefined);
  return daysOf(span).map((day) => {
    const [visits, views] = [visitors?.get(day), pageviews?.get(day)];
    const before = { visitors: visits?.previous_count ?? 0, pageviews: views?.previous_count ?? 0 };
    return {
      from: day,
      to: day,
      now: { visitors: visits?.count ?? 0, pageviews: views?.count ?? 0 },
      before: isCompared ? before : {},
    };
  });
}

/** Adds days up to weeks or months. The first and last one may be incomplete. */
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

/** Days as months of the calendar, each compared with the one at the same place of the earlier range. */
export function monthsOf(days: readonly Bucket[], back: number | undefined): Bucket[] {
  const months = addedUp(days, 'month');
  if (back === undefined) return months;
  const daysBefore = days.map(({ from, to, before }) => ({
    ...{ from: plusDays(from, -back), to: plusDays(to, -back) },
    ...{ now: before, before: {} },
  }));
  const monthsBefore = addedUp(daysBefore, 'month');
  return months.map((month, index) => {
    const earlier = monthsBefore[index];
    if (!earlier) return { ...month, before: {} };
    const { from, to, now: before } = earlier;
    return { ...month, before, counterpart: { from, to } };
  });
}

/** Marks buckets that are cut or not over, and empties future ones. */
export function marked(buckets: readonly Bucket[], unit: Unit, today: string): Bucket[] {
  const lastHour = buckets.findLastIndex(({ hour, now }) => hour !== undefined && now.visitors !== undefined);
  return buckets.map((bucket, index) => {
    const { from, to, hour } = bucket;
    if (from > today) return { ...bucket, now: {} };
    const isOpen = to >= today && (hour === undefined || index === lastHour);
    const isCut = hour === undefined && !(beginsUnit(from, unit) && beginsUnit(plusDays(to, 1), unit));
    return { ...bucket, ...(isOpen && { isOpen }), ...(isCut && { isCut }) };
  });
}

/** The time that a bucket is compared with. */
export function counterpartOf(bucket: Bucket, back: number): Bucket {
  const { from, to, hour, counterpart } = bucket;
  return {
    ...bucket,
    ...{ from: plusDays(from, -back), to: plusDays(to, -back) },
    ...(hour !== undefined && { hour: plusDays(hour.slice(0, 10), -back) + hour.slice(10) }),
    ...counterpart,
  };
}

/** Compares no bucket with days before the first one with visitors. */
export function comparedSince(buckets: readonly Bucket[], back: number, first: string): Bucket[] {
  return buckets.map((bucket) =>
    counterpartOf(bucket, back).from < first ? { ...bucket, before: {} } : bucket,
  );
}

/** Joins the counts of two series of the same buckets. The second takes precedence. */
export function joined(some: readonly Bucket[], others: readonly Bucket[]): Bucket[] {
  return some.map((bucket, index) => ({
    ...bucket,
    now: { ...bucket.now, ...others[index]?.now },
    before: { ...bucket.before, ...others[index]?.before },
  }));
}

/** Buckets with counts that their days do not tell, from the same buckets counted as a whole. */
export function completed(added: readonly Bucket[], whole: readonly Bucket[], back = 0): Bucket[] {
  const byBegin = new Map(whole.map((bucket) => [bucket.from, bucket]));
  return added.map((bucket) => {
    const known = byBegin.get(bucket.from);
    if (!known) return bucket;
    const [earlier, ofKnown] = [bucket, known].map((one) => counterpartOf(one, back));
    const isSame = earlier!.from === ofKnown!.from && earlier!.to === ofKnown!.to;
    return {
      ...bucket,
      now: { ...known.now, ...bucket.now },
      ...(isSame && { before: { ...known.before, ...bucket.before } }),
    };
  });
}

/** A sum is known if both of its parts are. */
export function sumOf(one: Counts, other: Counts): Counts {
  if (Object.keys(one).length === 0) return other;
  if (Object.keys(other).length === 0) return one;
  const sum: Counts = {};
  for (const name of Object.keys(one) as (keyof Counts)[])
    if (one[name] !== undefined && other[name] !== undefined) sum[name] = one[name] + other[name];
  return sum;
}
