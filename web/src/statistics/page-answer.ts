import type {
  Excluded,
  QueryToSend,
  QueryAnswer,
  QueryRow,
  QueriesAnswer,
  StatSummary,
  ShownWarning,
  SummaryAnswer,
} from '../shared/api';
import { isIncomplete, isSince, shownWarnings, urlOf } from '../shared/api';
import { about, sinceIn } from './coverage';
import { asJson, type Filter, queryFilters } from './filters/filters';
import { described, type Name, PARTS } from '../shared/names';
import { comparedQueries, comparedSeries, isApart, MAX_FILLED_DAYS } from './earlier';
import { daysOnly, queryRange, type Span, stepOf, type Unit } from '../shared/ranges';
import { metricsOf, needsSums, type SumsByValue, sumsIn, sumsQuery } from './panels/sums';
import {
  addedUp,
  type Bucket,
  bucketsOfDays,
  bucketsOfRows,
  completed,
  type Counts,
  countsOf,
  joined,
  monthsOf,
  sumOf,
} from './chart/series';

/** The addresses for queries about a website. */
export interface Places {
  stats: string;
  summary: string;
  query: string;
  values: string;
  live: string;
  /** The lists of goals and of saved filters, which only the owner has. */
  goals?: string;
  saved?: string;
  /** The events that were left out, which only the owner sees. */
  dropped?: string;
  /** The headers of a query. */
  headers: Record<string, string>;
}

/** The contents of a page. */
export interface View {
  span: Span;
  unit: Unit;
  /** How many days earlier the compared range begins, which is as long; undefined if nothing is compared. */
  back: number | undefined;
  filters: Filter[];
  names: Name[];
  /** Tells whether the values of events may be queried. */
  isOwner: boolean;
  /** Tells whether hits may be queried like the owner can; if not, names are only read from statistics. */
  mayFilter: boolean;
}

export interface Entry {
  value: string;
  count: number;
  previous?: number | undefined;
  /** Where events are counted, and their visitors were asked for as well. */
  visitors?: number | undefined;
}

/** The largest entries of a name. */
export interface List {
  entries: Entry[];
  total: number;
}

export interface Top extends List {
  /** The sums of events' values; empty for other names. */
  sums: SumsByValue;
  /** Instead of entries: the day since which the name is complete. */
  since?: string | undefined;
}

export interface PageAnswer {
  now: Counts;
  before: Counts;
  buckets: Bucket[] | undefined;
  /** The unit of the buckets. */
  unit: Unit;
  tops: Partial<Record<Name, Top>>;
  span: Span | undefined;
  /** The first day with visitors; undefined until it is known. */
  first: string | undefined;
  /** The day since which figures from hits are complete, if that is within the range; they are undefined then. */
  since: string | undefined;
  /**
   * The longest part of the span for which everything is shown, or else the smallest range around it. Null if there is
   * none, undefined if nothing is hidden.
   */
  detailed: Span | null | undefined;
  warnings: ShownWarning[];
  /** The exclusions that concern the answers, which only the owner sees. */
  excluded: Excluded[];
}

/** How many of a name are listed. */
export const ENTRIES = 10;
/** The limit of a query. */
export const MAX_ROWS = 1000;
/** Sets of names of properties. Visitors choose these, up to 5 kB for a set. */
const MAX_SETS = 500;

type Counted = Pick<View, 'filters' | 'span'>;

/** Rollups have no filters, and only whole days. */
export const hasRollups = ({ filters, span }: Counted) => filters.length === 0 && !span.moments;

/** Tells whether rollups have a name. */
export function isCounted(name: Name, counted: Counted): boolean {
  return hasRollups(counted) && described(name).isStatistic;
}

/** The plain query, which is fast; undefined if there are filters. */
export function summaryFor({ summary }: Places, view: View, days: number): QueryToSend | undefined {
  if (!hasRollups(view)) return undefined;
  const counted = view.names.filter((name) => isCounted(name, view));
  return { url: urlOf(summary, parametersOf(view, ['visitor', 'pageview', ...counted], days)) };
}

/** The plain query for the other names, for readers who may not query hits. */
export function ofHitsFor({ summary }: Places, view: View, days: number): QueryToSend | undefined {
  const names = ownNames(view);
  if (view.mayFilter || names.length === 0) return undefined;
  return { url: urlOf(summary, parametersOf(view, names, days)) };
}

function parametersOf(view: View, names: string[], days: number) {
  return {
    names: names.join(','),
    ...daysOnly(view.span),
    compare: isComparedByService(view) ? 'previous' : undefined,
    fill: days <= MAX_FILLED_DAYS ? 1 : undefined,
  };
}

const isComparedByService = (view: View) => view.back !== undefined && !isApart(view);
const ownNames = (view: View) => view.names.filter((name) => !isCounted(name, view));

