import type { QueryToSend, QueryAnswer, QueriesAnswer, SummaryAnswer } from '../shared/api';
import { asJson } from './filters/filters';
import { momentsBefore } from './chart/moments';
import { PARTS } from '../shared/names';
import type { PageAnswer, Places, View } from './page-answer';
import { daysIn, plusDays, type Span, stepOf } from '../shared/ranges';
import {
  type Bucket,
  bucketsOfDays,
  bucketsOfRows,
  type Counts,
  countsOf,
  joined,
  sumOf,
} from './chart/series';

/** What stands beside what: of a range that is not over, no more than there can be of both. */
export interface Comparison {
  now: Counts;
  before: Counts;
  /** The days of `before`. */
  span: Span;
  /** The last of these is counted up to the time of the day of this moment. */
  until?: string;
  /** The days of `now`, where these are not all of the range. */
  days?: Span;
}

/** All that was answered about a view. */
export interface Answered {
  page: PageAnswer;
  summary: SummaryAnswer | undefined;
  hitQueries: QueriesAnswer | undefined;
}

/** As many days right before some. */
function spanBefore({ from, to }: Span): Span {
  const days = daysIn({ from, to });
  return { from: plusDays(from, -days), to: plusDays(to, -days) };
}

/** A day of a range that is not over, and the moment up to which it was counted. */
export interface OpenDay {
  day: string;
  asOf: string;
  timezone: string;
}

/** Visitors and visits end with their day, so of ranges by days only the last one has to be cut. */
const addsDaysUp = ({ unit, span }: View) => stepOf(unit, span) === 'day';

/** Asks for the part of the range before that a range which is not over is compared with. */
export function partBefore(
  { query, headers }: Places,
  view: View,
  { day, asOf, timezone }: OpenDay,
): QueryToSend {
  const { span, filters } = view;
  const range = momentsBefore(span, addsDaysUp(view) ? day : span.from, asOf, timezone);
  return { url: query, headers, body: { metrics: PARTS, filters: filters.map(asJson), range } };
}

export function ofWholeRange({ span }: View, { page: { now, before } }: Answered): Comparison {
  return { now, before, span: spanBefore(span) };
}

/** Undefined where hits that are as old are not kept. */
export function ofPart(
  view: View,
  answered: Answered,
  part: QueryAnswer,
  { day, asOf }: OpenDay,
): Comparison | undefined {
  if (part.meta.warnings?.some(({ code }) => code === 'kept_since')) return undefined;
  const days = addsDaysUp(view) ? daysOver(view, answered, day) : [];
  const before = [...days.map((one) => one.before), ...part.data.map(countsOf)].reduce(sumOf, {});
  const span = { ...spanBefore(view.span), to: plusDays(day, -daysIn(view.span)) };
  return { now: answered.page.now, before, span, until: asOf };
}

/** Undefined where there are none. */
export function ofWholeDays(view: View, answered: Answered, today: string): Comparison | undefined {
  const over = addsDaysUp(view) ? daysOver(view, answered, today) : [];
  if (over.length === 0) return undefined;
  const sum = (kind: 'now' | 'before') => over.map((day) => day[kind]).reduce(sumOf, {});
  const days = { from: view.span.from, to: plusDays(today, -1) };
  const span = { ...spanBefore(view.span), to: plusDays(days.to, -daysIn(view.span)) };
  return { now: sum('now'), before: sum('before'), span, days };
}

function daysOver({ span, filters }: View, { summary, hitQueries }: Answered, today: string): Bucket[] {
  const [series] = hitQueries?.data ?? [];
  const rows = series ? bucketsOfRows(series.data, 'day', span, new Date()) : [];
  const ofName = (wanted: string) => summary?.data.find(({ name }) => name === wanted);
  const days =
    filters.length > 0 ? rows : joined(rows, bucketsOfDays(ofName('visitor'), ofName('pageview'), span));
  return days.filter(({ from }) => from < today);
}
