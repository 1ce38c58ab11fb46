import { ended, type Steps } from '../time/work-in-steps';

/** Numbers to process between two steps. */
const NUMBERS_OF_STEP = 50_000;

/**
 * The n-th largest number, with n from 0. Reorders the numbers. No number before `from` may be smaller than one after
 * it, as an earlier call for that place ensures.
 */
export function nthLargest(numbers: Float64Array, n: number, from = 0): number {
  return ended(nthLargestInSteps(numbers, n, from));
}

export function* nthLargestInSteps(numbers: Float64Array, n: number, from = 0): Steps<number> {
  let [left, right] = [from, numbers.length - 1];
  while (left < right) {
    const pivot = numbers[(left + right) >> 1]!;
    // Most counts equal many others, so numbers equal to the pivot get a range of their own.
    let [larger, next, smaller] = [left, left, right];
    while (next <= smaller) {
      const number = numbers[next]!;
      if (number > pivot) {
        numbers[next++] = numbers[larger]!;
        numbers[larger++] = number;
      } else if (number < pivot) {
        numbers[next] = numbers[smaller]!;
        numbers[smaller--] = number;
      } else next++;
    }
    if (n < larger) right = larger - 1;
    else if (n > smaller) left = smaller + 1;
    else break;
    if (right - left > NUMBERS_OF_STEP) yield;
  }
  return numbers[n]!;
}
