import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../../../engine/ground/threads/built-file';
import { bytesOfPool } from '../../../engine/ground/memory/memory-limits';
import { CallerLeft } from '../../../engine/ground/gate';
import { InvalidFields, Overloaded } from '../../../engine/ground/errors';
import { textAt } from '../../../engine/ground/lists/text-list';
import { Settings } from '../../../src/config/settings';
import { ReadMemory } from '../../../engine/ground/memory/read-memory';
import { QueryAnswering } from '../../../engine/columns/answering/query-answering';
import { Zone } from '../../../engine/questions/plan/buckets';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import type { HitQuery, QueryResult } from '../../../engine/questions/plan/hit-query';
import { ThreadSlots } from '../../../engine/columns/threads/thread-slots';
import { QueryThread } from '../../../engine/columns/threads/query-thread';
import { QueryThreads } from '../../../engine/columns/threads/query-threads';
import {
  memoryOfThreads,
  type ThreadMemory,
  WorkingMemory,
} from '../../../engine/asking/memory/working-memory';
import type { Filter } from '../../../engine/questions/parse/filter';
import { OTHER } from '../../../engine/hits/rules/value-limits';
import { askerOf, owner } from '../../../src/stats/viewers/viewer';
import { DayBuilder } from '../../../engine/columns/segments/day-builder';
import { CountingProcess, pageView, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { until } from '../../support/until';

const WEBSITE = 1;
const FOLDS = 30;

let database: FreshDatabase;
let process: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  process = await CountingProcess.start(database.url);
  await process.register(WEBSITE);
  const folder = (await process.folderOf(WEBSITE))!;
  for (let fold = 0; fold < FOLDS; fold++) {
    await process.accept(WEBSITE, pageView('/', 'a'), pageView(`/${fold}`, 'b'));
    await folder.foldSome();
  }
});
afterAll(async () => {
  await process.stop();
  await database.drop();
});

const hitQuery = (dimensions: HitQuery['dimensions']): HitQuery => ({
  range: { days: { from: TODAY, to: TODAY } },
  previous: undefined,
  filter: undefined,
  dimensions,
  metrics: ['pageviews', 'visitors'],
  fill: false,
  order: [],
  skip: 0,
  take: 10,
});
const request = (userId = 1) => ({
  asker: askerOf(owner(userId)),
  websiteId: WEBSITE,
  statsFrom: 0,
  hitQueries: [hitQuery([])],
});
const countedIn = ({ answers: [answer] }: QueryResult) => answer!.sums;

it('goes on with a day that was partly read when the caller left', async () => {
  const answering = new QueryAnswering(process.database, new ColumnCache(), new Zone('UTC'));
  const ask = (check = () => undefined) => answering.answer(request(), 10_000, check);
  expect(countedIn(await ask())).toEqual([2 * FOLDS, 2]);
  await process.endLeases();
  const folder = (await process.folderOf(WEBSITE))!;
  for (let fold = 0; fold < 3; fold++) {
    await process.accept(WEBSITE, pageView('/more', 'c'));
    await folder.foldSome();
  }
  let checks = 0;
  const leaving = () => {
    if (++checks === 3) throw new CallerLeft();
  };
  await expect(ask(leaving as () => undefined)).rejects.toThrow(CallerLeft);
  expect(countedIn(await ask())).toEqual([2 * FOLDS + 3, 3]);
});

it('reads no hit again that was read before the deadline', async () => {
  const answering = new QueryAnswering(process.database, new ColumnCache(), new Zone('UTC'));
  let checks = 0;
  const late = () => {
    if (++checks === 20) throw new CallerLeft();
  };
  await expect(answering.answer(request(), 10_000, late)).rejects.toThrow(CallerLeft);
  checks = 20;
  const result = await answering.answer(request(), 10_000, late);
  expect(checks - 20).toBeLessThan(FOLDS);
  expect(countedIn(result)[0]).toBeGreaterThanOrEqual(2 * FOLDS);
});

