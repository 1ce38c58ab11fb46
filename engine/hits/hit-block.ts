import { bytesOfCodes } from './codes/code-list';
import type { ColumnCodes } from './codes/column-codes';
import type { WebsiteTexts } from './codes/text-codes';
import type { ColumnName } from './hit-columns';

/** A day with hits. */
export interface DayOfHits {
  readonly day: number;
  /** It only decreases where hits are purged. */
  readonly hits: number;
  /** With the number of hits, it tells which hits they are. */
  readonly version: number;
  /** Tells whether the day is over, and all of its hits are where they stay. */
  readonly isSealed: boolean;
}

/** Hits of a website, wherever they are. */
export interface HitBlocks {
  /** What the codes of the hits stand for. Reading adds to it. */
  readonly texts: WebsiteTexts;
  /** The days with hits, in order. */
  days(): Promise<readonly DayOfHits[]>;
  /** The hits of some of these days. A visitor has all hits in one block. A block is valid until the next one. */
  all(days: readonly DayOfHits[]): AsyncIterable<HitBlock>;
}

/** A day, with its first visitor and hit in the block. */
export interface BlockDay {
  readonly day: number;
  /** The moment of its first hit, in seconds since 1970. */
  readonly begin: number;
  readonly firstVisitor: number;
  readonly firstHit: number;
  readonly visitors: number;
  readonly hits: number;
}

/**
 * The hits of one or more consecutive days of a website, as columns. The visitors of a day have the order of their
 * first accepted hits. Hits are ordered by visitor, then by time, then by acceptance. A hit whose visitor was forgotten
 * has an unknown visitor. A visitor belongs to one day, so code about visitors and visits need not know where a day
 * ends.
 */
export interface HitBlock {
  readonly days: readonly BlockDay[];
  readonly hits: number;
  readonly visitors: number;
  /** The first hit of each visitor, and the number of hits at the end. */
  readonly begins: Uint32Array;
  readonly isKnown: Uint8Array;
  /** Tells whether the first accepted hit of a visitor had no referrer. */
  readonly isDirect: Uint8Array;
  /** Seconds since 1970. */
  readonly at: Uint32Array;
  /** Seconds after the first moment of the day, if they are stored in this form. */
  readonly seconds?: Seconds;
  /** By hit or by visitor, for each column that was read. */
  readonly codes: Readonly<Partial<Record<ColumnName, ColumnCodes>>>;
  /** The place of each hit in the order of acceptance. Undefined if it is not known. */
  readonly accepted?: Uint32Array;
  /** The counts of large days by quarters of an hour. They belong to the part. */
  readonly quarters?: Map<number, QuarterCounts>;
}

/** The number of hits and events in each quarter of an hour of a day, from the quarter of its first hit on. */
export interface QuarterCounts {
  readonly hits: Uint32Array;
  readonly events: Uint32Array;
}

export const QUARTER_S = 900;
/** The maximum distance between two hits of a day. */
export const MAX_QUARTERS = 4 * 48;
/** The counts of smaller days would take more than a tenth of the memory of their columns. */
export const MIN_HITS_BY_QUARTERS = 4000;
export const BYTES_OF_QUARTERS = 2 * MAX_QUARTERS * Uint32Array.BYTES_PER_ELEMENT;

/**
 * The low 16 bits of seconds, and the bits above. Each has one kind of array: a loop over several kinds takes three
 * times as long.
 */
export interface Seconds {
  readonly low: Uint16Array;
  readonly high: Uint8Array;
}

/** The memory of a block besides the elements of its arrays. */
const BYTES_OF_OBJECTS = 5000;

export function bytesOfBlock({ begins, isKnown, isDirect, at, codes, accepted }: HitBlock): number {
  const arrays = [begins, isKnown, isDirect, at, ...(accepted ? [accepted] : [])];
  const bytes = [
    ...arrays.map(({ byteLength }) => byteLength),
    ...Object.values(codes).map(({ rows }) => bytesOfCodes(rows)),
  ];
  return bytes.reduce((sum, own) => sum + own, BYTES_OF_OBJECTS);
}

/** The seconds of each hit after the first moment of its day. */
export function secondsOf({ days, at, hits }: HitBlock): Seconds {
  const [low, high] = [new Uint16Array(hits), new Uint8Array(hits)];
  for (const { begin, firstHit, hits } of days)
    for (let hit = firstHit, end = firstHit + hits; hit < end; hit++) {
      const seconds = at[hit]! - begin;
      low[hit] = seconds;
      high[hit] = seconds >>> 16;
    }
  return { low, high };
}

/** The moment of each hit. */
export function momentsOf(days: readonly BlockDay[], { low, high }: Seconds): Uint32Array {
  const moments = new Uint32Array(low.length);
  for (const { begin, firstHit, hits } of days)
    for (let hit = firstHit, end = firstHit + hits; hit < end; hit++)
      moments[hit] = begin + (low[hit]! + (high[hit]! << 16));
  return moments;
}

/** The place for a further hit of a visitor: after the visitor's other hits of that moment. */
export function placeIn({ begins, at, visitors, hits }: HitBlock, visitor: number, moment: number): number {
  if (visitor >= visitors) return hits;
  let [low, high] = [begins[visitor]!, begins[visitor + 1]!];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle]! <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function leastOf(moments: Uint32Array): number {
  let least = Infinity;
  for (const moment of moments) if (moment < least) least = moment;
  return least;
}
