import { eventsByDay, launchIn } from './demo-calendar';

const MONDAY = Date.parse('2026-01-05') / 86_400_000;
const days = Array.from({ length: 28 }, (_, index) => MONDAY + index);

it('shares out all events, the same for the same seed', () => {
  const shares = eventsByDay(days, 10_000, 1);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(10_000);
  expect(eventsByDay(days, 10_000, 1)).toEqual(shares);
  expect(eventsByDay(days, 10_000, 2)).not.toEqual(shares);
});

it('has quiet weekends, a rising trend and a launch', () => {
  const shares = eventsByDay(days, 10_000, 1);
  expect(shares[5]).toBeLessThan(shares[4]! * 0.75);
  expect(shares[21]).toBeGreaterThan(shares[0]!);
  expect(days[shares.indexOf(Math.max(...shares))]).toBe(launchIn(days));
});

it('gives one day everything', () => {
  expect(eventsByDay([MONDAY], 7, 1)).toEqual([7]);
});
