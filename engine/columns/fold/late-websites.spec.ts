import { BACKLOG, isLate, type LateWebsite, mustBeJudged, seenAgain } from './late-websites';
import type { WaitingRows } from './waiting-rows';

const { windowMs } = BACKLOG;

const seen = (oldest: number, now: number, acceptedAt = -60_000): WaitingRows => ({
  ...{ websiteId: 1, isDeleted: false, newest: 900 },
  ...{ oldest, acceptedAt, now },
});
const begun: LateWebsite = { seen: seen(1, 0), window: seen(1, 0) };
const refused: LateWebsite = { ...begun, refusedUntil: 500 };

it('is late after ten seconds, if it is not deleted', () => {
  expect(isLate(seen(1, 10_001, 0))).toBe(true);
  expect(isLate(seen(1, 10_000, 0))).toBe(false);
  expect(isLate({ ...seen(1, 10_001, 0), isDeleted: true })).toBe(false);
});

it.each([
  ['counting goes on and falls behind', seen(2, windowMs), true],
  ['the window goes on', seen(2, windowMs - 1), false],
  ['counting stands still', seen(1, windowMs), false],
  ['counting catches up', seen(2, windowMs, -60_000 + windowMs + 1), false],
  ['none waits for long', seen(2, windowMs, windowMs - 30_000), false],
])('where %s, it must be judged: %#', (_, later, expected) => {
  expect(mustBeJudged({ ...begun, seen: later })).toBe(expected);
});

it('begins a new window after each that needs no judgement', () => {
  const still = seen(1, windowMs);
  expect(seenAgain(undefined, still)).toEqual({ seen: still, window: still });
  expect(seenAgain(begun, still)).toEqual({ seen: still, window: still });
  expect(seenAgain(begun, seen(1, 1))).toEqual({ ...begun, seen: seen(1, 1) });
  expect(seenAgain(begun, seen(2, 2 * windowMs))).toEqual({ ...begun, seen: seen(2, 2 * windowMs) });
});

describe('a refusal', () => {
  it('stays while many rows wait', () => {
    const next = seenAgain(refused, seen(500, 2 * windowMs));
    expect(next).toEqual({
      seen: seen(500, 2 * windowMs),
      window: seen(500, 2 * windowMs),
      refusedUntil: 500,
    });
    expect(mustBeJudged(next)).toBe(false);
    expect(mustBeJudged(seenAgain(next, seen(501, 2 * windowMs + 1)))).toBe(true);
  });

  it('outlives two windows in which counting stands still, but not a third one', () => {
    const twice = seenAgain(seenAgain(refused, seen(1, windowMs)), seen(1, 3 * windowMs - 1));
    expect(twice.refusedUntil).toBe(500);
    const third = seen(1, 3 * windowMs);
    expect(seenAgain(twice, third)).toEqual({ seen: third, window: third });
  });
});
