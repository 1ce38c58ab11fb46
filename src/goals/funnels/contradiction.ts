import { type FilterJson, GOAL, SAVED } from '../../stats/queries/parse/filter';
import { placeOf, type QueryName } from '../../stats/queries/parse/names';
import { OPERATORS } from '../../stats/queries/parse/operators';

type Value = string | null;

/** The values that a hit may still have under a name. */
interface Possible {
  /** Undefined if no condition lists them. */
  among: ReadonlySet<Value> | undefined;
  readonly excluded: Set<Value>;
}

/**
 * The place of a condition that no hit can meet together with those before it, like `.1`: a hit has one value of their
 * name. Undefined if there is none.
 */
export function contradictionIn(filters: readonly FilterJson[]): string | undefined {
  const possible = new Map<QueryName, Possible>();
  for (const { place, name, values, negated } of conjunction(filters, '')) {
    const known = possible.get(name) ?? { among: undefined, excluded: new Set() };
    if (negated) for (const value of values) known.excluded.add(value);
    else known.among = new Set(values.filter((value) => known.among?.has(value) ?? true));
    possible.set(name, known);
    if (known.among && [...known.among].every((value) => known.excluded.has(value))) return place;
  }
  return undefined;
}

interface Listed {
  place: string;
  name: QueryName;
  values: Value[];
  negated: boolean;
}

/** The conditions that list values, all of which must hold. */
function* conjunction(filters: readonly FilterJson[], place: string): Generator<Listed> {
  for (const [index, filter] of filters.entries()) {
    const own = `${place}.${index}`;
    if (filter[0] === 'and') yield* conjunction(filter[1], `${own}.1`);
    else if (filter[0] === 'not') yield* listed(filter[1], `${own}.1`, true);
    else yield* listed(filter, own, false);
  }
}

function* listed(filter: FilterJson, place: string, isNegated: boolean): Generator<Listed> {
  switch (filter[0]) {
    case 'and':
    case 'or':
    case 'not':
    case 'has_done':
    case 'has_not_done':
    case SAVED:
      return;
    default: {
      const [operator, name, values] = filter;
      const { test, negated } = OPERATORS[operator];
      if (test === 'is' && name !== GOAL && placeOf(name).level !== 'acquisition')
        yield { place, name, values, negated: negated !== isNegated };
    }
  }
}
