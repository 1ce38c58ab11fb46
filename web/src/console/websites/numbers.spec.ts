import type { Website } from '../client';
import { byVisitors, knownTotal, numbersOf, totalOf } from './numbers';

const recent = (
  visitors: number[],
  visitors_before: number,
  visitors_now: number | null,
  since: string | null = null,
) => numbersOf({ website_id: 1, visitors, visitors_before, visitors_now, since });

it('compares the days that are over alone', () =>
  expect(recent([1, 2, 40], 6, 0)).toEqual({
    days: [1, 2, 40],
    sum: 43,
    over: { now: 3, before: 6 },
    since: undefined,
    live: 0,
  }));

it('adds up several websites by day', () =>
  expect(totalOf([recent([1, 2, 40], 6, 3), recent([10, 0, 0], 0, 4)])).toEqual({
    days: [11, 2, 40],
    sum: 53,
    over: { now: 13, before: 6 },
    since: undefined,
    live: 7,
  }));

it('knows no live visitors of all while those of one are missing', () =>
  expect(totalOf([recent([1], 0, null), recent([1], 0, 4)]).live).toBeUndefined());

it('is as old as the oldest website with visitors', () => {
  const sinceOf = (...all: (string | null)[]) => totalOf(all.map((since) => recent([1], 1, 0, since))).since;
  expect(sinceOf('2026-11-02', '2026-10-25')).toBe('2026-10-25');
  expect(sinceOf('2026-10-25', null, '2026-11-02')).toBeUndefined();
  expect(totalOf([recent([0], 0, 0), recent([1], 1, 0, '2026-10-25')]).since).toBe('2026-10-25');
});

it('is nothing without websites', () =>
  expect(totalOf([])).toEqual({ days: [], sum: 0, over: { now: 0, before: 0 }, since: undefined, live: 0 }));

it('orders by visitors, the newest first where they are the same, and adds up once all are known', () => {
  const websites = [1, 2, 3].map((id) => ({ id }) as Website);
  const numbers = new Map([
    [1, recent([5], 0, 0)],
    [3, recent([7], 0, 0)],
  ]);
  const idsOf = (all: Website[]) => all.map(({ id }) => id);
  expect(idsOf(byVisitors(websites, numbers))).toEqual([3, 1, 2]);
  expect(knownTotal(websites, numbers)).toBeUndefined();
  numbers.set(2, recent([5], 0, 0));
  expect(idsOf(byVisitors(websites, numbers))).toEqual([3, 2, 1]);
  expect(knownTotal(websites, numbers)!.sum).toBe(17);
});
