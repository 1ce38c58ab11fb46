import { BATCH_LIMITS, type BatchSpan } from './batches';

/** A batch is not merged again from this fullness on. */
const FULL = 1 / 2;
/** The number of batches of about the same size that are merged. */
const BATCHES_OF_A_TIER = 8;
/** Each hit is moved about once in each tier. */
const TIERS = [FULL / 512, FULL / 64, FULL / 8, FULL];

type Size = Pick<BatchSpan, 'size' | 'bytes' | 'storedBytes'>;

/** The used share of the limit that the batch is closest to. */
export function fullnessOf({ size, bytes, storedBytes }: Size): number {
  return Math.max(
    size / BATCH_LIMITS.hits,
    bytes / BATCH_LIMITS.bytes,
    storedBytes / BATCH_LIMITS.storedBytes,
  );
}

export function isFullBatch(batch: Size): boolean {
  return fullnessOf(batch) >= FULL;
}

/** No later merge depends on the batches before them. */
export function batchesForLaterMerges(batches: BatchSpan[]): BatchSpan[] {
  const closed = closedRun(batches);
  return closed ? batches.slice(batches.indexOf(closed[0]!)) : endingRun(batches, FULL);
}

/**
 * The batches of a day that must be merged, if any. There are never more than 32 small batches behind the last full
 * batch, and before it no two small batches are neighbours.
 */
export function batchesToMerge(batches: BatchSpan[]): BatchSpan[] | undefined {
  const run = closedRun(batches) ?? endingDueRun(batches);
  return run && firstOf(run);
}

/** The smallest batches at the end, if there are too many. */
function endingDueRun(batches: BatchSpan[]): BatchSpan[] | undefined {
  return TIERS.map((fullness) => endingRun(batches, fullness)).find(
    ({ length }, tier) => length >= BATCHES_OF_A_TIER * (tier + 1),
  );
}

function endingRun(batches: BatchSpan[], below: number): BatchSpan[] {
  return batches.slice(batches.findLastIndex((batch) => fullnessOf(batch) >= below) + 1);
}

/** Several small batches before a full one. */
function closedRun(batches: BatchSpan[]): BatchSpan[] | undefined {
  let run: BatchSpan[] = [];
  for (const batch of batches) {
    if (!isFullBatch(batch)) run.push(batch);
    else if (run.length > 1) return run;
    else run = [];
  }
  return undefined;
}

/** The first batches of a run that fit into one batch: at least two. */
function firstOf(run: BatchSpan[]): BatchSpan[] {
  let all = { size: 0, bytes: 0, storedBytes: 0 };
  const end = run.findIndex((batch) => fullnessOf((all = added(all, batch))) > 1);
  return end < 0 ? run : run.slice(0, end);
}

function added(one: Size, other: Size): Size {
  return {
    size: one.size + other.size,
    bytes: one.bytes + other.bytes,
    storedBytes: one.storedBytes + other.storedBytes,
  };
}
