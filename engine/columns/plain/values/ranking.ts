import { nthLargestInSteps } from '../../../ground/lists/nth-largest';
import type { Steps } from '../../../ground/time/work-in-steps';
import type { Direction } from '../../../ground/rows';

/** The number of ids in a step. */
const IDS_OF_STEP = 50_000;

/** Ids with the same count. The page shows `take` of them after skipping `skip`, ordered by value. */
interface Group {
  ids: ArrayLike<number>;
  skip: number;
  take: number;
}

/**
 * The ids on a page by weight, the largest first, grouped by weight. The first and the last group may have many more
 * ids than the page.
 */
export function* rank(ids: Uint32Array, weights: Float64Array, skip: number, take: number): Steps<Group[]> {
  const end = Math.min(skip + take, ids.length);
  if (skip >= end) return [];
  const numbers = new Float64Array(ids.length);
  for (let index = 0; index < ids.length; index++) numbers[index] = weights[ids[index]!]!;
  yield;
  const first = yield* nthLargestInSteps(numbers, skip, 0);
  const last = yield* nthLargestInSteps(numbers, end - 1, skip);
  yield;
  const between = new Map<number, number[]>();
  const [ofFirst, ofLast] = [new Uint32Array(ids.length), new Uint32Array(first === last ? 0 : ids.length)];
  let [before, sizeOfFirst, sizeOfLast] = [0, 0, 0];
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]!;
    const weight = weights[id]!;
    if (weight > first) before++;
    else if (weight === first) ofFirst[sizeOfFirst++] = id;
    else if (weight === last) ofLast[sizeOfLast++] = id;
    else if (weight > last) between.set(weight, [...(between.get(weight) ?? []), id]);
  }
  let left = end - skip;
  return [
    ofFirst.subarray(0, sizeOfFirst),
    ...[...between.keys()].sort((one, other) => other - one).map((weight) => between.get(weight)!),
    ...(first === last ? [] : [ofLast.subarray(0, sizeOfLast)]),
  ].map((group, index) => {
    const skipped = index === 0 ? skip - before : 0;
    const taken = Math.min(group.length - skipped, left);
    left -= taken;
    return { ids: group, skip: skipped, take: taken };
  });
}

/** Weights with which the first id has the largest weight. */
export function weightsOf(counts: Float64Array, direction: Direction): Float64Array {
  return direction === 'desc' ? counts : counts.map((count) => -count);
}

/** All ids by weight, the largest first. Equal ids keep their order. */
export function* arranged(ids: Uint32Array, weights: Float64Array): Steps<Uint32Array> {
  const sizes = new Map<number, number>();
  for (let index = 0; index < ids.length; index++) {
    const weight = weights[ids[index]!]!;
    sizes.set(weight, (sizes.get(weight) ?? 0) + 1);
    if (index % IDS_OF_STEP === IDS_OF_STEP - 1) yield;
  }
  const places = new Map<number, number>();
  let place = 0;
  for (const weight of [...sizes.keys()].sort((one, other) => other - one)) {
    places.set(weight, place);
    place += sizes.get(weight)!;
  }
  const result = new Uint32Array(ids.length);
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]!;
    const next = places.get(weights[id]!)!;
    result[next] = id;
    places.set(weights[id]!, next + 1);
    if (index % IDS_OF_STEP === IDS_OF_STEP - 1) yield;
  }
  return result;
}
