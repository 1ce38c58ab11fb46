import { useRef } from 'preact/hooks';
import type { QueriesAnswer } from '../../../shared/api';
import type { PageAnswer, Places, View } from '../../page-answer';
import { automaticEventsBy, type AutomaticList, automaticLists, automaticQuery } from './automatic-events';
import { useAnswer } from '../../../shared/use-answer';

/**
 * The lists of the tracker's automatic events. They are requested once the page is answered, and only if its events may
 * be among them; until then, those of the last view stay.
 */
export function useAutomaticLists(
  places: Places,
  view: View | undefined,
  { tops, first }: PageAnswer,
  isLoading: boolean,
) {
  const requested = useRef<ReturnType<typeof requestFor> | undefined>(undefined);
  if (view && !isLoading) requested.current = requestFor(places, view, tops);
  const { automatic = [], query } = requested.current ?? {};
  const answer = useAnswer<QueriesAnswer>(query);
  const lists = useRef<AutomaticList[]>([]);
  const { data, failure } = answer;
  if (!query) lists.current = [];
  else if (view && data && !answer.isLoading && !failure)
    lists.current = automaticLists(automatic, data, view.span, first);
  return { ...answer, lists: lists.current };
}

/** Values of properties are the owner's. */
function requestFor(places: Places, view: View, tops: PageAnswer['tops']) {
  const automatic = view.isOwner ? automaticEventsBy(tops.event) : [];
  return { automatic, query: automaticQuery(places, view, automatic) };
}
