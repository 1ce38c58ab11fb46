import type { ResolvedFilter } from '../../engine/questions/parse/filter';
import { type ModelCounts, type ModelQuery, NOTHING, type QueryModel } from './query-model';

/** A goal in the terms of the documentation. Its value is in 1/10,000. */
export interface ModelGoal {
  name: string;
  filters: ResolvedFilter[];
  value: bigint | null;
}

export interface ModelGoalQuery extends Omit<ModelQuery, 'filters'> {
  /** The filters without conditions that name goals. */
  rest: ResolvedFilter[];
  /** The goals that the filters name, if they do. */
  named: ModelGoal[] | undefined;
}

export type GoalCounts = ModelCounts & Record<'conversions' | 'converters' | 'all_visitors', number>;

/** The meaning of queries about goals: what a goal adds is a filter. A compared row may have no conversion. */
export function rowsOfGoals(
  model: QueryModel,
  query: ModelGoalQuery,
  goals: ModelGoal[],
  isCompared = false,
): Map<string, GoalCounts> {
  const { rest, named, dimensions } = query;
  const selected = named ? [...rest, anyOf(named)] : rest;
  const place = dimensions.indexOf('goal');
  const others = dimensions.filter((name) => name !== 'goal');
  const ask = (filters: ResolvedFilter[]) => model.rows({ ...query, filters, dimensions: others });
  const visitors = ask(rest);
  if (place < 0) return rowsWithoutGoal();
  const rows = new Map<string, GoalCounts>();
  for (const goal of goals) {
    const counted = ask([...selected, ['and', goal.filters]]);
    for (const key of new Set([...counted.keys(), ...(isCompared ? visitors.keys() : [])])) {
      const values = JSON.parse(key) as (string | null)[];
      const row = countsOf(counted.get(key), counted.get(key), visitors.get(key), goal.value);
      rows.set(JSON.stringify(values.toSpliced(place, 0, goal.name)), row);
    }
  }
  return rows;

  function rowsWithoutGoal(): Map<string, GoalCounts> {
    const rows = new Map<string, GoalCounts>();
    const counted = ask(selected);
    const converting = named ? counted : ask([...rest, anyOf(goals)]);
    const value = named?.length === 1 ? named[0]!.value : null;
    for (const key of new Set([...counted.keys(), ...converting.keys(), ...visitors.keys()])) {
      const row = countsOf(counted.get(key), converting.get(key), visitors.get(key), value);
      if (counted.has(key) || row.conversions + row.converters + row.all_visitors > 0) rows.set(key, row);
    }
    return rows;
  }
}

export function anyOf(goals: ModelGoal[]): ResolvedFilter {
  return ['or', goals.map(({ filters }): ResolvedFilter => ['and', filters])];
}

function countsOf(
  counted = NOTHING(),
  converting = NOTHING(),
  all = NOTHING(),
  value: bigint | null,
): GoalCounts {
  const conversions = converting.pageviews + converting.events;
  return {
    ...counted,
    conversions,
    converters: converting.visitors,
    all_visitors: all.visitors,
    ...(value !== null && { value: value * BigInt(conversions), currencies: new Set() }),
  };
}
