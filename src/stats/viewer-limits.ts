import { type FieldErrors, InvalidFields } from '../common/problem';
import type { FilterJson } from './questions/filter';
import { type AskedName, isPropertyName } from './questions/names';
import type { Answer, Question } from './questions/question';
import type { AskedQuestion } from './questions/question-body';
import { parseSegment } from './questions/segment';
import type { Viewer } from './viewer';

/**
 * Nobody shall follow one visitor by a shared page. So whoever is not the owner can combine a few names only, and does
 * not see the hours of few visitors.
 */
const MAX_FILTER_NAMES = 3;
/** Fewer visitors of a day than this have no hours. */
export const FEW_VISITORS = 10;

const OF_OWNER = 'must not be currency or a property of events where the statistics are shared';

const WITHIN_DAYS: readonly AskedName[] = ['hour', 'hour_of_day'];
const isWithinDays = (name: AskedName) => WITHIN_DAYS.includes(name);

/** What a website earns, and what it knows of its customers, is its owner's. */
function isOfOwner(name: string): boolean {
  return name === 'currency' || name === 'event_properties' || isPropertyName(name);
}

/** Refuses names of statistics. */
export function checkNames(viewer: Viewer, field: string, names: readonly string[]): void {
  if (viewer.as !== 'owner' && names.some(isOfOwner)) throw new InvalidFields({ [field]: [OF_OWNER] });
}

/** Refuses a filter of statistics, which are grouped by one name. */
export function checkFilter(viewer: Viewer, filter: string): void {
  if (viewer.as === 'owner') return;
  const problem = problemOf(namesIn(parseSegment(filter)), 0);
  if (problem) throw new InvalidFields({ filter: [problem] });
}

/** Refuses questions, naming their places. */
export function checkQuestions(viewer: Viewer, asked: AskedQuestion[], isList: boolean): void {
  if (viewer.as === 'owner') return;
  const errors: FieldErrors = {};
  for (const [index, { metrics, filters, dimensions, range }] of asked.entries()) {
    const path = isList ? `queries.${index}.` : '';
    const problem = problemOf(namesIn(filters), Math.max(0, dimensions.length - 1));
    if (problem) errors[`${path}filters`] = [problem];
    if (metrics.includes('value'))
      errors[`${path}metrics`] = ['must not have value where the statistics are shared'];
    if (dimensions.some(isOfOwner)) errors[`${path}dimensions`] = [OF_OWNER];
    if (typeof range === 'object' && 'moments' in range)
      errors[`${path}range`] = ['must be days or a name where the statistics are shared'];
  }
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
}

/** Rows by several dimensions are as good as filters by all but one of them. */
function problemOf(names: Set<AskedName>, furtherDimensions: number): string | undefined {
  if (names.size + furtherDimensions > MAX_FILTER_NAMES)
    return `must have at most ${MAX_FILTER_NAMES} names where the statistics are shared; each dimension but the first counts as one`;
  if ([...names].some(isOfOwner)) return OF_OWNER;
  return [...names].some(isWithinDays)
    ? `must not have ${WITHIN_DAYS.join(' or ')} where the statistics are shared`
    : undefined;
}

function namesIn(filters: FilterJson[]): Set<AskedName> {
  return new Set(filters.flatMap(namesOf));
}

function namesOf(filter: FilterJson): AskedName[] {
  switch (filter[0]) {
    case 'and':
    case 'or':
      return filter[1].flatMap(namesOf);
    case 'not':
    case 'has_done':
    case 'has_not_done':
      return namesOf(filter[1]);
    default:
      return [filter[1]];
  }
}

/** Whether hours are shown only where the filter selects enough visitors. */
export function guardsHours(viewer: Viewer, { dimensions, filters }: AskedQuestion): boolean {
  if (viewer.as === 'owner' || !dimensions.some(isWithinDays)) return false;
  return filters.length > 0 || dimensions.length > 1;
}

/** The same question by days. */
export function byDays(asked: AskedQuestion): AskedQuestion {
  const day = <N extends string>(name: N) => (isWithinDays(name as AskedName & N) ? 'day' : name);
  return {
    ...asked,
    dimensions: [...new Set(asked.dimensions.map((name): AskedName => day(name)))],
    order_by: asked.order_by?.map(([name, direction]) => [day(name), direction]),
  };
}

/** Asks how many visitors were selected on each day, and had what the rows are grouped by besides the hours. */
export function guardOf(question: Question): Question {
  const besides = question.dimensions.filter((name) => !isWithinDays(name) && name !== 'day');
  return {
    ...question,
    dimensions: ['day', ...besides],
    metrics: ['visitors'],
    // A day without visitors is paired with one of the range before that may have few.
    fill: besides.length === 0,
    order: [],
    skip: 0,
    take: Number.MAX_SAFE_INTEGER,
  };
}

/** Whether a guard found few visitors. */
export function hasFew({ rows: { metrics, previous } }: Answer): boolean {
  return [...metrics, ...previous].some((counts) =>
    counts.some((count) => count > 0 && count < FEW_VISITORS),
  );
}
