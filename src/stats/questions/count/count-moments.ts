import { type Buckets, MAX_QUARTERS, QUARTER_S } from '../plan/buckets';
import type { BlockView } from '../select/block-view';
import type { Tally } from './tally';

/** Counts all hits of a block in the buckets of their moments, by quarters of an hour, without a number for each hit. */
export function countMoments(view: BlockView, buckets: Buckets, tally: Tally): void {
  tally.reserve(buckets.size);
  const pageviews = tally.countsOf('pageviews');
  const events = tally.countsOf('events');
  const { events: places } = view;
  const { low, high } = view.seconds;
  const hitsIn = new Uint32Array(MAX_QUARTERS);
  const eventsIn = new Uint32Array(MAX_QUARTERS);
  let next = 0;
  for (const { day, begin, firstHit, hits } of view.block.days) {
    const first = QUARTER_S * Math.floor(begin / QUARTER_S);
    const ofFirst = begin - first;
    const end = firstHit + hits;
    for (let hit = firstHit; hit < end; hit++)
      hitsIn[((ofFirst + low[hit]! + (high[hit]! << 16)) / QUARTER_S) | 0]! += 1;
    for (; next < places.length && places[next]! < end; next++) {
      const hit = places[next]!;
      eventsIn[((ofFirst + low[hit]! + (high[hit]! << 16)) / QUARTER_S) | 0]! += 1;
    }
    for (let quarter = 0; quarter < MAX_QUARTERS; quarter++) {
      if (hitsIn[quarter] === 0) continue;
      const bucket = buckets.indexOf(day, first + QUARTER_S * quarter);
      if (pageviews) pageviews[bucket]! += hitsIn[quarter]! - eventsIn[quarter]!;
      if (events) events[bucket]! += eventsIn[quarter]!;
      hitsIn[quarter] = eventsIn[quarter] = 0;
    }
  }
}
