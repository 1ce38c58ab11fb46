/** Hits of a block, each with the steps that it can be: the lowest bit stands for the first step. */
export interface SteppedHits {
  readonly bits: Uint8Array;
  /** One for each hit that is seen. Others are passed over. Undefined if all are seen. */
  readonly shown: Uint8Array | undefined;
}

/** Writes the hits that serve the steps, from the first on, and returns their number. */
export type FindChain = (
  hits: SteppedHits,
  begin: number,
  end: number,
  steps: number,
  chain: Uint32Array,
) => number;

/** Each step is the earliest hit after the step before, so no other chain reaches a later step. */
export const openChain: FindChain = ({ bits }, begin, end, steps, chain) => {
  let length = 0;
  for (let hit = begin; hit < end && length < steps; hit++)
    if (((bits[hit]! >> length) & 1) === 1) chain[length++] = hit;
  return length;
};

/**
 * Each step is the very next hit. Of the longest chains it finds the first. All chains are followed at once: a bit of
 * the state says whether a chain of this length ends at the hit.
 */
export const strictChain: FindChain = (hits, begin, end, steps, chain) => {
  let [state, length, last] = [0, 0, begin];
  for (let hit = begin; hit < end && length < steps; hit++) {
    if (hits.shown?.[hit] === 0) continue;
    state = ((state << 1) | 1) & hits.bits[hit]!;
    const longest = 32 - Math.clz32(state);
    if (longest > length) [length, last] = [longest, hit];
  }
  for (let step = length - 1, hit = last; step >= 0; hit--) if (hits.shown?.[hit] !== 0) chain[step--] = hit;
  return length;
};
