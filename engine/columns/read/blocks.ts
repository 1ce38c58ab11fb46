import type { Part } from '../segments/part';
import type { AreInSameRanges } from '../../questions/plan/range-days';

/**
 * The fixed cost of a block is that of some hundred hits, so days are scanned together. The limit bounds the memory of
 * derived values, and the time between two checks of the deadline.
 */
const MAX_HITS = 128 * 1024;

/** Groups the days of a part into blocks. A day with more hits is a block alone. */
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
