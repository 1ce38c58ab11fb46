import { EntityManager } from 'typeorm';
import { BACKLOG } from '../../../engine/columns/fold/late-websites';
import { LOOK, WaitingEvents } from '../../../engine/columns/fold/refused-websites';
import type { ApiClient } from '../../support/api-client';
import { CountingProcess } from '../../support/counting';
import { change } from '../../support/database-access';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { type Site, visit, website, WEBSITES } from '../../support/sending';
import { passTime, passTimeOf } from '../../support/passing-time';
import {
  addWaiting,
  countElsewhereUntil,
  REMOVE_WAITING,
  shrinkWaiting,
  takeOldest,
} from '../../support/store-hooks';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
import { HitStore } from '../../../engine/port';
import { type ColumnStore } from '../../../engine/columns/column-store';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
/** So long that the time of the test itself does not matter. */
const WINDOW_MS = HOUR_MS;
const FRESH_MS = HOUR_MS;
const WAITED_MS = 24 * HOUR_MS;
/** Longer than the time between two looks. */
const LOOK_MS = 1100;

let database: FreshDatabase;
let services: TestApp[];
beforeAll(async () => {
  jest.replaceProperty(BACKLOG, 'windowMs', WINDOW_MS);
  jest.replaceProperty(BACKLOG, 'waitedMs', WAITED_MS);
  jest.replaceProperty(LOOK, 'freshMs', FRESH_MS);
  jest.replaceProperty(LOOK, 'warningsMs', HOUR_MS);
  database = await freshDatabase();
  services = [await startApp({ DATABASE_URL: database.url }), await startApp({ DATABASE_URL: database.url })];
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await database.drop();
});

const apis = (): ApiClient[] => services.map(({ api }) => api);

const execute = (sql: string) => change(database.url, sql);

/** Waiting events of a website whose lease another process holds. They were accepted some windows apart. */
async function backlog(windows = 0.1, bytes = MIB, waitedMs = 4 * WAITED_MS): Promise<Site> {
  const [api] = apis();
  const site = await website(api!);
  await execute(countElsewhereUntil(site.id, Date.now() + 10 * WAITED_MS));
  const begin = Date.now() - waitedMs;
  const rows = Array.from({ length: 20 }, (_, row) => ({
    websiteId: site.id,
    acceptedAt: Math.round(begin + row * windows * WINDOW_MS),
    bytes,
  }));
  await execute(addWaiting(rows));
  return site;
}

/** Sends an event over each route to each process. Returns the statuses. */
async function statuses(site: Site): Promise<number[]> {
  const all: number[] = [];
  for (const api of apis()) {
    all.push((await visit(api, site)).status);
    const events = [
      { id: crypto.randomUUID(), url: `https://${site.domain}/`, ip: '203.0.113.7', user_agent: 'x' },
    ];
    all.push((await api.post(`${WEBSITES}/${site.id}/events`, { json: { events } })).status);
  }
  return all;
}

interface Change {
  site: Site;
  isCounting?: boolean;
  bytes?: number;
}

/** The statuses after some windows. In each, an event of a website is counted or not, and further events arrive. */
async function statusesAfter(windows: number, ...changes: Change[]): Promise<number[][]> {
  for (let window = 0; window < windows; window++) {
    for (const { site, isCounting = true, bytes = 2 * MIB } of changes) {
      await statuses(site);
      await execute(addWaiting([{ websiteId: site.id, acceptedAt: Date.now(), bytes }]));
      if (isCounting) await execute(takeOldest([site.id]));
    }
    passTimeOf(services[0]!.database, WINDOW_MS);
    for (const { app } of services) await lookNow(app.get<HitStore, ColumnStore>(HitStore).waiting);
  }
  const all: number[][] = [];
  for (const { site } of changes) all.push(await statuses(site));
  return all;
}

/** Makes a look that begins now. */
async function lookNow(waiting: WaitingEvents): Promise<void> {
  // One that is under way ends before.
  await waiting.stop();
  passTime(LOOK_MS);
  await waiting.warnings();
}

const warningsOf = async ({ id }: Site) =>
  ((await apis()[0]!.get('/health/ready')).body.warnings as { code: string; website_id?: number }[])
    .filter(({ website_id }) => website_id === id)
    .map(({ code }) => code);

it('refuses events of a website that counting falls behind with, until little of it waits', async () => {
  const [flooded, other] = [await backlog(), await website(apis()[0]!)];
  expect(await statuses(flooded)).toEqual([202, 202, 202, 202]);
  expect(await statusesAfter(3, { site: flooded })).toEqual([[429, 429, 429, 429]]);
  expect((await visit(apis()[0]!, flooded)).headers.get('Retry-After')).toBe('10');
  expect(await warningsOf(flooded)).toContain('events_refused');
  expect(await statuses(other)).toEqual([202, 202, 202, 202]);

  await execute(shrinkWaiting(flooded.id, 10));
  for (let row = 0; row < 15; row++) await execute(takeOldest([flooded.id]));
  const few = { site: flooded, isCounting: false, bytes: 10 };
  expect(await statusesAfter(1, few)).toEqual([[202, 202, 202, 202]]);
});

