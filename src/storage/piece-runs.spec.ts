import { dueRun, FULL_BYTES, unsettled } from './piece-runs';
import { MAX_PIECE_BYTES, type PieceSpan } from './pieces';

const pieces = (...bytes: number[]): PieceSpan[] =>
  bytes.map((size, index) => ({ firstHit: index, size: 1, bytes: size }));
const dueBytes = (...bytes: number[]) => dueRun(pieces(...bytes))?.map((piece) => piece.bytes);
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

it('become no more than a piece may hold', () => {
  const almost = FULL_BYTES - 1;
  expect(dueBytes(...small(32, almost))).toEqual([almost, almost]);
});

it('need not be known from before those that are due or may become due', () => {
  expect(unsettled(pieces(FULL_BYTES, 300, FULL_BYTES, 100)).map(({ bytes }) => bytes)).toEqual([100]);
  expect(unsettled(pieces(FULL_BYTES, 300, 400, FULL_BYTES)).map(({ bytes }) => bytes)).toEqual([
    300,
    400,
    FULL_BYTES,
  ]);
  expect(unsettled(pieces(FULL_BYTES))).toEqual([]);
});

describe.each([
  ['of one hit each', () => 250],
  ['of ten hits or a hundred', (fold: number) => (fold % 7 === 0 ? 25_000 : 2500)],
  ['of all sizes', (fold: number) => 200 + ((fold * 7919) % 300_007)],
  ['mostly small, and now and then full', (fold: number) => (fold % 50 === 0 ? MAX_PIECE_BYTES : 250)],
])('a day of folds %s', (_, bytesOf) => {
  it('never has more than 32 small pieces at its end, and moves each hit a few times', () => {
    let all: PieceSpan[] = [];
    let [written, moved, mostSmall, largest] = [0, 0, 0, 0];
    for (let fold = 0; fold < 20_000; fold++) {
      written += bytesOf(fold);
      all.push({ firstHit: fold, size: 1, bytes: bytesOf(fold) });
      for (let run = dueRun(unsettled(all)); run; run = dueRun(unsettled(all))) {
        const { firstHit } = run[0]!;
        const bytes = run.reduce((sum, piece) => sum + piece.bytes, 0);
        all.splice(all.indexOf(run[0]!), run.length, { firstHit, size: 1, bytes });
        largest = Math.max(largest, bytes);
        moved += bytes;
      }
      const lastFull = all.findLastIndex(({ bytes }) => bytes >= FULL_BYTES);
      mostSmall = Math.max(mostSmall, all.length - 1 - lastFull);
      all = all.slice(-100);
    }
    expect(mostSmall).toBeLessThanOrEqual(32);
    expect(largest).toBeLessThanOrEqual(MAX_PIECE_BYTES);
    expect(moved / written).toBeLessThan(5);
  });
});
