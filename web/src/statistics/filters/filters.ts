import { described, isMerged, type Name, nameCode, nameOfCode } from '../../shared/names';

export const OPERATORS = ['is', 'is_not', 'contains', 'contains_not'] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  name: Name;
  operator: Operator;
  value: string;
}

const NEGATED: Record<Operator, Operator> = {
  is: 'is_not',
  is_not: 'is',
  contains: 'contains_not',
  contains_not: 'contains',
};
const MAX_FILTERS = 20;
const MAX_LENGTH = 1100;

/** A filter of the API. `has_done` matches all hits of visitors with a matching hit. */
export type FilterJson = [string, Name, (string | null)[]] | ['has_done' | 'has_not_done', FilterJson];

/** The filters of an address, each as `operator:name:value`. */
export function filtersIn(address: URLSearchParams): Filter[] {
  const filters = address.getAll('f').flatMap((text) => filterIn(text) ?? []);
  return filters.slice(0, MAX_FILTERS);
}

function filterIn(text: string): Filter | undefined {
  const [, operator, code = '', value] = /^([a-z_]+):((?:event_property:)?[^:]+):(.+)$/s.exec(text) ?? [];
  const known = OPERATORS.find((one) => one === operator);
  const name = nameOfCode(code);
  if (!known || !name || described(name).isListed || value === undefined || value.length > MAX_LENGTH)
    return undefined;
  return { name, operator: known, value };
}

/** The change of the address that sets filters; it resets the open list. */
export function withFilters(filters: Filter[]) {
  const f = filters.map(({ operator, name, value }) => `${operator}:${nameCode(name)}:${value}`);
  return { f, more: undefined, search: undefined, sort: undefined, at: undefined };
}

const isSame = (one: Filter, other: Filter) => one.name === other.name && one.value === other.value;

/** Adds a value to the filters, and replaces its opposite. */
export function plus(filters: Filter[], name: Name, value: string): Filter[] {
  const picked: Filter = { name, operator: 'is', value };
  return [...filters.filter((filter) => !isSame(filter, picked)), picked];
}

export function replaced(filters: Filter[], old: Filter | undefined, by: Filter[]): Filter[] {
  return old ? filters.flatMap((filter) => (filter === old ? by : [filter])) : [...filters, ...by];
}

export interface Reader {
  isOwner: boolean;
  mayFilter: boolean;
}

/** Whether a value of a name may be added. */
export function mayAdd(
  filters: Filter[],
  name: Name,
  { isOwner, mayFilter }: Reader,
  value?: string,
): boolean {
  if (!mayFilter || (value !== undefined && isMerged(value))) return false;
  const { isListed, isOwners } = described(name);
  return !isListed && (isOwner || !isOwners) && filters.length < MAX_FILTERS;
}

export function asJson({ name, operator, value }: Filter): FilterJson {
  if (!described(name).isOfHits) return [operator, name, [value]];
  const isNegated = operator === 'is_not' || operator === 'contains_not';
  const done: FilterJson = [isNegated ? NEGATED[operator] : operator, name, [value]];
  return [isNegated ? 'has_not_done' : 'has_done', done];
}

/** Lists only the properties of the filtered events, rather than those of all events of their visitors. */
export function queryFilters(filters: Filter[], name: Name): FilterJson[] {
  const events = filters.filter((filter) => filter.name === 'event' && filter.operator === 'is');
  const isNarrowed = described(name).isOwners && events.length > 0;
  return [
    ...filters.map(asJson),
    ...(isNarrowed ? [['is', 'event', events.map(({ value }) => value)] satisfies FilterJson] : []),
  ];
}
