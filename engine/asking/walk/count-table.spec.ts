import { CountTable } from './count-table';

const byNumber = (one: number, other: number) => one - other;

it('counts by row and column', () => {
  const table = new CountTable(2);
  for (const [row, column] of [
    [1000, 1],
    [1000, 1],
    [3, 0],
  ] as const)
    table.add(row, column);
  expect([table.of(1000, 1), table.of(1000, 0), table.of(3, 0), table.of(5000, 0)]).toEqual([2, 0, 1, 0]);
  expect([...table.counted(1)]).toEqual([1000]);
});

it('finds the largest counts of a column, ties in order', () => {
  const table = new CountTable(1);
  for (const row of [5, 5, 7, 2, 2, 9]) table.add(row, 0);
  expect([...table.largest(0, 3, byNumber)]).toEqual([2, 5, 7]);
  expect([...table.largest(0, 10, byNumber)]).toEqual([2, 5, 7, 9]);
});
