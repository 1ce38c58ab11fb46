import type { WebsiteDefinitions } from '../../goals/resolution';
import { amountOf } from '../../../engine/hits/events/amount';
import { parseAmount } from '../../../engine/hits/value-sums';
import { type FilterJson, filterOf, GOAL, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import { type Operator, OPERATORS } from '../../../engine/questions/filter-operators';
import type { RequestedQuery } from '../../../engine/questions/parse/query-body';
import type { CountedGoal, CountedGoals, GoalValue } from '../../../engine/questions/plan/hit-query';
import { isOfGoals } from '../../../engine/questions/plan/metrics';
import { namesIn } from '../../../engine/questions/plan/needed-values';

type Counting = Pick<RequestedQuery, 'metrics' | 'dimensions' | 'filters'>;
type Goal = WebsiteDefinitions['goals'][number];

/** Tells whether a query depends on the goals of its website, whatever its filters are. */
export function countsGoals({ metrics, dimensions }: Counting): boolean {
  return dimensions.includes(GOAL) || metrics.some(isOfGoals);
}

/**
 * The goals of a query: those of its rows, else those that its filters name, else all of the website. Undefined if it
 * counts none. `written` writes out filters.
 */
export function countedGoals(
  query: Counting,
  definitions: WebsiteDefinitions,
  written: (filters: FilterJson[]) => ResolvedFilter[],
): CountedGoals | undefined {
  const { metrics, dimensions, filters } = query;
  if (!countsGoals(query) && !filters.some(isNaming)) return undefined;
  const others = filters.filter((filter) => !isNaming(filter));
  const areNamed = others.length < filters.length;
  const rest = filterOf(written(others));
  // The currencies of goals are not those of hits.
  const areOfCurrencies =
    dimensions.includes('currency') || (rest !== undefined && namesIn(rest).includes('currency'));
  const valueOf = (goal: Goal) => (areOfCurrencies ? undefined : valueOfGoal(goal));
  if (dimensions.includes(GOAL) || !areNamed) {
    const list = definitions.goals.map((goal) => counted(goal, valueOf(goal)));
    return countsGoals(query) ? { list, value: undefined, rest } : undefined;
  }
  const only = metrics.includes('value') ? onlyGoal(filters, definitions) : undefined;
  const value = only && valueOf(only);
  return value || countsGoals(query) ? { list: undefined, value, rest } : undefined;
}

function counted({ name, filters }: Goal, value: GoalValue | undefined): CountedGoal {
  return { name, filter: filterOf(filters)!, value };
}

function valueOfGoal({ name, value, currency }: Goal): GoalValue | undefined {
  if (value === null || currency === null) return undefined;
  return { ...parseAmount(amountOf(value)!)!, goal: name, currency };
}

/** The one goal that all conditions on goals name. */
function onlyGoal(filters: FilterJson[], { goals }: WebsiteDefinitions): Goal | undefined {
  const naming = filters.filter(isNaming);
  const names = new Set(naming.flatMap(([, , values]) => values));
  const areExact = naming.every(([operator]) => operator === 'is');
  return areExact && names.size === 1 ? goals.find(({ name }) => names.has(name)) : undefined;
}

/** Tells whether a filter names the goals that hits reach. Other conditions on goals are like those on hits. */
function isNaming(filter: FilterJson): filter is [Operator, typeof GOAL, string[]] {
  if (!Object.hasOwn(OPERATORS, filter[0]) || filter[1] !== GOAL) return false;
  const [operator, , values] = filter as [Operator, typeof GOAL, (string | null)[]];
  return !OPERATORS[operator].negated && !values.includes(null);
}
