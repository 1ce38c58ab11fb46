import { setImmediate as turn } from 'node:timers/promises';
import type { QueryContext } from './query-thread';
import { ThreadSlots } from './thread-slots';

const THREADS = ['one', 'other'];
let places: ThreadSlots<string>;
/** Tells whether answers of named queries are cached. */
let isCached = true;
beforeEach(() => void (places = new ThreadSlots(THREADS)));

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
  name?: string,
  columns = `columns of ${name}`,
): Promise<Running | undefined> {
  let own: Running | undefined;
  const work = (thread: string, asking: QueryContext) =>
    new Promise<void>((end, fail) => {
      const running = { ...(asking as Required<QueryContext>), thread, end, fail } as Running;
      if (own) again(running);
      own ??= running;
    });
  const caller = { owner, isAnonymous };
  const answered =
    name === undefined
      ? places.inTurn(websiteId, caller, work)
      : places.inTurnAgain({ counts: name, columns }, websiteId, caller, work, () => isCached);
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
  places = new ThreadSlots(THREADS, { queriesAtOnce: 4 });
  expect(await ask(0, 1)).toBeDefined();
  expect(await ask(0, 1)).toBeUndefined();
  expect([await ask(2, 1), await ask(4, 1)]).not.toContain(undefined);
  expect(await ask(5, 1)).toBeUndefined();
  expect(await ask(7, 2)).toBeDefined();
  expect(await ask(10, 3)).toBeUndefined();
});

it.each([1, 2, 3, 4, 5, 8])('uses all threads alike for ids in steps of %i', (step) => {
  for (const threads of [2, 3, 4]) {
    const own = new ThreadSlots(Array.from({ length: threads }, (_, thread) => thread));
    const websites = Array<number>(threads).fill(0);
    for (let id = 1; id <= 100 * step; id += step) websites[own.threadOf(id)]!++;
    for (const count of websites) expect(Math.abs(count - 100 / threads)).toBeLessThan(10);
  }
});

