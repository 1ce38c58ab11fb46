import type { HitsOfDay } from '../../storage/kept-hits';
import { ALONE, areInSameColumns, divided, type Sharing } from './portions';

/** Days of 100 hits each, in parts of their own. */
const days = (count: number, inBatches = 0): HitsOfDay[] =>
  Array.from({ length: count }, (_, day) => ({
    day,
    hits: 100 + inBatches,
    columns: { chunk: day, firstPart: 0, lastPart: 0, hits: 100, sealing: null },
  }));
const sharing = (others: number, leastHits = 0): Sharing => ({ ...ALONE, others, leastHits });
const chunksOf = (portions: ReturnType<typeof divided>) =>
  portions.map(({ parts }) => parts.map(({ chunk }) => chunk));

it('divides parts by their hits, from the last one on', () => {
  expect(chunksOf(divided(days(5), sharing(1)))).toEqual([
    [0, 2, 4],
    [1, 3],
  ]);
  expect(chunksOf(divided(days(3), sharing(3)))).toEqual([[2], [1], [0]]);
  expect(divided(days(2), sharing(1)).map((portion) => portion.days.map(({ day }) => day))).toEqual([
    [1],
    [0],
  ]);
});

it('gives the one that answers fewer parts where it reads batches, too', () => {
  expect(chunksOf(divided(days(4, 50), sharing(1)))).toEqual([[1], [0, 2, 3]]);
  expect(chunksOf(divided(days(2, 1000), sharing(1)))).toEqual([[], [0, 1]]);
});

it('does not divide few hits', () => {
  expect(divided(days(5), sharing(1, 501))).toHaveLength(1);
  expect(divided(days(5), sharing(1, 500))).toHaveLength(2);
  expect(divided(days(5), ALONE)).toHaveLength(1);
  expect(divided([], sharing(1))).toEqual([{ parts: [], days: [] }]);
});

it('tells days that are in other columns, or gone', () => {
  const all = days(3);
  expect(areInSameColumns(all, days(4, 7))).toBe(true);
  expect(areInSameColumns(all, all.slice(1))).toBe(false);
  const [first, ...others] = all;
  const moved = { ...first!, columns: { ...first!.columns!, firstPart: 1, lastPart: 1 } };
  expect(areInSameColumns(all, [moved, ...others])).toBe(false);
});
