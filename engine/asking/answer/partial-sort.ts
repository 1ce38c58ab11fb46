import { nthLargest } from '../../ground/lists/nth-largest';

type Compare = (one: number, other: number) => number;

/**
 * A part of the items in order, without sorting the others. The items are reordered. If weights decide first, heavier
 * items first, most items need no comparison.
 */
export function firstInOrder(
  all: Uint32Array,
  skip: number,
  take: number,
  compare: Compare,
  weightOf?: (item: number) => number,
): Uint32Array {
  const begin = Math.min(skip, all.length);
  const end = Math.min(skip + take, all.length);
  if (begin >= end) return all.subarray(0, 0);
  const items = weightOf && end < all.length ? heaviest(all, end, weightOf) : all;
  if (begin > 0) select(items, 0, begin, compare);
  if (end < items.length) select(items, begin, end, compare);
  return items.subarray(begin, end).sort(compare);
}

/** The heaviest items, and those as heavy as the last of them. */
function heaviest(items: Uint32Array, size: number, weightOf: (item: number) => number): Uint32Array {
  const weights = new Float64Array(items.length);
  for (let index = 0; index < items.length; index++) weights[index] = weightOf(items[index]!);
  const least = nthLargest(weights.slice(), size - 1);
  return items.filter((_, index) => weights[index]! >= least);
}

/** Moves the items that belong before a place to the front, from `from` on. */
function select(items: Uint32Array, from: number, place: number, compare: Compare): void {
  let [left, right] = [from, items.length - 1];
  while (left < right) {
    const pivot = items[(left + right) >> 1]!;
    let [low, high] = [left, right];
    while (low <= high) {
      while (compare(items[low]!, pivot) < 0) low++;
      while (compare(items[high]!, pivot) > 0) high--;
      if (low > high) break;
      [items[low], items[high]] = [items[high]!, items[low]!];
      low++;
      high--;
    }
    if (place <= high) right = high;
    else if (place >= low) left = low;
    else return;
  }
}
