import { setImmediate as turn } from 'node:timers/promises';
import type { Asking } from './query-thread';
import type { PortionOffer } from './thread-messages';
import { ThreadPlaces } from './thread-places';

/** Scans until it is told to end. */
class TestThread {
  scans = 0;
  end: () => void = () => undefined;

  scan(): Promise<void> {
    this.scans++;
    return new Promise((resolve) => (this.end = resolve));
  }
}

const OFFER = {} as PortionOffer;
let threads: TestThread[];
let places: ThreadPlaces<TestThread>;
beforeEach(() => {
  threads = [new TestThread(), new TestThread()];
  places = new ThreadPlaces(threads);
});

/** A question that takes until it is told to end; undefined while it waits. */
async function ask(
  websiteId: number,
  owner: number,
  isAnonymous = false,
): Promise<(Required<Asking> & { end: () => void }) | undefined> {
  let own: (Required<Asking> & { end: () => void }) | undefined;
  const answered = places.inTurn(
    websiteId,
    { owner, isAnonymous },
    (_, asking) => new Promise<void>((end) => (own = { ...(asking as Required<Asking>), end })),
  );
  void answered;
  await turn();
  return own;
}

it('gives way to those who wait for its place, and not for another one', async () => {
  const asked = await ask(0, 1);
  await ask(1, 2);
  expect(await ask(1, 3)).toBeUndefined();
  expect(asked!.doOthersWait()).toBe(false);
  expect(await ask(0, 3)).toBeUndefined();
  expect(asked!.doOthersWait()).toBe(true);
});

it('has a question of no user give way to users, whose own have their turn', async () => {
  const [viewers, user] = [-1, 1];
  const asked = await ask(0, viewers, true);
  expect(await ask(0, viewers, true)).toBeUndefined();
  expect(asked!.doUsersWait()).toBe(false);
  expect(await ask(0, user)).toBeUndefined();
  expect(asked!.doUsersWait()).toBe(true);
  const own = await ask(1, user);
  expect(own!.doUsersWait).toBeUndefined();
});

it('gives way to those who wait for a thread that scans a portion', async () => {
  const asked = await ask(0, 1);
  asked!.share(OFFER);
  await turn();
  expect(threads[1]!.scans).toBe(1);
  await ask(1, 2);
  expect(asked!.doOthersWait()).toBe(true);
  threads[1]!.end();
  await turn();
  expect(await ask(1, 3)).toBeUndefined();
  expect(asked!.doOthersWait()).toBe(false);
});

it('has no question give way to a portion that waits', async () => {
  const [asked, other] = [await ask(0, 1), await ask(1, 2)];
  asked!.share(OFFER);
  await turn();
  expect([asked!.doOthersWait(), other!.doOthersWait()]).toEqual([false, false]);
  other!.end();
  await turn();
  expect(threads[1]!.scans).toBe(1);
});

it('has several queries at a thread at once, one for a website, and leaves a place to other owners', async () => {
  places = new ThreadPlaces(threads, 4);
  expect(await ask(0, 1)).toBeDefined();
  expect(await ask(0, 1)).toBeUndefined();
  expect([await ask(2, 1), await ask(4, 1)]).not.toContain(undefined);
  expect(await ask(6, 1)).toBeUndefined();
  expect(await ask(8, 2)).toBeDefined();
  expect(await ask(10, 3)).toBeUndefined();
});
