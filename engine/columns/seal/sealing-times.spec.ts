import { type DaysAhead, dueAfter, SMALL_DAY_HITS } from './sealing-times';
import type { OverDays } from './sealing-times';

/** A day takes 10, is sealed 1 after its end, and is final 20 after it. */
const OVER = {
  sealAt: (day: number) => 10 * (day + 1) + 1,
  finalAt: (day: number) => 10 * (day + 1) + 20,
} as OverDays;
const NOTHING: DaysAhead = { open: [], late: [], sealed: [] };
const dueOf = (ahead: Partial<DaysAhead>, websiteId = 0) =>
  dueAfter(websiteId, { ...NOTHING, ...ahead }, OVER);

it('is never where nothing is ahead', () => {
  expect(dueOf({})).toBe(Infinity);
});

it('is when the first open day gets columns, or late hits go to them, whichever is earlier', () => {
  expect(dueOf({ open: [9, 7] })).toBe(OVER.sealAt(7));
  expect(dueOf({ open: [7], late: [6, 8] })).toBe(OVER.sealAt(7));
  expect(dueOf({ open: [9], late: [6, 8] })).toBe(OVER.finalAt(6));
});

it('is the end of a large day, and of a small one each eighth day, another one for the next website', () => {
  expect(dueOf({ sealed: [{ day: 16, hits: SMALL_DAY_HITS }] })).toBe(OVER.finalAt(16));
  const small = (websiteId: number, day: number) => dueOf({ sealed: [{ day, hits: 10 }] }, websiteId);
  expect([16, 17, 22, 23].map((day) => small(0, day))).toEqual(Array(4).fill(OVER.finalAt(23)));
  expect(small(0, 24)).toBe(OVER.finalAt(31));
  expect(small(1, 16)).toBe(OVER.finalAt(22));
  expect(new Set([0, 1, 2, 3, 4, 5, 6, 7].map((websiteId) => small(websiteId, 16))).size).toBe(8);
});