it('does not begin again after a deadline where its own texts meet the limit', async () => {
  const cache = new ColumnCache({ maxTextBytes: 3000 });
  const answering = new QueryAnswering(process.database, cache, new Zone('UTC'));
  const ask = (check = () => undefined) =>
    answering.answer({ ...request(), hitQueries: [hitQuery(['page'])] }, 10_000, check);
  let checks = 0;
  const late = () => {
    if (++checks === 20) throw new CallerLeft();
  };
  await expect(ask(late as () => undefined)).rejects.toThrow(CallerLeft);
  expect(cache.bytes).toBeGreaterThan(0);
  const forget = jest.spyOn(cache, 'forget');
  expect((await ask()).isMerged).toBe(true);
  expect(forget).not.toHaveBeenCalled();
});

it('takes memory for a day while it is read, and may be left while the day is put in order', async () => {
  const [own] = memoryOfThreads(1) as [ThreadMemory];
  const answering = new QueryAnswering(
    process.database,
    new ColumnCache(),
    new Zone('UTC'),
    new WorkingMemory(own),
  );
  const days = jest.spyOn(DayBuilder.prototype, 'buildColumns');
  const taken: number[] = [];
  const leaving = () => {
    taken.push(Atomics.load(own.taken, own.slot));
    if (days.mock.calls.length > 0) throw new CallerLeft();
  };
  await expect(answering.answer(request(), 10_000, leaving)).rejects.toThrow(CallerLeft);
  await expect(days.mock.results[0]!.value).rejects.toThrow(CallerLeft);
  expect(taken.at(-1)).toBeGreaterThan(0);
  expect(Atomics.load(own.taken, own.slot)).toBe(0);
  days.mockRestore();
});

it.each([
  { maxTextBytes: 10_000, isMerged: false },
  { maxTextBytes: 5000, isMerged: true },
])(
  'answers alike after other queries, with $maxTextBytes bytes of texts',
  async ({ maxTextBytes, isMerged }) => {
    const websiteId = WEBSITE + 1 + Number(isMerged);
    await process.register(websiteId);
    const hits = Array.from({ length: 60 }, (_, hit) =>
      pageViewOn(TODAY - 3, `/of-the-day/${hit}`, 'a', {
        visitor: Buffer.alloc(8, hit + 1).toString('base64url'),
        referrer: `site-${hit}.example`,
      }),
    );
    await process.count(websiteId, hits);
    const days = { from: TODAY - 3, to: TODAY - 3 };
    const answer = async (cache: ColumnCache, name: 'page' | 'referrer') => {
      const answering = new QueryAnswering(process.database, cache, new Zone('UTC'));
      const hitQueries = [{ ...hitQuery([name]), range: { days }, take: 100 }];
      return answering.answer({ ...request(), websiteId, hitQueries }, 10_000, () => undefined);
    };
    const warm = new ColumnCache({ maxTextBytes });
    expect((await answer(warm, 'page')).isMerged).toBe(isMerged);
    for (let times = 0; times < 2; times++) {
      const cold = await answer(new ColumnCache({ maxTextBytes }), 'referrer');
      expect(cold.isMerged).toBe(isMerged);
      expect({ ...(await answer(warm, 'referrer')), asOf: cold.asOf }).toEqual(cold);
    }
  },
);