it('refuses none if a fault holds them back, counting catches up, few wait or arrive, or none waits for long', async () => {
  const accepted = await statusesAfter(
    4,
    { site: await backlog(), isCounting: false },
    { site: await backlog(2) },
    { site: await backlog(0.1, 10), bytes: 10 },
    { site: await backlog(), bytes: 10 },
    { site: await backlog(0.01, MIB, HOUR_MS) },
  );
  expect(accepted).toEqual(Array(5).fill([202, 202, 202, 202]));
});

it('refuses small events as well, until counting has stood still for long', async () => {
  const flooded = await backlog(0.1, 10);
  const row = { websiteId: flooded.id, acceptedAt: Date.now() - HOUR_MS, bytes: 10 };
  for (let times = 0; times < 7; times++) await execute(addWaiting(Array(5000).fill(row)));
  expect(await statusesAfter(3, { site: flooded })).toEqual([[429, 429, 429, 429]]);
  const still = { site: flooded, isCounting: false };
  expect(await statusesAfter(2, still)).toEqual([[429, 429, 429, 429]]);
  expect(await statusesAfter(1, still)).toEqual([[202, 202, 202, 202]]);
});

/** The other processes know no websites with such ids. */
const FIRST = 1000;

describe('a process that looks at waiting events', () => {
  let own: FreshDatabase;
  let one: CountingProcess;
  let waiting: WaitingEvents;
  let next = FIRST;
  beforeAll(async () => {
    own = await freshDatabase();
    one = await CountingProcess.start(own.url);
  });
  beforeEach(() => (waiting = new WaitingEvents(one.database)));
  afterEach(async () => {
    await waiting.stop();
    await one.execute(REMOVE_WAITING);
  });
  afterAll(async () => {
    await one.stop();
    await own.drop();
  });

  const isRefused = (id: number) => {
    try {
      waiting.expectRoom(id);
      return false;
    } catch {
      return true;
    }
  };

  /** Adds rows of websites that nobody counts. */
  const add = (ids: number[], rows: number, bytes: number, acceptedAt: number) =>
    one.execute(addWaiting(ids.flatMap((websiteId) => Array(rows).fill({ websiteId, acceptedAt, bytes }))));

  async function lateWebsites(count: number): Promise<number[]> {
    const ids = Array.from({ length: count }, () => next++);
    await add(ids, 2, 10, Date.now() - 4 * WAITED_MS);
    return ids;
  }

  /** A look after a window. */
  async function look(): Promise<void> {
    passTimeOf(one.database, WINDOW_MS);
    await lookNow(waiting);
  }

  /** The reads of rows to judge a website, with the number of rows of each. */
  async function readsOf(work: () => Promise<void>): Promise<{ websiteId: number; rows: number }[]> {
    const spy = jest.spyOn(EntityManager.prototype, 'query');
    await work();
    const { calls, results } = spy.mock;
    const answers = (await Promise.all(results.map(({ value }) => value as unknown))) as {
      number: number | string;
    }[][];
    spy.mockRestore();
    return calls.flatMap(([sql, parameters], index) => {
      const [websiteId] = (parameters ?? []) as number[];
      if (!sql.includes('SUM(bytes)') || !(websiteId! >= FIRST)) return [];
      return [{ websiteId: websiteId!, rows: Number(answers[index]![0]!.number) }];
    });
  }

  it('reads few rows whatever is late, and refuses the one of many that is flooded', async () => {
    const ids = await lateWebsites(60);
    const [large, flooded] = [ids.slice(50), ids.at(-1)!];
    await waiting.warnings();
    await one.execute(takeOldest(ids));
    await add(ids, 10, 10, Date.now());
    for (const id of large) await add([id], 5000, 10, Date.now());
    await add([flooded], 1, 100 * MIB, Date.now());
    const judged = new Set<number>();
    for (let looks = 1; judged.size < ids.length; looks++) {
      const reads = await readsOf(look);
      const now = new Set(reads.map(({ websiteId }) => websiteId));
      expect(now.size).toBeLessThanOrEqual(20);
      expect(Math.max(...reads.map(({ rows }) => rows))).toBeLessThanOrEqual(1000);
      expect(reads.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(36_000);
      for (const id of now) judged.add(id);
      expect(looks).toBeLessThan(6);
    }
    expect(ids.filter(isRefused)).toEqual([flooded]);
  });

  it('goes on while nobody sends, and over an error, but refuses nothing by a look that is long ago', async () => {
    const [id] = (await lateWebsites(1)) as [number];
    await waiting.warnings();
    await one.execute(takeOldest([id]));
    await add([id], 1, 100 * MIB, Date.now());
    await look();
    expect(isRefused(id)).toBe(true);
    const reads = jest.spyOn(one.database, 'readQuick');
    for (let pause = 0; pause < 2; pause++) {
      passTime(0.6 * FRESH_MS);
      const before = reads.mock.calls.length;
      await until(() => reads.mock.calls.length > before);
      await waiting.warnings();
    }
    expect(isRefused(id)).toBe(true);

    reads.mockRejectedValue(new Error('not now'));
    await lookNow(waiting);
    expect(isRefused(id)).toBe(true);
    let giveUp = (): void => undefined;
    reads.mockReturnValue(new Promise((_, reject) => (giveUp = () => reject(new Error('too late')))));
    passTime(FRESH_MS);
    expect(isRefused(id)).toBe(false);
    giveUp();
    reads.mockRestore();
    await look();
    expect(isRefused(id)).toBe(false);
  });
});
