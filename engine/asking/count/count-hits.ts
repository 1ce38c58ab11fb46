import type { BlockView } from '../select/block-view';
import { type Groups, type NumberedGroups, numbersOf } from './groups';
import type { SelectedRows } from '../select/selected-rows';
import type { Tally } from './tally';
import type { Buckets } from '../../questions/plan/buckets';
import {
  type BlockDay,
  MAX_QUARTERS,
  MIN_HITS_BY_QUARTERS,
  QUARTER_S,
  type QuarterCounts,
} from '../../hits/hit-block';

/** Counts the selected hits of a block by group: page views and events. */
export function countHits(view: BlockView, selected: SelectedRows, groups: Groups, tally: Tally): void {
  const pageviews = tally.countsOf('pageviews');
  const events = tally.countsOf('events');
  const isOfHits = groups.level === 'hit';
  const numbers = numbersOf(groups, tally);
  if (pageviews && isOfHits) countByHits(view, selected, numbers, pageviews);
  else if (pageviews && selected.hits) countByVisitors(view, selected, numbers, pageviews);
  else if (pageviews) countAllOfVisitors(view, selected, numbers, pageviews);
  if (!events) return;
  const { rows, codeOf } = numbers;
  for (const place of isOfHits ? eventsOf(view, selected) : visitorsOfEvents(selected))
    events[codeOf[rows[place]!]!]! += 1;
}

function countByHits(
  view: BlockView,
  selected: SelectedRows,
  numbers: NumberedGroups,
  counts: Float64Array,
): void {
  const { hits, hitPlaces, isOfHits } = selected;
  if (!isOfHits) countOfVisitors(view, selected.visitorPlaces!, hits, numbers, counts);
  else if (hitPlaces) countPlaces(view, hitPlaces, numbers, counts);
  else countAll(view, numbers, counts);
}

function countAll({ pageviews }: BlockView, { rows, codeOf }: NumberedGroups, counts: Float64Array): void {
  for (let hit = 0; hit < rows.length; hit++) counts[codeOf[rows[hit]!]!]! += pageviews[hit]!;
}

function countPlaces(
  { pageviews }: BlockView,
  places: Uint32Array,
  { rows, codeOf }: NumberedGroups,
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
  { rows, codeOf }: NumberedGroups,
  counts: Float64Array,
): void {
  for (let index = 0; index < visitors.length; index++) {
    const visitor = visitors[index]!;
    for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++)
      if (!hits || hits[hit] === 1) counts[codeOf[rows[hit]!]!]! += pageviews[hit]!;
  }
}

/** Counts selected page views in the groups of their visitors. */
function countByVisitors(
  { block: { begins }, pageviews }: BlockView,
  { hits, visitorPlaces }: SelectedRows,
  { rows, codeOf }: NumberedGroups,
  counts: Float64Array,
): void {
  for (const visitor of visitorPlaces!) {
    let sum = 0;
    for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++)
      sum += pageviews[hit]! & hits![hit]!;
    counts[codeOf[rows[visitor]!]!]! += sum;
  }
}

/** Counts all page views of visitors: their hits, without their events, which are fewer. */
function countAllOfVisitors(
  { block: { begins, visitors: size } }: BlockView,
  { visitorPlaces, eventsOfVisitors }: SelectedRows,
  { rows, codeOf }: NumberedGroups,
  counts: Float64Array,
): void {
  const many = visitorPlaces?.length ?? size;
  for (let index = 0; index < many; index++) {
    const visitor = visitorPlaces ? visitorPlaces[index]! : index;
    counts[codeOf[rows[visitor]!]!]! += begins[visitor + 1]! - begins[visitor]!;
  }
  for (const visitor of eventsOfVisitors.visitors) counts[codeOf[rows[visitor]!]!]! -= 1;
}

/** The places of the selected events. */
function eventsOf(view: BlockView, selected: SelectedRows): Uint32Array {
  const { hits } = selected;
  const events = selected.isOfHits ? view.events : selected.eventsOfVisitors.events;
  return hits ? events.filter((event) => hits[event] === 1) : events;
}

/** The visitors of the selected events. */
function visitorsOfEvents({ hits, eventsOfVisitors }: SelectedRows): Uint32Array {
  const { events, visitors } = eventsOfVisitors;
  return hits ? visitors.filter((_, index) => hits[events[index]!] === 1) : visitors;
}

/** Counts all hits of a block by moment, using quarters of an hour. */
export function countMoments(view: BlockView, buckets: Buckets, tally: Tally): void {
  tally.reserve(buckets.size);
  const pageviews = tally.countsOf('pageviews');
  const events = tally.countsOf('events');
  const conversions = tally.countsOf('conversions');
  const countsOf = quarterCounts(view);
  for (const day of view.block.days) {
    const counts = countsOf(day);
    const first = QUARTER_S * Math.floor(day.begin / QUARTER_S);
    for (let quarter = 0; quarter < MAX_QUARTERS; quarter++) {
      const hits = counts.hits[quarter]!;
      if (hits === 0) continue;
      const bucket = buckets.indexOf(day.day, first + QUARTER_S * quarter);
      if (pageviews) pageviews[bucket]! += hits - counts.events[quarter]!;
      if (events) events[bucket]! += counts.events[quarter]!;
      if (conversions) conversions[bucket]! += hits;
    }
  }
}

/** Counts days of a block by quarters of an hour; call it in their order. The counts of large days are cached. */
function quarterCounts(view: BlockView): (day: BlockDay) => QuarterCounts {
  const { quarters } = view.block;
  let next = 0;
  return ({ day, begin, firstHit, hits }) => {
    const known = quarters?.get(day);
    if (known) return known;
    const { low, high } = view.seconds;
    const counts = { hits: new Uint32Array(MAX_QUARTERS), events: new Uint32Array(MAX_QUARTERS) };
    const ofFirst = begin % QUARTER_S;
    const end = firstHit + hits;
    for (let hit = firstHit; hit < end; hit++)
      counts.hits[((ofFirst + low[hit]! + (high[hit]! << 16)) / QUARTER_S) | 0]! += 1;
    const places = view.events;
    while (next < places.length && places[next]! < firstHit) next++;
    for (; next < places.length && places[next]! < end; next++) {
      const hit = places[next]!;
      counts.events[((ofFirst + low[hit]! + (high[hit]! << 16)) / QUARTER_S) | 0]! += 1;
    }
    if (hits >= MIN_HITS_BY_QUARTERS) quarters?.set(day, counts);
    return counts;
  };
}
