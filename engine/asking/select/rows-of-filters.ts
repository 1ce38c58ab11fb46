import { FewRows } from './few-rows';
import type { ClassifiedHits, HitClasses } from './classes/hit-classes';
import type { Matches } from './matching-rows';
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
  /** The class of each of them. */
  readonly classOf: Uint32Array;
  readonly sizes: Uint32Array;
}

/** Valid until the next call for the block. */
export function reachingIn(view: BlockView, classes: HitClasses, matches: Matches): Reaching {
  const classified = classes.in(view, matches);
  const size = view.block.hits + 1;
  const lists = view.once('reaching', () => ({ places: view.numbers(size), classOf: view.numbers(size) }));
  const found = findPassing(classified, classes.passesAny, lists);
  const [places, classOf] = [lists.places.subarray(0, found), lists.classOf.subarray(0, found)];
  return { places, classOf, sizes: sizesOf(classOf, classes) };
}

/** Marks the hits that pass one of some filters. */
export function hitsReaching(view: BlockView, classes: HitClasses, matches: Matches): Matches {
  const hits = view.bytesFor(view.block.hits);
  for (const place of reachingIn(view, classes, matches).places) hits[place] = 1;
  return { hits, visitors: matches.visitors };
}

/**
 * Lists the hits whose class passes, and returns their number. Each hit is written, and the next one overwrites it
 * unless it passes: no branch depends on that.
 */
function findPassing(
  { places: of, classOf }: ClassifiedHits,
  passes: Uint8Array,
  to: Pick<Reaching, 'places' | 'classOf'>,
): number {
  const { places, classOf: classes } = to;
  let found = 0;
  for (let index = 0; index < classOf.length; index++) {
    const own = classOf[index]!;
    places[found] = of ? of[index]! : index;
    classes[found] = own;
    found += passes[own]!;
  }
  return found;
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
function sizesOf(classOf: Uint32Array, classes: HitClasses): Uint32Array {
  const hitsOf = new Uint32Array(classes.count);
  for (let index = 0; index < classOf.length; index++) hitsOf[classOf[index]!]! += 1;
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
    const own = classOf[index]!;
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
