import type { Span } from '../shared/ranges';
import type { Filter } from '../statistics/filters/filters';
import type { Reading } from '../statistics/reading';

/** What the page shows: goals, funnels and journeys are of the same range and filters. */
export interface View {
  address: URLSearchParams;
  reading: Reading;
  span: Span;
  /** The first day with visitors. */
  first: string | undefined;
  filters: Filter[];
  /** The range to compare with; of a range that is not over, the same part of it. */
  earlier: readonly string[] | undefined;
  /** Tells whether that has the same weekdays. */
  isComparable: boolean;
}
