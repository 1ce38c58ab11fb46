import { isQueryName, QUERY_NAMES, type QueryName } from './names';
import { type Operator, OPERATORS, type Test } from '../filter-operators';

/**
 * A condition on hits. `ever` is true for all hits of a visitor's day if it is true for one of them. `days` is true for
 * all hits of these days, and without an end of all later ones.
 */
export type Filter =
  | { kind: 'test'; name: QueryName; test: Test; values: (string | null)[] }
  | { kind: 'days'; from: number; to: number | null }
  | { kind: 'all'; of: Filter[] }
  | { kind: 'any'; of: Filter[] }
  | { kind: 'not'; of: Filter }
  | { kind: 'ever'; of: Filter };

export type Condition = Extract<Filter, { kind: 'test' }>;

export function conditionsIn(filter: Filter): Condition[] {
  if (filter.kind === 'test') return [filter];
  if (filter.kind === 'days') return [];
  return (Array.isArray(filter.of) ? filter.of : [filter.of]).flatMap(conditionsIn);
}

/** The name of a condition on the goals that a hit reaches. */
export const GOAL = 'goal';
/** The operator of a filter that stands for a saved one. */
export const SAVED = 'saved';

type Values = (string | null)[];

/** All names of conditions, as errors list them. */
export const FILTER_NAMES: string[] = [...QUERY_NAMES, GOAL].sort();

export function isFilterName(name: unknown): name is QueryName | typeof GOAL {
  return name === GOAL || isQueryName(name);
}

/** A filter without goals and saved filters: it depends on hits alone. */
export type ResolvedFilter =
  | [Operator, QueryName, Values]
  | ['and', ResolvedFilter[]]
  | ['or', ResolvedFilter[]]
  | ['not', ResolvedFilter]
  | ['has_done', ResolvedFilter]
  | ['has_not_done', ResolvedFilter];

/** A condition, or the name of a saved filter. */
type Leaf = [Operator, QueryName | typeof GOAL, Values] | [typeof SAVED, string];

/** A filter in the body of a query. */
export type FilterJson =
  | Leaf
  | ['and', FilterJson[]]
  | ['or', FilterJson[]]
  | ['not', FilterJson]
  | ['has_done', FilterJson]
  | ['has_not_done', FilterJson];

/** The conditions and saved filters at any depth. */
export function leavesIn(filters: readonly FilterJson[]): Leaf[] {
  return filters.flatMap((filter) => {
    switch (filter[0]) {
      case 'and':
      case 'or':
        return leavesIn(filter[1]);
      case 'not':
      case 'has_done':
      case 'has_not_done':
        return leavesIn([filter[1]]);
      default:
        return [filter];
    }
  });
}

/** The filters joined by and. Undefined if there are none. */
export function filterOf(list: ResolvedFilter[]): Filter | undefined {
  return list.length === 0 ? undefined : { kind: 'all', of: list.map(compiled) };
}

function compiled(json: ResolvedFilter): Filter {
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
