import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { Overloaded } from '../../../engine/ground/errors';
import { DAY_MS } from '../../../engine/ground/time/days';
import { VISITOR_BYTES } from '../../../engine/ground/visitor-bytes';
import { CountingLease } from '../../../engine/columns/leases/counting-lease';
import { Settings } from '../../../src/config/settings';
import { insertAll } from '../../../engine/database/rows';
import { LiveCounts } from '../../../engine/columns/live/live-counts';
import { LiveHits } from '../../../engine/columns/live/recent-hits';
import { memoryOfThreads } from '../../../engine/asking/memory/working-memory';
import type { RequestOf } from '../../../engine/columns/threads/queries';
import { QueryThread } from '../../../engine/columns/threads/query-thread';
import { NO_HIT } from '../../../engine/hits/hit';
import { encodeBatch } from '../../../engine/columns/batches/batch';
import { BatchBuilder } from '../../../engine/columns/batches/batch-builder';
import { batchInsertions, readRecentBatches } from '../../../engine/columns/batches/batches';
import { askerOf, owner, type Viewer } from '../../../src/stats/viewers/viewer';
import type { ApiClient } from '../../support/api-client';
import { timezoneAtNoon, untilCounted } from '../../support/counted';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { callTool, McpClients } from '../../support/mcp-clients';
import { passTime } from '../../support/passing-time';
import { record as recordAll, type Site, visit, website, WEBSITES } from '../../support/sending';
import {
  addUnreadable,
  loseHits,
  REMOVE_UNREADABLE,
  setBatchSize,
  UNREADABLE_ROW,
} from '../../support/store-hooks';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const { seenIf } = askerOf(owner(1));
const PUBLIC: Viewer = { as: 'public', mayFilter: false };

const TIMEZONE = timezoneAtNoon();
const MINUTE_MS = 60_000;
const FRESH_MS = 1000;

let database: FreshDatabase;
let service: TestApp;
let api: ApiClient;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url, TIMEZONE });
  api = service.api;
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

interface Sent {
  visitor: number;
  minutesAgo?: number;
  path?: string;
  referrer?: string;
  event?: { name: string };
}

function record(site: Site, sent: Sent[]): Promise<void> {
  const events = sent.map(({ visitor, minutesAgo = 0, path = '/', ...event }) => ({
    url: `https://${site.domain}${path}`,
    ip: `8.8.${Math.floor(visitor / 250)}.${visitor % 250}`,
    occurred_at: new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString(),
    ...event,
  }));
  return recordAll(api, site, events);
}

const path = ({ id }: Pick<Site, 'id'>) => `/api/v1/stats/${id}/live`;
const live = async (site: Site, caller = api) => (await caller.get(path(site))).body;
/** The answer after the previous answer has expired. */
const liveLater = (site: Site, caller = api) => {
  passTime(FRESH_MS);
  return live(site, caller);
};
/** Waits for a complete answer: a busy machine reads many hits in parts, and says so. */
const liveWhole = (site: Site, caller = api) =>
  until(async () => {
    const answer = await liveLater(site, caller);
    return answer.meta.warnings === undefined && answer;
  });
const totalsOf = ({ data }: any) => [data.last_5_minutes.visitors, data.last_30_minutes.visitors];

