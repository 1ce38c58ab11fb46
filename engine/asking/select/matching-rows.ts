import { intersect, invert, placesOfOnes, unite } from './row-masks';
import type { BlockView } from './block-view';

/**
 * The matching rows of a block, as ones and zeros. A hit matches if both its visitor and the hit itself do. A missing
 * list means that all match, so conditions on visitors alone need no look at hits.
 */
export interface Matches {
  readonly visitors?: Uint8Array | undefined;
  readonly hits?: Uint8Array | undefined;
}

export const ALL_MATCH: Matches = {};

export function noneMatch({ block: { visitors } }: BlockView): Matches {
  return { visitors: new Uint8Array(visitors) };
}

/** The rows that match in both lists. The first list is consumed. */
export function inBoth(one: Matches, other: Matches): Matches {
  return { visitors: intersected(one.visitors, other.visitors), hits: intersected(one.hits, other.hits) };
}

/** The rows that match in at least one of both lists. The lists are consumed. */
export function inEither(one: Matches, other: Matches, view: BlockView): Matches {
  if (matchesAll(one) || matchesAll(other)) return ALL_MATCH;
  if (one.visitors && other.visitors && !one.hits && !other.hits)
    return { visitors: unite(one.visitors, other.visitors) };
  return { hits: unite(ofHits(one, view), ofHits(other, view)) };
}

function matchesAll({ visitors, hits }: Matches): boolean {
  return !visitors && !hits;
}

/** The rows that do not match. The list is consumed. */
export function notIn(list: Matches, view: BlockView): Matches {
  const { visitors, hits } = list;
  if (!hits) return visitors ? { visitors: invert(visitors) } : noneMatch(view);
  return { hits: invert(visitors ? ofHits(list, view) : hits) };
}

/** The visitors with a matching hit. */
export function visitorsOf(
  { visitors, hits }: Matches,
  { block: { begins, visitors: size } }: BlockView,
): Uint8Array | undefined {
  if (!hits) return visitors;
  const some = new Uint8Array(size);
  const places = placesOfOnes(hits);
  for (let index = 0, visitor = 0; index < places.length; index++) {
    visitor = visitorFrom(visitor, places[index]!, begins);
    some[visitor] = 1;
  }
  return visitors ? intersect(some, visitors) : some;
}

/** The places of the matching hits, in order. Undefined if all match. Valid until the next call for the block. */
export function placesOfHits({ visitors, hits }: Matches, view: BlockView): Uint32Array | undefined {
  if (!visitors && !hits) return undefined;
  // The place after the last one is written, too.
  const places = view.once('places of hits', () => view.numbers(view.block.hits + 1));
  if (!hits) return placesOfVisitors(visitors!, view, places);
  const all = placesOfOnes(hits, () => places);
  return visitors ? placesWithin(all, visitors, view) : all;
}

/** Writes the places of all hits of some visitors. */
function placesOfVisitors(visitors: Uint8Array, view: BlockView, places: Uint32Array): Uint32Array {
  const { begins, visitors: size } = view.block;
  const list = view.once('places of visitors', () => view.numbers(size + 1));
  const some = placesOfOnes(visitors, () => list);
  let found = 0;
  for (let index = 0; index < some.length; index++)
    for (let hit = begins[some[index]!]!, end = begins[some[index]! + 1]!; hit < end; hit++)
      places[found++] = hit;
  return places.subarray(0, found);
}

/** The places whose visitors match. The list is consumed. */
function placesWithin(places: Uint32Array, visitors: Uint8Array, { block }: BlockView): Uint32Array {
  let size = 0;
  for (let index = 0, visitor = 0; index < places.length; index++) {
    const place = places[index]!;
    visitor = visitorFrom(visitor, place, block.begins);
    places[size] = place;
    size += visitors[visitor]!;
  }
  return places.subarray(0, size);
}

/** The visitor of a hit, who is this visitor or a later one. Most are near, so it looks further in growing steps. */
export function visitorFrom(first: number, place: number, begins: Uint32Array): number {
  let low = first;
  let step = 1;
  while (low + step < begins.length && begins[low + step]! <= place) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, begins.length);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (begins[middle]! <= place) low = middle;
    else high = middle;
  }
  return low;
}

export function matchesAny(hits: Uint8Array, begin: number, end: number): boolean {
  for (let hit = begin; hit < end; hit++) if (hits[hit] === 1) return true;
  return false;
}

/** One for each matching hit. The list is consumed. */
export function ofHits({ visitors, hits }: Matches, { block }: BlockView): Uint8Array {
  const matches = hits ?? new Uint8Array(block.hits).fill(1);
  if (!visitors) return matches;
  const { begins } = block;
  for (let visitor = 0; visitor < block.visitors; visitor++)
    if (visitors[visitor] === 0)
      for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++) matches[hit] = 0;
  return matches;
}

function intersected(one: Uint8Array | undefined, other: Uint8Array | undefined): Uint8Array | undefined {
  return one && other ? intersect(one, other) : (one ?? other);
}
