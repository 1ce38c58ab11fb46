import type { QueryName } from './names';
import { type Operator, OPERATORS, type Test } from './operators';

/** The limits of all filters of a query together. */
export const FILTER_LIMITS = { levels: 20, conditions: 100, values: 1000 };

/** A condition on hits. `ever` is true for all hits of a visitor's day if it is true for one of them. */
export type Filter =
  | { kind: 'test'; name: QueryName; test: Test; values: (string | null)[] }
  | { kind: 'all'; of: Filter[] }
  | { kind: 'any'; of: Filter[] }
  | { kind: 'not'; of: Filter }
  | { kind: 'ever'; of: Filter };

export type Condition = Extract<Filter, { kind: 'test' }>;

export function conditionsIn(filter: Filter): Condition[] {
  if (filter.kind === 'test') return [filter];
  return (Array.isArray(filter.of) ? filter.of : [filter.of]).flatMap(conditionsIn);
}

/** A filter in the body of a query. */
export type FilterJson =
  | [Operator, QueryName, (string | null)[]]
  | ['and', FilterJson[]]
  | ['or', FilterJson[]]
  | ['not', FilterJson]
  | ['has_done', FilterJson]
  | ['has_not_done', FilterJson];

/** The filters joined by and. Undefined if there are none. */
export function filterOf(list: FilterJson[]): Filter | undefined {
  return list.length === 0 ? undefined : { kind: 'all', of: list.map(compiled) };
}

function compiled(json: FilterJson): Filter {
  switch (json[0]) {
    case 'and':
      return { kind: 'all', of: json[1].map(compiled) };
    case 'or':
      return { kind: 'any', of: json[1].map(compiled) };
    case 'not':
      return { kind: 'not', of: compiled(json[1]) };
    case 'has_done':
      return { kind: 'ever', of: compiled(json[1]) };
    case 'has_not_done':
      return { kind: 'not', of: { kind: 'ever', of: compiled(json[1]) } };
    default: {
      const [operator, name, values] = json;
      const { test, negated } = OPERATORS[operator];
      const filter: Filter = { kind: 'test', name, test, values };
      return negated ? { kind: 'not', of: filter } : filter;
    }
  }
}
