import { described, isMerged, type Name, nameCode, nameOfCode } from '../../shared/names';

export const OPERATORS = ['is', 'is_not', 'contains', 'contains_not'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Of several values, one is enough. There is always one. */
export interface Filter {
  name: Name;
  operator: Operator;
  values: readonly string[];
}

export const NEGATED: Record<Operator, Operator> = {
  is: 'is_not',
  is_not: 'is',
  contains: 'contains_not',
  contains_not: 'contains',
};
const MAX_FILTERS = 20;
export const MAX_VALUES = 20;
const MAX_LENGTH = 1100;
/** Marks a further value of the filter before it, because a value may have any characters. */
const FURTHER = 'or:';
/** Marks the name of a saved filter. */
const SAVED = 'saved:';

/** A filter of the API. `has_done` matches all hits of visitors with a matching hit. */
export type FilterJson =
  [string, Name, (string | null)[]] | ['has_done' | 'has_not_done', FilterJson] | ['saved', string];

/**
 * The filters of an address, each as `operator:name:value`, and its further values as `or:value`. A saved one is
 * `saved:name`.
 */
export function filtersIn(address: URLSearchParams): Filter[] {
  const filters: (Filter | undefined)[] = [];
  for (const text of address.getAll('f'))
    if (!text.startsWith(FURTHER)) filters.push(filterIn(text));
    else filters.push(withValue(filters.pop(), text.slice(FURTHER.length)));
  return filters.filter((filter) => filter !== undefined).slice(0, MAX_FILTERS);
}

/** Tells whether an address has filters or values that are left out. */
export function leavesFiltersOut(address: URLSearchParams): boolean {
  return withFilters(filtersIn(address)).f.length < address.getAll('f').length;
}

export const savedFilter = (name: string): Filter => ({ name: 'saved', operator: 'is', values: [name] });

function filterIn(text: string): Filter | undefined {
  if (text.startsWith(SAVED)) return savedIn(text.slice(SAVED.length));
  const [, operator, code = '', value] = /^([a-z_]+):((?:event_property:)?[^:]+):(.+)$/s.exec(text) ?? [];
  const known = OPERATORS.find((one) => one === operator);
  const name = nameOfCode(code);
  if (!known || !name || described(name).isListed || value === undefined || value.length > MAX_LENGTH)
    return undefined;
  return { name, operator: known, values: [value] };
}

function savedIn(name: string): Filter | undefined {
  return name === '' || name.length > MAX_LENGTH ? undefined : savedFilter(name);
}

function withValue(filter: Filter | undefined, value: string): Filter | undefined {
  if (!filter || filter.name === 'saved' || value === '' || value.length > MAX_LENGTH) return filter;
  return { ...filter, values: [...new Set([...filter.values, value])].slice(0, MAX_VALUES) };
}

/** The change of the address that sets filters; it resets the open list. */
export function withFilters(filters: Filter[]) {
  const f = filters.flatMap(({ operator, name, values: [first, ...further] }) => [
    name === 'saved' ? SAVED + first : `${operator}:${nameCode(name)}:${first}`,
    ...further.map((value) => FURTHER + value),
  ]);
  return { f, more: undefined, search: undefined, sort: undefined, at: undefined };
}

/** Takes a value out of a filter of its name; empty if it was the only one. */
function without(filter: Filter, name: Name, value: string): Filter[] {
  if (filter.name !== name || !filter.values.includes(value)) return [filter];
  const values = filter.values.filter((one) => one !== value);
  return values.length > 0 ? [{ ...filter, values }] : [];
}

/**
 * Adds a picked value to the filters, and replaces its opposite. Where no visitor has two values, a further one is an
 * alternative, and a picked one of several remains alone.
 */
export function plus(filters: Filter[], name: Name, value: string): Filter[] {
  const same = filters.find((filter) => filter.name === name && filter.operator === 'is');
  if (same && described(name).isSingle) {
    const values = same.values.includes(value) ? [value] : [...same.values, value];
    return replaced(filters, same, [{ ...same, values }]);
  }
  return [
    ...filters.flatMap((filter) => without(filter, name, value)),
    { name, operator: 'is', values: [value] },
  ];
}

export function replaced(filters: Filter[], old: Filter | undefined, by: Filter[]): Filter[] {
  return old ? filters.flatMap((filter) => (filter === old ? by : [filter])) : [...filters, ...by];
}

export interface Reader {
  isOwner: boolean;
  mayFilter: boolean;
}

/** Tells whether a value of a name may be added. */
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

export function asJson({ name, operator, values }: Filter): FilterJson {
  if (name === 'saved') return ['saved', values[0]!];
  if (!described(name).isOfHits) return [operator, name, [...values]];
  const isNegated = operator === 'is_not' || operator === 'contains_not';
  const done: FilterJson = [isNegated ? NEGATED[operator] : operator, name, [...values]];
  return [isNegated ? 'has_not_done' : 'has_done', done];
}

/**
 * Lists only the properties of one event, or of the filtered events, rather than those of all events of their visitors.
 */
export function queryFilters(filters: Filter[], name: Name, event?: string): FilterJson[] {
  if (event !== undefined) return [...filters.map(asJson), ['is', 'event', [event]]];
  const events = filters.filter((filter) => filter.name === 'event' && filter.operator === 'is');
  const isNarrowed = described(name).isOwners && events.length > 0;
  return [
    ...filters.map(asJson),
    ...(isNarrowed ? [['is', 'event', events.flatMap(({ values }) => values)] satisfies FilterJson] : []),
  ];
}
