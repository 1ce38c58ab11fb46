import type { PartialRows } from '../asking/count/partial-rows';
import type { Queryable } from '../database/rows';
import type { DayKey } from '../port';
import { GOAL } from '../questions/parse/filter';
import { originOf } from '../questions/parse/names';
import type { Aggregation } from '../questions/plan/aggregation';
import { BUCKETS, isOfDay, type Zone } from '../questions/plan/buckets';
import type { CountedMetric } from '../questions/plan/metrics';
import type { HitQuery, Range } from '../questions/plan/hit-query';

const HOUR_S = 3600;
const UNITS = 10n ** 12n;

type Key = string | number | null;
type Result = Record<string, string | number | null>;

interface Group {
  readonly key: readonly Key[];
  readonly counts: number[];
  /** In 1/10,000. */
  value: bigint;
  readonly currencies: Set<string>;
}

/** Runs the statements of a query, and puts their groups together. */
export async function countRows(
  reader: Queryable,
  keys: readonly DayKey[],
  { dimensions, metrics }: HitQuery,
  range: Range,
  zone: Zone,
  aggregations: readonly Aggregation[],
): Promise<PartialRows> {
  const groups = new Map<string, Group>();
  const numbersOf = dimensions.map((name) => bucketNumber(name, range, zone));
  for (const { sql, parameters, metrics: counted } of aggregations) {
    const statement = sql.replace(/\{days of (\w+)\}/g, (_, alias: string) => daysIn(keys, alias));
    for (const row of await reader.query<Result[]>(statement, parameters)) {
      const key = numbersOf.map((numberOf, index) => {
        const value = row[`value_${index}`]!;
        return numberOf ? numberOf(Number(value)) : value;
      });
      const name = JSON.stringify(key);
      const group = groups.get(name) ?? {
        key,
        counts: metrics.map(() => 0),
        value: 0n,
        currencies: new Set<string>(),
      };
      groups.set(name, group);
      for (const metric of counted)
        if (!isOfValue(metric)) group.counts[metrics.indexOf(metric)]! += Number(row[metric]);
      if (counted.includes('value_high'))
        group.value += BigInt(row.value_high ?? 0) * UNITS + BigInt(row.value_low ?? 0);
      for (const currency of [row.first_currency, row.last_currency])
        if (typeof currency === 'string') group.currencies.add(currency);
    }
  }
  const all = [...groups.values()].filter(
    ({ counts, currencies }) => currencies.size > 0 || counts.some(Boolean),
  );
  return {
    keys: dimensions.map((_, index) => all.map(({ key }) => key[index]!)),
    counts: metrics.map((metric, index) => Float64Array.from(all, (group) => countOf(group, metric, index))),
    currencies: metrics.includes('value_currency')
      ? all.map(({ currencies }) => [...currencies].slice(0, 2))
      : [],
    isMerged: false,
  };
}

function isOfValue(metric: CountedMetric): boolean {
  return metric === 'value_high' || metric === 'value_low' || metric === 'value_currency';
}

function countOf({ counts, value }: Group, metric: CountedMetric, index: number): number {
  if (metric === 'value_high') return Number(value / UNITS);
  return metric === 'value_low' ? Number(value % UNITS) : counts[index]!;
}

/** The number of the bucket of a day or a moment. Undefined if the values of a name are texts. */
function bucketNumber(name: HitQuery['dimensions'][number], range: Range, zone: Zone) {
  const origin = name === GOAL ? undefined : originOf(name);
  if (origin?.level !== 'moment') return undefined;
  const { bucket } = origin;
  if (bucket === 'hour_of_day') return (second: number) => second / HOUR_S;
  const buckets = BUCKETS[bucket](range.days, zone);
  return isOfDay(bucket) ? (day: number) => buckets.indexOf(day, 0) : (at: number) => buckets.indexOf(0, at);
}

/** All are numbers, so nothing is bound. */
function daysIn(keys: readonly DayKey[], alias: string): string {
  const days = keys.map(
    ({ websiteId, day, version }) =>
      `(${alias}.website = ${websiteId} AND ${alias}.day = ${day} AND ${alias}.version = ${version})`,
  );
  return days.length === 0 ? '1 = 0' : `(${days.join(' OR ')})`;
}
