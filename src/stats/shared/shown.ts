import type { Span } from '../../storage/calendar';
import type { EntryName } from '../name-list';
import type { StatEntryView } from '../dto/stats.view';
import type { Order } from '../plain/snapshot';
import type { DaysByVisitors, Page } from './small-numbers';

/** The names whose values are days. */
export type DaysName = 'visitor' | 'pageview';

export const isOfDays = (name: EntryName): name is DaysName => name === 'visitor' || name === 'pageview';

/** Which entries of a name are asked for. */
export interface Wanted {
  name: EntryName;
  /** A case-folded text. */
  search?: string | undefined;
  order: Order;
  page: Page;
  /** Whether all days are shown, with those on which nothing was counted where `fill` says so. */
  allDays?: { fill: boolean };
}

/** The days of a range that are over, and which of them had few visitors. */
export interface OverDays extends DaysByVisitors {
  span: Span;
}

export interface DayRange {
  whole: Span;
  /** Undefined where none of its days is over. */
  over: OverDays | undefined;
}

export interface Ranges extends DayRange {
  previous?: DayRange | undefined;
}

/** What viewers see of a name. */
export interface Shown {
  entries: StatEntryView[];
  total: number;
  sum: number;
  previousSum?: number;
}
