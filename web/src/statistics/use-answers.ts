import type { QueriesAnswer, SummaryAnswer } from '../shared/api';
import { comparedSummary, type Earlier, earlierSummaryFor, isApart, splitAnswers } from './earlier';
import { ofHitsFor, type Places, queriesFor, summaryFor, type View } from './page-answer';
import { daysIn } from '../shared/ranges';
import { useAnswer } from '../shared/use-answer';

/** What rollups and hits answer for a view so far, each with what it is compared with. */
export function useAnswers(places: Places, view: View | undefined) {
  const summary = useAnswer<SummaryAnswer>(view && summaryFor(places, view, daysIn(view.span)));
  const ofHits = useAnswer<SummaryAnswer>(view && ofHitsFor(places, view, daysIn(view.span)));
  const hits = useAnswer<QueriesAnswer>(view && queriesFor(places, view));
  const { own, earlier } = hits.data ? splitAnswers(hits.data) : {};
  const isKnown = view !== undefined && !hits.isLoading;
  const needed = isKnown ? earlierSummaryFor(places, view, earlier) : undefined;
  const rollups = useAnswer<SummaryAnswer>(needed);
  const requested = [summary, ofHits, hits, rollups];
  return {
    days: summary.data && comparedDays(summary.data, view, earlier, needed && rollups.data),
    ofHits: ofHits.data,
    hits: own,
    isLoading: requested.some(({ isLoading }) => isLoading),
    trouble: requested.find(({ failure }) => failure !== undefined),
  };
}

function comparedDays(
  summary: SummaryAnswer,
  view: View | undefined,
  earlier: Earlier | undefined,
  rollups: SummaryAnswer | undefined,
): SummaryAnswer {
  if (!view || !earlier || !isApart(view)) return summary;
  return comparedSummary(summary, view.back!, earlier, rollups);
}
