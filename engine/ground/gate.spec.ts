import { setImmediate as turn } from 'node:timers/promises';
import { Gate, type GateLimits } from './gate';
import { Overloaded, TooManyRequests } from './errors';

const LIMITS: GateLimits = {
  running: 3,
  runningOfOwner: 2,
  waiting: 4,
  waitingOfOwner: 3,
  patienceMs: 60_000,
};

/** Work that runs until the test ends it; records the order of starts. */
class Works {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  work(name: string): () => Promise<string> {
    return () => {
      this.begun.push(name);
      return new Promise((resolve) => this.ends.set(name, () => resolve(name)));
    };
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)!();
    await turn();
  }
}

let works: Works;
let gate: Gate;
beforeEach(() => {
  works = new Works();
  gate = new Gate(LIMITS);
});
afterEach(() => jest.useRealTimers());

const run = (owner: number, name: string, signal?: AbortSignal) =>
  gate.run(signal ? { owner, signal } : { owner }, works.work(name));

it('bounds how many run at once, of an owner and in all', async () => {
  for (const name of ['a1', 'a2', 'a3']) void run(1, name);
  for (const name of ['b1', 'b2']) void run(2, name);
  await turn();
  expect(works.begun).toEqual(['a1', 'a2', 'b1']);
});

it('takes turns between the owners who wait', async () => {
  for (const name of ['a1', 'a2', 'a3', 'a4']) void run(1, name);
  for (const name of ['b1', 'b2']) void run(2, name);
  await turn();
  await works.end('a1');
  await works.end('a2');
  await works.end('b1');
  expect(works.begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
});

it('refuses an owner whose queue is full, and everybody when all queues are', async () => {
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void run(1, name);
  await expect(run(1, 'a6')).rejects.toThrow(TooManyRequests);
  for (const name of ['b1', 'b2']) void run(2, name);
  await expect(run(3, 'c1')).rejects.toThrow(Overloaded);
  await turn();
  await works.end('b1');
  await turn();
  void run(3, 'c2');
  for (const name of ['a1', 'a2', 'b2', 'c2']) await works.end(name);
  expect(works.begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'c2', 'a4']);
});

it('never refuses parts of admitted work, nor counts them as waiting', async () => {
  const parts = Array.from({ length: 20 }, (_, i) => gate.continue({ owner: 1 }, works.work(`p${i}`)));
  const requested = run(1, 'a1');
  for (let i = 0; i < 20; i++) {
    await turn();
    await works.end(`p${i}`);
  }
  await works.end('a1');
  expect(await requested).toBe('a1');
  expect(await Promise.all(parts)).toHaveLength(20);
});

it('does not begin work whose caller has left, and gives its place to others', async () => {
  const leaving = new AbortController();
  const first = ['a1', 'a2'].map((name) => run(1, name));
  const left = run(1, 'a3', leaving.signal);
  for (const name of ['a4', 'a5']) void run(1, name);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  void run(1, 'a6');
  await expect(run(1, 'a7', leaving.signal)).rejects.toThrow();
  await works.end('a1');
  await works.end('a2');
  await Promise.all(first);
  expect(works.begun).toEqual(['a1', 'a2', 'a4', 'a5']);
});

it('refuses work that waited too long, by whose work it waited for, and while that still runs', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
  gate = new Gate({ ...LIMITS, running: 1 });
  const first = run(1, 'a1');
  const refused = Promise.all([
    expect(run(1, 'a2')).rejects.toThrow(TooManyRequests),
    expect(run(2, 'b1')).rejects.toThrow(Overloaded),
  ]);
  jest.advanceTimersByTime(LIMITS.patienceMs);
  await refused;
  const third = run(3, 'c1');
  await works.end('a1');
  await turn();
  await works.end('c1');
  await Promise.all([first, third]);
  expect(works.begun).toEqual(['a1', 'c1']);
});

it('refuses work at once while none of its owner has ended for long', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const runs = [run(1, 'a1')];
  await turn();
  now.mockReturnValue(40_000);
  runs.push(run(1, 'a2'));
  await turn();
  now.mockReturnValue(100_000);
  runs.push(run(1, 'a3'));
  now.mockReturnValue(100_001);
  await expect(run(1, 'a4')).rejects.toThrow(TooManyRequests);
  runs.push(run(2, 'b1'));
  await turn();
  await works.end('a1');
  runs.push(run(1, 'a5'));
  now.mockRestore();
  for (const name of ['a2', 'b1', 'a3', 'a5']) await works.end(name);
  await Promise.all(runs);
  expect(works.begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a5']);
});

it('is free again after work that failed', async () => {
  const fails = () => gate.run({ owner: 1 }, () => Promise.reject(new Error('failed')));
  for (let i = 0; i < 10; i++) await expect(fails()).rejects.toThrow('failed');
  void run(1, 'a1');
  await turn();
  expect(works.begun).toEqual(['a1']);
});

