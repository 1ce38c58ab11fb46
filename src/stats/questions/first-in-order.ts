type Compare = (one: number, other: number) => number;

/** Some of the items in their order, without ordering the others; the items are reordered on the way. */
export function firstInOrder(items: Uint32Array, skip: number, take: number, compare: Compare): Uint32Array {
  const begin = Math.min(skip, items.length);
  const end = Math.min(skip + take, items.length);
  if (begin >= end) return items.subarray(0, 0);
  if (begin > 0) select(items, 0, begin, compare);
  if (end < items.length) select(items, begin, end, compare);
  return items.subarray(begin, end).sort(compare);
}

/** Puts the items that belong before a place before it, among those from `from` on. */
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
