import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../engine/ground/gate';
import { foldCase } from '../../../engine/ground/text-search';
import { textAt } from '../../../engine/ground/lists/text-list';
import { yieldIfNeeded } from '../../../engine/ground/time/yield-if-needed';
import { Settings } from '../../config/settings';
import { CollectedNames } from '../collected-names';
import {
  type QueryAnswerView,
  type QueryMetaView,
  type QueryRow,
  queriesIn,
  type HitQueriesView,
} from '../dto/query.view';
import { Zone } from '../../../engine/questions/plan/buckets';
import { filterOf, GOAL } from '../../../engine/questions/parse/filter';
import {
  type CountedMetric,
  countedFor,
  isOfVisitors,
  type Metric,
  METRICS,
  valueOf,
  withParts,
} from '../../../engine/questions/plan/metrics';
import { isMoment, originOf } from '../../../engine/questions/parse/names';
import type {
  Answer,
  DimensionName,
  GoalValue,
  Ordering,
  HitQuery,
  QueryResult,
  Range,
  AnswerRows,
} from '../../../engine/questions/plan/hit-query';
import type { RequestedQuery } from '../../../engine/questions/parse/query-body';
import {
  type Calendar,
  checkLength,
  comparedWith,
  resolved,
  wordedRange,
} from '../../../engine/questions/parse/query-range';
import { QueriesRepository } from './queries.repository';
import { nameOfRequest } from '../../../engine/questions/plan/name-of-request';
import { isOfSeveralCurrencies } from '../../../engine/hits/value-sums';
import { addsCurrencies } from '../../../engine/questions/plan/metrics';
import { SharedQueries } from '../shared/shared-queries.service';
import { askerOf, isLimited, type Viewer } from '../viewers/viewer';
import { knownTo } from '../viewers/known-to';
import { checkQueries } from '../viewers/viewer-limits';
import { type ResolvedQuery, WebsiteFilters } from '../website-filters';
import { type LateName, queryWarnings, type Warning } from '../warnings';

/** Answers the queries of a body. */
@Injectable()
export class QueriesService {
  private readonly zone: Zone;

  constructor(
    private readonly hitQueries: QueriesRepository,
    private readonly names: CollectedNames,
    private readonly filters: WebsiteFilters,
    private readonly shared: SharedQueries,
    private readonly settings: Settings,
  ) {
    this.zone = new Zone(settings.timezone);
  }

  async query(
    viewer: Viewer,
    websiteId: number,
    body: HitQueriesView,
    caller: Caller,
  ): Promise<QueryAnswerView | QueryAnswerView[]> {
    const requested = queriesIn(body);
    const isList = body.queries !== undefined;
    checkQueries(viewer, requested, isList);
    const pathOf = (index: number) => (isList ? `queries.${index}.` : '');
    const answers = isLimited(viewer)
      ? await this.shared.query(viewer, websiteId, requested, pathOf, caller)
      : await this.answers(viewer, websiteId, requested, pathOf, caller);
    return isList ? answers : answers[0]!;
  }

  private async answers(
    viewer: Viewer,
    websiteId: number,
    requested: RequestedQuery[],
    pathOf: (index: number) => string,
    caller: Caller,
  ): Promise<QueryAnswerView[]> {
    const queries = await this.filters.resolveQueries(viewer, websiteId, requested, pathOf);
    const calendar = await this.hitQueries.calendar(websiteId);
    const hitQueries = requested.map((one, index) => {
      const hitQuery = this.planned(one, queries[index]!, calendar);
      checkLength(hitQuery, pathOf(index));
      return hitQuery;
    });
    const name = nameOfRequest(websiteId, requested, hitQueries);
    const { statsFrom } = calendar;
    const result = await this.hitQueries.askNamed(
      name,
      askerOf(viewer),
      websiteId,
      caller,
      statsFrom,
      hitQueries,
    );
    const answers = requested.map(async (one, index) => {
      const [hitQuery, answer] = [hitQueries[index]!, result.answers[index]!];
      const late = await this.names.findLateIn([knownTo(viewer, hitQuery, one.filters)], result.firstDay);
      return {
        data: await rowsOf(one, hitQuery, answer),
        meta: this.metaOf(websiteId, one, hitQuery, result, answer, late),
      };
    });
    return Promise.all(answers);
  }

  private planned(
    requested: RequestedQuery,
    { filters, goals }: ResolvedQuery,
    calendar: Calendar,
  ): HitQuery {
    const { dimensions, compare, page, per_page, fill, search, unset } = requested;
    const range = resolved(requested.range, calendar, this.zone);
    return {
      range,
      previous: compare && comparedWith(range, compare, this.zone),
      filter: filterOf(filters),
      addsCurrencies: addsCurrencies(requested.filters),
      goals,
      dimensions,
      metrics: countedFor(requested.metrics),
      needsValue: !unset,
      search: search === undefined ? undefined : foldCase(search),
      fill: fill && search === undefined && isSeries(dimensions),
      order: orderOf(requested),
      skip: (page - 1) * per_page,
      take: per_page,
    };
  }

