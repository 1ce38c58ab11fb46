import type { Span } from '../../hits/calendar';
import type { EntryName } from '../listed-names';
import type { Order } from '../plain-request';
import type { KnownDays } from './detailed-days';
import type { PageRange } from './small-numbers';
import { type StatEntry } from '../stat-entry';

/** The names whose values are days. */
export type DaysName = 'visitor' | 'pageview';

export const isOfDays = (name: EntryName): name is DaysName => name === 'visitor' || name === 'pageview';

/** The requested entries of a name. */
export interface Wanted {
  name: EntryName;
  /** A case-folded text. */
  search?: string | undefined;
  order: Order;
  page: PageRange;
  /** Shows all days. With `fill`, days without a count are included. */
  allDays?: { fill: boolean };
}

/** The days of a range that are over. */
export interface PastDays extends KnownDays {
  span: Span;
}

export interface DayRange {
  whole: Span;
  /** Undefined if no day is over. */
  over: PastDays | undefined;
}

export interface Ranges extends DayRange {
  previous?: DayRange | undefined;
}

/** The visible entries of a name. */
export interface Shown {
  entries: StatEntry[];
  total: number;
  sum: number;
  previousSum?: number;
}
