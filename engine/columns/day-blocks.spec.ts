import { divide, type DividedDay } from './day-blocks';

/** Divides days in several steps. Returns the days of each block, with the visitors of the block. */
function blocksOf(...steps: Record<number, number>[]): [days: number[], visitors: number][] {
  let division: DividedDay[] = [];
  for (const step of steps) division = after(division, step);
  const blocks = new Set(division.map(({ block }) => block));
  return Array.from(blocks, (name) => {
    const days = division.filter(({ block }) => block === name);
    return [days.map(({ day }) => day), days.reduce((sum, { visitors }) => sum + visitors, 0)];
  });
}

function after(division: DividedDay[], step: Record<number, number>, from = 0): DividedDay[] {
  const counted = new Map(Object.entries(step).map(([day, visitors]) => [Number(day), visitors]));
  const { rows, renamed } = divide(division, counted, from);
  const before = division.map((own) => (own.block === renamed?.block ? { ...own, block: renamed.to } : own));
  return [...before, ...rows].sort((one, other) => one.day - other.day);
}

it('makes a day with ten visitors a block of its own', () =>
  expect(blocksOf({ 1: 10, 2: 300 })).toEqual([
    [[1], 10],
    [[2], 300],
  ]));

it('joins days with fewer until they have ten, without the days with more in between', () =>
  expect(blocksOf({ 1: 4, 2: 12, 3: 5, 4: 3, 5: 9, 6: 1, 7: 2 })).toEqual([
    [[1, 3, 4], 12],
    [[2], 12],
    [[5, 6], 10],
    [[7], 2],
  ]));

it('goes on with the open block, whatever the steps are', () => {
  const days = { 1: 4, 2: 12, 3: 5, 4: 3, 5: 9, 6: 1, 7: 2 };
  const single = Object.entries(days).map(([day, visitors]) => ({ [day]: visitors }));
  expect(blocksOf(...single)).toEqual(blocksOf(days));
});

it('names a block by its first day, also if that day is added later', () => {
  const division = after(after([], { 5: 3, 6: 2 }), { 2: 1, 8: 2, 9: 9 });
  expect(division.map(({ day, block }) => [day, block])).toEqual([
    [2, 2],
    [5, 2],
    [6, 2],
    [8, 2],
    [9, 2],
  ]);
});

it('leaves an open block that has lost a day, and begins another one', () => {
  const open = after([], { 1: 3, 2: 3 });
  const lost = open.slice(1);
  for (const [division, from] of [
    [open, 2],
    [lost, 0],
  ] as const)
    expect(after(division, { 3: 8 }, from).at(-1)).toEqual({ day: 3, block: 3, visitors: 8 });
});

it('keeps a day without visitors apart', () =>
  expect(blocksOf({ 1: 0, 2: 4, 3: 0, 4: 6 })).toEqual([
    [[1], 0],
    [[2, 4], 10],
    [[3], 0],
  ]));
