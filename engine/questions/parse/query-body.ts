import type { Refuse } from '../../ground/errors';
import { type Direction, DIRECTIONS } from '../../ground/rows';
import { type Metric, METRICS } from '../plan/metrics';
import type { DimensionName } from '../plan/hit-query';
import { QUESTION_LIMITS } from '../question-limits';
import { FILTER_NAMES, type FilterJson, isFilterName } from './filter';
import type { RequestedRange, ComparisonName } from './query-range';

export const DEFAULT_PER_PAGE = 100;

/** One query, with default values for missing fields. */
export interface RequestedQuery {
  metrics: Metric[];
  dimensions: DimensionName[];
  filters: FilterJson[];
  range: RequestedRange;
  compare: ComparisonName | undefined;
  order_by: [Metric | DimensionName, Direction][] | undefined;
  page: number;
  per_page: number;
  fill: boolean;
  search: string | undefined;
  /** Tells whether the row without a value is listed. */
  unset: boolean;
}

type Sent = Partial<Record<keyof RequestedQuery, unknown>>;

export function checkMetrics(sent: unknown, refuse: Refuse): void {
  checkNames(sent, refuse, isMetric, METRICS, METRICS.length);
  if (metricsIn(sent).length === 0) refuse('', `must have one or more of ${METRICS.join(', ')}`);
}

export function checkDimensions(sent: unknown, refuse: Refuse): void {
  checkNames(sent, refuse, isFilterName, FILTER_NAMES, QUESTION_LIMITS.dimensions);
}

/** Checks the order: metrics and dimensions of the query, each with a direction. */
export function checkOrder(sent: unknown, refuse: Refuse, { metrics, dimensions }: Sent): void {
  const names = [...metricsIn(metrics), ...dimensionsIn(dimensions)];
  for (const [index, one] of listIn(sent, refuse, QUESTION_LIMITS.orderings).entries()) {
    if (Array.isArray(one) && one.length === 2) {
      checkOne(one[0], refuse, `.${index}.0`, names);
      checkOne(one[1], refuse, `.${index}.1`, DIRECTIONS);
    } else refuse(`.${index}`, 'must be a list of a name and "asc" or "desc"');
  }
}

/** The readable dimensions. */
export function dimensionsIn(sent: unknown): DimensionName[] {
  return listIn(sent, () => undefined, QUESTION_LIMITS.dimensions).filter(isFilterName);
}

function metricsIn(sent: unknown): Metric[] {
  return listIn(sent, () => undefined, METRICS.length).filter(isMetric);
}

function listIn(sent: unknown, refuse: Refuse, most: number): unknown[] {
  if (sent === undefined) return [];
  if (Array.isArray(sent) && sent.length <= most) return sent;
  refuse('', `must be a list of at most ${most}`);
  return [];
}

function checkNames(
  sent: unknown,
  refuse: Refuse,
  isKnown: (one: unknown) => boolean,
  known: readonly string[],
  most: number,
): void {
  const list = listIn(sent, refuse, most);
  for (const [index, one] of list.entries()) if (!isKnown(one)) refuse(`.${index}`, oneOf(known));
  const names = list.filter(isKnown);
  if (new Set(names).size < names.length) refuse('', 'must not contain duplicates');
}

function checkOne(sent: unknown, refuse: Refuse, place: string, known: readonly unknown[]): void {
  if (!known.includes(sent)) refuse(place, oneOf(known));
}

function isMetric(one: unknown): one is Metric {
  return METRICS.some((metric) => metric === one);
}

function oneOf(known: readonly unknown[]): string {
  return `must be one of ${known.join(', ')}`;
}
