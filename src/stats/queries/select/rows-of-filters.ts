import { FewRows } from './few-rows';
import type { HitClasses } from './classes/hit-classes';
import type { Matches } from './matches';
import { placesOfOnes } from './row-masks';
import type { BlockView } from './block-view';

/** The number of places that are listed at the same time, unless one filter has more. */
const MAX_LISTED = 256 * 1024;

/** The matching hits that pass a filter. They are valid until the next filter. */
interface RowsOfFilter {
  readonly filter: number;
  readonly rows: FewRows;
}

/** The places of the hits of each filter that is listed. */
type Lists = (Uint32Array | undefined)[];

/** The matching hits that pass one of some filters, and their number for each filter. */
export interface Reaching {
  readonly places: Uint32Array;
  /** The class of each hit that matches. */
  readonly classOf: Uint32Array;
  readonly sizes: Uint32Array;
}

/** Valid until the next call for the block. */
export function reachingIn(view: BlockView, classes: HitClasses, matches: Matches): Reaching {
  const classOf = classes.of(view, matches.visitors);
  const places = placesWithin(view, matches, classOf, classes.passesAny);
  return { places, classOf, sizes: sizesOf(places, classes, classOf) };
}

/** The places of the matching hits whose class passes, in order. */
function placesWithin(
  view: BlockView,
  { visitors, hits }: Matches,
  classOf: Uint32Array,
  passes: Uint8Array,
): Uint32Array {
  const { begins, hits: size } = view.block;
  // Each place is written, and the next one overwrites it unless it passes: no branch depends on that.
  const places = view.once('reaching places', () => view.numbers(size + 1));
  let found = 0;
  const some = visitors && placesOfOnes(visitors, (rows) => view.numbers(rows));
  const many = some?.length ?? 1;
  for (let index = 0; index < many; index++) {
    const begin = some ? begins[some[index]!]! : 0;
    const end = some ? begins[some[index]! + 1]! : size;
    for (let hit = begin; hit < end; hit++) {
      places[found] = hit;
      found += hits ? passes[classOf[hit]!]! & hits[hit]! : passes[classOf[hit]!]!;
    }
  }
  return places.subarray(0, found);
}

/** The hits of each filter that some hit passes. */
export function* rowsOfFilters(
  view: BlockView,
  classes: HitClasses,
  { places, classOf, sizes }: Reaching,
): Generator<RowsOfFilter> {
  for (const some of inTurns(sizes)) {
    const lists = listed(places, classes, classOf, sizes, some);
    view.borrow(places.byteLength + bytesOf(lists));
    for (const filter of some) {
      const rows = new FewRows(view, lists[filter]!);
      yield { filter, rows };
      rows.release();
    }
  }
}

/** The number of hits of each filter. */
function sizesOf(places: Uint32Array, classes: HitClasses, classOf: Uint32Array): Uint32Array {
  const hitsOf = new Uint32Array(classes.count);
  for (let index = 0; index < places.length; index++) hitsOf[classOf[places[index]!]!]! += 1;
  const sizes = new Uint32Array(classes.filters.length);
  for (const [own, hits] of hitsOf.entries())
    if (hits > 0) for (const filter of classes.filtersOf(own)) sizes[filter]! += hits;
  return sizes;
}

/** The filters with hits, in pieces that have a limited number of places together. */
function inTurns(sizes: Uint32Array): number[][] {
  const turns: number[][] = [];
  let listed = Infinity;
  for (const [filter, size] of sizes.entries()) {
    if (size === 0) continue;
    if (listed + size > MAX_LISTED) {
      turns.push([]);
      listed = 0;
    }
    listed += size;
    turns.at(-1)!.push(filter);
  }
  return turns;
}

/** The places of the hits of some filters, in order. */
function listed(
  places: Uint32Array,
  classes: HitClasses,
  classOf: Uint32Array,
  sizes: Uint32Array,
  filters: readonly number[],
): Lists {
  const lists: Lists = new Array<undefined>(sizes.length);
  for (const filter of filters) lists[filter] = new Uint32Array(sizes[filter]!);
  const filled = new Uint32Array(sizes.length);
  const filtersOf = new Array<number[] | undefined>(classes.count);
  for (let index = 0; index < places.length; index++) {
    const place = places[index]!;
    const own = classOf[place]!;
    const some = (filtersOf[own] ??= classes.filtersOf(own).filter((filter) => lists[filter]));
    for (let turn = 0; turn < some.length; turn++) {
      const filter = some[turn]!;
      lists[filter]![filled[filter]!++] = place;
    }
  }
  return lists;
}

function bytesOf(lists: Lists): number {
  return lists.reduce((sum, list) => sum + (list?.byteLength ?? 0), 0);
}
