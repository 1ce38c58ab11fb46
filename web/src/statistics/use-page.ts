import { useRef } from 'preact/hooks';
import { type StatsAnswer, type SummaryAnswer, urlOf } from '../shared/api';
import { hasRollups, type PageAnswer, pageAnswer, type Places, type View } from './page-answer';
import { comparedSince } from './chart/series';
import { comparedIn, daysBack, hasSameWeekdays } from './range-to-compare';
import { spanBefore } from './comparison';
import { nameIn, panelsFor } from './panels/panels';
import {
  type Bounds,
  FIRST_DAY,
  plusDays,
  rangeIn,
  type RangeName,
  spanOf,
  todayIn,
  unitIn,
} from '../shared/ranges';
import type { Reading } from './reading';
import { useAnswer } from '../shared/use-answer';
import { useAnswers } from './use-answers';
import { comparedRange, useComparison } from './use-comparison';
import { useAutomaticLists } from './panels/automatic/use-automatic-lists';

/** The page that an address requests. */
interface Chosen {
  address: URLSearchParams;
  range: RangeName;
  bounds: Bounds;
  filters: View['filters'];
  timezone: string;
}

function viewOf({ address, range, filters }: Chosen, span: View['span'], reading: Reading): View {
  const { isOwner, mayFilter } = reading;
  return {
    ...{ span, filters, isOwner, mayFilter },
    unit: unitIn(address, span, isOwner),
    back: daysBack(comparedIn(address, range, span), span, address),
    names: panelsFor(reading).map((panel) => nameIn(address, panel, filters)),
  };
}

const NOTHING: PageAnswer = {
  ...{ now: {}, before: {}, tops: {}, warnings: [], excluded: [] },
  ...{ buckets: undefined, unit: 'day', span: undefined },
  ...{ first: undefined, since: undefined, detailed: undefined },
};

/** The view of an address. Queries rollups and hits at once, and shows the answers as they arrive. */
export function usePage(reading: Reading, chosen: Chosen) {
  const { places } = reading;
  const { span, first, needed } = useSpan(reading, chosen);
  const view = span && viewOf(chosen, span, reading);
  const answers = useAnswers(places, view, first.day);
  const { days, ofHits, figures, lists } = answers;
  const areFiguresLoading = answers.areFiguresLoading || first.isLoading;
  const isCounted = view !== undefined && hasRollups(view);
  const summaries = isCounted ? [days, ofHits].flatMap((data) => data ?? []) : [];
  const compared = comparedBy(view, first.day);
  const { comparedSince } = compared;
  const answer = view
    ? comparableAnswer(pageAnswer(view, summaries, figures, lists, first.day), view, comparedSince)
    : NOTHING;
  // Until all figures are answered, some belong to another address.
  const known = areFiguresLoading ? undefined : figures;
  const answered = { page: answer, summary: isCounted ? days : undefined, hitQueries: known };
  const comparison = useComparison(places, view, answered, chosen.timezone);
  const earlier = comparedSince === undefined ? comparedRange(view, answered, chosen.timezone) : undefined;
  const automatic = useAutomaticLists(places, view, answer, answers.isLoading);
  const trouble = answers.trouble ?? [...needed, automatic].find(({ failure }) => failure);
  const isEmpty = !areFiguresLoading && !trouble && hasNothing(answer);
  const isLoading = [answers, ...needed, automatic].some((one) => one.isLoading);
  return {
    span,
    ...compared,
    answer,
    automatic: automatic.lists,
    comparison,
    earlier,
    isLoading,
    areFiguresLoading,
    trouble,
    isEmpty,
    isOlder: useIsOlder(answer, isLoading, areFiguresLoading),
  };
}

/** Tells whether figures stay until others come. Without any, it is not known whether there are none, which takes less room. */
function useIsOlder({ span }: PageAnswer, isLoading: boolean, areFiguresLoading: boolean): boolean {
  const hadFigures = useRef(false);
  hadFigures.current ||= !areFiguresLoading && span !== undefined;
  return isLoading && hadFigures.current;
}

