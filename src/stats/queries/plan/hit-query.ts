import type { TextList } from '../../../common/lists/text-list';
import type { Span } from '../../../storage/calendar';
import type { Direction } from '../../../validation/page-query';
import type { DataVersion } from '../../state';
import type { Filter } from '../parse/filter';
import type { Counted, Metric } from './metrics';
import type { QueryName } from '../parse/names';
import type { Viewer } from '../../viewers/viewer';

/** Days, and what is left of them where a range begins or ends within a day. */
export interface Range {
  readonly days: Span;
  /** Where not all of the days are counted, those that are. */
  readonly only?: ReadonlySet<number>;
  /** In seconds since 1970, both included. */
  readonly moments?: Span | undefined;
}

export interface Ordering {
  by: { metric: Metric } | { dimension: number };
  direction: Direction;
}

/** A query as a thread gets it: data alone. */
export interface HitQuery {
  readonly range: Range;
  /** The range that it is compared with; its series are paired by position. */
  readonly previous: Range | undefined;
  readonly filter: Filter | undefined;
  readonly dimensions: QueryName[];
  /** What is counted, and what the rows show of it. */
  readonly metrics: Counted[];
  /** A case-folded text that the value of the dimension, or its label, has to contain. */
  readonly search?: string | undefined;
  /** Leaves out the row of what has no value. */
  readonly needsValue?: boolean;
  /** Shows the buckets of a series in which nothing was counted. */
  readonly fill: boolean;
  /** Ties are ordered by the values of the dimensions. */
  readonly order: Ordering[];
  readonly skip: number;
  readonly take: number;
}

export interface QueryRequest {
  readonly viewer: Viewer;
  readonly websiteId: number;
  /** The first day whose statistics are kept. */
  readonly statsFrom: number;
  readonly hitQueries: HitQuery[];
}

/** Asks which hits of a day a filter selects. */
export interface SelectionRequest {
  readonly websiteId: number;
  readonly day: number;
  readonly filter: Filter;
}

export interface SelectedHits {
  /** One for each hit that is selected, else zero: in the order in which the hits of a day are read. */
  readonly selected: Uint8Array;
  /** The first of them, which were in columns. */
  readonly inColumns: number;
}

export interface Rows {
  /** For each dimension the values of the rows. */
  readonly dimensions: TextList[];
  readonly metrics: Float64Array[];
  /** Of the previous range, where there is one. */
  readonly previous: Float64Array[];
}

export interface Answer {
  readonly rows: Rows;
  /** How many rows there are. */
  readonly total: number;
  /** Of all rows. */
  readonly sums: number[];
  readonly previousSums: number[];
  /** Whether further rows were taken together. */
  readonly isMerged: boolean;
}

export interface QueryResult {
  readonly answers: Answer[];
  readonly version: DataVersion;
  readonly asOf: Date;
  /** The first day that is kept whole, as far as hits were removed. */
  readonly availableFrom: number;
  /** The first day of the ranges that has hits; infinite where none has. */
  readonly firstDay: number;
  /** Whether further values of a name were taken together. */
  readonly isMerged: boolean;
  /** Days some of whose visitors are counted several times, since they were forgotten too early. */
  readonly forgotten: readonly number[];
}
