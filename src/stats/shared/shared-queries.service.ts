import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../engine/ground/gate';
import { type FieldErrors, InvalidFields } from '../../../engine/ground/errors';
import type { Rows } from '../../../engine/ground/rows';
import { Settings } from '../../config/settings';
import type { Span } from '../../../engine/hits/calendar';
import type { QueryAnswerView, QueryMetaView, QueryRow } from '../dto/query.view';
import { Zone } from '../../../engine/questions/plan/buckets';
import { countedFor } from '../../../engine/questions/plan/metrics';
import { type Filter, filterOf, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import type { DimensionName, HitQuery, QueryResult, Range } from '../../../engine/questions/plan/hit-query';
import type { RequestedQuery } from '../../../engine/questions/parse/query-body';
import { comparedWith, resolved, wordedRange } from '../../../engine/questions/parse/query-range';
import { QueriesRepository } from '../queries/queries.repository';
import { StatsRepository } from '../stats.repository';
import { askerOf, pageFiltersOf, type Viewer } from '../viewers/viewer';
import { WITHOUT_FILTERS } from '../viewers/viewer-limits';
import { queryWarnings, QUIET_LEFT_OUT } from '../warnings';
import type { ShownRequest } from '../../../engine/questions/viewers/answer-for-viewers';
import { daysWithHits, detailedRange, type KnownDays } from '../../../engine/questions/viewers/detailed-days';
import { queryByDay, visitorsIn } from '../../../engine/questions/viewers/shown-queries';
import { SharedCalendar } from './shared-calendar';
import { OF_ALL_DAYS } from '../../../engine/questions/plan/metrics';
import { shownSeriesPage } from './series-for-viewers';

const SERIES: readonly DimensionName[] = ['day', 'week', 'month'];
/** All days of a series are in memory, with twice as many numbers as metrics. */
const MAX_DAYS_OF_SERIES = 3660;
interface Plan {
  requested: RequestedQuery;
  range: Range;
  previous: Range | undefined;
}

/** The answers to queries, and the days that they are about. */
interface Counted extends QueryResult {
  days: KnownDays;
}

/** Figures and series for viewers of a shared page whose website does not let them filter. */
@Injectable()
export class SharedQueries {
  private readonly zone: Zone;

  constructor(
    private readonly stats: StatsRepository,
    private readonly hitQueries: QueriesRepository,
    private readonly calendar: SharedCalendar,
    private readonly settings: Settings,
  ) {
    this.zone = new Zone(settings.timezone);
  }

  async query(
    viewer: Viewer,
    websiteId: number,
    requested: RequestedQuery[],
    pathOf: (index: number) => string,
    caller: Caller,
  ): Promise<QueryAnswerView[]> {
    checkSeries(requested, pathOf);
    const { today, startOfToday } = await this.calendar.now();
    const calendar = { ...(await this.hitQueries.calendar(websiteId)), today };
    const plans = requested.map((one, index): Plan => {
      const { days } = resolved(one.range, calendar, this.zone);
      const range = { days: { from: days.from, to: Math.min(days.to, today - 1) } };
      const problem = problemOf(one, range);
      if (problem) throw new InvalidFields({ [`${pathOf(index)}range`]: [`${problem} ${WITHOUT_FILTERS}`] });
      return { requested: one, range, previous: one.compare && comparedWith(range, one.compare, this.zone) };
    });
    const filters = pageFiltersOf(viewer);
    const hitQueries = plans.flatMap((plan) => hitQueriesOf(plan, filterOf(filters ?? [])));
    const { statsFrom } = calendar;
    const request = {
      asker: askerOf(viewer),
      websiteId,
      statsFrom,
      today,
      ...spanOfPlans(plans),
      wanted: [],
    };
    const result = filters
      ? await this.limited(request, hitQueries, filters, caller)
      : await this.onShownDays(request, hitQueries, caller);
    const asOf = new Date(Math.min(result.asOf.getTime(), startOfToday));
    return plans.map((plan, index) => {
      const readAt = (at: number) => ({ hitQuery: hitQueries[at]!, answer: result.answers[at]! });
      const page = shownSeriesPage(plan.requested, [readAt(2 * index), readAt(2 * index + 1)]);
      return this.answer(websiteId, plan, page, asOf, result);
    });
  }

  /** The days and the rows of a page that is limited to a saved filter are of one moment. */
  private async limited(
    request: ShownRequest,
    hitQueries: HitQuery[],
    filters: ResolvedFilter[],
    caller: Caller,
  ): Promise<Counted> {
    const { asker, websiteId, statsFrom } = request;
    const byDay = queryByDay(request, filters);
    const result = await this.hitQueries.ask(asker, websiteId, caller, statsFrom, hitQueries, { byDay });
    return { ...result, days: { visitors: visitorsIn(result.byDay!), blocks: result.blocks! } };
  }

  private async onShownDays(request: ShownRequest, hitQueries: HitQuery[], caller: Caller): Promise<Counted> {
    const { asker, websiteId, statsFrom } = request;
    const { ranges } = await this.stats.shown(request, caller);
    const days = ranges.over!;
    const result = await this.hitQueries.ask(asker, websiteId, caller, statsFrom, hitQueries, { days });
    return { ...result, days: daysWithHits(days, result.availableFrom) };
  }

  private answer(
    websiteId: number,
    { requested, range, previous }: Plan,
    { rows, total }: Rows<QueryRow>,
    asOf: Date,
    { availableFrom: statsFrom, forgotten, days }: Counted,
  ): QueryAnswerView {
    const { metrics, dimensions, filters, compare, page, per_page, fill } = requested;
    const order = requested.order_by ?? dimensions.map((name) => [name, 'asc'] as [DimensionName, 'asc']);
    const detailed = detailedRange(days, range.days);
    const isBefore = [range, previous].some((one) => one && one.days.from < statsFrom);
    const meta: QueryMetaView = {
      ...{ website_id: websiteId, metrics, dimensions, filters, range: wordedRange(range) },
      ...(previous && { compare: compare!, previous_range: wordedRange(previous) }),
      ...{ order_by: order, fill: fill && dimensions.length > 0, page, per_page, total },
      detailed_range: detailed ? wordedRange({ days: detailed }) : null,
      timezone: this.settings.timezone,
      as_of: asOf.toISOString(),
      warnings: [
        ...queryWarnings({ availableFrom: isBefore ? statsFrom : undefined, isMerged: false, forgotten }),
        QUIET_LEFT_OUT,
      ],
    };
    return { data: rows, meta };
  }
}

function problemOf({ dimensions }: RequestedQuery, { days }: Range): string | undefined {
  if (days.from > days.to) return 'must begin before today';
  const isTooLong = dimensions.includes('day') && days.to - days.from >= MAX_DAYS_OF_SERIES;
  return isTooLong ? `must not be longer than ${MAX_DAYS_OF_SERIES} days with "day"` : undefined;
}

/** Allows one series in its own order. Values of names are requested as statistics. */
function checkSeries(requested: RequestedQuery[], pathOf: (index: number) => string): void {
  const errors: FieldErrors = {};
  for (const [index, { dimensions, order_by = [], search }] of requested.entries()) {
    const path = pathOf(index);
    if (dimensions.length > 1 || dimensions.some((name) => !SERIES.includes(name)))
      errors[`${path}dimensions`] = [`must be at most one of ${SERIES.join(', ')} ${WITHOUT_FILTERS}`];
    if (order_by.some(([name]) => !dimensions.some((known) => known === name)))
      errors[`${path}order_by`] = [`must be the dimension ${WITHOUT_FILTERS}`];
    if (search !== undefined) errors[`${path}search`] = [`is not possible ${WITHOUT_FILTERS}`];
  }
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
}

/** All days of some queries. */
function spanOfPlans(plans: Plan[]): { range: Span; previous: undefined } {
  const ranges = plans.flatMap(({ range, previous }) => (previous ? [range, previous] : [range]));
  const from = Math.min(...ranges.map(({ days }) => days.from));
  return { range: { from, to: Math.max(...ranges.map(({ days }) => days.to)) }, previous: undefined };
}

/** Queries for all days and for shown days. Both fill every bucket, so that their rows are in the same places. */
function hitQueriesOf(
  { requested: { metrics, dimensions }, range, previous }: Plan,
  filter: Filter | undefined,
): [HitQuery, HitQuery] {
  const ofAll: HitQuery = {
    ...{ range, previous, filter, dimensions, metrics: [...OF_ALL_DAYS] },
    ...{ fill: true, order: dimensions.map(() => ({ by: { dimension: 0 }, direction: 'asc' as const })) },
    ...{ skip: 0, take: Number.MAX_SAFE_INTEGER },
  };
  return [ofAll, { ...ofAll, metrics: countedFor([...metrics, ...OF_ALL_DAYS]), ofShownDays: true }];
}