  private metaOf(
    websiteId: number,
    requested: RequestedQuery,
    hitQuery: HitQuery,
    result: QueryResult,
    { total, rows, isMerged }: Answer,
    late: LateName[],
  ): QueryMetaView {
    const { metrics, dimensions, filters, compare, page, per_page } = requested;
    const { range, previous, fill, metrics: counted } = hitQuery;
    const { excluded } = result;
    const ofGoals = valuesOfGoals(hitQuery, rows).map(({ goal, currency }) => [goal, currency] as const);
    const isCut = typeof requested.range === 'object' && 'isCut' in requested.range && requested.range.isCut;
    const warnings: Warning[] = queryWarnings({
      availableFrom: removedBefore(previous ? [range, previous] : [range], result),
      late,
      isMerged: result.isMerged || isMerged,
      forgotten: result.forgotten,
      isCut,
      currencies: hasSeveralCurrencies(counted, rows)
        ? { areAdded: hitQuery.addsCurrencies === true }
        : undefined,
      areGoalsInSeveral: new Set(ofGoals.map(([, currency]) => currency)).size > 1,
      overlaps: metrics.some(isOfVisitors) && dimensions.some(overlaps),
    });
    return {
      website_id: websiteId,
      metrics,
      dimensions,
      filters,
      range: wordedRange(range),
      ...(previous && { compare: compare!, previous_range: wordedRange(previous) }),
      order_by: requested.order_by ?? orderWordsOf(requested),
      fill,
      page,
      per_page,
      total,
      timezone: this.settings.timezone,
      as_of: result.asOf.toISOString(),
      ...(excluded.length > 0 && { excluded }),
      ...(ofGoals.length > 0 && { goal_currencies: Object.fromEntries(ofGoals) }),
      ...(warnings.length > 0 && { warnings }),
    };
  }
}

/** The first day with all of its hits, if a range begins before it. */
function removedBefore(ranges: readonly Range[], { availableFrom }: QueryResult): number | undefined {
  return ranges.some(({ days }) => days.from < availableFrom) ? availableFrom : undefined;
}

function isSeries([name, ...others]: DimensionName[]): boolean {
  return name !== undefined && name !== GOAL && others.length === 0 && isMoment(name);
}

function hasSeveralCurrencies(counted: CountedMetric[], { metrics, previous }: AnswerRows): boolean {
  const place = counted.indexOf('value_currency');
  return [metrics[place], previous[place]].some((column) => column?.some(isOfSeveralCurrencies));
}

/** What the conversions in the rows are worth, where that is the value of a goal. */
function valuesOfGoals({ goals, dimensions, metrics }: HitQuery, rows: AnswerRows): GoalValue[] {
  if (!goals || !metrics.includes('value_high')) return [];
  const place = dimensions.indexOf(GOAL);
  if (place < 0) return goals.value ? [goals.value] : [];
  const length = rows.metrics[0]!.length;
  const shown = new Set(Array.from({ length }, (_, index) => textAt(rows.dimensions[place]!, index)));
  return (goals.list ?? []).flatMap(({ name, value }) => (value && shown.has(name) ? value : []));
}

/** Tells whether a visitor of a day may be in several rows. */
function overlaps(name: DimensionName): boolean {
  if (name === GOAL) return true;
  const { level } = originOf(name);
  return level === 'moment' ? name === 'hour' || name === 'hour_of_day' : level !== 'visitor';
}

/** Series in their own order; other rows the largest first. */
function orderWordsOf({ metrics, dimensions }: RequestedQuery): NonNullable<RequestedQuery['order_by']> {
  return isSeries(dimensions) ? [[dimensions[0]!, 'asc']] : [[metrics[0]!, 'desc']];
}

function orderOf(requested: RequestedQuery): Ordering[] {
  return (requested.order_by ?? orderWordsOf(requested)).map(([name, direction]) => {
    const metric = METRICS.find((known) => known === name);
    const by = metric ? { metric } : { dimension: requested.dimensions.indexOf(name as DimensionName) };
    return { by, direction };
  });
}

async function rowsOf(
  { metrics, dimensions }: RequestedQuery,
  { metrics: counted, addsCurrencies = false }: HitQuery,
  { rows }: Answer,
): Promise<QueryRow[]> {
  const shown = withParts(metrics);
  const numbers = (counts: Float64Array[], index: number) =>
    shown.map((metric): [Metric, number | string | null] => [
      metric,
      valueOf(metric, (part) => counts[counted.indexOf(part)]![index]!, addsCurrencies),
    ]);
  const shownRows: QueryRow[] = [];
  for (let index = 0; index < rows.metrics[0]!.length; index++) {
    const values = dimensions.map((name, place) => [name, textAt(rows.dimensions[place]!, index)] as const);
    const row = Object.fromEntries<QueryRow[string]>([...values, ...numbers(rows.metrics, index)]);
    if (rows.previous.length > 0) row.previous = Object.fromEntries(numbers(rows.previous, index));
    shownRows.push(row);
    await yieldIfNeeded();
  }
  return shownRows;
}
