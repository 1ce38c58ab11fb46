import { detailedRange, hiddenDays, type KnownDays, detailedDays, withWholeBlocks } from './detailed-days';

const known = (visitors: Record<number, number>, blocks: number[][]): KnownDays => ({
  visitors: new Map(Object.entries(visitors).map(([day, count]) => [Number(day), count])),
  blocks,
});
const span = (from: number, to: number) => ({ from, to });

/** The fourth day is of no block, and the sixth of one that ends later. */
const DAYS = known({ 1: 4, 2: 20, 3: 6, 4: 2, 5: 11, 6: 5, 8: 7, 9: 30 }, [[1, 3], [2], [5], [6, 8], [9]]);

it.each([
  [span(1, 9), [1, 3, 2, 5, 6, 8, 9], [4]],
  [span(1, 7), [1, 3, 2, 5], [4, 6]],
  [span(2, 9), [2, 5, 6, 8, 9], [3, 4]],
  [span(4, 4), [], [4]],
])('shows the blocks that %j contains whole', (range, shown, hidden) => {
  expect([...detailedDays(DAYS, range)]).toEqual(shown);
  expect([...hiddenDays(DAYS, range)]).toEqual(hidden);
});

it('shows a block in a series if it lies in one bucket', () => {
  const bucketOf = (day: number) => Math.floor(day / 4);
  expect([...detailedDays(DAYS, span(1, 9), bucketOf)]).toEqual([1, 3, 2, 5, 9]);
});

it('shows nothing of a block that has fewer than ten visitors by now', () =>
  expect([...detailedDays(known({ 1: 4, 3: 5, 4: 10 }, [[1, 3], [4]]), span(1, 4))]).toEqual([4]));

it.each([
  ['the range, if nothing is hidden', span(5, 9), span(5, 9)],
  ['with days that nobody visited', span(7, 30), span(9, 30)],
  ['the longest part', span(1, 9), span(5, 9)],
  ['the latest of equal ones', span(1, 8), span(5, 8)],
  ['nothing without a whole block', span(6, 7), undefined],
  ['nothing if nobody came', span(20, 30), undefined],
])('finds %s', (_, range, expected) => expect(detailedRange(DAYS, range)).toEqual(expected));

it('finds the part that is left where a hidden day cuts further blocks', () => {
  const days = known({ 1: 12, 2: 5, 3: 3, 4: 5, 5: 12, 6: 12 }, [[1], [2, 4], [5], [6]]);
  expect(detailedRange(days, span(1, 6))).toEqual(span(5, 6));
});

it.each([
  [span(1, 1), span(1, 3)],
  [span(6, 7), span(6, 8)],
  [span(7, 7), span(7, 7)],
  [span(2, 6), span(1, 8)],
  [span(3, 8), span(1, 8)],
])('makes %j wide enough for the blocks of its days with visitors', (range, expected) =>
  expect(withWholeBlocks(DAYS, range)).toEqual(expected),
);