it('tells merged lists of properties from missing properties', async () => {
  const websiteId = WEBSITE + 3;
  await process.register(websiteId);
  const hits = Array.from({ length: 60 }, (_, hit) =>
    pageViewOn(TODAY - 3, '/', 'a', { event: 'order', properties: [['id', `order-${hit}`]] }),
  );
  await process.count(websiteId, hits);
  const ask = async (query: Partial<HitQuery>, maxTextBytes: number) => {
    const range = { days: { from: TODAY - 3, to: TODAY - 3 } };
    const hitQueries = [{ ...hitQuery([]), range, metrics: ['events' as const], take: 100, ...query }];
    const cache = new ColumnCache({ maxTextBytes });
    const answering = new QueryAnswering(process.database, cache, new Zone('UTC'));
    const { answers, isMerged } = await answering.answer(
      { ...request(), websiteId, hitQueries },
      10_000,
      () => undefined,
    );
    const { rows, sums } = answers[0]!;
    const values = rows.dimensions.flatMap((list) => Array.from(list.isSet, (_, row) => textAt(list, row)));
    return { sums, values, isMerged };
  };
  const id = 'event_property:id' as const;
  const unset: Filter = { kind: 'test', name: id, test: 'is', values: [null] };
  for (const [maxTextBytes, isMerged] of [
    [1_000_000, false],
    [5000, true],
  ] as const) {
    const filtered = ask({ filter: unset }, maxTextBytes);
    if (isMerged) await expect(filtered).rejects.toThrow(InvalidFields);
    else expect(await filtered).toEqual({ sums: [0], values: [], isMerged });
    const lists = await ask({ dimensions: ['event_properties'] }, maxTextBytes);
    expect([lists.sums, new Set(lists.values)]).toEqual([
      [60],
      new Set(isMerged ? ['["id"]', OTHER] : ['["id"]']),
    ]);
    const ids = await ask({ dimensions: [id] }, maxTextBytes);
    expect([ids.sums, ids.values.includes(null), ids.values.includes(OTHER)]).toEqual([
      [60],
      false,
      isMerged,
    ]);
  }
});

describe('filters by a name with too many distinct values', () => {
  const websiteId = WEBSITE + 4;
  const page = (hit: number) => `/of-the-day/${hit}`;
  beforeAll(async () => {
    await process.register(websiteId);
    const hits = Array.from({ length: 60 }, (_, hit) => pageViewOn(TODAY - 3, page(hit), 'a'));
    await process.count(websiteId, hits);
  });

  const test = (name: 'page' | 'entry_page', of: 'is' | 'contains', ...values: string[]): Filter => ({
    ...{ kind: 'test', name, test: of, values },
  });
  const ask = async (filter: Filter) => {
    const range = { days: { from: TODAY - 3, to: TODAY - 3 } };
    const answering = new QueryAnswering(
      process.database,
      new ColumnCache({ maxTextBytes: 5000 }),
      new Zone('UTC'),
    );
    const hitQueries = [{ ...hitQuery([]), range, metrics: ['pageviews' as const], filter }];
    const { answers, isMerged } = await answering.answer(
      { ...request(), websiteId, hitQueries },
      10_000,
      () => undefined,
    );
    return [...answers[0]!.sums, isMerged];
  };

  it('find a whole value, also one that is read after the limit', async () => {
    for (const hit of [0, 30, 59]) expect(await ask(test('page', 'is', page(hit)))).toEqual([1, false]);
    expect(await ask({ kind: 'not', of: test('page', 'is', page(59), page(0)) })).toEqual([58, false]);
    expect(await ask({ kind: 'ever', of: test('page', 'is', page(59)) })).toEqual([60, false]);
    expect(await ask(test('entry_page', 'is', page(0)))).toEqual([60, false]);
    expect(await ask(test('page', 'is', '/elsewhere'))).toEqual([0, false]);
  });

  it('are refused where they would need the merged values', async () => {
    for (const filter of [test('page', 'contains', '/of'), test('page', 'is', OTHER)])
      await expect(ask(filter)).rejects.toMatchObject({
        errors: { filters: [expect.stringContaining('page, which has too many distinct values')] },
      });
  });
});

function threadOf(
  url: string,
  times?: { patienceMs?: number; ownTurnMs?: number; anonymousTurnMs?: number },
  [memory] = memoryOfThreads(1) as [ThreadMemory],
): QueryThread {
  const { database: address } = new Settings({ DATABASE_URL: url });
  return new QueryThread(
    {
      address,
      timezone: 'UTC',
      cacheMb: 128,
      threads: 1,
      newValuesPerDay: 250_000,
      moves: undefined,
      memory,
      lane: 'scanning',
    },
    times,
  );
}

