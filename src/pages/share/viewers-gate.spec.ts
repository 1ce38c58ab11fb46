import type { Caller } from '../../../engine/ground/gate';
import { Problem } from '../../../engine/ground/errors';
import { ViewersGate, ViewersPauses } from './viewers-gate';

const signal = new AbortController().signal;
const WEBSITE = 1;

type Kind = 'ask' | 'look' | 'tryPassword';
const runIn = (gate: ViewersGate, kind: Kind, address: string, work: () => Promise<void>) =>
  kind === 'tryPassword'
    ? gate.tryPassword(address, signal, work)
    : gate[kind](address, WEBSITE, signal, work);

/** Work that ends on command. */
function held() {
  let end!: () => void;
  let began = false;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async () => {
    began = true;
    await ended;
  };
  return { work, end, began: () => began };
}

const settled = () => new Promise(setImmediate);

it.each(['ask', 'look', 'tryPassword'] as const)(
  '%s does one thing at a time for an address',
  async (kind) => {
    const gate = new ViewersGate();
    const [first, second] = [held(), held()];
    const all = [runIn(gate, kind, '2001:db8::1', first.work), runIn(gate, kind, '2001:db8::2', second.work)];
    await settled();
    expect([first.began(), second.began()]).toEqual([true, false]);
    first.end();
    await settled();
    expect(second.began()).toBe(true);
    second.end();
    await Promise.all(all);
  },
);

it('lets another address ask meanwhile, and neither looks nor tries passwords in the places of queries', async () => {
  const gate = new ViewersGate();
  const [first, second, look, trial] = [held(), held(), held(), held()];
  const done = [
    gate.ask('203.0.113.1', WEBSITE, signal, first.work),
    gate.ask('203.0.113.2', WEBSITE, signal, second.work),
    gate.look('203.0.113.1', WEBSITE, signal, look.work),
    gate.tryPassword('203.0.113.1', signal, trial.work),
  ];
  await settled();
  const all = [first, second, look, trial];
  expect(all.map(({ began }) => began())).toEqual([true, true, true, true]);
  for (const { end } of all) end();
  await Promise.all(done);
});

it('looks at one website once at a time, so that others have places', async () => {
  const gate = new ViewersGate();
  const works = Array.from({ length: 4 }, held);
  const websites = [WEBSITE, WEBSITE, WEBSITE, 2];
  const all = works.map(({ work }, index) => gate.look(`203.0.113.${index}`, websites[index]!, signal, work));
  await settled();
  expect(works.map(({ began }) => began())).toEqual([true, false, false, true]);
  for (const { end } of works) end();
  await Promise.all(all);
});

it('refuses an address that asks too much at once', async () => {
  const gate = new ViewersGate();
  const running = held();
  const all = Array.from({ length: 9 }, () => gate.ask('203.0.113.1', WEBSITE, signal, running.work));
  await expect(gate.ask('203.0.113.1', WEBSITE, signal, running.work)).rejects.toMatchObject({
    code: 'too_many_requests',
  });
  running.end();
  await Promise.all(all);
});

it('tells work whether other addresses wait for its place', async () => {
  const gate = new ViewersGate();
  const callers: Caller[] = [];
  const works = Array.from({ length: 4 }, held);
  const addresses = ['203.0.113.1', '203.0.113.2', '203.0.113.2', '203.0.113.3'];
  const ask = (index: number) =>
    gate.ask(addresses[index]!, index, signal, (caller) => {
      callers.push(caller);
      return works[index]!.work();
    });
  const doOthersWait = () => callers.map((caller) => caller.doOthersWait!());
  const all = [ask(0), ask(1), ask(2)];
  await settled();
  expect(doOthersWait()).toEqual([false, false]);
  all.push(ask(3));
  expect(doOthersWait()).toEqual([true, true]);
  for (const { end } of works) end();
  await Promise.all(all);
});

it('shows the gates behind it all viewers as one caller, which is no user', async () => {
  const gate = new ViewersGate();
  const owners = new Set<unknown>();
  for (const address of ['203.0.113.1', '203.0.113.2'])
    await gate.ask(address, WEBSITE, signal, (caller) => Promise.resolve(owners.add(caller.owner)));
  expect([...owners]).toEqual([-1]);
});

it('has an address pause on a website where its query took too long', async () => {
  const gate = new ViewersGate();
  const tooLong = () => Promise.reject(new Problem('question_too_long', ''));
  await expect(gate.ask('203.0.113.1', WEBSITE, signal, tooLong)).rejects.toMatchObject({
    code: 'question_too_long',
  });
  const work = () => Promise.resolve('answer');
  await expect(gate.ask('203.0.113.1', WEBSITE, signal, work)).rejects.toMatchObject({
    ...{ code: 'too_many_requests', retryAfterSeconds: 2 },
  });
  expect(await gate.ask('203.0.113.1', 2, signal, work)).toBe('answer');
  expect(await gate.ask('203.0.113.2', WEBSITE, signal, work)).toBe('answer');
  expect(await gate.look('203.0.113.1', WEBSITE, signal, work)).toBe('answer');
});

it('has queries that waited meanwhile pause as well', async () => {
  const gate = new ViewersGate();
  let begun = 0;
  const tooLong = () => {
    begun++;
    return Promise.reject(new Problem('question_too_long', ''));
  };
  const ask = () => gate.ask('203.0.113.1', WEBSITE, signal, tooLong);
  const requested = await Promise.allSettled([ask(), ask(), ask()]);
  expect(requested).toMatchObject(
    ['question_too_long', 'too_many_requests', 'too_many_requests'].map((code) => ({ reason: { code } })),
  );
  expect(begun).toBe(1);
});

describe('pauses', () => {
  let now = 0;
  const pauses = () => new ViewersPauses(() => now);
  const retryAfter = (of: ViewersPauses, asking = 'a') => {
    try {
      of.expectNone(asking);
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_requests' });
      return (error as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };

  it('grow up to five minutes, for the one who asks alone, and begin anew in the end', () => {
    const own = pauses();
    const seen: number[] = [];
    for (let time = 0; time < 10; time++) {
      expect(retryAfter(own)).toBe(0);
      own.add('a');
      seen.push(retryAfter(own));
      now += 1000 * seen.at(-1)!;
    }
    expect(seen).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(retryAfter(own, 'b')).toBe(0);
    now += 600_001;
    own.add('a');
    expect(retryAfter(own)).toBe(2);
  });

  it('are known of a bounded number of viewers', () => {
    const own = pauses();
    for (let index = 0; index < 20_000; index++) own.add(String(index));
    expect([own.size, retryAfter(own, '0'), retryAfter(own, '19999')]).toEqual([10_000, 0, 2]);
  });
});
