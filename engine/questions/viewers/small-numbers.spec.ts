import { pageAround, roundedDown, shownRows, standsBefore } from './small-numbers';

it.each([
  [0, 0],
  [9, 0],
  [10, 10],
  [19, 10],
  [1234, 1230],
])('rounds %d down to %d', (count, shown) => expect(roundedDown(count)).toBe(shown));

describe('rows', () => {
  const shown = (counts: number[], total: number, otherPlace?: number) => {
    const { counts: rows, other } = shownRows(Float64Array.from(counts), total, otherPlace);
    return [Array.from(rows), other];
  };

  it('of fewer than three are part of (other)', () =>
    expect(shown([1, 2, 3, 4], 10)).toEqual([[0, 0, 3, 4], 3]));
  it('leave what came on hidden days to (other)', () => expect(shown([3, 5], 20)).toEqual([[3, 5], 12]));
  it('have no (other) beside them that is a row as well', () =>
    expect(shown([7, 5], 14, 0)).toEqual([[0, 5], 9]));
  it('may be none', () => expect(shown([], 4)).toEqual([[], 4]));
  it('may leave nothing', () => expect(shown([3, 0, 9], 12)).toEqual([[3, 0, 9], 0]));
});

it('puts one row at its place of every page', () => {
  const others = Array.from({ length: 7 }, (_, index) => `row ${index}`);
  for (let place = 0; place <= others.length; place++) {
    const all = [...others.slice(0, place), 'other', ...others.slice(place)];
    for (let skip = 0; skip < 10; skip++)
      for (let take = 1; take < 10; take++) {
        const around = pageAround(place, { skip, take });
        const page = others.slice(around.skip, around.skip + around.take);
        if (around.at !== undefined) page.splice(around.at, 0, 'other');
        expect(page).toEqual(all.slice(skip, skip + take));
      }
  }
  expect(pageAround(undefined, { skip: 5, take: 10 })).toEqual({ skip: 5, take: 10 });
});

it('says which rows stand before (other), equal counts by their values', () => {
  const before = (by: 'count' | 'value', direction: 'asc' | 'desc', count: number) =>
    [true, false].map((comesFirst) => standsBefore({ by, direction }, count, 5, () => comesFirst));
  expect(before('count', 'desc', 6)).toEqual([true, true]);
  expect(before('count', 'asc', 6)).toEqual([false, false]);
  expect(before('count', 'desc', 5)).toEqual([true, false]);
  expect(before('count', 'asc', 5)).toEqual([true, false]);
  expect(before('value', 'asc', 6)).toEqual([true, false]);
  expect(before('value', 'desc', 6)).toEqual([false, true]);
});
