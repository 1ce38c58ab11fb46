import { sourceColumns, type Values } from './values-from-columns';
import { conditionsIn, type Filter, GOAL } from '../parse/filter';
import { type QueryName, originOf } from '../parse/names';
import type { HitQuery } from './hit-query';
import type { ColumnName } from '../../hits/hit-columns';
import { kindOf, TIMES } from '../../hits/hit-columns';
import { isOfDay } from './buckets';
import type { CountedMetric } from './metrics';

/** The parts of a query that decide its columns. */
export type QueryScope = Pick<HitQuery, 'range' | 'previous' | 'filter' | 'goals' | 'dimensions' | 'metrics'>;

/** The values that queries filter by, group by, and add up, except moments. */
export function neededValues(hitQueries: QueryScope[]): Values[] {
  const names = hitQueries.flatMap(testedNames).concat(hitQueries.flatMap(groupedNames));
  const requested = [...new Set(names)].flatMap((name) => {
    const origin = originOf(name);
    return origin.level === 'moment' ? [] : [origin.values];
  });
  return hitQueries.some(addsValues) ? [...requested, 'value', 'currency'] : requested;
}

export function addsValues({ metrics }: QueryScope): boolean {
  return metrics.includes('value_high');
}

export function namesIn(filter: Filter): QueryName[] {
  return conditionsIn(filter).map(({ name }) => name);
}

/** All filters of a query, those of goals included. */
export function filtersIn({ filter, goals }: Pick<HitQuery, 'filter' | 'goals'>): Filter[] {
  const ofGoals = goals?.list?.map((goal) => goal.filter) ?? [];
  return [filter, goals?.rest, ...ofGoals].filter((one) => one !== undefined);
}

/** The names that a query compares. */
export function testedNames(scope: Pick<HitQuery, 'filter' | 'goals'>): QueryName[] {
  return filtersIn(scope).flatMap(namesIn);
}

/** The names of hits that rows are grouped by. */
export function groupedNames({ dimensions }: Pick<HitQuery, 'dimensions'>): QueryName[] {
  return dimensions.filter((name) => name !== GOAL);
}

const OF_VISITS: readonly CountedMetric[] = ['visits', 'bounces', 'seconds'];
const OF_VISITORS: readonly CountedMetric[] = ['visitors', 'converters', 'all_visitors'];
/** It distinguishes page views from events. */
const ALWAYS: ColumnName = 'event';

/** The numbers of the columns that queries need. The structure is always read. */
export function neededColumns(hitQueries: QueryScope[]): number[] {
  const names = new Set([ALWAYS, ...neededValues(hitQueries).flatMap(sourceColumns)]);
  const kinds = Array.from(names, kindOf);
  return hitQueries.some(needsTimes) ? [TIMES, ...kinds] : kinds;
}

/** Visits depend on times; visitors and hits alone do not. */
function needsTimes(scope: QueryScope): boolean {
  const { range, previous, metrics, dimensions } = scope;
  // The conversions of a goal decide whether it has a row.
  const areOfVisitors = !dimensions.includes(GOAL) && metrics.every((metric) => OF_VISITORS.includes(metric));
  return (
    (range.moments ?? previous?.moments) !== undefined ||
    OF_VISITS.some((metric) => metrics.includes(metric)) ||
    testedNames(scope).some(isOfTimes) ||
    groupedNames(scope).some(
      (name) => isOfTimes(name) || (!areOfVisitors && originOf(name).level === 'acquisition'),
    )
  );
}

function isOfTimes(name: QueryName): boolean {
  const origin = originOf(name);
  return origin.level === 'visit' || (origin.level === 'moment' && !isOfDay(origin.bucket));
}
