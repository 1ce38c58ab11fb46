import { textAt } from '../../common/lists/text-list';
import { DAY_MS } from '../../common/time/days';
import type { Span } from '../../storage/calendar';
import { ALL_ROWS } from '../plain/stat-queries';
import { filterOf, type ResolvedFilter } from '../queries/parse/filter';
import type { Answer, HitQuery, Range } from '../queries/plan/hit-query';
import type { CountsByDay } from './days-for-viewers';
import type { DaysName } from './entries-for-viewers';
import { byVisitors } from './small-numbers';

const METRICS = { visitor: 'visitors', pageview: 'pageviews' } as const;

/**
 * The days of a shared page that is limited to a saved filter. They are counted from hits, and so are all values of
 * such a page: whether a day is busy depends on the visitors whom the filter selects.
 */
export function queryByDay(
  { range, previous, today }: { range: Span; previous: Span | undefined; today: number },
  filters: ResolvedFilter[],
): HitQuery {
  const to = Math.min(today, Math.max(range.to, previous?.to ?? range.to));
  const from = Math.min(to, range.from, previous?.from ?? range.from);
  return {
    range: { days: { from, to } },
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

export function busyDaysIn(byDay: Answer): ReadonlySet<number> {
  return byVisitors(countsIn(byDay, 'visitor')).busy;
}

/** The queries, some of which count busy days alone. */
export function onBusyDays(hitQueries: HitQuery[], only: ReadonlySet<number>): HitQuery[] {
  const busy = (range: Range) => ({ ...range, only });
  return hitQueries.map((one) =>
    one.ofBusyDays ? { ...one, range: busy(one.range), previous: one.previous && busy(one.previous) } : one,
  );
}

function countsIn(
  { rows: { dimensions, metrics } }: Answer,
  name: DaysName,
  { from, to }: Span = { from: -Infinity, to: Infinity },
): Map<number, number> {
  const counts = metrics[Object.keys(METRICS).indexOf(name)]!;
  const days = Array.from(counts, (_, row) => Date.parse(textAt(dimensions[0]!, row)!) / DAY_MS);
  return new Map(
    days.flatMap((day, row): [number, number][] =>
      day >= from && day <= to && counts[row]! > 0 ? [[day, counts[row]!]] : [],
    ),
  );
}
