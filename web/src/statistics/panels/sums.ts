import type { Cell } from '../../../../src/http/answers/csv';
import type { QueryAnswer } from '../../shared/api';
import { type Filter, type FilterJson, queryFilters } from '../filters/filters';
import { type Counted, described, type Name } from '../../shared/names';

/** The values of some events, added up in their currency. Those of several currencies stand side by side. */
export interface Sum {
  currency: string;
  /** A decimal. */
  amount: string;
}

export type SumsByValue = Map<string, Sum[]>;

const MAX_ROWS = 1000;
const HAS_CURRENCY: FilterJson = ['is_not', 'currency', [null]];

/** What a list of a name counts; the rows of currencies have their sums as well. */
export function metricsOf(name: Name): (Counted | 'value')[] {
  const { counts } = described(name);
  return name === 'currency' ? [counts, 'value'] : [counts];
}

/** Whether sums have to be asked for beside a list, which is of events. */
export function needsSums(name: Name): boolean {
  const { counts, isListed } = described(name);
  return counts === 'events' && !isListed && name !== 'currency';
}

/** Asks for the sums of what is listed of a name, those of the most events first. */
export function sumsQuery(name: Name, filters: Filter[], range: string[], values?: string[]) {
  const listed: FilterJson[] = values ? [['is', name, values]] : [];
  return {
    metrics: ['events', 'value'],
    dimensions: [name, 'currency'],
    filters: [...queryFilters(filters, name), ...listed, HAS_CURRENCY],
    range,
    per_page: MAX_ROWS,
  };
}

/** Empty where none of the answers has sums of the name. */
export function sumsIn(name: Name, answers: readonly QueryAnswer[]): SumsByValue {
  const sums: SumsByValue = new Map();
  const found = answers.find(({ meta }) => meta.metrics.includes('value') && meta.dimensions[0] === name);
  for (const { [name]: value, currency, value: amount } of found?.data ?? [])
    if (value && currency && amount) sums.set(value, [...(sums.get(value) ?? []), { currency, amount }]);
  return sums;
}

/** A number wherever that has the same digits: programs take texts that begin with a minus for formulas. */
export function cellOf(sums: readonly Sum[] | undefined, currency: string): Cell {
  const amount = sums?.find((sum) => sum.currency === currency)?.amount ?? null;
  return String(Number(amount)) === amount ? Number(amount) : amount;
}

/** The currencies of all sums, each once. */
export function currenciesIn(sums: readonly (readonly Sum[] | undefined)[]): string[] {
  return [...new Set(sums.flatMap((some = []) => some.map(({ currency }) => currency)))].sort();
}
