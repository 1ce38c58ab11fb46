import { type OwnedJob, Round, WaitingJobs } from './due-jobs';

const jobs = (...ownerIds: number[]): OwnedJob[] =>
  ownerIds.map((ownerId, index) => ({ id: index + 1, ownerId }));
const ids = (taken: (OwnedJob | undefined)[]) => taken.map((job) => job?.id);

it('gives two of one owner at once, and others besides', () => {
  const due = new WaitingJobs(jobs(1, 1, 1, 1, 2, 3), new Round(() => 0), 2);
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
  const due = new WaitingJobs(jobs(1, 1, 1, 2), round, 2);
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
