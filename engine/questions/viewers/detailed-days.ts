import type { DayBlock, Span } from '../../hits/calendar';
import { ENOUGH_VISITORS } from '../../hits/rules/hidden-days';

/*
 * Viewers of a shared page whose website has `share_filters` off see the details of days in whole blocks. Blocks are
 * stored, and a range shows those that it contains whole. So the difference of two answers is a sum of whole blocks.
 */

/** Days that are over. */
export interface KnownDays {
  /** The visitors of each day with any. */
  readonly visitors: ReadonlyMap<number, number>;
  /** The complete blocks that begin on these days. */
  readonly blocks: readonly DayBlock[];
}

const NO_DAYS: KnownDays = { visitors: new Map(), blocks: [] };

/** Days in different buckets of a series are shown apart. */
type BucketOf = (day: number) => number;

/** The days of a range and the compared one. */
export function daysOfBoth(over: KnownDays = NO_DAYS, previous: KnownDays = NO_DAYS): KnownDays {
  return {
    visitors: new Map([...previous.visitors, ...over.visitors]),
    blocks: [...new Set([...previous.blocks, ...over.blocks])],
  };
}

/** What is known of days whose hits are kept from a day on. A block that has lost hits shows nothing that needs them. */
export function daysWithHits({ visitors, blocks }: KnownDays, from: number): KnownDays {
  return {
    visitors: new Map([...visitors].filter(([day]) => day >= from)),
    blocks: blocks.filter((block) => block[0]! >= from),
  };
}

/** The days of a range whose details are shown. */
export function detailedDays({ visitors, blocks }: KnownDays, range: Span, bucketOf?: BucketOf): Set<number> {
  const isWhole = (block: DayBlock) =>
    isWithin(block, range) && (!bucketOf || block.every((day) => bucketOf(day) === bucketOf(block[0]!)));
  const hasEnough = (block: DayBlock) =>
    block.reduce((sum, day) => sum + (visitors.get(day) ?? 0), 0) >= ENOUGH_VISITORS;
  return new Set(blocks.filter((block) => isWhole(block) && hasEnough(block)).flat());
}

/** The other days with visitors. */
export function hiddenDays(days: KnownDays, range: Span): Set<number> {
  const shown = detailedDays(days, range);
  return new Set([...days.visitors.keys()].filter((day) => isIn(day, range) && !shown.has(day)));
}

/**
 * The longest part of a range without hidden days, the latest of equal ones. Undefined if no part has details.
 * Leaving out hidden days may cut further blocks.
 */
export function detailedRange(days: KnownDays, range: Span): Span | undefined {
  let longest: Span | undefined;
  const find = (part: Span): void => {
    if (longest && part.to - part.from < longest.to - longest.from) return;
    const hidden = [...hiddenDays(days, part)].sort((one, other) => one - other);
    if (hidden.length === 0) {
      if (detailedDays(days, part).size > 0) longest = part;
      return;
    }
    const ends = [part.from - 1, ...hidden, part.to + 1];
    for (let index = 1; index < ends.length; index++)
      if (ends[index]! - ends[index - 1]! > 1) find({ from: ends[index - 1]! + 1, to: ends[index]! - 1 });
  };
  find(range);
  return longest;
}

/** The range with all of the blocks that its days with visitors belong to. */
export function withWholeBlocks({ visitors, blocks }: KnownDays, range: Span): Span {
  const isVisited = (day: number) => isIn(day, range) && visitors.has(day);
  const whole = blocks.filter((block) => block.some(isVisited));
  return {
    from: Math.min(range.from, ...whole.map((block) => block[0]!)),
    to: Math.max(range.to, ...whole.map((block) => block.at(-1)!)),
  };
}

/** From the first to the last day of a range and the compared one. */
export function spanOfBoth(range: Span, previous: Span = range): Span {
  return { from: Math.min(range.from, previous.from), to: Math.max(range.to, previous.to) };
}

export function isIn(day: number, { from, to }: Span): boolean {
  return day >= from && day <= to;
}

function isWithin(block: DayBlock, { from, to }: Span): boolean {
  return block[0]! >= from && block.at(-1)! <= to;
}