describe('a thread', () => {
  let thread: QueryThread;
  beforeEach(() => void (thread = threadOf(database.url)));
  afterEach(() => thread.stop());

  const ask = (userId?: number, signal?: AbortSignal) =>
    thread.ask('hitQueries', request(userId), { signal });

  it('answers, and tells what is wrong', async () => {
    const [pageviews] = countedIn(await ask());
    expect(pageviews).toBeGreaterThanOrEqual(2 * FOLDS);
    await expect(ask(2)).rejects.toMatchObject({ code: 'not_found' });
    expect(countedIn(await ask())[0]).toBe(pageviews);
  });

  it('does not go on for a caller who has left', async () => {
    const leaves = new AbortController();
    const requested = ask(1, leaves.signal);
    leaves.abort();
    await expect(requested).rejects.toThrow(CallerLeft);
    await expect(ask()).resolves.toBeDefined();
  });

  it('gives way to others who wait once it had its turn, and not before', async () => {
    const hasty = threadOf(database.url, { ownTurnMs: 0 });
    await expect(
      hasty.ask('hitQueries', request(), { signal: undefined, doOthersWait: () => true }),
    ).rejects.toMatchObject({
      code: 'question_too_long',
    });
    await expect(
      hasty.ask('hitQueries', request(), { signal: undefined, doOthersWait: () => false }),
    ).resolves.toBeDefined();
    await hasty.stop();
    await ask();
    await expect(
      thread.ask('hitQueries', request(), { signal: undefined, doOthersWait: () => true }),
    ).resolves.toBeDefined();
  });

  it('has a query of no user give way to users before its turn is over, and to no others', async () => {
    const hasty = threadOf(database.url, { anonymousTurnMs: 0 });
    const requested = (wait: boolean) =>
      hasty.ask('hitQueries', request(), {
        signal: undefined,
        doOthersWait: () => true,
        doUsersWait: () => wait,
      });
    await expect(requested(true)).rejects.toMatchObject({ code: 'question_too_long' });
    await expect(requested(false)).resolves.toBeDefined();
    await hasty.stop();
  });

  it('that had to be ended, since it missed the deadline of its only query, says that this takes too long', async () => {
    // The thread is not loaded by the end of the grace period.
    const hasty = threadOf(database.url, { patienceMs: -4999 });
    const end = jest.spyOn(hasty, 'end');
    await expect(hasty.ask('hitQueries', request(), { signal: undefined })).rejects.toMatchObject({
      code: 'question_too_long',
      detail: expect.stringContaining('Request fewer days, or') as string,
    });
    expect(end).toHaveBeenCalledTimes(1);
    await hasty.stop();
  });

  it('has only the time that a query has not spent in another thread', async () => {
    const patient = threadOf(database.url);
    await expect(patient.ask('hitQueries', request(), { signal: undefined })).resolves.toBeDefined();
    const spent = patient.ask('hitQueries', request(), { signal: undefined, spentMs: 20_000 });
    await expect(spent).rejects.toMatchObject({ code: 'question_too_long' });
    await patient.stop();
  });

  it('is replaced when it ends', async () => {
    // It answers nothing before it has loaded, which takes longer than stopping it.
    const refused = expect(ask()).rejects.toThrow(Overloaded);
    await thread.end();
    await refused;
    await expect(ask()).resolves.toBeDefined();
    await thread.end();
    await expect(ask()).resolves.toBeDefined();
  });

  it('is not started for a query that waited while the service stopped', async () => {
    const places = new ThreadSlots([thread]);
    const inTurn = (userId: number) =>
      places.inTurn(WEBSITE, { owner: userId }, (own, asking) => own.ask('hitQueries', request(), asking));
    const requested = Promise.allSettled([inTurn(1), inTurn(2)]);
    await thread.stop();
    const refused = { status: 'rejected', reason: expect.any(Overloaded) };
    expect(await requested).toEqual([refused, refused]);
    await expect(ask()).rejects.toThrow(Overloaded);
  });
});

