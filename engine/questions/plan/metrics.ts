import { decimalSum, isOfSeveralCurrencies } from '../../hits/value-sums';
import { type FilterJson, leavesIn } from '../parse/filter';

const OF_HITS = ['visitors', 'pageviews', 'events', 'visits', 'bounces', 'seconds'] as const;
/** The hits that reach goals, the visitors with such a hit, and the visitors whom the rest of the filter selects. */
const OF_GOALS = ['conversions', 'converters', 'all_visitors'] as const;
const COUNTS = [...OF_HITS, ...OF_GOALS] as const;
type Count = (typeof COUNTS)[number];
/** The parts of the sum of events' values. */
const PARTS_OF_VALUE = ['value_high', 'value_low', 'value_currency'] as const;
/** The counts of a row. */
const COUNTED = [...COUNTS, ...PARTS_OF_VALUE] as const;
export type CountedMetric = (typeof COUNTED)[number];

/** A ratio of two counts. */
interface Ratio {
  of: Count;
  by: Count;
  decimals: number;
}

const RATIOS = {
  bounce_rate: { of: 'bounces', by: 'visits', decimals: 4 },
  visit_duration: { of: 'seconds', by: 'visits', decimals: 0 },
  views_per_visit: { of: 'pageviews', by: 'visits', decimals: 4 },
  conversion_rate: { of: 'converters', by: 'all_visitors', decimals: 4 },
} satisfies Record<string, Ratio>;

type RatioName = keyof typeof RATIOS;
export type Metric = Count | RatioName | 'value';
export const METRICS: readonly Metric[] = [...COUNTS, ...(Object.keys(RATIOS) as RatioName[]), 'value'];

/** Undefined for a count. */
export function ratioOf(metric: Metric): Ratio | undefined {
  return Object.hasOwn(RATIOS, metric) ? RATIOS[metric as RatioName] : undefined;
}

/** Whether it counts what reaches the goals of a website. */
export function isOfGoals(metric: Metric): boolean {
  return withParts([metric]).some((part) => OF_GOALS.some((own) => own === part));
}

/** Whether it counts a visitor once in each row. */
export function isOfVisitors(metric: Metric): boolean {
  return withParts([metric]).some((part) => ['visitors', 'converters', 'all_visitors'].includes(part));
}

/** The requested metrics, then the counts that their ratios need. */
export function withParts(metrics: Metric[]): Metric[] {
  const parts = metrics.flatMap((metric) => {
    const ratio = ratioOf(metric);
    return ratio ? [ratio.of, ratio.by] : [];
  });
  return [...new Set([...metrics, ...parts])];
}

/** The counts that some metrics need. */
export function countedFor(metrics: Metric[]): CountedMetric[] {
  const needed: readonly string[] = [
    ...withParts(metrics),
    ...(metrics.includes('value') ? PARTS_OF_VALUE : []),
  ];
  return COUNTED.filter((counted) => needed.includes(counted));
}

/**
 * The value of a metric. Null for a ratio without a denominator, and for a sum over currencies that are not added up.
 */
export function valueOf(
  metric: Metric,
  counted: (metric: CountedMetric) => number,
  addsCurrencies: boolean,
): number | string | null {
  if (metric === 'value')
    return isOfSeveralCurrencies(counted('value_currency')) && !addsCurrencies
      ? null
      : decimalSum(counted('value_high'), counted('value_low'));
  const ratio = ratioOf(metric);
  if (!ratio) return counted(metric as Count);
  const by = counted(ratio.by);
  return by === 0 ? null : rounded(counted(ratio.of) / by, ratio.decimals);
}

function rounded(number: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(number * factor) / factor;
}

/**
 * Whether sums over several currencies are intended: a filter that was sent is about currencies. What goals and saved
 * filters stand for says nothing about it.
 */
export function addsCurrencies(sent: readonly FilterJson[]): boolean {
  return leavesIn(sent).some(([, name]) => name === 'currency');
}
