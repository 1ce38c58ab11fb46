import { ByteCache } from '../../ground/memory/byte-cache';
import type { DayOfHits } from '../../hits/hit-block';
import type { GroupKeys } from '../count/group-keys';
import type { ScanCounts } from '../count/scan';
import { bytesOfPacked } from '../count/tally';
import { GOAL } from '../../questions/parse/filter';
import { isMoment } from '../../questions/parse/names';
import type { HitQuery, Range } from '../../questions/plan/hit-query';
import { hasDay, isWithin } from '../../questions/plan/range-days';
import { digestOf } from '../../questions/plan/name-of-request';

/** The memory of an entry's objects beside the contents of its arrays. */
const BYTES_PER_PART = 1500;
const BYTES_PER_SCAN = 1000;
const BYTES_PER_METRIC = 250;
/** Counts of a filtered list take some quarter of their memory once they are packed. */
const USUAL_PACKING = 4;

/** A part of a query, with the counts of both of its ranges. */
export interface PartCounts {
  readonly keys: GroupKeys;
  readonly scan: ScanCounts;
  readonly previous: ScanCounts | undefined;
}

/**
 * The counts of queries over sealed days, so that a repeated query reads only the other days. Groups are codes of the
 * website's texts.
 */
export class SealedCounts {
  private readonly known: ByteCache<readonly PartCounts[]>;

  constructor(private readonly maxBytes: number) {
    this.known = new ByteCache({ maxBytes }, (parts) => parts.reduce((sum, part) => sum + bytesOf(part), 0));
  }

  get bytes(): number {
    return this.known.bytes;
  }

  /** Tells whether counts of this size may be small enough once they are packed. */
  mayHaveRoomFor(bytes: number): boolean {
    return bytes <= USUAL_PACKING * this.maxBytes;
  }

  get(name: string): readonly PartCounts[] | undefined {
    return this.known.get(name);
  }

  set(name: string, parts: readonly PartCounts[]): void {
    this.known.set(name, parts);
  }

  clear(): void {
    this.known.clear();
  }
}

function bytesOf({ keys, scan, previous }: PartCounts): number {
  return BYTES_PER_PART + keys.bytes + bytesOfScan(scan) + (previous ? bytesOfScan(previous) : 0);
}

function bytesOfScan({ counts }: ScanCounts): number {
  return BYTES_PER_SCAN + BYTES_PER_METRIC * counts.counts.size + bytesOfPacked(counts);
}

/** Names the counts of a query over some days. Its order and its page do not matter. */
export function nameOfCounts(hitQuery: HitQuery, days: readonly DayOfHits[]): string {
  const { filter, goals, dimensions, metrics, range, previous } = hitQuery;
  const hitsIn = (own: Range | undefined) =>
    own && days.filter(({ day }) => hasDay(own, day)).map(({ day, hits, version }) => [day, hits, version]);
  // Buckets are numbered from the first day of a range.
  const isSeries = dimensions.some((name) => name !== GOAL && isMoment(name));
  const buckets = isSeries && [range.days, previous?.days];
  const counted = [filter, goals, dimensions, metrics, buckets, hitsIn(range), hitsIn(previous)];
  return digestOf(counted);
}

/**
 * Names the columns of a request by the rows and metrics that it counts. A page sends the same ones with other filters,
 * and goals do not matter: stored ones can be large.
 */
export function nameOfColumns(websiteId: number, hitQueries: readonly HitQuery[]): string {
  const counted = hitQueries.map(({ dimensions, metrics, range, previous }) => [
    ...[dimensions, metrics],
    ...[range.days, previous?.days],
  ]);
  return digestOf([websiteId, counted]);
}

/** Tells whether a day is sealed, and all of its hits are in each range that has the day. */
export function isSettled({ day, isSealed }: DayOfHits, ranges: readonly Range[]): boolean {
  const isWhole = ({ moments }: Range) => moments === undefined || isWithin(day, moments);
  return isSealed && ranges.every((range) => !hasDay(range, day) || isWhole(range));
}
