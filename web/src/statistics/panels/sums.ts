import type { Cell } from '../../../../engine/hits/files/csv';
import type { QueryAnswer } from '../../shared/api';
import { type Filter, type FilterJson, queryFilters } from '../filters/filters';
import { type Counted, described, type Name } from '../../shared/names';

/** The sum of events' values in one currency. */
export interface Sum {
  currency: string;
  /** A decimal. */
  amount: string;
}

export type SumsByValue = Map<string, Sum[]>;

const MAX_ROWS = 1000;
const HAS_CURRENCY: FilterJson = ['is_not', 'currency', [null]];

/** The metrics of a name's list; rows of currencies include their sums, and those of one event its visitors. */
export function metricsOf(name: Name, event?: string): (Counted | 'value')[] {
  const { counts } = described(name);
  if (event !== undefined) return [counts, 'visitors'];
  return name === 'currency' ? [counts, 'value'] : [counts];
}

/** Tells whether a list is about events, so that their sums must be queried separately. */
export function needsSums(name: Name): boolean {
  const { counts, isListed } = described(name);
  return counts === 'events' && !isListed && name !== 'currency';
}

/** A query for the sums of a name's listed values, those with the most events first. */
export function sumsQuery(name: Name, filters: Filter[], range: readonly string[], values?: string[]) {
  const listed: FilterJson[] = values ? [['is', name, values]] : [];
  return {
    metrics: ['events', 'value'],
    dimensions: [name, 'currency'],
    filters: [...queryFilters(filters, name), ...listed, HAS_CURRENCY],
    range,
    per_page: MAX_ROWS,
  };
}

/** Empty if no answer has sums of the name. */
export function sumsIn(name: Name, answers: readonly QueryAnswer[]): SumsByValue {
  const sums: SumsByValue = new Map();
  const found = answers.find(({ meta }) => meta.metrics.includes('value') && meta.dimensions[0] === name);
  for (const { [name]: value, currency, value: amount } of found?.data ?? [])
    if (value && currency && amount) sums.set(value, [...(sums.get(value) ?? []), { currency, amount }]);
  return sums;
}

/** A number if it has the same digits: programs interpret texts that begin with a minus as formulas. */
export function cellOf(sums: readonly Sum[] | undefined, currency: string): Cell {
  const amount = sums?.find((sum) => sum.currency === currency)?.amount ?? null;
  return String(Number(amount)) === amount ? Number(amount) : amount;
}

/** The currencies of all sums, without duplicates. */
export function currenciesIn(sums: readonly (readonly Sum[] | undefined)[]): string[] {
  return [...new Set(sums.flatMap((some = []) => some.map(({ currency }) => currency)))].sort();
}
