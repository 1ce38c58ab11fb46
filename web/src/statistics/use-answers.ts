import type { QueriesAnswer, QueryAnswer, SummaryAnswer } from '../shared/api';
import { spanBefore } from './comparison';
import { sinceIn } from './coverage';
import { comparedSummary, type Earlier, earlierSummaryFor, isApart, splitAnswers } from './earlier';
import { figuresFor, listsFor, ofHitsFor, type Places, summaryFor, type View } from './page-answer';
import { daysIn } from '../shared/ranges';
import { useAnswer } from '../shared/use-answer';

/** What rollups and hits answer for a view so far, each with what it is compared with. */
export function useAnswers(places: Places, view: View | undefined, first: string | undefined) {
  const summary = useAnswer<SummaryAnswer>(view && summaryFor(places, view, daysIn(view.span)));
  const ofHits = useAnswer<SummaryAnswer>(view && ofHitsFor(places, view, daysIn(view.span)));
  const figures = useAnswer<QueriesAnswer>(view && figuresFor(places, view));
  const lists = useAnswer<QueriesAnswer>(view && listsFor(places, view));
  const { own, earlier } = figures.data ? splitAnswers(figures.data) : {};
  const isKnown = view !== undefined && !figures.isLoading;
  const needed = isKnown ? earlierSummaryFor(places, view, earlier) : undefined;
  const rollups = useAnswer<SummaryAnswer>(needed);
  const ofFigures = [summary, figures, rollups];
  const requested = [...ofFigures, ofHits, lists];
  return {
    days: summary.data && comparedDays(summary.data, view, earlier, needed && rollups.data),
    ofHits: ofHits.data,
    figures: own && view && comparable(own, view, first),
    lists: lists.data,
    areFiguresLoading: ofFigures.some(({ isLoading }) => isLoading),
    isLoading: requested.some(({ isLoading }) => isLoading),
    trouble: requested.find(({ failure }) => failure !== undefined),
  };
}

/** Without the counts of an earlier range that hits do not cover. */
function comparable({ data }: QueriesAnswer, view: View, first: string | undefined): QueriesAnswer {
  const isCovered = (answer: QueryAnswer) => sinceIn(answer, spanBefore(view), first) === undefined;
  const withoutPrevious = ({ data: rows, meta }: QueryAnswer) => ({
    data: rows.map((row) => ({ ...row, previous: {} })),
    meta,
  });
  return { data: data.map((answer) => (isCovered(answer) ? answer : withoutPrevious(answer))) };
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
