import type { Span } from '../hits/calendar';
import type { StatName } from '../hits/stat-names';
import type { DataVersion } from './asker';
import type { Asker } from './asker';
import type { ExcludedBy } from './exclusions';
import { type StatEntry } from './stat-entry';
import { type Direction } from '../ground/rows';

/** The order of entries. */
export interface Order {
  by: 'count' | 'value';
  direction: Direction;
}

interface OfWebsite {
  readonly asker: Asker;
  readonly websiteId: number;
  /** The first day with statistics. */
  readonly statsFrom: number;
  readonly range: Span;
  /** The range that it is compared with. */
  readonly previous: Span | undefined;
}

/** A request for some of the fourteen names, all of one moment. It is plain data. */
export interface PlainRequest extends OfWebsite {
  readonly names: readonly PageOfName[];
}

/** The requested entries of a name. */
export interface PageOfName {
  readonly name: StatName;
  /** A case-folded text. */
  readonly search?: string | undefined;
  readonly order: Order;
  readonly skip: number;
  readonly take: number;
  /** All days in order instead of a page. With `fill`, days without a count are included. */
  readonly days?: { readonly fill: boolean };
}

export interface PlainResult {
  readonly version: DataVersion;
  /** Every event that was acknowledged by then is included. */
  readonly asOf: Date;
  /** The exclusions that concern the days, for owners. */
  readonly excluded: ExcludedBy[];
  /** In the requested order. */
  readonly names: EntriesOfName[];
}

export interface EntriesOfName {
  readonly entries: StatEntry[];
  readonly total: number;
  readonly sum: number;
  readonly previousSum: number | undefined;
  /** The number of days of the ranges with merged values. */
  readonly mergedDays: number;
  /** The days of the ranges with visitors who were forgotten too early to count once. */
  readonly forgotten: readonly number[];
}

/** A request for all entries of a name, in pieces. */
export interface WholeRequest extends OfWebsite {
  readonly name: StatName;
  readonly search?: string | undefined;
  readonly order: Order;
}