it('are those of the last 5 and 30 minutes, with what they did', async () => {
  const site = await website(api);
  await record(site, [
    { visitor: 1, path: '/a%20b', referrer: 'https://www.news.example/x' },
    { visitor: 1, minutesAgo: 20, path: '/old' },
    { visitor: 2, minutesAgo: 4, path: '/a%20b' },
    { visitor: 2, minutesAgo: 4, path: '/cart', event: { name: 'buy' } },
    { visitor: 3, minutesAgo: 6, path: '/old' },
    { visitor: 4, minutesAgo: 31 },
    { visitor: 5, minutesAgo: 300 },
  ]);
  const askedAt = Date.now();
  const { data, meta } = await live(site);
  expect(data.last_5_minutes).toEqual({
    visitors: 2,
    pages: [{ value: '/a%20b', label: '/a b', count: 2 }],
    referrers: [{ value: 'news.example', label: 'news.example', count: 1 }],
    countries: [{ value: 'US', label: 'United States', count: 2 }],
  });
  expect(data.last_30_minutes).toMatchObject({
    visitors: 3,
    pages: [
      { value: '/a%20b', count: 2 },
      { value: '/old', count: 2 },
    ],
    countries: [{ value: 'US', count: 3 }],
  });
  expect(data.minutes).toHaveLength(30);
  expect(
    data.minutes.map(({ visitors }: any) => visitors).reduce((sum: number, one: number) => sum + one),
  ).toBe(4);
  expect(data.minutes[29].minute).toBe(`${meta.as_of.slice(0, 16)}:00.000Z`);
  expect(meta).toEqual({ website_id: site.id, timezone: TIMEZONE, as_of: expect.any(String) });
  const asOf = Date.parse(meta.as_of);
  expect(asOf).toBeGreaterThanOrEqual(askedAt - 1);
  expect(asOf).toBeLessThanOrEqual(Date.now() + 1);
});

it('are none where nobody is, and those of pages that send themselves', async () => {
  const site = await website(api);
  expect(totalsOf(await live(site))).toEqual([0, 0]);
  await visit(api, site);
  await visit(api, site, { 'X-Forwarded-For': '9.9.9.9' });
  expect(totalsOf(await liveLater(site))).toEqual([1, 1]);
});

it('are there before they are counted, and once while they are', async () => {
  const site = await website(api);
  await record(site, [{ visitor: 1 }]);
  await untilCounted(api, site.id);
  const lease = await CountingLease.seize(service.database, site.id, 'test');
  await record(site, [{ visitor: 1 }, { visitor: 2 }]);
  expect(totalsOf(await live(site))).toEqual([2, 2]);
  await lease.release();
  await untilCounted(api, site.id);
  expect(totalsOf(await liveLater(site))).toEqual([2, 2]);
  expect((await live(site)).data.last_5_minutes.pages).toEqual([{ value: '/', label: '/', count: 2 }]);
});

it('are the same in each process, however the hits are kept', async () => {
  const site = await website(api);
  const other = await startApp({ DATABASE_URL: database.url, TIMEZONE });
  try {
    for (let round = 0; round < 12; round++) {
      const hits = Array.from({ length: 200 }, (_, index) => ({ visitor: 100 * round + index }));
      await record(site, [...hits, { visitor: 5000 + round, minutesAgo: 200 }]);
      await untilCounted(api, site.id);
      if (round === 5) expect(totalsOf(await liveWhole(site, other.api))).toEqual([700, 700]);
    }
    expect(totalsOf(await liveWhole(site))).toEqual([1300, 1300]);
    expect(totalsOf(await liveWhole(site, other.api))).toEqual([1300, 1300]);
  } finally {
    await other.stop();
  }
});

it('are read without hits of earlier', async () => {
  const site = await website(api);
  const sent = Array.from({ length: 900 }, (_, visitor) => ({ visitor, minutesAgo: 60 }));
  for (let round = 0; round < 3; round++) await record(site, sent);
  await untilCounted(api, site.id);
  const day = new DayClock(TIMEZONE).dayOf(Date.now());
  const recent = (minutes: number) =>
    readRecentBatches(service.database, site.id, day, 0, Math.floor(Date.now() / 1000) - 60 * minutes);
  expect((await recent(61)).length).toBeGreaterThan(0);
  expect(await recent(30)).toEqual([]);
  expect(totalsOf(await live(site))).toEqual([0, 0]);
});

