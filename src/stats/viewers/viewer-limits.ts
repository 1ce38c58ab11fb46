import { type FieldErrors, InvalidFields } from '../../../engine/ground/errors';
import { type FilterJson, leavesIn, SAVED } from '../../../engine/questions/parse/filter';
import { type QueryName, isPropertyName } from '../../../engine/questions/parse/names';
import { isOfGoals } from '../../../engine/questions/plan/metrics';
import type { RequestedQuery } from '../../../engine/questions/parse/query-body';
import { parseFilterSyntax } from '../../../engine/questions/parse/filter-syntax';
import { isLimited, type Viewer } from './viewer';

const MAX_CONDITIONS_OF_VIEWER = 20;
const OF_OWNER = 'must not be dropped, currency or a property of events where the statistics are shared';
export const WITHOUT_FILTERS = 'where the statistics are shared without filters';
const NO_GOALS = `must not be about goals ${WITHOUT_FILTERS}`;
const NO_FILTER = `is not possible ${WITHOUT_FILTERS}`;

const WITHIN_DAYS: readonly QueryName[] = ['hour', 'hour_of_day'];
const isWithinDays = (name: string) => WITHIN_DAYS.some((one) => one === name);
const NO_HOURS = `must not have ${WITHIN_DAYS.join(' or ')} where the statistics are shared`;

/** The revenue, dropped events, and customer properties of a website are its owner's. */
function isOfOwner(name: string): boolean {
  return name === 'dropped' || name === 'currency' || name === 'event_properties' || isPropertyName(name);
}

/** Refuses names of statistics. */
export function checkNames(viewer: Viewer, field: string, names: readonly string[]): void {
  if (viewer.as !== 'owner' && names.some(isOfOwner)) throw new InvalidFields({ [field]: [OF_OWNER] });
}

/** Refuses values for a filter that has no effect. */
export function checkValues(viewer: Viewer, name: string): void {
  checkNames(viewer, 'name', [name]);
  if (isLimited(viewer)) throw new InvalidFields({ name: [NO_FILTER] });
}

/** Refuses filters in statistics. */
export function checkFilter(viewer: Viewer, filter: string | undefined): void {
  if (viewer.as === 'owner' || filter === undefined) return;
  const problem = isLimited(viewer) ? NO_FILTER : problemOf(parseFilterSyntax(filter));
  if (problem) throw new InvalidFields({ filter: [problem] });
}

/** Refuses queries, with the path of the problem. */
export function checkQueries(viewer: Viewer, requested: RequestedQuery[], isList: boolean): void {
  if (viewer.as === 'owner') return;
  const errors: FieldErrors = {};
  for (const [index, one] of requested.entries())
    for (const [field, problem] of problemsOf(one, isLimited(viewer)))
      errors[isList ? `queries.${index}.${field}` : field] = [problem];
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
}

/** What a funnel or a journey is asked with. */
interface AskedWalk {
  range: RequestedQuery['range'];
  filters: FilterJson[];
  /** The filters of each step that was sent. */
  steps?: FilterJson[][];
  breakdown?: QueryName | undefined;
}

/** Refuses funnels or journeys. `field` is the one that such a request begins with. */
export function checkWalk(viewer: Viewer, field: string, asked: AskedWalk): void {
  if (viewer.as === 'owner') return;
  if (isLimited(viewer)) throw new InvalidFields({ [field]: [NO_FILTER] });
  const { range, filters, steps = [], breakdown } = asked;
  const dimensions = breakdown ? [breakdown] : [];
  for (const [name, problem] of problemsOf({ metrics: [], dimensions, filters, range }, false))
    throw new InvalidFields({ [name === 'dimensions' ? 'breakdown' : name]: [problem] });
  for (const [index, own] of steps.entries()) {
    const problem = problemOf(own);
    if (problem) throw new InvalidFields({ [`steps.${index}.filters`]: [problem] });
  }
  const ofSteps = steps.flat();
  const problem = problemOf([...filters, ...ofSteps]);
  if (problem) throw new InvalidFields({ [problemOf(ofSteps) ? 'steps' : 'filters']: [problem] });
}

function* problemsOf(
  {
    metrics,
    filters,
    dimensions,
    range,
  }: Pick<RequestedQuery, 'metrics' | 'filters' | 'dimensions' | 'range'>,
  isWithoutFilters: boolean,
): Generator<[field: string, problem: string]> {
  const ofFilters = isWithoutFilters && filters.length > 0 ? NO_FILTER : problemOf(filters);
  if (ofFilters) yield ['filters', ofFilters];
  if (isWithoutFilters && metrics.some(isOfGoals)) yield ['metrics', NO_GOALS];
  if (metrics.includes('value')) yield ['metrics', 'must not have value where the statistics are shared'];
  if (dimensions.some(isWithinDays)) yield ['dimensions', NO_HOURS];
  if (dimensions.some(isOfOwner)) yield ['dimensions', OF_OWNER];
  if (typeof range === 'object' && 'moments' in range)
    yield ['range', 'must be days or a name where the statistics are shared'];
}

function problemOf(filters: FilterJson[]): string | undefined {
  // What a goal or a saved filter stands for is the owner's choice.
  const names = leavesIn(filters).map(([operator, name]) => (operator === SAVED ? SAVED : name));
  if (names.length > MAX_CONDITIONS_OF_VIEWER)
    return `must have at most ${MAX_CONDITIONS_OF_VIEWER} conditions where the statistics are shared`;
  if (names.some(isOfOwner)) return OF_OWNER;
  return names.some(isWithinDays) ? NO_HOURS : undefined;
}
