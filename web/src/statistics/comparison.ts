import {
  isIncomplete,
  type QueryToSend,
  type QueryAnswer,
  type QueriesAnswer,
  type SummaryAnswer,
} from '../shared/api';
import { asJson } from './filters/filters';
import { momentsBefore } from './chart/moments';
import { PARTS } from '../shared/names';
import type { PageAnswer, Places, View } from './page-answer';
import { plusDays, plusMoments, queryRange, shifted, type Span, stepOf, todayIn } from '../shared/ranges';
import {
  type Bucket,
  bucketsOfDays,
  bucketsOfRows,
  type Counts,
  countsOf,
  joined,
  sumOf,
} from './chart/series';

/** Two compared counts. If a range is not over, both cover the same part of it. */
export interface Comparison {
  now: Counts;
  before: Counts;
  /** The days of `before`. */
  span: Span;
  /** The last day of `span` is counted up to this moment's time of day. */
  until?: string;
  /** The days of `now`, if these are not the whole range. */
  days?: Span;
}

/** All answers for a view so far. */
export interface Answered {
  page: PageAnswer;
  summary: SummaryAnswer | undefined;
  hitQueries: QueriesAnswer | undefined;
}

/** The compared span. */
export const spanBefore = ({ span, back = 0 }: View) => shifted(span, -back);

/** A day that is not over, and the moment up to which it was counted. */
export interface OpenDay {
  day: string;
  asOf: string;
  timezone: string;
}

/** Visitors and visits end with their day, so in a range by days only the last one is cut. */
const addsDaysUp = ({ unit, span }: View) => stepOf(unit, span) === 'day';

/** The query for the part of the earlier range to compare with a range that is not over. */
export function partBefore(
  { query, headers }: Places,
  view: View,
  { day, asOf, timezone }: OpenDay,
): QueryToSend {
  const { span, filters, back } = view;
  const range = partOfRange(span, back!, addsDaysUp(view) ? day : span.from, asOf, timezone);
  return { url: query, headers, body: { metrics: PARTS, filters: filters.map(asJson), range } };
}

function partOfRange(span: Span, back: number, firstDay: string, asOf: string, timezone: string) {
  const { moments } = shifted(span, -back);
  if (moments) return [moments[0], plusMoments(asOf, -back)];
  return momentsBefore(span, firstDay, asOf, timezone, back);
}

/** The range to compare a list with: of one that is not over, as much as has passed of it. */
export function rangeBefore(span: Span, back: number, asOf: string, timezone: string): readonly string[] {
  const isOver = !span.moments && span.to < todayIn(timezone, new Date(asOf));
  return isOver ? queryRange(shifted(span, -back)) : partOfRange(span, back, span.from, asOf, timezone);
}

export function ofWholeRange(view: View, { page: { now, before } }: Answered): Comparison {
  return { now, before, span: spanBefore(view) };
}

/** Undefined if hits of that age are no longer stored. */
export function ofPart(
  view: View,
  answered: Answered,
  part: QueryAnswer,
  { day, asOf }: OpenDay,
): Comparison | undefined {
  if (isIncomplete(part)) return undefined;
  const days = addsDaysUp(view) ? daysOver(view, answered, day) : [];
  const before = [...days.map((one) => one.before), ...part.data.map(countsOf)].reduce(sumOf, {});
  const span = { ...spanBefore(view), to: plusDays(day, -view.back!) };
  return { now: answered.page.now, before, span, until: asOf };
}

/** Undefined if there are none. */
export function ofWholeDays(view: View, answered: Answered, today: string): Comparison | undefined {
  const over = addsDaysUp(view) ? daysOver(view, answered, today) : [];
  if (over.length === 0) return undefined;
  const sum = (kind: 'now' | 'before') => over.map((day) => day[kind]).reduce(sumOf, {});
  const days = { from: view.span.from, to: plusDays(today, -1) };
  const span = { ...spanBefore(view), to: plusDays(days.to, -view.back!) };
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
