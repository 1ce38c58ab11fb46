import { setImmediate as turn } from 'node:timers/promises';
import type { QueryContext } from './query-thread';
import { ThreadPlaces } from './thread-places';

const THREADS = ['one', 'other'];
let places: ThreadPlaces<string>;
beforeEach(() => void (places = new ThreadPlaces(THREADS)));

interface Running extends Required<QueryContext> {
  thread: string;
  end: () => void;
  fail: (error: Error) => void;
  answered: Promise<unknown>;
}

/** A query that runs until it ends or fails. Undefined while it waits. A query that begins anew runs as `again`. */
async function ask(
  websiteId: number,
  owner: number,
  isAnonymous = false,
  again: (own: Running) => void = () => undefined,
): Promise<Running | undefined> {
  let own: Running | undefined;
  const answered = places.inTurn(
    websiteId,
    { owner, isAnonymous },
    (thread, asking) =>
      new Promise<void>((end, fail) => {
        const running = { ...(asking as Required<QueryContext>), thread, end, fail } as Running;
        if (own) again(running);
        own ??= running;
      }),
  );
  answered.catch(() => undefined);
  await turn();
  if (own) own.answered = answered;
  return own;
}

it('gives way to those who wait for its place, and not for another one', async () => {
  const requested = await ask(0, 1);
  await ask(1, 2);
  expect(await ask(1, 3)).toBeUndefined();
  expect(requested!.doOthersWait()).toBe(false);
  expect(await ask(0, 3)).toBeUndefined();
  expect(requested!.doOthersWait()).toBe(true);
});

it('has a query of no user give way to users, whose own have their turn', async () => {
  const [viewers, user] = [-1, 1];
  const requested = await ask(0, viewers, true);
  expect(await ask(0, viewers, true)).toBeUndefined();
  expect(requested!.doUsersWait()).toBe(false);
  expect(await ask(0, user)).toBeUndefined();
  expect(requested!.doUsersWait()).toBe(true);
  const own = await ask(1, user);
  expect(own!.doUsersWait).toBeUndefined();
});

it('has several queries at a thread at once, one for a website, and leaves a place to other owners', async () => {
  places = new ThreadPlaces(THREADS, { queriesAtOnce: 4 });
  expect(await ask(0, 1)).toBeDefined();
  expect(await ask(0, 1)).toBeUndefined();
  expect([await ask(2, 1), await ask(4, 1)]).not.toContain(undefined);
  expect(await ask(6, 1)).toBeUndefined();
  expect(await ask(8, 2)).toBeDefined();
  expect(await ask(10, 3)).toBeUndefined();
});

describe('with idle threads', () => {
  beforeEach(() => void (places = new ThreadPlaces(THREADS, { usesIdleThreads: true })));

  it('uses one while that of the website is busy, and waits in the own if none is idle', async () => {
    const [first, second] = [await ask(0, 1), await ask(0, 1)];
    expect([first!.thread, second!.thread]).toEqual(['one', 'other']);
    expect(await ask(0, 1)).toBeUndefined();
    second!.end();
    await second!.answered;
    expect((await ask(1, 2))!.thread).toBe('other');
  });

  it('gives an idle thread back to its own queries, and begins anew in its own', async () => {
    const first = await ask(0, 1);
    let again: Running | undefined;
    const guest = await ask(0, 1, false, (own) => (again = own));
    expect(guest!.doUsersWait()).toBe(false);
    expect(await ask(1, 2)).toBeUndefined();
    expect(guest!.doUsersWait()).toBe(true);
    guest!.fail(new Error('given way'));
    expect(await ask(1, 3)).toBeUndefined();
    expect(again).toBeUndefined();
    first!.end();
    await first!.answered;
    await turn();
    expect(again!.thread).toBe('one');
    expect(again!.doUsersWait).toBeUndefined();
    expect(again!.spentMs).toBeGreaterThan(0);
    again!.end();
    expect(await guest!.answered).toBeUndefined();
  });

  it('reports the error of a query that nobody waited for', async () => {
    await ask(0, 1);
    const guest = await ask(0, 1);
    guest!.fail(new Error('of its own'));
    await expect(guest!.answered).rejects.toThrow('of its own');
  });
});
