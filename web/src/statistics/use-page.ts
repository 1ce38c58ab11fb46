import { type StatsAnswer, type SummaryAnswer, urlOf } from '../shared/api';
import { hasRollups, type PageAnswer, pageAnswer, type Places, type View } from './page-answer';
import { comparedIn, daysBack } from './compared';
import { nameIn, panelsFor } from './panels/panels';
import { type Bounds, FIRST_DAY, type RangeName, spanOf, todayIn, unitIn } from '../shared/ranges';
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
  ...{ now: {}, before: {}, tops: {}, warnings: [] },
  ...{ buckets: undefined, unit: 'day', span: undefined },
};

/** The view of an address. Queries rollups and hits at once, and shows the answers as they arrive. */
export function usePage(reading: Reading, chosen: Chosen) {
  const { places } = reading;
  const { span, first } = useSpan(places, chosen);
  const view = span && viewOf(chosen, span, reading);
  const answers = useAnswers(places, view);
  const { days, ofHits, figures, lists, areFiguresLoading } = answers;
  const isCounted = view !== undefined && hasRollups(view);
  const summaries = isCounted ? [days, ofHits].flatMap((data) => data ?? []) : [];
  const answer = view ? pageAnswer(view, summaries, figures, lists) : NOTHING;
  // Until all figures are answered, some belong to another address.
  const known = areFiguresLoading ? undefined : figures;
  const answered = { page: answer, summary: isCounted ? days : undefined, hitQueries: known };
  const comparison = useComparison(places, view, answered, chosen.timezone);
  const earlier = comparedRange(view, answered, chosen.timezone);
  const automatic = useAutomaticLists(places, view, answer, answers.isLoading);
  const trouble = answers.trouble ?? [first, automatic].find(({ failure }) => failure);
  const isEmpty = !areFiguresLoading && !trouble && hasNothing(answer);
  const isLoading = answers.isLoading || automatic.isLoading;
  return {
    span,
    back: view?.back,
    answer,
    automatic: automatic.lists,
    comparison,
    earlier,
    isLoading,
    areFiguresLoading,
    trouble,
    isEmpty,
  };
}

/** All days begin with the first day with visitors, which must be requested. */
function useSpan({ stats }: Places, { address, range, bounds }: Chosen) {
  const { lastDay } = bounds;
  const named = spanOf(range, bounds, address);
  const hitQuery = { name: 'visitor', from: FIRST_DAY, to: lastDay, sort_by: 'value', sort: 'asc' };
  const first = useAnswer<StatsAnswer>(named ? undefined : urlOf(stats, hitQuery));
  const all =
    first.data && !first.isLoading ? { from: first.data.data[0]?.value ?? lastDay, to: lastDay } : undefined;
  return { span: named ?? all, first };
}

function hasNothing({ now: { visitors, pageviews, events } }: PageAnswer): boolean {
  return visitors === 0 && pageviews === 0 && !events;
}

/** Whether a website never had an event. Queried only if a range is empty; undefined until known. */
export function useIsNew({ summary }: Places, timezone: string, isAsked: boolean): boolean | undefined {
  const ever = { names: 'pageview,event', from: FIRST_DAY, to: todayIn(timezone) };
  const { data, failure } = useAnswer<SummaryAnswer>(isAsked ? urlOf(summary, ever) : undefined);
  if (!isAsked || failure) return false;
  return data?.data.every(({ sum }) => sum === 0);
}
