import { randomUUID } from 'node:crypto';
import { setCacheBudget } from '../../engine/ground/memory/memory-limits';
import { DayClock } from '../../engine/ground/time/day-clock';
import { WebsiteCounters } from '../../engine/columns/fold/website-counters';
import { WriteGroup } from '../../engine/database/connections/write-group';
import { CountingProcess, pageView } from '../support/counting';
import { engine, type FreshDatabase, freshDatabase } from '../support/fresh-database';

let files: FreshDatabase;
let one: CountingProcess;
beforeAll(async () => {
  files = await freshDatabase();
  one = await CountingProcess.start(files.url);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await one.stop();
  await files.drop();
});

/** A member that reads before it writes. */
const member = (group: WriteGroup, day: number, fails = false) =>
  group.join(async () => {
    await one.database.now();
    await group.write(async (manager) => {
      await manager.query('INSERT INTO salts (day, salt) VALUES (?, ?)', [day, Buffer.alloc(60)]);
      if (fails) throw new Error(`day ${day}`);
    }, 1);
  });
const days = async () => {
  const rows = await one.database.query<{ day: number }[]>('SELECT day FROM salts ORDER BY day');
  return rows.map(({ day }) => day);
};

it('commits the writes of all members once, and rolls back one that fails by itself', async () => {
  const group = new WriteGroup(one.database, 100);
  const writes = jest.spyOn(one.database, 'write');
  const ended = await Promise.allSettled([
    member(group, 1),
    member(group, 2, true),
    group.join(() => Promise.resolve()),
    member(group, 1),
    member(group, 3),
  ]);
  expect(writes).toHaveBeenCalledTimes(1);
  const [first, failing, reading, twin, last] = ended.map(({ status }) => status);
  expect([failing, reading, last]).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  // Either of the two with the same day may have read first.
  expect([first, twin].sort()).toEqual(['fulfilled', 'rejected']);
  expect(await days()).toEqual([1, 3]);
});

it('does not wait for members once enough is to be written', async () => {
  const group = new WriteGroup(one.database, 2);
  let leave: (() => void) | undefined;
  const slow = group.join(() => new Promise<void>((resolve) => (leave = resolve)));
  await Promise.all([4, 5].map((day) => member(group, day)));
  leave!();
  await slow;
  expect(await days()).toEqual(expect.arrayContaining([4, 5]));
});

it('rejects all where the transaction fails', async () => {
  const group = new WriteGroup(one.database, 100);
  jest.spyOn(one.database, 'write').mockRejectedValueOnce(new Error('away'));
  const ended = await Promise.allSettled([6, 7].map((day) => member(group, day)));
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('remembers which days are quiet where counters leave memory before their next turn', async () => {
  setCacheBudget(0.001);
  const folders = new WebsiteCounters(one.database, new DayClock('UTC'));
  setCacheBudget(128);
  const isFilled = () => folders.run(11, (folder) => Promise.resolve(folder.isFilled(1)));
  await one.register(11);
  const now = jest.spyOn(performance, 'now');
  const begin = performance.now();
  const after = (ms: number) => now.mockReturnValue(begin + ms);
  after(0);
  expect([await isFilled(), folders.known(11)]).toEqual([true, undefined]);
  after(9000);
  expect(await isFilled()).toBe(true);
  after(11_000);
  expect(await isFilled()).toBe(false);
  // Another process may have counted the website.
  await one.execute('UPDATE counting SET token = token + 1 WHERE website_id = 11');
  expect(await isFilled()).toBe(true);
});

if (engine === 'sqlite')
  it('lets many websites be counted by few commits, also where one of them cannot be', async () => {
    const folders = new WebsiteCounters(one.database, new DayClock('UTC'));
    const websites = [1, 2, 3, 4, 5];
    for (const id of websites) await one.register(id);
    const foldAll = () => Promise.all(websites.map((id) => folders.run(id, (folder) => folder.foldSome())));
    const accept = async () => {
      for (const id of websites) await one.accept(id, pageView('/', 'a'));
    };
    await accept();
    await foldAll();
    await accept();
    await one.execute('UPDATE counting SET token = token + 1 WHERE website_id = 2');
    const writes = jest.spyOn(one.database, 'write');
    expect(await foldAll()).toEqual([1, undefined, 1, 1, 1]);
    expect(writes).toHaveBeenCalledTimes(1);
    for (const id of websites) expect(await one.counted(id, 'page')).toEqual({ '/': id === 2 ? 1 : 2 });
  });

it('looks up ids in a hundred folds, from the last repeated one on', async () => {
  const folders = new WebsiteCounters(one.database, new DayClock('UTC'));
  const [repeating, other] = [21, 22];
  for (const id of [repeating, other]) await one.register(id);
  const [query, repeated] = [jest.spyOn(one.database, 'query'), randomUUID()];
  const lookUps = async (eventId: string) => {
    for (const id of [repeating, other])
      await one.acceptWithIds(id, { hit: pageView('/', 'a'), eventId: id === repeating ? eventId : null });
    query.mockClear();
    const fold = (id: number) => folders.run(id, (folder) => folder.foldSome());
    expect(await Promise.all([repeating, other].map(fold))).toEqual([1, 1]);
    return query.mock.calls.filter(([sql]) => sql.startsWith('SELECT event_id FROM event_ids')).length;
  };
  expect(await lookUps(repeated)).toBe(0);
  for (let folds = 0; folds < 2; folds++) expect(await lookUps(repeated)).toBe(1);
  for (let folds = 0; folds < 99; folds++) expect(await lookUps(randomUUID())).toBe(1);
  expect(await lookUps(randomUUID())).toBe(0);
  expect(await one.counted(repeating, 'page')).toEqual({ '/': 101 });
  expect(await one.counted(other, 'page')).toEqual({ '/': 103 });
});

if (engine === 'sqlite')
  it('reports the error that ended the whole transaction', async () => {
    const group = new WriteGroup(one.database, 100);
    const fault = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
    const other = member(group, 20);
    const failing = group.join(() =>
      group.write(async (manager) => {
        await manager.query('ROLLBACK');
        throw fault;
      }, 1),
    );
    const ended = await Promise.allSettled([failing, other]);
    expect(ended.map((end) => end.status === 'rejected' && (end.reason as Error).cause)).toEqual([
      fault,
      fault,
    ]);
    expect(await days()).not.toContain(20);
    await member(group, 20);
    expect(await days()).toContain(20);
  });
