import { type ColumnName, COLUMNS } from '../../../storage/hit-columns';
import { TIMES } from '../../../storage/segments/part-format';
import { namesIn, valuesAsked, type AskedOfHits } from './asked-values';
import { isOfDay } from './buckets';
import { columnsOf } from './derived';
import type { Counted } from './metrics';
import { type AskedName, placeOf } from '../parse/names';

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
