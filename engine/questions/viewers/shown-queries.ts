import { textAt } from '../../ground/lists/text-list';
import { DAY_MS } from '../../ground/time/days';
import type { Span } from '../../hits/calendar';
import { ALL_ROWS } from '../plan/query-of-name';
import { filterOf, GOAL, type ResolvedFilter } from '../parse/filter';
import { originOf } from '../parse/names';
import { BUCKETS, type Zone } from '../plan/buckets';
import type { Answer, HitQuery, Range } from '../plan/hit-query';
import type { CountsByDay } from './days-for-viewers';
import type { DaysName } from './entries-for-viewers';
import { isIn, type KnownDays, detailedDays, spanOfBoth } from './detailed-days';

const METRICS = { visitor: 'visitors', pageview: 'pageviews' } as const;

/** The queries, some of which only count days with details. */
export function onShownDays(hitQueries: HitQuery[], days: KnownDays, zone: Zone): HitQuery[] {
  return hitQueries.map((one) => {
    if (!one.ofShownDays) return one;
    const only = (range: Range) => ({
      ...range,
      only: detailedDays(days, range.days, bucketsOf(one, range, zone)),
    });
    return { ...one, range: only(one.range), previous: one.previous && only(one.previous) };
  });
}

function bucketsOf({ dimensions: [name] }: HitQuery, { days }: Range, zone: Zone) {
  if (name === undefined || name === GOAL) return undefined;
  const origin = originOf(name);
  if (origin.level !== 'moment') return undefined;
  const buckets = BUCKETS[origin.bucket](days, zone);
  return (day: number) => buckets.indexOf(day, 0);
}

/**
 * The days of a shared page that is limited to a saved filter. They are counted from hits, and so are all values of
 * such a page: what is shown depends on the visitors whom the filter selects.
 */
export function queryByDay(
  { range, previous, today }: { range: Span; previous: Span | undefined; today: number },
  filters: ResolvedFilter[],
): HitQuery {
  const { from, to } = spanOfBoth(range, previous);
  const last = Math.min(today, to);
  return {
    range: { days: { from: Math.min(last, from), to: last } },
    previous: undefined,
    filter: filterOf(filters),
    dimensions: ['day'],
    metrics: Object.values(METRICS),
    fill: false,
    order: [{ by: { dimension: 0 }, direction: 'asc' }],
    skip: 0,
    take: ALL_ROWS,
  };
}

export function countsByDayIn(byDay: Answer): CountsByDay {
  return (name, range) => Promise.resolve(countsIn(byDay, name, range));
}

export function visitorsIn(byDay: Answer): Map<number, number> {
  return countsIn(byDay, 'visitor');
}

function countsIn(
  { rows: { dimensions, metrics } }: Answer,
  name: DaysName,
  range: Span = { from: -Infinity, to: Infinity },
): Map<number, number> {
  const counts = metrics[Object.keys(METRICS).indexOf(name)]!;
  const days = Array.from(counts, (_, row) => Date.parse(textAt(dimensions[0]!, row)!) / DAY_MS);
  return new Map(
    days.flatMap((day, row): [number, number][] =>
      isIn(day, range) && counts[row]! > 0 ? [[day, counts[row]!]] : [],
    ),
  );
}
