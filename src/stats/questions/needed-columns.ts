import { type ColumnName, COLUMNS } from '../../storage/hit-columns';
import { TIMES } from '../../storage/part-format';
import { namesIn, valuesAsked } from './asked-values';
import { columnsOf } from './derived';
import type { Counted } from './metrics';
import { placeOf } from './names';
import type { Question } from './question';

const OF_VISITS: readonly Counted[] = ['visits', 'bounces', 'seconds'];
/** Page views are told from events by it. */
const ALWAYS: ColumnName = 'event';

/** The numbers of the columns that answer some questions; the structure of a day is read in any case. */
export function neededColumns(questions: Question[]): number[] {
  const names = new Set([ALWAYS, ...valuesAsked(questions).flatMap(columnsOf)]);
  const codes = Array.from(names, (name) => COLUMNS[name].code);
  return questions.some(needsTimes) ? [TIMES, ...codes] : codes;
}

/** A visit begins and ends at a time; a visitor alone does not. */
function needsTimes({ range, previous, filter, dimensions, metrics }: Question): boolean {
  const filtered = filter ? namesIn(filter) : [];
  return (
    (range.moments ?? previous?.moments) !== undefined ||
    OF_VISITS.some((metric) => metrics.includes(metric)) ||
    dimensions.some((name) => ['moment', 'visit', 'brought'].includes(placeOf(name).level)) ||
    filtered.some((name) => ['moment', 'visit'].includes(placeOf(name).level))
  );
}
