import type { Span } from '../../storage/calendar';
import type { StatName } from '../../storage/stat-names';
import type { StatEntryView } from '../dto/stats.view';
import type { Order } from './snapshot';
import type { DataVersion } from '../state';
import type { Viewer } from '../viewers/viewer';

interface OfWebsite {
  readonly viewer: Viewer;
  readonly websiteId: number;
  /** The first day whose statistics are kept. */
  readonly statsFrom: number;
  readonly range: Span;
  /** The range that it is compared with. */
  readonly previous: Span | undefined;
}

/** What is asked about some of the fourteen names, all of one moment: data alone. */
export interface PlainRequest extends OfWebsite {
  readonly names: readonly PageOfName[];
}

/** Which entries of a name. */
export interface PageOfName {
  readonly name: StatName;
  /** A case-folded text. */
  readonly search?: string | undefined;
  readonly order: Order;
  readonly skip: number;
  readonly take: number;
  /** All days in their order instead, with those on which nothing was counted where `fill` says so. */
  readonly days?: { readonly fill: boolean };
}

export interface PlainResult {
  readonly version: DataVersion;
  /** Every event that was acknowledged by then is in the result. */
  readonly asOf: Date;
  /** In the order in which they were asked for. */
  readonly names: EntriesOfName[];
}

export interface EntriesOfName {
  readonly entries: StatEntryView[];
  readonly total: number;
  readonly sum: number;
  readonly previousSum: number | undefined;
  /** On how many days of the ranges values were counted together. */
  readonly mergedDays: number;
  /** Days of the ranges some of whose visitors were forgotten too early to be counted once. */
  readonly forgotten: readonly number[];
}

/** Asks for all entries of a name, in pieces. */
export interface WholeRequest extends OfWebsite {
  readonly name: StatName;
  readonly search?: string | undefined;
  readonly order: Order;
}
