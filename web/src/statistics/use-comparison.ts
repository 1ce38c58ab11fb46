import type { QueryAnswer } from '../shared/api';
import {
  type Answered,
  type Comparison,
  ofPart,
  ofWholeDays,
  ofWholeRange,
  type OpenDay,
  partBefore,
  rangeBefore,
  spanBefore,
} from './comparison';
import type { Places, View } from './page-answer';
import { queryRange, todayIn } from '../shared/ranges';
import { type Answer, useAnswer } from '../shared/use-answer';

/** Undefined if nothing is compared, or while the compared range is unknown. */
export function useComparison(
  places: Places,
  view: View | undefined,
  answered: Answered,
  timezone: string,
): Comparison | undefined {
  const open = view && openIn(view, answered, timezone);
  const requested = open && view.isOwner ? partBefore(places, view, open) : undefined;
  const part = useAnswer<QueryAnswer>(requested);
  if (view?.back === undefined) return undefined;
  if (open)
    return requested && part.isLoading ? undefined : ofOpenRange(view, answered, open, requested && part);
  return view.span.to < dayOf(answered, timezone) ? ofWholeRange(view, answered) : undefined;
}

/** The range to compare with, or the same part of it if the range of a view is not over. Viewers see whole days. */
export function comparedRange(
  view: View | undefined,
  answered: Answered,
  timezone: string,
): readonly string[] | undefined {
  if (view?.back === undefined) return undefined;
  const open = openIn(view, answered, timezone);
  if (open) return view.isOwner ? rangeBefore(view.span, view.back, open.asOf, timezone) : undefined;
  return view.span.to < dayOf(answered, timezone) ? queryRange(spanBefore(view)) : undefined;
}

const asOfIn = ({ hitQueries }: Answered) => hitQueries?.data[0]?.meta.as_of;

/** The day on which the hits were counted; until that is known, today. */
function dayOf(answered: Answered, timezone: string): string {
  const asOf = asOfIn(answered);
  return todayIn(timezone, asOf === undefined ? undefined : new Date(asOf));
}

function openIn({ span, back }: View, answered: Answered, timezone: string): OpenDay | undefined {
  const asOf = asOfIn(answered);
  const day = dayOf(answered, timezone);
  if (back === undefined || asOf === undefined || day < span.from || day > span.to) return undefined;
  return { day, asOf, timezone };
}

function ofOpenRange(
  view: View,
  answered: Answered,
  open: OpenDay,
  part: Answer<QueryAnswer> | undefined,
): Comparison | undefined {
  const known = part?.failure ? undefined : part?.data;
  return (known && ofPart(view, answered, known, open)) ?? ofWholeDays(view, answered, open.day);
}
