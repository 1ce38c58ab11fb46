import { offsetOf, type Rows } from '../../../engine/ground/rows';
import { textAt } from '../../../engine/ground/lists/text-list';
import type { QueryRow } from '../dto/query.view';
import {
  type CountedMetric,
  type Metric,
  OF_ALL_DAYS,
  valueOf,
  withParts,
} from '../../../engine/questions/plan/metrics';
import type { Answer, HitQuery } from '../../../engine/questions/plan/hit-query';
import type { RequestedQuery } from '../../../engine/questions/parse/query-body';

type Series = Pick<RequestedQuery, 'metrics' | 'dimensions' | 'fill' | 'order_by' | 'page' | 'per_page'>;

/** The answers for all days, and for shown days. */
type SeriesAnswers = [all: QueryWithAnswer, shown: QueryWithAnswer];
interface QueryWithAnswer {
  hitQuery: Pick<HitQuery, 'metrics'>;
  answer: Pick<Answer, 'rows'>;
}

/** Formats only the rows of the page: a range may have tens of thousands of days. */
export function shownSeriesPage(requested: Series, [all, ofShownDays]: SeriesAnswers): Rows<QueryRow> {
  const { metrics, dimensions, fill, order_by } = requested;
  const shown = withParts(metrics);
  const numbers = (kind: 'metrics' | 'previous', index: number) => {
    const ofAll = (metric: CountedMetric) => countIn(all, kind, metric, index);
    const ofShown = (metric: CountedMetric) => countIn(ofShownDays, kind, metric, index);
    const hasHiddenDays = ofAll('visitors') > ofShown('visitors');
    return shown.map((metric): [Metric, number | string | null] => {
      const total = OF_ALL_DAYS.find((one) => one === metric);
      if (total) return [metric, ofAll(total)];
      return [metric, hasHiddenDays ? null : valueOf(metric, ofShown, false)];
    });
  };
  const { rows } = all.answer;
  const rowAt = (index: number) => {
    const values = dimensions.map((name, place) => [name, textAt(rows.dimensions[place]!, index)] as const);
    const row = Object.fromEntries<QueryRow[string]>([...values, ...numbers('metrics', index)]);
    if (rows.previous.length > 0) row.previous = Object.fromEntries(numbers('previous', index));
    return row;
  };
  const isShown = (index: number) =>
    fill || dimensions.length === 0 || rows.metrics.some((counts) => counts[index]! > 0);
  const places = Array.from(rows.metrics[0]!.keys()).filter(isShown);
  if (order_by?.[0]?.[1] === 'desc') places.reverse();
  const begin = offsetOf(requested);
  return { rows: places.slice(begin, begin + requested.per_page).map(rowAt), total: places.length };
}

function countIn(
  { hitQuery: { metrics }, answer: { rows } }: QueryWithAnswer,
  kind: 'metrics' | 'previous',
  metric: CountedMetric,
  index: number,
): number {
  return rows[kind][metrics.indexOf(metric)]![index]!;
}
