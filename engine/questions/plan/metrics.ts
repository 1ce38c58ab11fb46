import { decimalSum, isOfSeveralCurrencies } from '../../hits/value-sums';
import { VISIT_PAUSE_S } from '../../hits/rules/visit-pause';
import { type FilterJson, leavesIn } from '../parse/filter';

interface Count {
  explanation: string;
  /** Tells whether it counts what reaches the goals of a website. */
  ofGoals?: true;
  /** Tells whether a visitor counts once in each row. */
  ofVisitors?: true;
  /** The place in the rules of alerts, which take counts that make sense over an hour. */
  inAlerts?: number;
  /** Tells whether viewers see it of all days. Other metrics could reveal what a single visitor did. */
  ofAllDays?: true;
}

const COUNTS = {
  visitors: {
    ofVisitors: true,
    inAlerts: 1,
    ofAllDays: true,
    explanation: 'Visitors of a day, added up over days.',
  },
  pageviews: { inAlerts: 3, ofAllDays: true, explanation: 'Page views.' },
  events: { inAlerts: 4, explanation: 'Events.' },
  visits: {
    inAlerts: 2,
    explanation: `Hits of one visitor of a day with no pause over ${VISIT_PAUSE_S / 60} minutes.`,
  },
  bounces: { explanation: 'Visits of one page view and no event, passive events aside.' },
  seconds: {
    explanation: 'The seconds from the first to the last hit of each visit, added up; passive events aside.',
  },
  conversions: {
    ofGoals: true,
    inAlerts: 5,
    explanation:
      'Hits that reach a goal: that of the row, those that the filters name, or any of the website.',
  },
  converters: {
    ofGoals: true,
    ofVisitors: true,
    inAlerts: 6,
    explanation: 'Visitors of a day with a conversion, added up over days.',
  },
  all_visitors: {
    ofGoals: true,
    ofVisitors: true,
    explanation:
      'Visitors of a day whom the filters select without their conditions on goals, converters or not, added up over days.',
  },
} as const satisfies Record<string, Count>;
type CountName = keyof typeof COUNTS;
const COUNT_NAMES = Object.keys(COUNTS) as CountName[];

/** A ratio of two counts. */
interface Ratio {
  of: CountName;
  by: CountName;
  decimals: number;
  explanation: string;
}

const RATIOS = {
  bounce_rate: {
    of: 'bounces',
    by: 'visits',
    decimals: 4,
    explanation: 'bounces by visits, from 0 to 1; null without visits.',
  },
  visit_duration: {
    of: 'seconds',
    by: 'visits',
    decimals: 0,
    explanation: 'seconds by visits; null without visits.',
  },
  views_per_visit: {
    of: 'pageviews',
    by: 'visits',
    decimals: 4,
    explanation: 'pageviews by visits; null without visits.',
  },
  conversion_rate: {
    of: 'converters',
    by: 'all_visitors',
    decimals: 4,
    explanation: 'converters by all_visitors, from 0 to 1; null without visitors.',
  },
} as const satisfies Record<string, Ratio>;
type RatioName = keyof typeof RATIOS;

const VALUE = {
  explanation:
    'The values of events added up, as a decimal text, or of the conversions of a goal with a value of its own; null over several currencies, unless a filter is about them.',
};

/** The parts of the sum of events' values. */
const PARTS_OF_VALUE = ['value_high', 'value_low', 'value_currency'] as const;
/** The counts of a row. */
const COUNTED = [...COUNT_NAMES, ...PARTS_OF_VALUE] as const;
export type CountedMetric = (typeof COUNTED)[number];

const ALL = { ...COUNTS, ...RATIOS, value: VALUE };
export type Metric = keyof typeof ALL;
export const METRICS = Object.keys(ALL) as readonly Metric[];

type WithFlag<F extends keyof Count> = {
  [N in CountName]: F extends keyof (typeof COUNTS)[N] ? N : never;
}[CountName];

function having<F extends keyof Count>(flag: F): WithFlag<F>[] {
  return COUNT_NAMES.filter((name): name is WithFlag<F> => flag in COUNTS[name]);
}

export type AlertMetric = WithFlag<'inAlerts'>;
export const ALERT_METRICS: readonly AlertMetric[] = having('inAlerts').sort(
  (one, other) => COUNTS[one].inAlerts - COUNTS[other].inAlerts,
);
export const OF_ALL_DAYS = having('ofAllDays');
const OF_GOALS: readonly string[] = having('ofGoals');
const OF_VISITORS: readonly string[] = having('ofVisitors');

export function explanationOfMetric(metric: Metric): string {
  return ALL[metric].explanation;
}

/** Undefined for a count. */
export function ratioOf(metric: Metric): Ratio | undefined {
  return Object.hasOwn(RATIOS, metric) ? RATIOS[metric as RatioName] : undefined;
}

/** Tells whether it counts what reaches the goals of a website. */
export function isOfGoals(metric: Metric): boolean {
  return withParts([metric]).some((part) => OF_GOALS.includes(part));
}

/** Tells whether it counts a visitor once in each row. */
export function isOfVisitors(metric: Metric): boolean {
  return withParts([metric]).some((part) => OF_VISITORS.includes(part));
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
  if (!ratio) return counted(metric as CountName);
  const by = counted(ratio.by);
  return by === 0 ? null : rounded(counted(ratio.of) / by, ratio.decimals);
}

function rounded(number: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(number * factor) / factor;
}

/**
 * Tells whether sums over several currencies are intended: a filter that was sent is about currencies. What goals and saved
 * filters stand for says nothing about it.
 */
export function addsCurrencies(sent: readonly FilterJson[]): boolean {
  return leavesIn(sent).some(([, name]) => name === 'currency');
}
