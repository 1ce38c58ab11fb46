import type { SegmentDays } from './hit-segments';
import type { HitsOfDay } from '../stored-days';

export interface RunLimits {
  hits: number;
  /** From the first to the last one: of a website with few hits a segment is written anew often, as its days expire. */
  days: number;
}

/** About a month of a website with 10 million hits a year: a query about one month reads no more than that. */
const LIMITS: RunLimits = { hits: 1024 * 1024, days: 64 };
/** How many small days become one segment together, so that each is moved few times. */
const SMALL_DAYS_TOGETHER = 8;

/** The segments of days that follow one another, in their order. */
export function segmentsOf(days: HitsOfDay[]): SegmentDays[] {
  const segments: SegmentDays[] = [];
  for (const { day, columns } of days) {
    if (!columns) continue;
    if (segments.at(-1)?.segment !== columns.segment)
      segments.push({ segment: columns.segment, days: [], hits: 0 });
    const last = segments.at(-1)!;
    last.days.push({ day, columns });
    last.hits += columns.hits;
  }
  return segments;
}

/** The segments before, between and behind some days. */
export function segmentsBetween(segments: SegmentDays[], days: number[]): SegmentDays[][] {
  const before = ({ days: [first] }: SegmentDays, day: number) => first!.day < day;
  return [...days, Infinity].map((day, index) =>
    segments.filter((segment) => before(segment, day) && !before(segment, days[index - 1] ?? 0)),
  );
}

/**
 * The segments that have to become one, if any: one and those behind it, which together have as many hits. So one that is
 * not full has more than all behind it, which makes them few, and a hit is moved about as many times as a number
 * doubles from a day's hits to those of a full segment.
 */
export function dueRun(segments: SegmentDays[], own: Partial<RunLimits> = {}): SegmentDays[] | undefined {
  const limits = { ...LIMITS, ...own };
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

/** The first day from one on with which small days become a larger segment; another one for the next website. */
export function mergeDay(websiteId: number, day: number): number {
  return day + SMALL_DAYS_TOGETHER - 1 - ((day + websiteId) % SMALL_DAYS_TOGETHER);
}