/** The figures and their series, from hits. Viewers may send one request at a time, so theirs has the lists too. */
export function figuresFor(places: Places, view: View): QueryToSend {
  const counted = { ...hitQueryOf(view), metrics: PARTS };
  const [series = [], ...earlier] = comparedSeries(
    { ...counted, dimensions: [stepOf(view.unit, view.span)], per_page: MAX_ROWS },
    view,
  );
  const [whole = [], ...earlierWhole] = isSumOfSeries(view) ? [] : comparedQueries(counted, view);
  const buckets = hasOwnBuckets(view)
    ? comparedQueries({ ...counted, dimensions: [view.unit], per_page: MAX_ROWS }, view, true)
    : [];
  const lists = view.isOwner ? [] : listQueries(view);
  return toSend(places, [series, ...lists, whole, ...earlier, ...earlierWhole, ...buckets].flat());
}

/** The owner's lists of names, from hits. The service counts them beside the figures. */
export function listsFor(places: Places, view: View): QueryToSend | undefined {
  const queries = view.isOwner ? [...listQueries(view), ...sumsQueries(view)] : [];
  return queries.length > 0 ? toSend(places, queries) : undefined;
}

const hitQueryOf = ({ filters, span }: View) => ({ filters: filters.map(asJson), range: queryRange(span) });

const toSend = ({ query, headers }: Places, queries: object[]): QueryToSend => ({
  url: query,
  headers,
  body: { queries },
});

function listQueries(view: View) {
  return (view.mayFilter ? ownNames(view) : []).map((name) => ({
    ...hitQueryOf(view),
    filters: queryFilters(view.filters, name),
    metrics: metricsOf(name),
    dimensions: [name],
    per_page: described(name).isListed ? MAX_SETS : ENTRIES,
    unset: false,
  }));
}

function sumsQueries(view: View) {
  const range = queryRange(view.span);
  return view.names.filter(needsSums).map((name) => sumsQuery(name, view.filters, range));
}

/** The state of a view's answers so far. */
export function pageAnswer(
  view: View,
  summaries: SummaryAnswer[],
  figures: QueriesAnswer | undefined,
  lists: QueriesAnswer | undefined,
  first: string | undefined,
): PageAnswer {
  const [series, ...others] = figures?.data ?? [];
  const byName: ByName = new Map(summaries.flatMap(({ data }) => data.map((one) => [one.name, one])));
  const part = partIn(summaries);
  const since = series && sinceIn(series, view.span, first);
  const all = since === undefined ? countsOfAll(series, others) : { now: {}, before: {} };
  return {
    now: { ...ofHits(all.now, view), ...sumsOf(byName, 'sum') },
    before: { ...ofHits(all.before, view), ...sumsOf(byName, 'previous_sum') },
    ...bucketsFor(view, byName, figures?.data ?? [], since),
    tops: topsFor(view, byName, part, [...others, ...(lists?.data ?? [])], first),
    ...{ first, since },
    ...daysOf(view, summaries[0], series),
    warnings: warningsIn(summaries, part, [figures, lists]),
    excluded: excludedIn(summaries, [figures, lists]),
  };
}

/** The answer about names from hits, for readers who may not query these, if the rollups cover more days. */
function partIn(summaries: SummaryAnswer[]): SummaryAnswer | undefined {
  const days = summaries.find(({ data }) => data.some(({ name }) => name === 'visitor'));
  return days && !isIncomplete(days) ? summaries.find((one) => isIncomplete(one)) : undefined;
}

function daysOf({ span }: View, summary: SummaryAnswer | undefined, series: QueryAnswer | undefined) {
  return {
    span: span.moments ? series && span : (summary?.meta.range ?? series?.meta.range),
    detailed: summary?.meta.detailed_range ?? summary?.meta.surrounding_range,
  };
}

/**
 * Only days add up: a visitor of two hours counts once, and months do not pair with previous ones. Readers who may not
 * filter see more of a range than of its days.
 */
function isSumOfSeries({ unit, span, mayFilter }: View): boolean {
  return mayFilter && stepOf(unit, span) === 'day';
}

/** Likewise, they see more of a week or month than of its days. */
function hasOwnBuckets({ unit, span, mayFilter }: View): boolean {
  return !mayFilter && unit !== stepOf(unit, span);
}

function countsOfAll(series: QueryAnswer | undefined, others: QueryAnswer[]) {
  const whole = others.find(({ meta }) => meta.dimensions.length === 0);
  const rows = whole?.data ?? series?.data ?? [];
  const sum = (all: QueryRow[]) => all.map(countsOf).reduce(sumOf, {});
  return { now: sum(rows), before: sum(rows.map(({ previous = {} }) => previous)) };
}

const NO_ENTRIES: List = { entries: [], total: 0 };

