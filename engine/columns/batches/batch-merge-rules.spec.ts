import { batchesToMerge, isFullBatch, batchesForLaterMerges } from './batch-merge-rules';
import { BATCH_LIMITS, type BatchSpan } from './batches';

const FULL_BYTES = BATCH_LIMITS.storedBytes / 2;

const batches = (...bytes: number[]): BatchSpan[] =>
  bytes.map((storedBytes, index) => ({ firstHit: index, size: 1, bytes: storedBytes, storedBytes }));
const dueBytes = (...bytes: number[]) =>
  batchesToMerge(batches(...bytes))?.map(({ storedBytes }) => storedBytes);
const small = (count: number, bytes = 200): number[] => Array.from({ length: count }, () => bytes);

it('are due when there are eight of a size at the end, and no larger one is moved for them', () => {
  expect(dueBytes(...small(7))).toBeUndefined();
  expect(dueBytes(...small(8))).toEqual(small(8));
  expect(dueBytes(FULL_BYTES, 5000, ...small(8))).toEqual(small(8));
});

it('are due together with smaller ones where both are too many', () => {
  expect(dueBytes(...small(9, 2000), ...small(6))).toBeUndefined();
  expect(dueBytes(...small(9, 2000), ...small(7))).toEqual([...small(9, 2000), ...small(7)]);
});

it('are due where there are several before a full one, and one alone is not', () => {
  expect(dueBytes(FULL_BYTES, 300, FULL_BYTES)).toBeUndefined();
  expect(dueBytes(FULL_BYTES, 300, 400, FULL_BYTES, 100)).toEqual([300, 400]);
});

it('become no more than a batch may hold', () => {
  const almost = FULL_BYTES - 1;
  expect(dueBytes(...small(32, almost))).toEqual([almost, almost]);
});

it('need not be known from before those that are due or may become due', () => {
  expect(
    batchesForLaterMerges(batches(FULL_BYTES, 300, FULL_BYTES, 100)).map(({ storedBytes }) => storedBytes),
  ).toEqual([100]);
  expect(
    batchesForLaterMerges(batches(FULL_BYTES, 300, 400, FULL_BYTES)).map(({ storedBytes }) => storedBytes),
  ).toEqual([300, 400, FULL_BYTES]);
  expect(batchesForLaterMerges(batches(FULL_BYTES))).toEqual([]);
});

it.each([
  ['hits', { size: BATCH_LIMITS.hits / 2 }],
  ['bytes before deflation', { bytes: BATCH_LIMITS.bytes / 2 }],
  ['stored bytes', { storedBytes: BATCH_LIMITS.storedBytes / 2 }],
])('become no more %s than a batch may have', (_, half) => {
  const halves = batches(1, 1, 1).map((batch) => ({ ...batch, ...half }));
  const less = halves.map((batch) => ({ ...batch, ...mapped(half, (limit) => limit - 1) }));
  expect(batchesToMerge([...less, ...halves])).toEqual(less.slice(0, 2));
});

describe.each([
  ['of one hit each', () => 250],
  ['of ten hits or a hundred', (fold: number) => (fold % 7 === 0 ? 25_000 : 2500)],
  ['of all sizes', (fold: number) => 200 + ((fold * 7919) % 300_007)],
  [
    'mostly small, and now and then full',
    (fold: number) => (fold % 50 === 0 ? BATCH_LIMITS.storedBytes : 250),
  ],
])('a day of folds %s', (_, bytesOf) => {
  it('never has more than 32 small batches at its end, and moves each hit a few times', () => {
    let all: BatchSpan[] = [];
    let [written, moved, mostSmall, largest] = [0, 0, 0, 0];
    for (let fold = 0; fold < 20_000; fold++) {
      written += bytesOf(fold);
      all.push(...batches(bytesOf(fold)).map((batch) => ({ ...batch, firstHit: fold })));
      for (
        let run = batchesToMerge(batchesForLaterMerges(all));
        run;
        run = batchesToMerge(batchesForLaterMerges(all))
      ) {
        const { firstHit } = run[0]!;
        const bytes = run.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
        all.splice(all.indexOf(run[0]!), run.length, { firstHit, size: 1, bytes, storedBytes: bytes });
        largest = Math.max(largest, bytes);
        moved += bytes;
      }
      const lastFull = all.findLastIndex(isFullBatch);
      mostSmall = Math.max(mostSmall, all.length - 1 - lastFull);
      all = all.slice(-100);
    }
    expect(mostSmall).toBeLessThanOrEqual(32);
    expect(largest).toBeLessThanOrEqual(BATCH_LIMITS.storedBytes);
    expect(moved / written).toBeLessThan(5);
  });
});

function mapped(numbers: object, change: (number: number) => number): object {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, number]) => [name, change(number as number)]),
  );
}
