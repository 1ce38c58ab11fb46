import { columnsOf, type Values } from './derived';
import type { Filter } from '../parse/filter';
import { type AskedName, placeOf } from '../parse/names';
import type { Question } from './question';
import { type ColumnName, COLUMNS } from '../../../storage/hit-columns';
import { TIMES } from '../../../storage/segments/part-format';
import { isOfDay } from './buckets';
import type { Counted } from './metrics';

/** What says which columns are needed. */
type AskedOfHits = Pick<Question, 'range' | 'previous' | 'filter' | 'dimensions' | 'metrics'>;

/** What questions filter and group by, where it is not the moment, and add up. */
export function valuesAsked(questions: AskedOfHits[]): Values[] {
  const names = questions.flatMap(({ dimensions, filter }) => [
    ...dimensions,
    ...(filter ? namesIn(filter) : []),
  ]);
  const asked = [...new Set(names)].flatMap((name) => {
    const place = placeOf(name);
    return place.level === 'moment' ? [] : [place.values];
  });
  return questions.some(addsValues) ? [...asked, 'value', 'currency'] : asked;
}

export function addsValues({ metrics }: AskedOfHits): boolean {
  return metrics.includes('value_high');
}

export function namesIn(filter: Filter): AskedName[] {
  if (filter.kind === 'test') return [filter.name];
  return (Array.isArray(filter.of) ? filter.of : [filter.of]).flatMap(namesIn);
}

const OF_VISITS: readonly Counted[] = ['visits', 'bounces', 'seconds'];
/** It distinguishes page views from events. */
const ALWAYS: ColumnName = 'event';

/** The numbers of the columns that answer some questions; the structure of a day is read in any case. */
export function neededColumns(questions: AskedOfHits[]): number[] {
  const names = new Set([ALWAYS, ...valuesAsked(questions).flatMap(columnsOf)]);
  const codes = Array.from(names, (name) => COLUMNS[name].code);
  return questions.some(needsTimes) ? [TIMES, ...codes] : codes;
}

/** A visit begins and ends at a time; a visitor alone does not. */
function needsTimes({ range, previous, filter, dimensions, metrics }: AskedOfHits): boolean {
  const areOfVisitors = metrics.every((metric) => metric === 'visitors');
  return (
    (range.moments ?? previous?.moments) !== undefined ||
    OF_VISITS.some((metric) => metrics.includes(metric)) ||
    (filter ? namesIn(filter) : []).some(isOfTimes) ||
    dimensions.some((name) => isOfTimes(name) || (!areOfVisitors && placeOf(name).level === 'acquisition'))
  );
}

function isOfTimes(name: AskedName): boolean {
  const place = placeOf(name);
  return place.level === 'visit' || (place.level === 'moment' && !isOfDay(place.bucket));
}