it('knows whether others wait, other than at their own limit', async () => {
  const runs = [run(1, 'a'), run(1, 'b'), run(2, 'c'), run(1, 'd')];
  const wanted = () => [1, 2, 3].map((owner) => gate.isWantedByOthers({ owner }));
  expect(wanted()).toEqual([false, false, false]);
  runs.push(run(2, 'e'));
  expect(wanted()).toEqual([true, false, true]);
  await turn();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await works.end(name);
  await Promise.all(runs);
  expect(wanted()).toEqual([false, false, false]);
});

it('knows whether users wait, besides work for no user', async () => {
  gate = new Gate({ ...LIMITS, running: 1, runningOfOwner: 1 });
  const anonymous = (owner: string, name: string) => gate.run({ owner, isAnonymous: true }, works.work(name));
  const runs = [anonymous('one', 'a'), anonymous('other', 'b')];
  await turn();
  expect([gate.isWantedByUsers(), gate.isWantedByOthers({ owner: 'one' })]).toEqual([false, true]);
  runs.push(run(1, 'c'));
  await turn();
  expect(gate.isWantedByUsers()).toBe(true);
  for (const name of ['a', 'b', 'c']) await works.end(name);
  await Promise.all(runs);
});

it('requires nobody to yield to a part of work that already runs', async () => {
  const runs = [run(2, 'a'), run(2, 'b'), run(3, 'c')];
  const parts = [1, 3].map((owner) => gate.continue({ owner }, works.work(`part of ${owner}`)));
  expect([1, 2, 3].map((owner) => gate.isWantedByOthers({ owner }))).toEqual([false, false, false]);
  expect(gate.isWantedByOthers({ owner: 1, doOthersWait: () => false })).toBe(false);
  runs.push(run(4, 'd'));
  expect(gate.isWantedByOthers({ owner: 2 })).toBe(true);
  await turn();
  for (const name of ['a', 'b', 'c', 'part of 1', 'part of 3', 'd']) await works.end(name);
  await Promise.all([...runs, ...parts]);
});

it('knows whether other callers of the same owner wait, here or in an earlier gate', async () => {
  const wanted = (doOthersWait: boolean) =>
    gate.isWantedByOthers({ owner: 1, doOthersWait: () => doOthersWait });
  const runs = [run(1, 'a'), run(1, 'b')];
  expect([wanted(false), wanted(true)]).toEqual([false, true]);
  runs.push(run(1, 'c'));
  expect([wanted(false), gate.isWantedByOthers({ owner: 1 })]).toEqual([true, false]);
  await turn();
  for (const name of ['a', 'b', 'c']) await works.end(name);
  await Promise.all(runs);
});

describe('work about something', () => {
  const about = (subject: string, owner: number, name: string) =>
    void gate.run({ owner }, works.work(name), subject);

  it('runs one after the other, and takes no place from other work while it waits', async () => {
    about('x', 1, 'x1');
    about('x', 1, 'x2');
    about('x', 2, 'x3');
    about('y', 1, 'y1');
    about('z', 2, 'z1');
    await turn();
    expect(works.begun).toEqual(['x1', 'y1', 'z1']);
    await works.end('x1');
    expect(works.begun.slice(3)).toHaveLength(1);
    await works.end('y1');
    await works.end('z1');
    await works.end(works.begun[3]!);
    expect(works.begun.slice(3).sort()).toEqual(['x2', 'x3']);
  });

  it('goes on after work about the same that failed', async () => {
    const failed = gate.run({ owner: 1 }, () => Promise.reject(new Error('failed')), 'x');
    about('x', 1, 'x1');
    await expect(failed).rejects.toThrow('failed');
    await turn();
    expect(works.begun).toEqual(['x1']);
  });
});

it('tells who waits for it that it is idle, and when the time is up', async () => {
  await expect(gate.untilIdle(0)).resolves.toBe(true);
  const running = [run(1, 'a'), run(2, 'b')];
  const told: string[] = [];
  const waiting = gate.untilIdle(60_000).then((isIdle) => told.push(`idle: ${isIdle}`));
  await expect(gate.untilIdle(1)).resolves.toBe(false);
  await works.end('a');
  expect(told).toEqual([]);
  await works.end('b');
  expect(told).toEqual(['idle: true']);
  await Promise.all([...running, waiting]);
});

it('has only as many wait for it as may wait in its lines', async () => {
  void run(1, 'a');
  const waiting = Array.from({ length: LIMITS.waiting }, () => gate.untilIdle(60_000));
  await expect(gate.untilIdle(60_000)).resolves.toBe(false);
  await works.end('a');
  expect(await Promise.all(waiting)).toEqual([true, true, true, true]);
});