/** The range, and the answers that it and the comparison need. */
function useSpan(reading: Reading, chosen: Chosen) {
  const first = useFirstDay(reading.places, chosen.bounds);
  const recent = useRecent(reading, chosen);
  return recent
    ? { first, span: recent.span, needed: [first, recent] }
    : { first, span: spanIn(chosen, first.day), needed: [first] };
}

/** The first day with visitors; today, or yesterday for viewers, if there is none. */
export function useFirstDay({ stats }: Places, { lastDay }: Pick<Bounds, 'lastDay'>) {
  const query = { name: 'visitor', from: FIRST_DAY, to: lastDay, sort_by: 'value', sort: 'asc' };
  const answer = useAnswer<StatsAnswer>(urlOf(stats, query));
  const { data, isLoading } = answer;
  return { ...answer, day: data && !isLoading ? (data.data[0]?.value ?? lastDay) : undefined };
}

/** All days begin with the first one; undefined until that is known. */
function spanIn({ address, range, bounds }: Chosen, first: string | undefined): View['span'] | undefined {
  const all = first === undefined ? undefined : { from: first, to: bounds.lastDay };
  return spanOf(range, bounds, address) ?? all;
}

/** `comparedSince` is the first day with visitors, if a view is compared with days before it. */
function comparedBy(view: View | undefined, first: string | undefined) {
  if (view?.back === undefined) return { back: undefined, comparedSince: undefined, isComparable: true };
  const { span, back } = view;
  const isLater = first !== undefined && spanBefore(view).from < first;
  return { back, comparedSince: isLater ? first : undefined, isComparable: hasSameWeekdays(span, back) };
}

function comparableAnswer(answer: PageAnswer, { back = 0 }: View, since: string | undefined): PageAnswer {
  const { buckets } = answer;
  return since === undefined || !buckets
    ? answer
    : { ...answer, buckets: comparedSince(buckets, back, since) };
}

/** The range of an address. One that its reader has not chosen may be any days. */
export const chosenRange = (reading: Reading, address: URLSearchParams, bounds: Bounds): RangeName =>
  isOwnChoice(reading, address) ? 'custom' : rangeIn(address, bounds);

/** Tells whether the range of an address depends on what its reader may see. */
const isOwnChoice = ({ mayFilter }: Reading, address: URLSearchParams) => !mayFilter && !address.has('range');

/** The days that a reader sees who chose no range. */
const RECENT_DAYS = 28;

/** The recent days with details, where these decide about the range. */
function useRecent(reading: Reading, { address, bounds: { lastDay } }: Chosen) {
  const isOwn = isOwnChoice(reading, address);
  const recent = { from: plusDays(lastDay, 1 - RECENT_DAYS), to: lastDay };
  const url = urlOf(reading.places.summary, { names: 'visitor', ...recent });
  const answer = useAnswer<SummaryAnswer>(isOwn ? url : undefined);
  if (!isOwn) return undefined;
  const { data, isLoading } = answer;
  return { ...answer, span: data && !isLoading ? (data.meta.detailed_range ?? recent) : undefined };
}

function hasNothing({ now: { visitors, pageviews, events } }: PageAnswer): boolean {
  return visitors === 0 && pageviews === 0 && !events;
}

/** Tells whether a website never had an event. Queried only if a range is empty; undefined until known. */
export function useIsNew({ summary }: Places, timezone: string, isAsked: boolean): boolean | undefined {
  const ever = { names: 'pageview,event', from: FIRST_DAY, to: todayIn(timezone) };
  const { data, failure } = useAnswer<SummaryAnswer>(isAsked ? urlOf(summary, ever) : undefined);
  if (!isAsked || failure) return false;
  return data && !data.meta.excluded && data.data.every(({ sum }) => sum === 0);
}
