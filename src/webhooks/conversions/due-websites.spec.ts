import { Round } from '../../limits/round';
import { DueWebsites } from './due-websites';
import type { WantedWebsite } from './followed.repository';

const websites = (...ownerIds: number[]): WantedWebsite[] =>
  ownerIds.map((ownerId, index) => ({ id: index + 1, ownerId, domain: 'a.example' }));
const ids = (taken: (WantedWebsite | undefined)[]) => taken.map((website) => website?.id);

it('gives two of one owner at once, and others besides', () => {
  const due = new DueWebsites(websites(1, 1, 1, 1, 2, 3), new Round(() => 0));
  const taken = Array.from({ length: 4 }, () => due.take());
  expect(ids(taken)).toEqual([1, 2, 5, 6]);
  expect(due.take()).toBeUndefined();
  due.leave(taken[2]!);
  expect(due.take()).toBeUndefined();
  due.leave(taken[0]!);
  expect(ids([due.take(), due.take()])).toEqual([3, undefined]);
});

it('puts off those of an owner whose time of the round is over', async () => {
  let now = 0;
  const round = new Round(() => now);
  const due = new DueWebsites(websites(1, 1, 1, 2), round);
  const read = async (tookMs: number) => {
    const next = due.take();
    if (!next) return undefined;
    await round.count(next, () => Promise.resolve(void (now += tookMs)));
    due.leave(next);
    return next.id;
  };
  expect([await read(6000), await read(6000)]).toEqual([1, 2]);
  expect(round.hasPutOff).toBe(false);
  expect([await read(70_000), await read(0)]).toEqual([4, undefined]);
  expect(round.hasPutOff).toBe(true);
});