describe('the memory that threads share', () => {
  const byPage = { ...request(), hitQueries: [hitQuery(['page'])] };
  const ALL = bytesOfPool('queries');
  let memories: [ThreadMemory, ThreadMemory];
  let thread: QueryThread;
  beforeEach(() => {
    memories = memoryOfThreads(2) as typeof memories;
    thread = threadOf(database.url, {}, [memories[0]]);
  });
  afterEach(() => thread.stop());

  const taken = (slot: number) => Atomics.load(memories[0].taken, slot);
  const ask = () => thread.ask('hitQueries', byPage, { signal: undefined });
  const rowsOf = async () => {
    const { answers, isMerged } = await ask();
    return { rows: answers[0]!.rows, isMerged };
  };

  it('is given back with the answer, also where it was refused since others had taken it', async () => {
    const whole = await rowsOf();
    expect(taken(0)).toBe(0);
    // Cached data takes no further memory.
    await thread.end();
    Atomics.store(memories[1].taken, 1, ALL);
    await expect(ask()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 });
    expect(taken(0)).toBe(0);
    Atomics.store(memories[1].taken, 1, 0);
    expect(await rowsOf()).toEqual(whole);
  });

  it('has the same answer where just enough of it is left', async () => {
    const whole = await rowsOf();
    await thread.end();
    Atomics.store(memories[1].taken, 1, ALL - 100_000);
    expect(await rowsOf()).toEqual(whole);
  });

  it('is given back when a thread ends', async () => {
    await ask();
    Atomics.store(memories[0].taken, 0, 1000);
    await thread.end();
    expect(taken(0)).toBe(0);
  });
});

it('answers 503 where the database cannot be reached, and creates none', async () => {
  const file = join(tmpdir(), `${randomUUID()}.sqlite`);
  for (const url of ['mysql://nobody:x@127.0.0.1:1/none', `sqlite:${file}`]) {
    const thread = threadOf(url);
    await expect(thread.ask('hitQueries', request(), { signal: undefined })).rejects.toMatchObject({
      code: 'database_unavailable',
    });
    await thread.stop();
  }
  expect(existsSync(file)).toBe(false);
});

it('starts the threads that scan hits as soon as somebody reads statistics', async () => {
  const starts = jest.spyOn(QueryThread.prototype, 'start');
  const threads = new QueryThreads(new Settings({ DATABASE_URL: database.url }), new ReadMemory());
  const started = () => new Set(starts.mock.contexts).size;
  try {
    threads.start();
    const plain = started();
    const { seenIf } = askerOf(owner(1));
    await threads.answer('live', { seenIf, websiteId: WEBSITE }, { owner: 1 });
    await until(() => started() > plain);
    expect(started()).toBe(plain + Math.min(4, availableParallelism()));
  } finally {
    starts.mockRestore();
    await threads.stop();
  }
});

it.each([
  ['engine/columns/threads/query-worker.js', /node_modules\/(@nestjs|typeorm)\//],
  ['engine/columns/counting-worker.js', /node_modules\/(@nestjs\/(core|typeorm)|typeorm)\//],
])('loads no more than it needs in %s', async (path, unwanted) => {
  const file = builtFile(path);
  const code = `require(${JSON.stringify(file)});
    require('node:worker_threads').parentPort.postMessage(Object.keys(require.cache))`;
  // A thread that fails ends before it says what it has loaded; this one waits for its database.
  const settings = new Settings({ DATABASE_URL: 'mysql://nobody:x@127.0.0.1:1/none' });
  const workerData = { ...settings, address: settings.database, threads: 1 };
  const thread = new Worker(code, { eval: true, workerData });
  const [loaded] = (await once(thread, 'message')) as [string[]];
  expect(loaded).toContain(file);
  expect(loaded.filter((one) => unwanted.test(one))).toEqual([]);
  await thread.terminate();
});
