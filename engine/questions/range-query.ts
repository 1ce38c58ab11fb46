import { DAY_MS, dayText } from '../ground/time/days';
import { InvalidFields } from '../ground/errors';
import type { Span } from '../hits/calendar';
import type { ResolvedFilter } from './parse/filter';

const MAX_FILLED_DAYS = 3660;
export const EVER: Span = { from: 0, to: Date.parse('9999-12-31') / DAY_MS };
/** The first year with four digits. */
const YEAR_0 = Date.parse('0000-01-01') / 86_400_000;

/** The compared range, if it is not the range of the same length right before. */
export interface Comparing {
  previous?: Span;
}

/** A request with what its filter stands for. */
export type Filtered<Q> = Q & { filters?: ResolvedFilter[] };

/** The fields that statistics and summaries share. */
export type RangeQuery = Filtered<
  Span & Comparing & { compare?: 'previous'; fill?: boolean; filter?: string }
>;

export function checkRange({ from, to, previous, fill = false }: RangeQuery): void {
  if (from > to) throw new InvalidFields({ to: ['must not be before "from"'] });
  if (previous && previous.from > previous.to)
    throw new InvalidFields({ previous_to: ['must not be before "previous_from"'] });
  if (fill && to - from >= MAX_FILLED_DAYS)
    throw new InvalidFields({ fill: ['is possible for ranges of up to 3,660 days'] });
}

/** The range of the same length right before. */
function previousRange({ from, to }: Span): Span {
  return { from: Math.max(YEAR_0, from - (to - from + 1)), to: from - 1 };
}

export function comparedRange({ previous, compare, ...range }: RangeQuery): Span | undefined {
  return previous ?? (compare && previousRange(range));
}

export function rangesOf(query: RangeQuery): Span[] {
  const { from, to } = query;
  const previous = comparedRange(query);
  return previous ? [previous, { from, to }] : [{ from, to }];
}

export function worded({ from, to }: Span) {
  return { from: dayText(from), to: dayText(to) };
}