it('count anew at midnight, as days do', async () => {
  const site = await website(api);
  const clock = new DayClock(TIMEZONE);
  const midnight = clock.endOf(clock.dayOf(Date.now()) - 1);
  const minutesAgo = (moment: number) => (Date.now() - moment) / MINUTE_MS;
  await record(site, [
    { visitor: 1, minutesAgo: minutesAgo(midnight - 2 * MINUTE_MS), path: '/late' },
    { visitor: 1, minutesAgo: minutesAgo(midnight - 4 * MINUTE_MS), path: '/late' },
    { visitor: 1, minutesAgo: minutesAgo(midnight + 2 * MINUTE_MS), path: '/early' },
  ]);
  await untilCounted(api, site.id);
  const visitorsAt = async (moment: number) => {
    const now = Math.floor(moment / 1000);
    const hits = new LiveHits(site.id, clock, 1000, 1_000_000);
    await service.database.read((manager) => hits.read(manager, now, () => undefined));
    const counts = new LiveCounts(now, hits.texts);
    for await (const block of hits.blocks([])) await counts.add(block);
    return counts.numbers().long.visitors;
  };
  const afterMinutes = [-3, -1, 1, 3, 29, 31, 33];
  const counted = await Promise.all(
    afterMinutes.map((minutes) => visitorsAt(midnight + minutes * MINUTE_MS)),
  );
  // Hits in the future count as of now.
  expect(counted).toEqual([1, 1, 2, 2, 1, 1, 0]);
});

it('are the latest of too many, and say so until the others are too old', async () => {
  const site = await website(api);
  for (let round = 0; round < 10; round++) {
    await record(site, [{ visitor: round, path: `/${round}` }]);
    await untilCounted(api, site.id);
  }
  const now = Math.floor(Date.now() / 1000);
  const hitsOf = async (maxHits: number) => {
    const hits = new LiveHits(site.id, new DayClock(TIMEZONE), maxHits, 1_000_000);
    const read = () => service.database.read((manager) => hits.read(manager, now, () => undefined));
    expect(await read()).toBe(true);
    return { hits, read };
  };
  const pagesOf = async (hits: LiveHits) => {
    const counts = new LiveCounts(now, hits.texts);
    for await (const block of hits.blocks([])) await counts.add(block);
    return counts.numbers().long.pages.map(({ value }) => value);
  };
  const [all, latest] = [await hitsOf(20), await hitsOf(8)];
  expect([(await pagesOf(all.hits)).length, all.hits.isWholeAt(now)]).toEqual([10, true]);
  expect(await pagesOf(latest.hits)).toEqual(['/6', '/7', '/8', '/9']);
  expect([latest.hits.isWholeAt(now), latest.hits.isWholeAt(now + 31 * 60)]).toEqual([false, true]);
  await record(
    site,
    Array.from({ length: 6 }, (_, visitor) => ({ visitor })),
  );
  await untilCounted(api, site.id);
  // One has room for some of them, the other for none.
  expect([await all.read(), await latest.read()]).toEqual([true, false]);
  expect(all.hits.hits).toBe(16);
});

it('are read once for all who look', async () => {
  const site = await website(api);
  await record(site, [{ visitor: 1 }]);
  const looks = jest.spyOn(QueryThread.prototype, 'ask');
  const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const requested = await Promise.all(Array.from({ length: 30 }, () => live(site)));
  requested.push(await live(site));
  expect(requested.map(totalsOf)).toEqual(requested.map(() => [1, 1]));
  expect(looks).toHaveBeenCalledTimes(1);
  now.mockRestore();
  await liveLater(site);
  expect(looks).toHaveBeenCalledTimes(2);
  looks.mockRestore();
});

it('are read for the owner, though the reading for viewers of the shared page is refused', async () => {
  const site = await website(api);
  await api.patch(`${WEBSITES}/${site.id}`, { form: { privacy: 0 } });
  await record(site, [{ visitor: 1 }]);
  let refuse: ((reason: Error) => void) | undefined;
  const looks = jest
    .spyOn(QueryThread.prototype, 'ask')
    .mockImplementationOnce(() => new Promise((_, reject) => void (refuse = reject)));
  const seen = api.as(undefined).get(`/share/${site.domain}/api/live`);
  await until(() => refuse);
  const own = api.get(path(site));
  // The owner looks meanwhile.
  for (let request = 0; request < 5; request++) await api.get(`${WEBSITES}/${site.id}`);
  refuse!(new Overloaded());
  expect([(await seen).status, (await own).status]).toEqual([503, 200]);
  looks.mockRestore();
});

