import { PeakMemory } from '../memory/peak-memory';
import { BlockLists } from './block-lists';

const SIZES = [3, 5000, 17, 40_000, 1];

it('has lists of zeros that do not overlap, for each block', () => {
  const lists = new BlockLists();
  for (let block = 0; block < 3; block++) {
    lists.begin();
    const all = SIZES.flatMap((size) => [lists.numbers(size), lists.bytes(size)]);
    expect(all.map(({ length }) => length)).toEqual(SIZES.flatMap((size) => [size, size]));
    for (const list of all) expect(list.some((number) => number !== 0)).toBe(false);
    for (const [index, list] of all.entries()) list.fill(index + 1);
    for (const [index, list] of all.entries()) expect(new Set(list)).toEqual(new Set([index + 1]));
  }
});

it('takes memory for the largest block alone, at most three times as much as its lists', () => {
  let taken = 0;
  const lists = new BlockLists(new PeakMemory((bytes) => void (taken += bytes)));
  const fill = () => {
    lists.begin();
    for (let index = 0; index < 20; index++) lists.numbers(10_000);
  };
  fill();
  const once = taken;
  for (let block = 0; block < 5; block++) fill();
  expect(taken).toBe(once);
  expect(once).toBeLessThan(3 * 20 * 40_000);
});

it('takes little for little', () => {
  let taken = 0;
  new BlockLists(new PeakMemory((bytes) => void (taken += bytes))).numbers(10);
  expect(taken).toBeLessThan(20_000);
});
