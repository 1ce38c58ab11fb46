import type { Part } from '../../../storage/segments/part';
import type { AreAskedAlike } from '../plan/asked-days';

/**
 * What is done once for each stretch takes as long as some hundred hits, so days are scanned together; no more of them,
 * since what is derived from a stretch takes memory, and between two of them a deadline is looked at.
 */
const MAX_HITS = 128 * 1024;

/** The days of a part that are scanned as one stretch each; a day with more hits than that is one by itself. */
export function* stretchesOf(
  part: Part,
  days: readonly number[],
  areAskedAlike: AreAskedAlike,
  maxHits = MAX_HITS,
): Generator<number[]> {
  let stretch: number[] = [];
  let hits = 0;
  for (const day of days) {
    const ofDay = part.hitsOf(day);
    if (ofDay === 0) continue;
    const last = stretch.at(-1);
    const goesOn =
      last === undefined || (hits + ofDay <= maxHits && part.areNext(last, day) && areAskedAlike(last, day));
    if (!goesOn) {
      yield stretch;
      [stretch, hits] = [[], 0];
    }
    stretch.push(day);
    hits += ofDay;
  }
  if (stretch.length > 0) yield stretch;
}
