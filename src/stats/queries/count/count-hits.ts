import type { BlockView } from '../select/block-view';
import { type Groups, type Numbers, numbersOf } from './groups';
import type { Selected } from '../select/selected';
import type { Tally } from './tally';
import { type Buckets, MAX_QUARTERS, QUARTER_S } from '../plan/buckets';

/** Counts the selected hits of a block in their groups: page views, and events. */
export function countHits(view: BlockView, selected: Selected, groups: Groups, tally: Tally): void {
  const pageviews = tally.countsOf('pageviews');
  const events = tally.countsOf('events');
  const isOfHits = groups.level === 'hit';
  const numbers = numbersOf(groups, tally);
  if (pageviews && isOfHits) countByHits(view, selected, numbers, pageviews);
  else if (pageviews) countByVisitors(view, selected, numbers, pageviews);
  if (!events) return;
  const { rows, codeOf } = numbers;
  for (const place of isOfHits ? eventsOf(view, selected) : visitorsOfEvents(view, selected))
    events[codeOf[rows[place]!]!]! += 1;
}

function countByHits(view: BlockView, selected: Selected, numbers: Numbers, counts: Float64Array): void {
  const { hits, hitPlaces, isOfHits } = selected;
  if (!isOfHits) countOfVisitors(view, selected.visitorPlaces!, hits, numbers, counts);
  else if (hitPlaces) countPlaces(view, hitPlaces, numbers, counts);
  else countAll(view, numbers, counts);
}

function countAll({ pageviews }: BlockView, { rows, codeOf }: Numbers, counts: Float64Array): void {
  for (let hit = 0; hit < rows.length; hit++) counts[codeOf[rows[hit]!]!]! += pageviews[hit]!;
}

function countPlaces(
  { pageviews }: BlockView,
  places: Uint32Array,
  { rows, codeOf }: Numbers,
  counts: Float64Array,
): void {
  for (let index = 0; index < places.length; index++) {
    const hit = places[index]!;
    counts[codeOf[rows[hit]!]!]! += pageviews[hit]!;
  }
}

function countOfVisitors(
  { block: { begins }, pageviews }: BlockView,
  visitors: Uint32Array,
  hits: Uint8Array | undefined,
  { rows, codeOf }: Numbers,
  counts: Float64Array,
): void {
  for (let index = 0; index < visitors.length; index++) {
    const visitor = visitors[index]!;
    for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++)
      if (!hits || hits[hit] === 1) counts[codeOf[rows[hit]!]!]! += pageviews[hit]!;
  }
}

/** Page views that stand in the groups of their visitors. */
function countByVisitors(
  { block: { begins, visitors: size }, pageviews }: BlockView,
  { hits, visitorPlaces }: Selected,
  { rows, codeOf }: Numbers,
  counts: Float64Array,
): void {
  const many = visitorPlaces?.length ?? size;
  for (let index = 0; index < many; index++) {
    const visitor = visitorPlaces ? visitorPlaces[index]! : index;
    let sum = 0;
    for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++)
      sum += hits ? pageviews[hit]! & hits[hit]! : pageviews[hit]!;
    counts[codeOf[rows[visitor]!]!]! += sum;
  }
}

/** The places of the selected events. */
function eventsOf(view: BlockView, selected: Selected): Uint32Array {
  const { hits } = selected;
  const events = selected.isOfHits ? view.events : eventsOfVisitors(view, selected.visitorPlaces).events;
  return hits ? events.filter((event) => hits[event] === 1) : events;
}

/** The visitors of the selected events. */
function visitorsOfEvents(view: BlockView, { hits, visitorPlaces }: Selected): Uint32Array {
  const { events, visitors } = eventsOfVisitors(view, visitorPlaces);
  return hits ? visitors.filter((_, index) => hits[events[index]!] === 1) : visitors;
}

/** The places of the events of some visitors, and the visitor of each. */
function eventsOfVisitors(
  { block: { begins, visitors: size }, events: all }: BlockView,
  places: Uint32Array | undefined,
): { events: Uint32Array; visitors: Uint32Array } {
  const [events, visitors] = [new Uint32Array(all.length), new Uint32Array(all.length)];
  const many = places?.length ?? size;
  let [found, next] = [0, 0];
  for (let index = 0; index < many && next < all.length; index++) {
    const visitor = places ? places[index]! : index;
    const [begin, end] = [begins[visitor]!, begins[visitor + 1]!];
    while (next < all.length && all[next]! < begin) next++;
    for (; next < all.length && all[next]! < end; next++) {
      events[found] = all[next]!;
      visitors[found++] = visitor;
    }
  }
  return { events: events.subarray(0, found), visitors: visitors.subarray(0, found) };
}

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
