import { type FilterJson, GOAL, SAVED } from '../../../engine/questions/parse/filter';
import { originOf, type QueryName } from '../../../engine/questions/parse/names';
import { OPERATORS } from '../../../engine/questions/filter-operators';
import { type CountUnits, PossibleValue, type ValueCondition } from './possible-value';

/** The main thread compares no more than these units of texts and parts. */
const MAX_UNITS = 500_000;

/** Tells whether the filters contradict each other would take too long to find out. */
class TooMuchToCompare extends Error {}

/**
 * The place of a filter that no hit can meet together with the others, like `.1`: a hit has one value of a name.
 * Undefined if there is none, or if it is not certain.
 */
export function contradictionIn(filters: readonly FilterJson[]): string | undefined {
  let left = MAX_UNITS;
  const count = (units: number) => {
    if ((left -= units) < 0) throw new TooMuchToCompare();
  };
  try {
    return contradictionBeside(partsOf(filters, '', false), new Known(count));
  } catch (error) {
    if (error instanceof TooMuchToCompare) return undefined;
    throw error;
  }
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

/** What the values of a hit can still be. */
class Known {
  constructor(
    readonly count: CountUnits,
    private readonly values = new Map<QueryName, PossibleValue>(),
  ) {}

  of(name: QueryName): PossibleValue {
    const possible = this.values.get(name) ?? new PossibleValue(this.count);
    this.values.set(name, possible);
    return possible;
  }

  copy(): Known {
    return new Known(
      this.count,
      new Map(Array.from(this.values, ([name, possible]) => [name, possible.copy()])),
    );
  }
}

function contradictionBeside(parts: Part[], known: Known): string | undefined {
  const demands = parts.flatMap(demandsOf);
  // What several alternatives must agree with comes first.
  demands.sort((one, other) => Number('oneOf' in one) - Number('oneOf' in other));
  return demands.find((demand) => !canBeMet(demand, known))?.place;
}

function canBeMet(demand: Demand, known: Known): boolean {
  if ('ever' in demand) return contradictionBeside([demand.ever], new Known(known.count)) === undefined;
  if ('oneOf' in demand)
    return demand.oneOf.length === 0 || demand.oneOf.some((part) => isPossible(part, known));
  return known.of(demand.name).add(demand);
}

function isPossible(part: Part, known: Known): boolean {
  return contradictionBeside([part], known.copy()) === undefined;
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
      if (name === GOAL || originOf(name).level === 'acquisition') return [];
      return [{ place, name, test, values, negated: negated !== isNegated }];
    }
  }
}

function partsOf(filters: readonly FilterJson[], place: string, isNegated: boolean): Part[] {
  return filters.map((filter, index) => ({ filter, place: `${place}.${index}`, isNegated }));
}
