import {
  type QueriesAnswer,
  type QueryAnswer,
  type QueryToSend,
  type StatSummary,
  type SummaryAnswer,
  isIncomplete,
  urlOf,
} from '../shared/api';
import { paired } from './chart/paired';
import {
  daysIn,
  daysOnly,
  FIRST_DAY,
  plusDays,
  queryRange,
  shifted,
  type Span,
  stepOf,
  type Unit,
} from '../shared/ranges';

/** The longest range for which the service adds days without visits. */
export const MAX_FILLED_DAYS = 3660;

interface View {
  span: Span;
  unit: Unit;
  /** How many days earlier the compared range begins; undefined if nothing is compared. */
  back: number | undefined;
}

/** The service compares days with those right before. Any other range is queried by itself, in the same request. */
export const isApart = ({ back, span }: Pick<View, 'back' | 'span'>) =>
  back !== undefined && (span.moments !== undefined || back !== daysIn(span));

/** The service pairs buckets by position, which is right for days alone: clocks change, and months differ. */
function isSeriesApart(view: View): boolean {
  const { back, span, unit } = view;
  if (back === undefined || isApart(view)) return back !== undefined;
  return stepOf(unit, span) !== 'day' && shifted(span, -back).from >= FIRST_DAY;
}

/** A query for a range that the service compares, or the same one for the range to compare with behind it. */
export function comparedQueries<T extends object>(query: T, view: View, apart = isApart(view)): T[] {
  if (view.back === undefined) return [query];
  if (!apart) return [{ ...query, compare: 'previous' }];
  return [query, { ...query, range: queryRange(shifted(view.span, -view.back)) }];
}

export function comparedSeries<T extends object>(query: T, view: View): T[] {
  return comparedQueries(query, view, isSeriesApart(view));
}

/** The answers about a range that is queried by itself. */
export interface Earlier {
  series: QueryAnswer;
  /** The whole range, where days do not add up to it. */
  whole: QueryAnswer | undefined;
}

/** Tells the answers about a range from those about the earlier one. */
export function splitAnswers({ data }: QueriesAnswer): { own: QueriesAnswer; earlier: Earlier | undefined } {
  const rangeOf = ({ meta }: QueryAnswer) => JSON.stringify(meta.range);
  const isOwn = (answer: QueryAnswer) => rangeOf(answer) === rangeOf(data[0]!);
  const others = data.filter((answer) => !isOwn(answer));
  const own = data.filter(isOwn).map((answer) => withPrevious(answer, others));
  const series = sameOf(data[0]!, others);
  const whole = others.find(({ meta }) => meta.dimensions.length === 0);
  return { own: { data: own }, earlier: series && { series, whole } };
}

const sameOf = ({ meta: { dimensions } }: QueryAnswer, answers: QueryAnswer[]) =>
  answers.find(({ meta }) => meta.dimensions.join() === dimensions.join());

/** An answer as if the service had compared it. Lists are not compared. */
function withPrevious(answer: QueryAnswer, earlier: QueryAnswer[]): QueryAnswer {
  const other = sameOf(answer, earlier);
  if (!other) return answer;
  return {
    data: paired(answer, other),
    meta: { ...answer.meta, warnings: [...(answer.meta.warnings ?? []), ...(other.meta.warnings ?? [])] },
  };
}

/** Rollups of the earlier range, which reach further back than hits. Needed only if its hits are not kept. */
export function earlierSummaryFor(
  { summary }: { summary: string },
  view: View & { filters: readonly unknown[] },
  earlier: Earlier | undefined,
): QueryToSend | undefined {
  if (!isApart(view) || !earlier || !isIncomplete(earlier.series) || view.filters.length > 0)
    return undefined;
  const fill = daysIn(view.span) <= MAX_FILLED_DAYS ? 1 : undefined;
  const span = shifted(view.span, -view.back!);
  return { url: urlOf(summary, { names: 'visitor,pageview', ...daysOnly(span), fill }) };
}

const METRICS: Partial<Record<string, 'visitors' | 'pageviews'>> = {
  visitor: 'visitors',
  pageview: 'pageviews',
};

/** Rollups as if the service had compared them: with earlier rollups, or with the series of the earlier hits. */
export function comparedSummary(
  { data, meta }: SummaryAnswer,
  back: number,
  earlier: Earlier,
  rollups: SummaryAnswer | undefined,
): SummaryAnswer {
  const compared = data.map((summary): StatSummary => {
    const metric = METRICS[summary.name];
    if (!metric) return summary;
    const counted = rollups?.data.find(({ name }) => name === summary.name);
    const { sum, days } = counted ? countsOfRollup(counted) : countsOfHits(earlier, metric);
    const previousOf = (day: string) => days && { previous_count: days.get(plusDays(day, -back)) ?? 0 };
    return {
      ...summary,
      entries: summary.entries.map((entry) => ({ ...entry, ...previousOf(entry.value) })),
      previous_sum: sum,
    };
  });
  return { data: compared, meta };
}

interface DayCounts {
  sum: number;
  /** Undefined if there is no series of days. */
  days: ReadonlyMap<string, number> | undefined;
}

const countsOfRollup = ({ sum, entries }: StatSummary): DayCounts => ({
  sum,
  days: new Map(entries.map(({ value, count }) => [value, count])),
});

function countsOfHits({ series, whole }: Earlier, metric: 'visitors' | 'pageviews'): DayCounts {
  const sum = (whole ?? series).data.reduce((counted, row) => counted + (row[metric] ?? 0), 0);
  if (series.meta.dimensions[0] !== 'day') return { sum, days: undefined };
  return { sum, days: new Map(series.data.map((row) => [row.day!, row[metric] ?? 0])) };
}
