import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { textAt } from '../../common/lists/text-list';
import { DAY_MS } from '../../common/time/days';
import type { Span } from '../../storage/calendar';
import { ALL_ROWS } from '../plain/stat-queries';
import { filterOf, type ResolvedFilter } from '../queries/parse/filter';
import type { Answer, HitQuery } from '../queries/plan/hit-query';
import { QueriesRepository } from '../queries/queries.repository';
import { type ShownRequest, type ShownResult, shownOfDays } from './answer-for-viewers';
import type { CountsByDay } from './days-for-viewers';

const METRICS = { visitor: 'visitors', pageview: 'pageviews' } as const;

/**
 * The days of a shared page that is limited to a saved filter. They are counted from hits, and so are all values of
 * such a page: whether a day is busy depends on the visitors whom the filter selects.
 */
@Injectable()
export class FilteredDays {
  constructor(private readonly hitQueries: QueriesRepository) {}

  async shown(request: ShownRequest, filters: ResolvedFilter[], caller: Caller): Promise<ShownResult> {
    const { viewer, websiteId, statsFrom, range, previous, today } = request;
    const to = Math.min(today, Math.max(range.to, previous?.to ?? range.to));
    const from = Math.min(to, range.from, previous?.from ?? range.from);
    const byDay = queryByDay({ from, to }, filters);
    const result = await this.hitQueries.ask(viewer, websiteId, caller, statsFrom, [byDay]);
    const { answers, asOf, availableFrom } = result;
    return { ...(await shownOfDays(countsIn(answers[0]!), request)), merged: [], asOf, availableFrom };
  }
}

function queryByDay(days: Span, filters: ResolvedFilter[]): HitQuery {
  return {
    range: { days },
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

function countsIn({ rows: { dimensions, metrics } }: Answer): CountsByDay {
  const days = Array.from(metrics[0]!, (_, row) => Date.parse(textAt(dimensions[0]!, row)!) / DAY_MS);
  return (name, { from, to }) => {
    const counts = metrics[Object.keys(METRICS).indexOf(name)]!;
    const found = days.flatMap((day, row): [number, number][] =>
      day >= from && day <= to && counts[row]! > 0 ? [[day, counts[row]!]] : [],
    );
    return Promise.resolve(new Map(found));
  };
}
