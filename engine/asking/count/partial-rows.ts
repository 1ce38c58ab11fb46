import { addAmount, currenciesIn, withCurrency } from '../../hits/value-sums';
import { GOAL } from '../../questions/parse/filter';
import { originOf } from '../../questions/parse/names';
import type { DimensionName, HitQuery } from '../../questions/plan/hit-query';
import type { CountedMetric } from '../../questions/plan/metrics';
import type { WebsiteValues } from '../select/website-values';
import type { GroupKeys } from './group-keys';
import type { Tally } from './tally';

/** The counts of a query's rows over some days, which are added to those over other days. It is plain data. */
export interface PartialRows {
  /** For each dimension, the value of each row: a text, or the number of a goal or of a moment. */
  readonly keys: readonly (readonly (string | number | null)[])[];
  /** For each metric of the query, the count of each row. */
  readonly counts: readonly Float64Array[];
  /** The currencies of each row, if values are added up. */
  readonly currencies: readonly (readonly (string | null)[])[];
  /** Tells whether rows were merged. */
  readonly isMerged: boolean;
}

export function noRows({ dimensions, metrics }: Pick<HitQuery, 'dimensions' | 'metrics'>): PartialRows {
  return {
    keys: dimensions.map(() => []),
    counts: metrics.map(() => new Float64Array()),
    currencies: [],
    isMerged: false,
  };
}

/** The rows of a query, as they are counted. */
interface Rows {
  readonly hitQuery: Pick<HitQuery, 'dimensions' | 'metrics'>;
  readonly keys: GroupKeys;
  readonly tally: Tally;
}

export function partialOf({ hitQuery, keys, tally }: Rows, values: WebsiteValues): PartialRows {
  const groups = tally.counted();
  const { texts: currencies } = values.of('currency');
  const hasValues = hitQuery.metrics.includes('value_currency');
  return {
    keys: hitQuery.dimensions.map((name, index) => {
      const texts = codesOf(name, values)?.texts;
      return Array.from(groups, (group) => {
        const code = keys.codeOf(group, index);
        return texts ? texts[code]! : code;
      });
    }),
    counts: hitQuery.metrics.map((metric) => Float64Array.from(groups, (group) => tally.of(metric, group))),
    currencies: hasValues
      ? Array.from(groups, (group) => currenciesIn(tally.of('value_currency', group), currencies))
      : [],
    isMerged: keys.isMerged,
  };
}

export function addPartial(
  { hitQuery: { dimensions, metrics }, keys, tally }: Rows,
  added: PartialRows,
  values: WebsiteValues,
): void {
  keys.isMerged ||= added.isMerged;
  const codesByRow = dimensions.map((name, index) => {
    const codes = codesOf(name, values);
    return added.keys[index]!.map((key) => (typeof key === 'number' ? key : codes!.codeOf(key)));
  });
  const currencies = values.of('currency');
  const countsOf = (metric: CountedMetric) => added.counts[metrics.indexOf(metric)];
  const [highs, lows] = [countsOf('value_high'), countsOf('value_low')];
  for (let row = 0; row < added.counts[0]!.length; row++) {
    const group = keys.groupOf(codesByRow.map((codes) => codes[row]!));
    tally.reserve(Math.max(keys.size, group + 1));
    for (const metric of metrics)
      if (!isOfValues(metric)) tally.countsOf(metric)![group]! += countsOf(metric)![row]!;
    if (!highs || !lows) continue;
    const amount = { high: highs[row]!, low: lows[row]! };
    addAmount(tally.countsOf('value_high')!, tally.countsOf('value_low')!, group, amount);
    const own = tally.countsOf('value_currency')!;
    for (const currency of added.currencies[row]!)
      own[group] = withCurrency(own[group]!, currencies.codeOf(currency));
  }
}

function isOfValues(metric: CountedMetric): boolean {
  return metric === 'value_high' || metric === 'value_low' || metric === 'value_currency';
}

/** Undefined if the values of a dimension are numbers. */
function codesOf(name: DimensionName, values: WebsiteValues) {
  if (name === GOAL) return undefined;
  const origin = originOf(name);
  return origin.level === 'moment' ? undefined : values.of(origin.values);
}
