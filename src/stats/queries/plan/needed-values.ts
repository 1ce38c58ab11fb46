import { sourceColumns, type Values } from './derived';
import { conditionsIn, type Filter } from '../parse/filter';
import { type QueryName, placeOf } from '../parse/names';
import type { HitQuery } from './hit-query';
import type { ColumnName } from '../../../storage/hit-columns';
import { kindOf, TIMES } from '../../../storage/segments/part-format';
import { isOfDay } from './buckets';
import type { CountedMetric } from './metrics';

/** The parts of a query that decide its columns. */
export type QueryScope = Pick<HitQuery, 'range' | 'previous' | 'filter' | 'dimensions' | 'metrics'>;

/** The values that queries filter by, group by, and add up, except moments. */
export function neededValues(hitQueries: QueryScope[]): Values[] {
  const names = hitQueries.flatMap(({ dimensions, filter }) => [
    ...dimensions,
    ...(filter ? namesIn(filter) : []),
  ]);
  const requested = [...new Set(names)].flatMap((name) => {
    const place = placeOf(name);
    return place.level === 'moment' ? [] : [place.values];
  });
  return hitQueries.some(addsValues) ? [...requested, 'value', 'currency'] : requested;
}

export function addsValues({ metrics }: QueryScope): boolean {
  return metrics.includes('value_high');
}

export function namesIn(filter: Filter): QueryName[] {
  return conditionsIn(filter).map(({ name }) => name);
}

const OF_VISITS: readonly CountedMetric[] = ['visits', 'bounces', 'seconds'];
/** It distinguishes page views from events. */
const ALWAYS: ColumnName = 'event';

/** The numbers of the columns that queries need. The structure is always read. */
export function neededColumns(hitQueries: QueryScope[]): number[] {
  const names = new Set([ALWAYS, ...neededValues(hitQueries).flatMap(sourceColumns)]);
  const kinds = Array.from(names, kindOf);
  return hitQueries.some(needsTimes) ? [TIMES, ...kinds] : kinds;
}

/** Visits depend on times; visitors alone do not. */
function needsTimes({ range, previous, filter, dimensions, metrics }: QueryScope): boolean {
  const areOfVisitors = metrics.every((metric) => metric === 'visitors');
  return (
    (range.moments ?? previous?.moments) !== undefined ||
    OF_VISITS.some((metric) => metrics.includes(metric)) ||
    (filter ? namesIn(filter) : []).some(isOfTimes) ||
    dimensions.some((name) => isOfTimes(name) || (!areOfVisitors && placeOf(name).level === 'acquisition'))
  );
}

function isOfTimes(name: QueryName): boolean {
  const place = placeOf(name);
  return place.level === 'visit' || (place.level === 'moment' && !isOfDay(place.bucket));
}
