import { type QuestionsAnswer, type StatsAnswer, type SummaryAnswer, urlOf } from './api';
import { filtersIn } from './filters';
import { type PageAnswer, pageAnswer, type Places, questionsFor, summaryFor, type View } from './page-answer';
import { nameIn, panelsFor } from './panels';
import { daysIn, FIRST_DAY, type RangeName, spanOf, todayIn, unitIn } from './ranges';
import type { Reading } from './statistics';
import { useAnswer } from './use-answer';
import { useComparison } from './use-comparison';

function viewOf(address: URLSearchParams, range: RangeName, span: View['span'], reading: Reading): View {
  return {
    span,
    unit: unitIn(address, span),
    compares: range !== 'all',
    filters: filtersIn(address),
    isOwner: reading.isOwner,
    names: panelsFor(reading).map((panel) => nameIn(address, panel)),
  };
}

const NOTHING: PageAnswer = {
  ...{ now: {}, before: {}, tops: {}, warnings: [] },
  ...{ buckets: undefined, unit: 'day', span: undefined },
};

/** What an address shows. Asks counters and hits at once, and shows what is there. */
export function usePage(reading: Reading, range: RangeName, timezone: string, address: URLSearchParams) {
  const { places } = reading;
  const { span, first } = useSpan(places, range, timezone, address);
  const view = span && viewOf(address, range, span, reading);
  const summary = useAnswer<SummaryAnswer>(view && summaryFor(places, view, daysIn(view.span)));
  const questions = useAnswer<QuestionsAnswer>(view && questionsFor(places, view));
  const counters = view?.filters.length === 0 ? summary.data : undefined;
  const answer = view ? pageAnswer(view, counters, questions.data) : NOTHING;
  const isLoading = summary.isLoading || questions.isLoading;
  // Until all is answered, some of it is of another address.
  const hits = isLoading ? undefined : questions.data;
  const answered = { page: answer, summary: counters, questions: hits };
  const comparison = useComparison(places, view, answered, timezone);
  const trouble = [summary, questions, first].find(({ failure }) => failure !== undefined);
  const isEmpty = !isLoading && !trouble && hasNothing(answer);
  return { span, answer, comparison, isLoading, trouble, isEmpty };
}

/** All days begin with the first on which anybody came, which has to be asked. */
function useSpan({ stats }: Places, range: RangeName, timezone: string, address: URLSearchParams) {
  const today = todayIn(timezone);
  const named = spanOf(range, today, address);
  const question = { name: 'visitor', from: FIRST_DAY, to: today, sort_by: 'value', sort: 'asc' };
  const first = useAnswer<StatsAnswer>(named ? undefined : urlOf(stats, question));
  const all =
    first.data && !first.isLoading ? { from: first.data.data[0]?.value ?? today, to: today } : undefined;
  return { span: named ?? all, first };
}

function hasNothing({ now: { visitors, pageviews, events } }: PageAnswer): boolean {
  return visitors === 0 && pageviews === 0 && !events;
}

/** Whether a website never had an event, which is asked only where a range has none; undefined until it is known. */
export function useIsNew({ summary }: Places, timezone: string, isAsked: boolean): boolean | undefined {
  const ever = { names: 'pageview,event', from: FIRST_DAY, to: todayIn(timezone) };
  const { data, failure } = useAnswer<SummaryAnswer>(isAsked ? urlOf(summary, ever) : undefined);
  if (!isAsked || failure) return false;
  return data?.data.every(({ sum }) => sum === 0);
}
