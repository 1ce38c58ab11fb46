import type { Part } from '../../../storage/segments/part';
import type { AreInSameRanges } from '../plan/range-days';

/**
 * What is done once for each block takes as long as some hundred hits, so days are scanned together; no more of them,
 * since what is derived from a block takes memory, and between two of them a deadline is looked at.
 */
const MAX_HITS = 128 * 1024;

/** The days of a part that are scanned as one block each; a day with more hits than that is one by itself. */
export function* blocksOf(
  part: Part,
  days: readonly number[],
  areInSameRanges: AreInSameRanges,
  maxHits = MAX_HITS,
): Generator<number[]> {
  let block: number[] = [];
  let hits = 0;
  for (const day of days) {
    const ofDay = part.hitsOf(day);
    if (ofDay === 0) continue;
    const last = block.at(-1);
    const goesOn =
      last === undefined ||
      (hits + ofDay <= maxHits && part.areNext(last, day) && areInSameRanges(last, day));
    if (!goesOn) {
      yield block;
      [block, hits] = [[], 0];
    }
    block.push(day);
    hits += ofDay;
  }
  if (block.length > 0) yield block;
}
