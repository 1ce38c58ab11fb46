import { HOMES, type SegmentDays } from './hit-segments';
import type { HitsOfDay } from '../stored-days';

export interface RunLimits {
  hits: number;
  /** From the first to the last day. With few hits, a segment is rewritten often because its days expire. */
  days: number;
}

/** About a month of a website with 10 million hits a year. A query about one month reads no more. */
export const RUN_LIMITS: RunLimits = { hits: 1024 * 1024, days: 64 };
/** The number of small days that are merged at once, so that each is moved few times. */
const SMALL_DAYS_TOGETHER = 8;

/** The segments of consecutive days, in order. */
export function segmentsOf(days: Pick<HitsOfDay, 'day' | 'columns'>[]): SegmentDays[] {
  const segments: SegmentDays[] = [];
  for (const { day, columns } of days) {
    if (columns?.home !== HOMES.columns) continue;
    if (segments.at(-1)?.segment !== columns.segment)
      segments.push({ segment: columns.segment, days: [], hits: 0 });
    const last = segments.at(-1)!;
    last.days.push({ day, columns });
    last.hits += columns.hits;
  }
  return segments;
}

/** The segments before, between and after some days. */
export function segmentsBetween(segments: SegmentDays[], days: number[]): SegmentDays[][] {
  const before = ({ days: [first] }: SegmentDays, day: number) => first!.day < day;
  return [...days, Infinity].map((day, index) =>
    segments.filter((segment) => before(segment, day) && !before(segment, days[index - 1] ?? 0)),
  );
}

/**
 * The segments that must be merged, if any: a segment and those behind it, if these have as many hits. A segment that
 * is not full then has more hits than all behind it, so segments are few, and a hit is moved about as often as a day's
 * hits double until they fill a segment.
 */
export function segmentsToMerge(
  segments: SegmentDays[],
  own: Partial<RunLimits> = {},
): SegmentDays[] | undefined {
  const limits = { ...RUN_LIMITS, ...own };
  for (let end = segments.length; end > 1; end--) {
    const run = runBefore(segments, end, limits);
    if (run.length > 1) return run;
  }
  return undefined;
}

function runBefore(segments: SegmentDays[], end: number, limits: RunLimits): SegmentDays[] {
  const lastDay = segments[end - 1]!.days.at(-1)!.day;
  let first = end - 1;
  let { hits } = segments[first]!;
  for (let index = end - 2; index >= 0; index--) {
    const before = segments[index]!;
    if (hits + before.hits > limits.hits || lastDay - before.days[0]!.day >= limits.days) break;
    if (before.hits <= hits) first = index;
    hits += before.hits;
  }
  return segments.slice(first, end);
}

/** The day that completes a group of small days. Groups of different websites end on different days. */
export function mergeDay(websiteId: number, day: number): number {
  return day + SMALL_DAYS_TOGETHER - 1 - ((day + websiteId) % SMALL_DAYS_TOGETHER);
}
