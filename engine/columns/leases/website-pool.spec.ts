import { pauseAfter, WebsitePool } from './website-pool';

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

afterEach(() => jest.useRealTimers());

it('bounds how many websites run at a time, and runs the others in their order', async () => {
  const started: number[] = [];
  const ends = new Map<number, () => void>();
  const pool = new WebsitePool(2, (id) => {
    started.push(id);
    return new Promise((resolve) => ends.set(id, () => resolve(false)));
  });
  for (const id of [1, 2, 3, 4]) pool.add(id);
  await turns(3);
  expect(started).toEqual([1, 2]);
  ends.get(2)!();
  await turns(3);
  expect(started).toEqual([1, 2, 3]);
  ends.get(1)!();
  ends.get(3)!();
  await turns(3);
  ends.get(4)!();
  await pool.close();
  expect(started).toEqual([1, 2, 3, 4]);
});

it('comes back to a website with more to do after all others had their turn', async () => {
  const started: number[] = [];
  const left = new Map([
    [1, 3],
    [2, 1],
    [3, 2],
  ]);
  const pool = new WebsitePool(1, (id) => {
    started.push(id);
    left.set(id, left.get(id)! - 1);
    return Promise.resolve(left.get(id)! > 0);
  });
  for (const id of left.keys()) pool.add(id);
  await turns(20);
  expect(started).toEqual([1, 2, 3, 1, 3, 1]);
});

it('goes on beside some tasks that take long', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const started: number[] = [];
  const ends = new Map<number, () => void>();
  const pool = new WebsitePool(
    2,
    (id) => {
      started.push(id);
      return new Promise((resolve) => ends.set(id, () => resolve(false)));
    },
    { milliseconds: 50, places: 1 },
  );
  for (const id of [1, 2, 3, 4, 5]) pool.add(id);
  await turns(3);
  expect(started).toEqual([1, 2]);
  jest.advanceTimersByTime(49);
  await turns(3);
  expect(started).toEqual([1, 2]);
  jest.advanceTimersByTime(1);
  await turns(3);
  expect(started).toEqual([1, 2, 3]);
  ends.get(2)!();
  await turns(3);
  expect(started).toEqual([1, 2, 3, 4]);
  ends.get(1)!();
  ends.get(3)!();
  await turns(3);
  ends.get(4)!();
  ends.get(5)!();
  await pool.close();
  expect(started).toEqual([1, 2, 3, 4, 5]);
});

it('looks less often for websites where there are many, and still twice a second', () => {
  expect([0, 10, 150, 300, 10_000].map((websites) => pauseAfter(websites, 250))).toEqual([
    250, 250, 300, 500, 500,
  ]);
});
