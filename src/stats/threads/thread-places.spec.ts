import { setImmediate as turn } from 'node:timers/promises';
import type { QueryContext } from './query-thread';
import { ThreadPlaces } from './thread-places';

const THREADS = ['one', 'other'];
let places: ThreadPlaces<string>;
beforeEach(() => void (places = new ThreadPlaces(THREADS)));

/** A query that runs until it is told to end. Undefined while it waits. */
async function ask(
  websiteId: number,
  owner: number,
  isAnonymous = false,
): Promise<(Required<QueryContext> & { end: () => void }) | undefined> {
  let own: (Required<QueryContext> & { end: () => void }) | undefined;
  const answered = places.inTurn(
    websiteId,
    { owner, isAnonymous },
    (_, asking) => new Promise<void>((end) => (own = { ...(asking as Required<QueryContext>), end })),
  );
  void answered;
  await turn();
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
  places = new ThreadPlaces(THREADS, 4);
  expect(await ask(0, 1)).toBeDefined();
  expect(await ask(0, 1)).toBeUndefined();
  expect([await ask(2, 1), await ask(4, 1)]).not.toContain(undefined);
  expect(await ask(6, 1)).toBeUndefined();
  expect(await ask(8, 2)).toBeDefined();
  expect(await ask(10, 3)).toBeUndefined();
});
