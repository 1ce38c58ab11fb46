import { type FindChain, openChain, strictChain } from './step-order';

/** The steps that each hit can be, like `[[1], [], [1, 2]]`. */
const bitsOf = (hits: number[][]) =>
  Uint8Array.from(hits, (steps) => steps.reduce((bits, step) => bits | (1 << (step - 1)), 0));

function found(find: FindChain, hits: number[][], steps: number, shown?: number[]): number[] {
  const chain = new Uint32Array(steps);
  const own = { bits: bitsOf(hits), shown: shown && Uint8Array.from(shown) };
  return [...chain.subarray(0, find(own, 0, hits.length, steps, chain))];
}

describe('an open chain', () => {
  it('takes the earliest hit of each step', () => {
    expect(found(openChain, [[], [1], [1], [3], [2], [2], [3]], 3)).toEqual([1, 4, 6]);
  });

  it('serves one step with one hit', () => {
    expect(found(openChain, [[1, 2]], 2)).toEqual([0]);
    expect(
      found(
        openChain,
        [
          [1, 2],
          [1, 2],
        ],
        2,
      ),
    ).toEqual([0, 1]);
  });

  it('needs the first step', () => {
    expect(found(openChain, [[2], [3]], 3)).toEqual([]);
  });
});

describe('a strict chain', () => {
  it('needs the very next hit', () => {
    expect(found(strictChain, [[1], [], [2]], 2)).toEqual([0]);
    expect(found(strictChain, [[1], [2], [3]], 3)).toEqual([0, 1, 2]);
  });

  it('may begin at a later hit', () => {
    expect(found(strictChain, [[1], [], [1], [1, 2], [2, 3], [3]], 3)).toEqual([2, 3, 4]);
    expect(found(strictChain, [[1], [1, 2], [2, 3]], 3)).toEqual([0, 1, 2]);
    expect(found(strictChain, [[1], [1], [2]], 2)).toEqual([1, 2]);
  });

  it('is the first of the longest ones', () => {
    expect(found(strictChain, [[1], [2], [], [1], [2]], 3)).toEqual([0, 1]);
  });

  it('passes over what is not shown', () => {
    expect(found(strictChain, [[1], [], [2]], 2, [1, 0, 1])).toEqual([0, 2]);
  });

  it('has up to eight steps', () => {
    const hits = Array.from({ length: 8 }, (_, index) => [index + 1]);
    expect(found(strictChain, [[1], ...hits], 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(found(openChain, [[1], ...hits], 8)).toEqual([0, 2, 3, 4, 5, 6, 7, 8]);
  });
});
