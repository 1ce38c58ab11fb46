import { isIncomplete, type QueriesAnswer, type QueryRow, type QueryToSend } from '../../shared/api';
import type { Span } from '../../shared/ranges';
import { queryRange } from '../../shared/ranges';
import { asJson, type Filter } from '../../statistics/filters/filters';
import type { Places } from '../../statistics/page-answer';
import type { Sum } from '../../statistics/panels/sums';
import type { Goal } from '../definitions';

/** A goal and how often it was reached. */
export interface GoalRow {
  name: string;
  conversions: number;
  converters: number;
  /** Between 0 and 1; undefined of nothing. */
  rate: number | undefined;
  values: Sum[];
  /** Undefined if nothing is compared. */
  before: number | undefined;
}

export interface GoalsAsked {
  places: Places;
  span: Span;
  filters: Filter[];
  /** The range to compare with. */
  earlier: readonly string[] | undefined;
  /** Undefined for readers who may not see values. */
  goals: readonly Goal[] | undefined;
}

const MOST = 100;
const BY_GOAL = { dimensions: ['goal'], per_page: MOST };
const MAX_ROWS = 1000;

/** One request for all numbers of goals: those of the range, the values of events, and those of the range before. */
export function goalsQuery({ places, span, filters, earlier, goals }: GoalsAsked): QueryToSend {
  const common = { filters: filters.map(asJson), range: queryRange(span) };
  const metrics = ['conversions', 'converters', 'conversion_rate'];
  const now = { ...common, ...BY_GOAL, metrics: goals?.some(isFixed) ? [...metrics, 'value'] : metrics };
  const sums = {
    ...common,
    metrics: ['conversions', 'value'],
    dimensions: ['goal', 'currency'],
    filters: [...common.filters, ['is_not', 'currency', [null]]],
    per_page: MAX_ROWS,
  };
  const before = earlier && { ...common, ...BY_GOAL, metrics: ['conversions'], range: earlier };
  const queries = [now, before ?? [], goals?.some((goal) => !isFixed(goal)) ? sums : []].flat();
  return { url: places.query, headers: places.headers, body: { queries } };
}

const isFixed = ({ currency }: Goal) => currency !== null;

/** All goals, those that were reached most first; the ones that were not have zeros. */
export function goalRows(goals: readonly Goal[] | undefined, { data }: QueriesAnswer): GoalRow[] {
  const [now, ...others] = data;
  // The answer may belong to an older request, so its lists are known by what they have.
  const listOf = (dimensions: string) => others.find(({ meta }) => meta.dimensions.join() === dimensions);
  const earlier = listOf('goal');
  const before =
    earlier && !isIncomplete(earlier)
      ? new Map(earlier.data.map((row) => [row.goal, row.conversions ?? 0]))
      : undefined;
  const sums = listOf('goal,currency')?.data ?? [];
  const reached = new Map(now?.data.map((row) => [row.goal!, row]));
  const names = new Set([...(goals ?? []).map(({ name }) => name), ...reached.keys()]);
  const rows = [...names].map((name): GoalRow => {
    const row = reached.get(name);
    const currency = goals?.find((goal) => goal.name === name)?.currency;
    return {
      name,
      conversions: row?.conversions ?? 0,
      converters: row?.converters ?? 0,
      rate: row?.conversion_rate ?? undefined,
      values: currency ? valueOf(row, currency) : valuesOf(sums, name),
      before: before && (before.get(name) ?? 0),
    };
  });
  return rows.sort((one, other) => other.conversions - one.conversions || (one.name < other.name ? -1 : 1));
}

const valueOf = (row: QueryRow | undefined, currency: string): Sum[] =>
  row?.value ? [{ currency, amount: row.value }] : [];

/** The values of a goal's events, by currency. */
const valuesOf = (sums: readonly QueryRow[], name: string): Sum[] =>
  sums.flatMap(({ goal, currency, value }) =>
    goal === name && currency && value ? [{ currency, amount: value }] : [],
  );
