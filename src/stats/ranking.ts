import type { Direction } from '../common/pagination';

/** The n-th largest of some numbers, n from 0; they are reordered on the way. */
export function nthLargest(numbers: Float64Array, n: number): number {
  let [left, right] = [0, numbers.length - 1];
  while (left < right) {
    const pivot = numbers[(left + right) >> 1]!;
    let [low, high] = [left, right];
    while (low <= high) {
      while (numbers[low]! > pivot) low++;
      while (numbers[high]! < pivot) high--;
      if (low > high) break;
      [numbers[low], numbers[high]] = [numbers[high]!, numbers[low]!];
      low++;
      high--;
    }
    if (n <= high) right = high;
    else if (n >= low) left = low;
    else break;
  }
  return numbers[n]!;
}

/** A stretch of ids that are equal but for their values, of which some are wanted, in the order of the values. */
export interface Ranked {
  ids: number[];
  skip: number;
  take: number;
}

/**
 * The ids on a page in the order of their weights, the largest first. Those of the first and of the last weight may
 * be many more than the page shows: their values decide which of them it shows.
 */
export function rank(ids: Uint32Array, weights: Float64Array, skip: number, take: number): Ranked[] {
  const end = Math.min(skip + take, ids.length);
  if (skip >= end) return [];
  const numbers = new Float64Array(ids.length);
  for (let index = 0; index < ids.length; index++) numbers[index] = weights[ids[index]!]!;
  const first = nthLargest(numbers, skip);
  const last = nthLargest(numbers, end - 1);
  const groups = new Map<number, number[]>();
  let before = 0;
  for (const id of ids) {
    const weight = weights[id]!;
    if (weight > first) before++;
    else if (weight >= last) {
      const group = groups.get(weight);
      if (group) group.push(id);
      else groups.set(weight, [id]);
    }
  }
  let left = end - skip;
  return [...groups.entries()]
    .sort(([one], [other]) => other - one)
    .map(([weight, group]) => {
      const skipped = weight === first ? skip - before : 0;
      const taken = Math.min(group.length - skipped, left);
      left -= taken;
      return { ids: group, skip: skipped, take: taken };
    });
}

/** What comes first weighs most. */
export function weightsOf(counts: Float64Array, direction: Direction): Float64Array {
  return direction === 'desc' ? counts : counts.map((count) => -count);
}

/** All ids in the order of their weights, the largest first; equal ones stay in the order in which they come. */
export function arranged(ids: Uint32Array, weights: Float64Array): Uint32Array {
  const sizes = new Map<number, number>();
  for (const id of ids) sizes.set(weights[id]!, (sizes.get(weights[id]!) ?? 0) + 1);
  const places = new Map<number, number>();
  let place = 0;
  for (const weight of [...sizes.keys()].sort((one, other) => other - one)) {
    places.set(weight, place);
    place += sizes.get(weight)!;
  }
  const result = new Uint32Array(ids.length);
  for (const id of ids) {
    const next = places.get(weights[id]!)!;
    result[next] = id;
    places.set(weights[id]!, next + 1);
  }
  return result;
}
