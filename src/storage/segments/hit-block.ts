import { bytesOfCodes } from '../encoding/code-list';
import type { ColumnCodes } from '../encoding/column-codes';
import type { ColumnName } from '../hit-columns';

/** A day, and where its visitors and hits stand. */
export interface BlockDay {
  readonly day: number;
  /** The first moment of its hits, in seconds since 1970. */
  readonly begin: number;
  readonly firstVisitor: number;
  readonly firstHit: number;
  readonly visitors: number;
  readonly hits: number;
}

/**
 * The hits of one day of a website, or of several whose rows follow one another, as columns. Visitors of a day stand in
 * the order in which their first hits were accepted, hits in the order of their visitors and, within one, of time; ties
 * by acceptance. A hit whose visitor was forgotten has an unknown one. A visitor is one of a day, so
 * nothing that is said of visitors and their visits need know where a day ends.
 */
export interface HitBlock {
  readonly days: readonly BlockDay[];
  readonly hits: number;
  readonly visitors: number;
  /** Where the hits of each visitor begin, and the number of hits at the end. */
  readonly begins: Uint32Array;
  readonly isKnown: Uint8Array;
  /** Whether the first hit that was accepted of a visitor brought no referrer. */
  readonly isDirect: Uint8Array;
  /** Seconds since 1970. */
  readonly at: Uint32Array;
  /** Those after the first moment of the day, where they are kept so. */
  readonly seconds?: Seconds;
  /** Of each hit, or of each visitor, in the columns that were read. */
  readonly codes: Readonly<Partial<Record<ColumnName, ColumnCodes>>>;
  /** The place of each hit among those of the day as they were accepted; undefined where that is not kept. */
  readonly accepted?: Uint32Array;
  /** The counts of large days by quarters of an hour, which stay with the part. */
  readonly quarters?: Map<number, QuarterCounts>;
}

/** How many hits and events each quarter of an hour of a day has, from the quarter of its first hit. */
export interface QuarterCounts {
  readonly hits: Uint32Array;
  readonly events: Uint32Array;
}

export const QUARTER_S = 900;
/** Between two hits of a day. */
export const MAX_QUARTERS = 4 * 48;
/** The counts of smaller days would take more than a tenth of the memory of their columns. */
export const MIN_HITS_BY_QUARTERS = 4000;
export const BYTES_OF_QUARTERS = 2 * MAX_QUARTERS * Uint32Array.BYTES_PER_ELEMENT;

/** The low 16 bits of seconds, and the bits above them. Each is of one kind: a loop over several kinds takes three times as long. */
export interface Seconds {
  readonly low: Uint16Array;
  readonly high: Uint8Array;
}

/** What the arrays of a block take besides their elements. */
const BYTES_OF_OBJECTS = 5000;

export function bytesOfBlock({ begins, isKnown, isDirect, at, codes, accepted }: HitBlock): number {
  const arrays = [begins, isKnown, isDirect, at, ...(accepted ? [accepted] : [])];
  const bytes = [
    ...arrays.map(({ byteLength }) => byteLength),
    ...Object.values(codes).map(({ rows }) => bytesOfCodes(rows)),
  ];
  return bytes.reduce((sum, own) => sum + own, BYTES_OF_OBJECTS);
}

/** Of each hit after the first moment of its day. */
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

/** The moment of each hit, from the first one of its day and how long after it the hit was. */
export function momentsOf(days: readonly BlockDay[], { low, high }: Seconds): Uint32Array {
  const moments = new Uint32Array(low.length);
  for (const { begin, firstHit, hits } of days)
    for (let hit = firstHit, end = firstHit + hits; hit < end; hit++)
      moments[hit] = begin + (low[hit]! + (high[hit]! << 16));
  return moments;
}

/** Before which hit one of a visitor goes: behind its others of that moment. */
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
