import { nthLargestInSteps } from '../../../ground/lists/nth-largest';
import type { Steps } from '../../../ground/time/work-in-steps';
import type { StatName } from '../../../hits/stat-names';
import { OTHER, type ValueLimits } from '../../../hits/rules/value-limits';
import type { DistinctTexts } from '../texts/distinct-texts';

/** The number of texts in one step. */
const TEXTS_OF_STEP = 50_000;

/** The count of each value of a name. */
export interface NameCounts {
  readonly name: StatName;
  /** Undefined if the values are days. Their codes are days since 1970. */
  readonly texts: DistinctTexts | undefined;
  /** By code; 0 if a value was not counted. */
  readonly counts: Float64Array;
  /** Tells whether values were merged for lack of memory. */
  readonly isCut?: boolean;
}

/** The maximum number of values of a day's rollup besides `(other)`. They fit into a new generation. */
export function maxValuesOfDay({ newPerDay, all }: Pick<ValueLimits, 'newPerDay' | 'all'>): number {
  return Math.min(newPerDay, Math.floor(all / 2) - 1);
}

/**
 * Limits the values to `max`: those with the largest counts, and among equal counts those whose bytes come first. The
 * others are counted as `(other)`, which is added to the texts if missing and is never one of the `max`.
 */
export function* limitedCounts(
  { texts, counts }: Pick<NameCounts, 'texts' | 'counts'>,
  max: number,
): Steps<{ counts: Float64Array; isLimited: boolean }> {
  if (!texts) return { counts, isLimited: false };
  const retained = yield* largest(counts, max, texts.find(OTHER), texts);
  if (!retained) return { counts, isLimited: false };
  const other = texts.codeOf(OTHER);
  const limited = new Float64Array(Math.max(counts.length, other + 1));
  for (let code = 0; code < counts.length; code++)
    limited[retained[code] === 1 ? code : other]! += counts[code]!;
  return { counts: limited, isLimited: true };
}

/**
 * Marks the `max` codes with the largest counts, without `except`. Undefined if there are no more codes. Among equal
 * counts it marks those whose texts come first or, without texts, the last codes.
 */
export function* largest(
  counts: Float64Array,
  max: number,
  except: number,
  texts?: DistinctTexts,
): Steps<Uint8Array | undefined> {
  const weights = new Float64Array(counts.length);
  let size = 0;
  for (let code = 0; code < counts.length; code++)
    if (counts[code]! > 0 && code !== except) weights[size++] = counts[code]!;
  if (size <= max) return undefined;
  const least = max === 0 ? Infinity : yield* nthLargestInSteps(weights.subarray(0, size), max - 1);
  const retained = new Uint8Array(counts.length);
  const ties = new Uint32Array(size);
  let [marked, tied] = [0, 0];
  for (let code = 0; code < counts.length; code++) {
    if (code === except || counts[code]! < least) continue;
    if (counts[code] === least) ties[tied++] = code;
    else marked += retained[code] = 1;
  }
  const left = max - marked;
  const own = ties.subarray(0, tied);
  yield;
  for (const code of texts ? yield* firstTexts(texts, own, left) : own.subarray(tied - left))
    retained[code] = 1;
  return retained;
}

/** The codes whose texts come first, compared six bytes at a time. */
function* firstTexts(texts: DistinctTexts, codes: Uint32Array, size: number): Steps<Uint32Array> {
  const first = new Uint32Array(size);
  let found = 0;
  let undecided = codes;
  for (let from = 0; undecided.length > size - found; from += 6) {
    if (found === size) return first;
    const keys = new Float64Array(undecided.length);
    for (let index = 0; index < keys.length; index++) {
      keys[index] = -texts.sixBytesOf(undecided[index]!, from);
      if (index % TEXTS_OF_STEP === 0) yield;
    }
    const last = yield* nthLargestInSteps(keys.slice(), size - found - 1);
    const equal = new Uint32Array(undecided.length);
    let left = 0;
    for (let index = 0; index < undecided.length; index++) {
      if (keys[index]! > last) first[found++] = undecided[index]!;
      else if (keys[index] === last) equal[left++] = undecided[index]!;
    }
    undecided = equal.subarray(0, left);
  }
  first.set(undecided, found);
  return first;
}
