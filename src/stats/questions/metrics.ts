/** What is added up for each row. */
export const COUNTED = ['visitors', 'pageviews', 'events', 'visits', 'bounces', 'seconds'] as const;
export type Counted = (typeof COUNTED)[number];

/** A ratio of two of them. */
interface Ratio {
  of: Counted;
  by: Counted;
  decimals: number;
}

const RATIOS = {
  bounce_rate: { of: 'bounces', by: 'visits', decimals: 4 },
  visit_duration: { of: 'seconds', by: 'visits', decimals: 0 },
  views_per_visit: { of: 'pageviews', by: 'visits', decimals: 4 },
} satisfies Record<string, Ratio>;

export type RatioName = keyof typeof RATIOS;
export type Metric = Counted | RatioName;
export const METRICS: readonly Metric[] = [...COUNTED, ...(Object.keys(RATIOS) as RatioName[])];

/** Undefined for what is counted itself. */
export function ratioOf(metric: Metric): Ratio | undefined {
  return Object.hasOwn(RATIOS, metric) ? RATIOS[metric as RatioName] : undefined;
}

/** Those that were asked for, and behind them what their ratios are made of. */
export function withParts(metrics: Metric[]): Metric[] {
  const parts = metrics.flatMap((metric) => {
    const ratio = ratioOf(metric);
    return ratio ? [ratio.of, ratio.by] : [];
  });
  return [...new Set([...metrics, ...parts])];
}

/** The value of a metric; null where it is a ratio of nothing. */
export function valueOf(metric: Metric, counted: (metric: Counted) => number): number | null {
  const ratio = ratioOf(metric);
  if (!ratio) return counted(metric as Counted);
  const by = counted(ratio.by);
  return by === 0 ? null : rounded(counted(ratio.of) / by, ratio.decimals);
}

function rounded(number: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(number * factor) / factor;
}
