import type { DayOfHits, HitBlock, HitBlocks } from '../hits/hit-block';
import type { NodeKind } from '../questions/journey-request';
import type { Zone } from '../questions/plan/buckets';
import type { HitQuery } from '../questions/plan/hit-query';
import type { PartialRows } from './count/partial-rows';

/*
 * What is counted of some days, to be added to what is counted of others, wherever their hits are. Texts stand for
 * codes. Nothing is labelled, searched, ordered or cut yet. All of it is plain data.
 */

/** The parts of a query, over its range and the compared one. */
export type PartialQuery = readonly { rows: PartialRows; previous: PartialRows | undefined }[];

/** The counts of a value, by the step of a funnel. A value is a text, or the number of a moment. */
export type ByStep = readonly [value: string | number | null, counts: readonly number[]];

export interface PartialFunnel {
  /** The visitors of each step. */
  readonly visitors: readonly number[];
  readonly previous: readonly number[] | undefined;
  /** For each step after the first, how often it was taken in a number of seconds. */
  readonly seconds: readonly (readonly [seconds: number, times: number][])[];
  readonly nextPages: readonly ByStep[];
  readonly breakdown: readonly ByStep[];
  readonly isMerged: boolean;
}

/** What a visit saw at once, the beginning of all visits, or values that are counted together. */
export type PartialItem = { readonly kind: NodeKind; readonly value: string } | 'start' | 'others';

export interface PartialJourney {
  readonly visits: number;
  /** For each step, the visits that went from one item to another. */
  readonly links: readonly (readonly [from: PartialItem, to: PartialItem, visits: number][])[];
  readonly isMerged: boolean;
}

export interface Partials {
  readonly hitQueries: { readonly queries: readonly PartialQuery[]; readonly isMerged: boolean };
  readonly funnel: PartialFunnel;
  readonly journey: PartialJourney;
}

/** Hits that may be rows: the statements of a query count rows without blocks. */
export interface HitsWithRows extends HitBlocks {
  /** What the statements of a query count of some days. Each partial is of other visitors. */
  countRows(days: readonly DayOfHits[], hitQuery: HitQuery, zone: Zone): AsyncIterable<PartialQuery>;
  /** The hits of some days that are no rows. */
  outsideOfRows(days: readonly DayOfHits[]): AsyncIterable<HitBlock>;
}
