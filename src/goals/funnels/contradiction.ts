import { type FilterJson, GOAL, SAVED } from '../../stats/queries/parse/filter';
import { placeOf, type QueryName } from '../../stats/queries/parse/names';
import { OPERATORS } from '../../stats/queries/parse/operators';
import { PossibleValue, type ValueCondition } from './possible-value';

/**
 * The place of a filter that no hit can meet together with the others, like `.1`: a hit has one value of a name.
 * Undefined if there is none, or if it is not certain.
 */
export function contradictionIn(filters: readonly FilterJson[]): string | undefined {
  return contradictionBeside(partsOf(filters, '', false), new Map());
}

/** A filter, or its contrary. */
interface Part {
  filter: FilterJson;
  place: string;
  isNegated: boolean;
}

/** What must hold for a hit. */
type Demand = { place: string } & (
  | (ValueCondition & { name: QueryName })
  | { oneOf: Part[] }
  /** Some hit of the visitor meets it. */
  | { ever: Part }
);

type Known = Map<QueryName, PossibleValue>;

function contradictionBeside(parts: Part[], known: Known): string | undefined {
  const demands = parts.flatMap(demandsOf);
  // What several alternatives must agree with comes first.
  demands.sort((one, other) => Number('oneOf' in one) - Number('oneOf' in other));
  return demands.find((demand) => !canBeMet(demand, known))?.place;
}

function canBeMet(demand: Demand, known: Known): boolean {
  if ('ever' in demand) return contradictionBeside([demand.ever], new Map()) === undefined;
  if ('oneOf' in demand)
    return demand.oneOf.length === 0 || demand.oneOf.some((part) => isPossible(part, known));
  const possible = known.get(demand.name) ?? new PossibleValue();
  known.set(demand.name, possible);
  return possible.add(demand);
}

function isPossible(part: Part, known: Known): boolean {
  const own = new Map(Array.from(known, ([name, possible]) => [name, possible.copy()]));
  return contradictionBeside([part], own) === undefined;
}

function demandsOf({ filter, place, isNegated }: Part): Demand[] {
  switch (filter[0]) {
    case 'and':
    case 'or': {
      const parts = partsOf(filter[1], `${place}.1`, isNegated);
      return (filter[0] === 'and') === isNegated ? [{ place, oneOf: parts }] : parts.flatMap(demandsOf);
    }
    case 'not':
      return demandsOf({ filter: filter[1], place: `${place}.1`, isNegated: !isNegated });
    case 'has_done':
    case 'has_not_done':
      return (filter[0] === 'has_done') === isNegated
        ? []
        : [{ place, ever: { filter: filter[1], place: `${place}.1`, isNegated: false } }];
    case SAVED:
      return [];
    default: {
      const [operator, name, values] = filter;
      const { test, negated } = OPERATORS[operator];
      // A hit may reach several goals, and a visitor may bring several values.
      if (name === GOAL || placeOf(name).level === 'acquisition') return [];
      return [{ place, name, test, values, negated: negated !== isNegated }];
    }
  }
}

function partsOf(filters: readonly FilterJson[], place: string, isNegated: boolean): Part[] {
  return filters.map((filter, index) => ({ filter, place: `${place}.${index}`, isNegated }));
}