function topsFor(
  view: View,
  byName: ByName,
  part: SummaryAnswer | undefined,
  lists: QueryAnswer[],
  first: string | undefined,
): PageAnswer['tops'] {
  const tops: PageAnswer['tops'] = {};
  const sinceOf = (list: QueryAnswer) => sinceIn(list, view.span, first);
  const complete = lists.filter((list) => sinceOf(list) === undefined);
  for (const name of view.names) {
    const counted = byName.get(name);
    // Until they are answered, the lists are those of other tabs.
    const list = lists.find(({ meta: { dimensions } }) => dimensions.length === 1 && dimensions[0] === name);
    const isInPart = part?.data.some((one) => one.name === name);
    const since = isInPart ? sinceIn(about(name, part!), view.span, first) : list && sinceOf(list);
    const known = counted ? topOf(counted) : list && topOfRows(name, list);
    const top = since ? NO_ENTRIES : known;
    if (top) tops[name] = { ...top, sums: sumsIn(name, complete), since };
  }
  return tops;
}

/** Where there are rollups, they have the better totals: they reach further back than the stored hits. */
function ofHits({ visitors, pageviews, events, ...ofVisits }: Counts, view: View): Counts {
  return hasRollups(view) ? ofVisits : { ...ofVisits, visitors, pageviews, events };
}

type ByName = Map<string, StatSummary>;

function sumsOf(byName: ByName, kind: 'sum' | 'previous_sum'): Counts {
  const sums = {
    visitors: byName.get('visitor'),
    pageviews: byName.get('pageview'),
    events: byName.get('event'),
  };
  return Object.fromEntries(
    Object.entries(sums).flatMap(([name, summary]) =>
      summary?.[kind] === undefined ? [] : [[name, summary[kind]]],
    ),
  );
}

function bucketsFor(
  view: View,
  byName: ByName,
  answers: QueryAnswer[],
  since = '',
): Pick<PageAnswer, 'buckets' | 'unit'> {
  const { span, unit, filters, back } = view;
  const step = stepOf(unit, span);
  const ofUnit = (one: Unit) => {
    const answer = answers.find(({ meta }) => meta.dimensions[0] === one);
    return answer && bucketsOfRows(answer.data, one, span, new Date(), back);
  };
  const series = ofUnit(step);
  const whole = (hasOwnBuckets(view) && ofUnit(unit)) || [];
  const rows =
    series &&
    completed(addedUp(series, unit), whole, back).map((bucket) =>
      bucket.from < since ? { ...bucket, now: {} } : bucket,
    );
  const [visitor, pageview] = [byName.get('visitor'), byName.get('pageview')];
  if (filters.length > 0 || unit === 'hour') return { unit, buckets: rows };
  if (!visitor) return { unit, buckets: undefined };
  const counted = bucketsOfDays(visitor, pageview, span);
  const days = step === 'month' ? monthsOf(counted, back) : addedUp(counted, unit);
  return { unit, buckets: rows?.length === days.length ? joined(rows, days) : days };
}

function topOf({ entries, total }: StatSummary): List {
  return {
    entries: entries.map(({ value, count, previous_count }) => ({ value, count, previous: previous_count })),
    total,
  };
}

export function topOfRows(name: Name, { data, meta }: QueryAnswer): List {
  const { counts } = described(name);
  const entries = data.map((row) => ({
    value: row[name]!,
    count: row[counts] ?? 0,
    previous: row.previous?.[counts] ?? undefined,
    ...(counts === 'events' && { visitors: row.visitors ?? undefined }),
  }));
  return described(name).isListed ? eachOf(entries) : { entries, total: meta.total };
}

/** Adds up the values of lists of values. */
function eachOf(lists: Entry[]): List {
  const counts = new Map<string, number>();
  for (const { value, count } of lists)
    for (const one of JSON.parse(value) as string[]) counts.set(one, (counts.get(one) ?? 0) + count);
  const entries = Array.from(counts, ([value, count]) => ({ value, count }));
  return { entries: entries.sort((one, other) => other.count - one.count), total: entries.length };
}

function excludedIn(summaries: SummaryAnswer[], queried: (QueriesAnswer | undefined)[]): Excluded[] {
  const answers = [...summaries, ...queried.flatMap((answer) => answer?.data ?? [])];
  const all = answers.flatMap(({ meta }) => meta.excluded ?? []);
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

/** Where hits do not cover the range, the page says so in the place of their numbers. */
function warningsIn(
  summaries: SummaryAnswer[],
  part: SummaryAnswer | undefined,
  queried: (QueriesAnswer | undefined)[],
): ShownWarning[] {
  const ofHits = [part, ...queried.flatMap((answer) => answer?.data ?? [])];
  const warningsOf = (answer: SummaryAnswer | QueryAnswer | undefined) => answer?.meta.warnings ?? [];
  return shownWarnings([
    ...summaries.filter((one) => !ofHits.includes(one)).flatMap(warningsOf),
    ...ofHits.flatMap(warningsOf).filter((warning) => !isSince(warning)),
  ]);
}