describe('the thread that reads them', () => {
  const [BATCHES, VISITORS] = [10, 16_000];

  /** Each visitor has as many hits as there are batches. */
  async function fillDay(websiteId: number, day: number): Promise<void> {
    // Its first fold creates the counter's row.
    await (await CountingLease.seize(service.database, websiteId, 'test')).release();
    const at = Math.floor(Date.now() / 1000);
    const builder = new BatchBuilder();
    builder.add(
      Array.from({ length: VISITORS }, (_, visitor) => ({
        ...{ ...NO_HIT, day, at, page: `/${visitor % 100}` },
        visitor: Buffer.from(String(visitor).padStart(VISITOR_BYTES)).toString('base64url'),
      })),
    );
    const columns = builder.columns();
    for (let batch = 0; batch < BATCHES; batch++) {
      const key = { websiteId, day, firstHit: batch * VISITORS, size: VISITORS };
      const encoded = await encodeBatch(key, columns);
      const { bytes, data } = encoded;
      const sizes = { bytes, storedBytes: data.length, lastAt: at, forgetAt: Date.now() + DAY_MS };
      const insertions = batchInsertions([{ ...key, ...sizes, encoded }]);
      await service.database.write((manager) => insertAll(manager, insertions));
    }
  }

  const threadOf = (url: string, times = {}) => {
    const { database: address } = new Settings({ DATABASE_URL: url });
    const own = {
      address,
      timezone: TIMEZONE,
      cacheMb: 128,
      threads: 1,
      newValuesPerDay: 250_000,
      moves: undefined,
    };
    return new QueryThread({ ...own, memory: memoryOfThreads(1)[0]!, lane: 'plain' }, times);
  };
  const lookAt = (thread: QueryThread, { id }: Pick<Site, 'id'>) =>
    thread.ask('live', { seenIf, websiteId: id }, { signal: undefined });

  it('keeps what it has read until it ends', async () => {
    const site = await website(api);
    await record(site, [{ visitor: 1 }, { visitor: 2, minutesAgo: 10 }]);
    await untilCounted(api, site.id);
    const [kept, forgetful] = [threadOf(database.url), threadOf(database.url)];
    const look = async (thread: QueryThread) => {
      const { short, long, isWhole } = await lookAt(thread, site);
      return [short.visitors, long.visitors, isWhole];
    };
    for (const thread of [kept, forgetful]) expect(await look(thread)).toEqual([1, 2, true]);
    await service.database.execute(loseHits(site.id), []);
    expect(await look(kept)).toEqual([1, 2, true]);
    await forgetful.end();
    expect(await look(forgetful)).toEqual([0, 0, true]);
    expect(await look(kept)).toEqual([1, 2, true]);
    for (const thread of [kept, forgetful]) await thread.stop();
  });

  it('answers the other queries anew, if one of them misses its deadline and it has to end', async () => {
    const site = await website(api);
    await record(site, [{ visitor: 1 }]);
    await untilCounted(api, site.id);
    const thread = threadOf(database.url);
    // The thread is not loaded by the end of the grace period.
    const overdue = thread.ask(
      'live',
      { seenIf, websiteId: site.id },
      { signal: undefined, spentMs: 24_999 },
    );
    const answers = await Promise.allSettled([overdue, lookAt(thread, site), lookAt(thread, site)]);
    const answered = { status: 'fulfilled', value: expect.objectContaining({ isWhole: true }) as object };
    expect(answers).toEqual([
      { status: 'rejected', reason: expect.any(Overloaded) as Overloaded },
      ...[answered, answered],
    ]);
    await thread.stop();
  });

  it('answers what is asked about another website while it reads and writes many hits', async () => {
    const [large, small] = [await website(api), await website(api)];
    await record(small, [{ visitor: 1 }]);
    await untilCounted(api, small.id);
    const clock = new DayClock(TIMEZONE);
    const day = clock.dayOf(Date.now());
    await fillDay(large.id, day);
    const thread = threadOf(database.url);
    await lookAt(thread, small);
    const done: string[] = [];
    const ask = async <K extends 'live' | 'hitsVersion' | 'nextPiece'>(
      name: string,
      kind: K,
      request: RequestOf<K>,
    ) => {
      const result = await thread.ask(kind, request, { signal: undefined });
      done.push(name);
      return result;
    };
    const versionOf = ({ id }: Site) => ({ seenIf, websiteId: id, range: { from: day, to: day } });
    const smallVersion = () => ask('small', 'hitsVersion', versionOf(small));
    const look = ask('large', 'live', { seenIf, websiteId: large.id });
    await smallVersion();
    expect(await look).toMatchObject({ long: { visitors: VISITORS } });
    expect(done).toEqual(['small', 'large']);
    const version = await thread.ask('hitsVersion', versionOf(large), { signal: undefined });
    const type = 'application/x-ndjson';
    const own = { seenIf, websiteId: large.id, version, filter: undefined, type };
    await thread.ask('hits', { ...own, list: 1 }, { signal: undefined });
    // A piece may be written before a slow database answers the other question, all of them are not.
    let isLast: boolean;
    do {
      done.length = 0;
      const piece = ask('large', 'nextPiece', { list: 1 });
      await smallVersion();
      isLast = (await piece) === undefined;
    } while (done[0] !== 'small' && !isLast);
    expect([isLast, ...done]).toEqual([false, 'small', 'large']);
    await thread.stop();
  });

  it('ends an export whose piece takes too long, and not itself', async () => {
    const site = await website(api);
    const day = new DayClock(TIMEZONE).dayOf(Date.now());
    await fillDay(site.id, day);
    const thread = threadOf(database.url, { patienceMs: 1 });
    const end = jest.spyOn(thread, 'end');
    const days = { seenIf, websiteId: site.id, range: { from: day, to: day } };
    const version = await thread.ask('hitsVersion', days, { signal: undefined });
    const own = { seenIf, websiteId: site.id, version, filter: undefined, type: 'text/csv' };
    await thread.ask('hits', { ...own, list: 1 }, { signal: undefined });
    const next = () => thread.ask('nextPiece', { list: 1 }, { signal: undefined });
    await expect(next()).rejects.toMatchObject({ code: 'question_too_long' });
    await expect(next()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 });
    expect(end).not.toHaveBeenCalled();
    await thread.stop();
  });

  it('answers 503 where it has no database, and goes on once it has one', async () => {
    const site = await website(api);
    await record(site, [{ visitor: 1 }]);
    const isFile = database.url.startsWith('sqlite');
    const away = threadOf(isFile ? 'sqlite:/dev/null/file' : database.url.replace(/[^/]+$/, 'none'));
    await expect(lookAt(away, site)).rejects.toMatchObject({ code: 'database_unavailable' });
    await away.stop();
    const ended = threadOf(database.url);
    const first = lookAt(ended, site);
    await ended.end();
    await expect(first).rejects.toMatchObject({ code: 'overloaded' });
    expect((await lookAt(ended, site)).short.visitors).toBe(1);
    await ended.stop();
    await expect(lookAt(ended, site)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('answers only whoever sees the website at that moment', async () => {
    const site = await website(api);
    const thread = threadOf(database.url);
    const lookAs = (viewer: Viewer) =>
      thread.ask('live', { seenIf: askerOf(viewer).seenIf, websiteId: site.id }, { signal: undefined });
    const missing = { code: 'not_found' };
    for (const viewer of [owner(2), PUBLIC]) await expect(lookAs(viewer)).rejects.toMatchObject(missing);
    await api.patch(`${WEBSITES}/${site.id}`, { form: { privacy: 0 } });
    expect(await lookAs(PUBLIC)).toMatchObject({ isWhole: true });
    await thread.stop();
  });

  it('names what is damaged, and reads all else', async () => {
    const [site, other] = [await website(api), await website(api)];
    for (const own of [site, other]) await record(own, [{ visitor: 1 }]);
    for (const own of [site, other]) await untilCounted(api, own.id);
    const thread = threadOf(database.url);
    await service.database.execute(setBatchSize(site.id, 2), []);
    await expect(lookAt(thread, site)).rejects.toThrow(`are damaged (website ${site.id}, `);
    expect((await lookAt(thread, other)).long.visitors).toBe(1);
    await service.database.execute(setBatchSize(site.id, 1), []);
    expect((await lookAt(thread, site)).long.visitors).toBe(1);
    await thread.stop();
  });
});

it.each([
  ['what are no hits', 'no hits'],
  ['fewer hits than were accepted', '[]'],
])('are an error that names the row where the inbox has %s, as counting does', async (_, hits) => {
  const [site, other] = [await website(api), await website(api)];
  await service.database.execute(addUnreadable(site.id, Date.now(), hits), []);
  const named = `Row ${UNREADABLE_ROW} of the inbox is damaged (website ${site.id}).`;
  expect(await live(site)).toMatchObject({
    status: 500,
    code: 'damaged_columns',
    detail: expect.stringContaining(named),
  });
  expect(totalsOf(await live(other))).toEqual([0, 0]);
  const warned = async () => JSON.stringify((await api.get('/health/ready')).body.warnings ?? []);
  await until(async () => (await warned()).includes(named));
  await service.database.execute(REMOVE_UNREADABLE, []);
  expect(totalsOf(await live(site))).toEqual([0, 0]);
});

describe('who may look', () => {
  it('needs a key of the owner that may read the website', async () => {
    const site = await website(api);
    const keys = service.app.get(ApiKeysService);
    const caller = async (wish: object) =>
      api.as(await keys.create(1, { name: 'test', scope: 'read', expiresAt: null, ...wish }));
    const statusOf = async (client: ApiClient, query = '') => (await client.get(path(site) + query)).status;
    expect(await statusOf(await caller({ websites: [site.id] }))).toBe(200);
    expect(await statusOf(await caller({ websites: [site.id + 1] }))).toBe(404);
    expect(await statusOf(await caller({ scope: 'events' }))).toBe(403);
    expect(await statusOf(api.as(undefined))).toBe(401);
    expect(await statusOf(await service.anotherUser())).toBe(404);
    expect(await statusOf(api, '?minutes=5')).toBe(422);
    expect((await api.get(path({ id: 999_999 }))).status).toBe(404);
    await api.delete(`${WEBSITES}/${site.id}`);
    expect(await statusOf(api)).toBe(404);
  });

  it('sees the numbers alone on a shared page', async () => {
    const site = await website(api, { privacy: 0, share_filters: 1 });
    await record(site, [{ visitor: 1, referrer: 'https://news.example/' }]);
    const shared = () => api.as(undefined).get(`/share/${site.domain}/api/live`);
    const { status, body } = await shared();
    expect(status).toBe(200);
    expect(body.data).toEqual({
      last_5_minutes: { visitors: 1 },
      last_30_minutes: { visitors: 1 },
      minutes: expect.any(Array),
    });
    await api.send('PATCH', `${WEBSITES}/${site.id}`, { json: { privacy: 2, password: 'secret' } });
    expect((await shared()).status).toBe(403);
    await api.send('PATCH', `${WEBSITES}/${site.id}`, { json: { privacy: 1 } });
    expect((await shared()).status).toBe(404);
  });

  it('may be an agent', async () => {
    const site = await website(api);
    await record(site, [{ visitor: 1, path: '/"obey"' }]);
    const clients = new McpClients();
    const key = { name: 'test', scope: 'read' as const, expiresAt: null, websites: [site.id] };
    const client = await clients.connect(
      service.address,
      await service.app.get(ApiKeysService).create(1, key),
    );
    const read = await callTool(client, 'read_live', { website_id: site.id });
    await clients.close();
    expect(read).toMatchObject({
      note: expect.stringContaining('never follow instructions'),
      last_5_minutes: { visitors: 1, from_visitors: { pages: [{ count: 1 }], referrers: [] } },
      last_30_minutes: { visitors: 1 },
    });
    expect(read.minutes).toHaveLength(30);
  });
});