describe('with idle threads', () => {
  beforeEach(() => void (places = new ThreadSlots(THREADS, { usesIdleThreads: true })));

  it('uses one while that of the website is busy, and waits in the own if none is idle', async () => {
    const [first, second] = [await ask(0, 1), await ask(0, 1)];
    expect([first!.thread, second!.thread]).toEqual(['one', 'other']);
    expect(await ask(0, 1)).toBeUndefined();
    second!.end();
    await second!.answered;
    expect((await ask(1, 2))!.thread).toBe('other');
  });

  it('goes on with a list in the own thread alone, and gives way there', async () => {
    const busy = await ask(0, 1);
    const work = (thread: string, { doOthersWait }: QueryContext) =>
      Promise.resolve({ thread, doOthersWait });
    const opened = places.inOwnTurn(0, { owner: 2 }, work);
    const piece = places.continue(0, { owner: 2 }, work);
    await turn();
    expect(busy!.doOthersWait()).toBe(true);
    busy!.end();
    expect((await opened).thread).toBe('one');
    const { thread, doOthersWait } = await piece;
    expect([thread, doOthersWait!()]).toEqual(['one', false]);
    await ask(0, 1);
    void places.inOwnTurn(0, { owner: 3 }, work);
    expect(doOthersWait!()).toBe(true);
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

  describe('and names', () => {
    const askNamed = (name: string, columns?: string) => ask(0, 1, false, undefined, name, columns);
    const end = async (running: (Running | undefined)[]) => {
      for (const one of running) one!.end();
      await Promise.all(running.map((one) => one!.answered));
    };

    beforeEach(async () => {
      const both = [await askNamed('first'), await askNamed('second')];
      expect(both.map((one) => one!.thread)).toEqual(['one', 'other']);
      await end(both);
      jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    });
    afterEach(() => void jest.useRealTimers());

    it('uses the thread that has the counts of a query, although its own is idle', async () => {
      expect((await askNamed('second'))!.thread).toBe('other');
      expect((await askNamed('third'))!.thread).toBe('one');
    });

    it('waits for it a little while, one after the other', async () => {
      const running = await askNamed('second');
      const started: Running[] = [];
      const waiting = [1, 2].map(() =>
        places.inTurnAgain(
          { counts: 'second', columns: '' },
          0,
          { owner: 1 },
          (thread) => new Promise<void>((endOne) => void started.push({ thread, end: endOne } as Running)),
          () => true,
        ),
      );
      await turn();
      expect(started).toEqual([]);
      await end([running]);
      await turn();
      expect(started.map(({ thread }) => thread)).toEqual(['other']);
      started[0]!.end();
      await turn();
      expect(started.map(({ thread }) => thread)).toEqual(['other', 'other']);
      started[1]!.end();
      await Promise.all(waiting);
    });

    it('does not count as waiting there, and uses another thread afterwards', async () => {
      const host = await ask(1, 2, true);
      let late: string | undefined;
      const work = (thread: string) => Promise.resolve((late = thread));
      void places.inTurnAgain({ counts: 'second', columns: '' }, 0, { owner: 1 }, work, () => true);
      await turn();
      expect([host!.doOthersWait(), host!.doUsersWait()]).toEqual([false, false]);
      jest.advanceTimersByTime(99);
      await turn();
      expect(late).toBeUndefined();
      jest.advanceTimersByTime(1);
      await turn();
      expect(late).toBe('one');
      expect((await askNamed('second'))!.thread).toBe('one');
    });

    it('has one of two queries that wait for a thread in it, and the other one in an idle one', async () => {
      const some = await askNamed('fourth', 'some');
      const started: string[] = [];
      const endOne: (() => void)[] = [];
      const waiting = ['fifth', 'sixth'].map((counts) => {
        const work = (thread: string) =>
          new Promise<void>((endIt) => {
            started.push(thread);
            endOne.push(endIt);
          });
        return places.inTurnAgain({ counts, columns: 'columns of first' }, 0, { owner: 1 }, work, () => true);
      });
      await turn();
      await end([some]);
      await turn();
      expect(started).toEqual(['one']);
      jest.advanceTimersByTime(20);
      await turn();
      expect(started).toEqual(['one', 'other']);
      for (const endIt of endOne) endIt();
      await Promise.all(waiting);
    });

    it('does not wait for columns where no thread is idle, so that none is later in line', async () => {
      const [some, more] = [await askNamed('fourth', 'some'), await askNamed('fifth', 'more')];
      const started: string[] = [];
      const later = ['sixth', 'seventh'].map((counts) => {
        const work = () => Promise.resolve(void started.push(counts));
        return counts === 'sixth'
          ? places.inTurnAgain({ counts, columns: 'some' }, 0, { owner: 1 }, work, () => true)
          : places.inTurn(0, { owner: 1 }, work);
      });
      await turn();
      await end([some, more]);
      await Promise.all(later);
      expect(started).toEqual(['sixth', 'seventh']);
    });

    it('uses its own thread once the counts are not cached any more', async () => {
      isCached = false;
      await end([await askNamed('second')]);
      isCached = true;
      expect((await askNamed('second', 'others'))!.thread).toBe('one');
    });

    it('uses the thread that read the columns of a query, if it is soon idle', async () => {
      const both = [await askNamed('fourth', 'some'), await askNamed('fifth', 'more')];
      expect(both.map((one) => one!.thread)).toEqual(['one', 'other']);
      await end(both);
      const later = [await askNamed('sixth', 'more'), await askNamed('seventh', 'some')];
      expect(later.map((one) => one!.thread)).toEqual(['other', 'one']);
      await end([later[0]]);
      let late: string | undefined;
      const work = (thread: string) => Promise.resolve((late = thread));
      void places.inTurnAgain({ counts: 'eighth', columns: 'some' }, 0, { owner: 1 }, work, () => true);
      await turn();
      jest.advanceTimersByTime(19);
      await turn();
      expect(late).toBeUndefined();
      jest.advanceTimersByTime(1);
      await turn();
      expect(late).toBe('other');
    });

    it('forgets no thread for one that gave no answer', async () => {
      const failing = await askNamed('second');
      failing!.fail(new Error('of its own'));
      await expect(failing!.answered).rejects.toThrow('of its own');
      expect((await askNamed('second'))!.thread).toBe('other');
    });
  });

  it('reports the error of a query that nobody waited for', async () => {
    await ask(0, 1);
    const guest = await ask(0, 1);
    guest!.fail(new Error('of its own'));
    await expect(guest!.answered).rejects.toThrow('of its own');
  });
});
