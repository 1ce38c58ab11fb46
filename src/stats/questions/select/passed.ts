import { intersect, invert, placesOfOnes, unite } from './ones';
import type { StretchView } from './stretch-view';

/**
 * What passes of a stretch, one for each that does and else zero: a hit does if its visitor and itself do. Where all of them
 * do there is no list, so that what is true or false of visitors alone is not looked at for each hit.
 */
export interface Passed {
  readonly visitors?: Uint8Array | undefined;
  readonly hits?: Uint8Array | undefined;
}

export const ALL_PASS: Passed = {};

function nonePass({ stretch: { visitors } }: StretchView): Passed {
  return { visitors: new Uint8Array(visitors) };
}

/** Those that pass in all of some lists, which are not used any more. */
export function inAll(lists: Passed[]): Passed {
  return {
    visitors: joined(lists.map(({ visitors }) => visitors)),
    hits: joined(lists.map(({ hits }) => hits)),
  };
}

/** Those that pass in one of some lists, which are not used any more. */
export function inAny(lists: Passed[], view: StretchView): Passed {
  if (lists.some(({ visitors, hits }) => !visitors && !hits)) return ALL_PASS;
  const areOfVisitors = lists.every(({ hits }) => !hits);
  const [first, ...others] = lists.map((list) => (areOfVisitors ? list.visitors! : ofHits(list, view)));
  if (!first) return nonePass(view);
  for (const other of others) unite(first, other);
  return areOfVisitors ? { visitors: first } : { hits: first };
}

/** Those that do not pass in a list, which is not used any more. */
export function notIn(list: Passed, view: StretchView): Passed {
  const { visitors, hits } = list;
  if (!hits) return visitors ? { visitors: invert(visitors) } : nonePass(view);
  return { hits: invert(visitors ? ofHits(list, view) : hits) };
}

/** The visitors that have a hit that passes. */
export function visitorsOf(
  { visitors, hits }: Passed,
  { stretch: { begins, visitors: size } }: StretchView,
): Uint8Array | undefined {
  if (!hits) return visitors;
  const some = new Uint8Array(size);
  const places = placesOfOnes(hits);
  for (let index = 0, visitor = 0; index < places.length; index++) {
    while (begins[visitor + 1]! <= places[index]!) visitor++;
    some[visitor] = 1;
  }
  return visitors ? intersect(some, visitors) : some;
}

export function passesAny(hits: Uint8Array, begin: number, end: number): boolean {
  for (let hit = begin; hit < end; hit++) if (hits[hit] === 1) return true;
  return false;
}

/** One for each hit that passes in a list, which is not used any more. */
export function ofHits({ visitors, hits }: Passed, { stretch }: StretchView): Uint8Array {
  const passed = hits ?? new Uint8Array(stretch.hits).fill(1);
  if (!visitors) return passed;
  const { begins } = stretch;
  for (let visitor = 0; visitor < stretch.visitors; visitor++)
    if (visitors[visitor] === 0)
      for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++) passed[hit] = 0;
  return passed;
}

function joined(lists: (Uint8Array | undefined)[]): Uint8Array | undefined {
  const [first, ...others] = lists.filter((list) => list !== undefined);
  if (!first) return undefined;
  for (const other of others) intersect(first, other);
  return first;
}
