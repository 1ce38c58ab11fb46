import { dayText } from '../../engine/ground/time/days';
import { HitStore } from '../../engine/port';
import { BOT } from '../support/agents';
import type { ApiClient } from '../support/api-client';
import { CommandHost } from '../support/command-host';
import { closeDays, timezoneAtNoon, untilCounted, untilDropped } from '../support/counted';
import { change, select } from '../support/database-access';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import {
  ACCEPTED,
  droppedFor,
  send,
  sendBatch,
  type Site,
  taken,
  visit,
  website,
  WEBSITES,
} from '../support/sending';
import { BREAK_INBOX, MEND_INBOX, waitingOf } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const DAY_MS = 86_400_000;
const TIMEZONE = timezoneAtNoon();
const OPTED_OUT = { 'Sec-GPC': '1' };
const ELSEWHERE = { Origin: 'https://elsewhere.example' };

let database: FreshDatabase;
let service: TestApp;
let api: ApiClient;
let site: Site;
const host = new CommandHost();
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url, TIMEZONE, RESPECT_OPT_OUT: 'on' });
  api = service.api;
  site = await website(api, { exclude_bots: 1, exclude_ips: '203.0.113.9' });
});
afterAll(async () => {
  await host.stop();
  await service.stop();
  await database.drop();
});

const day = (offset: number) => dayText(Math.floor(Date.now() / DAY_MS) + offset);
const RANGE = `from=${day(-2)}&to=${day(2)}`;
const path = (query = '', { id } = site) => `/api/v1/stats/${id}?name=dropped&${RANGE}${query}`;
const countsOf = async (query = '', of = site): Promise<Record<string, number>> => {
  const { body } = await api.get(path(query, of));
  return Object.fromEntries(body.data.map(({ value, count }: any) => [value, count]));
};

describe('events that rules dropped', () => {
  beforeAll(async () => {
    expect(taken(await visit(api, site, { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
    expect(taken(await visit(api, site, OPTED_OUT))).toEqual(droppedFor('opt-out'));
    expect(taken(await visit(api, site, ELSEWHERE))).toEqual(droppedFor('origin'));
    expect(taken(await visit(api, site))).toEqual(ACCEPTED);
    const yesterday = new Date(Date.now() - DAY_MS).toISOString();
    const verdicts = await sendBatch(api, site, [
      { user_agent: BOT },
      { ip: '203.0.113.9', occurred_at: yesterday },
      {},
      { url: 'https://elsewhere.example/' },
    ]);
    expect(verdicts.map(({ status }) => status)).toEqual(['dropped', 'dropped', 'accepted', 'rejected']);
    await untilDropped(api, site.id, 5);
  });

  it('are counted by reason and day, and nowhere else', async () => {
    const { data, meta } = (await api.get(path())).body;
    expect(data).toEqual([
      { value: 'bot', label: 'Bot', count: 2 },
      { value: 'ip', label: 'Excluded address', count: 1 },
      { value: 'opt-out', label: 'Asked not to be tracked', count: 1 },
      { value: 'origin', label: 'Foreign origin', count: 1 },
    ]);
    expect(meta).toMatchObject({ name: 'dropped', counts: 'events', sum: 5, total: 4 });
    const yesterday = `from=${day(-2)}&to=${day(-1)}`;
    const earlier = await api.get(`/api/v1/stats/${site.id}?name=dropped&${yesterday}`);
    expect(earlier.body.data).toMatchObject([{ value: 'ip', count: 1 }]);
    const views = await api.get(`/api/v1/stats/${site.id}?name=page&${RANGE}`);
    expect(views.body.meta.sum).toBe(2);
  });

  it('are listed as any other name', async () => {
    expect(await countsOf('&search=ADDRESS')).toEqual({ ip: 1 });
    const sorted = await api.get(path('&sort_by=value&sort=desc'));
    expect(sorted.body.data.map(({ value }: any) => value)).toEqual(['origin', 'opt-out', 'ip', 'bot']);
    const compared = await api.get(
      `/api/v1/stats/${site.id}?name=dropped&from=${day(0)}&to=${day(0)}&compare=previous`,
    );
    expect(compared.body.meta).toMatchObject({ sum: 4, previous_sum: 1 });
    const csv = await api.get(path(), { headers: { Accept: 'text/csv' } });
    expect(csv.text).toContain('opt-out,Asked not to be tracked,1\r\n');
    const summary = await api.get(`/api/v1/stats/${site.id}/summary?names=dropped,pageview&${RANGE}`);
    expect(summary.body.data[0]).toMatchObject({ name: 'dropped', counts: 'events', sum: 5 });
    const { body } = await api.get('/api/v1/names');
    expect(body.data).toContainEqual({
      name: 'dropped',
      level: 'hit',
      counts: 'events',
      statistic: true,
      filterable: false,
      collected_since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
  });

  it.each([
    ['filtered by', `name=page&filter=dropped==bot`],
    ['filtered', `name=dropped&filter=country==DE`],
  ])('cannot be %s', async (_, query) => {
    const { status, body } = await api.get(`/api/v1/stats/${site.id}?${query}&${RANGE}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['filter']]);
  });

  it('cannot be asked for by queries, nor their values listed', async () => {
    const requested = { metrics: ['events'], dimensions: ['dropped'], range: '7d' };
    const hitQuery = await api.post(`/api/v1/stats/${site.id}/query`, { json: requested });
    const values = await api.get(`/api/v1/stats/${site.id}/values?name=dropped`);
    expect([hitQuery.status, values.status]).toEqual([422, 422]);
  });

  it('stay what they are when hits are verified, rebuilt and packed', async () => {
    const run = async (command: string) => {
      const words = ['stats', command, '--domain', site.domain];
      expect(await host.run(words, { DATABASE_URL: database.url, TIMEZONE })).toMatchObject({ code: 0 });
    };
    await untilCounted(api, site.id);
    await run('verify');
    await run('rebuild');
    await closeDays(service.counting, site.id, Math.floor(Date.now() / DAY_MS) + 3);
    await run('verify');
    expect(await countsOf()).toEqual({ bot: 2, ip: 1, 'opt-out': 1, origin: 1 });
  });
});

it('add up over the days of a range', async () => {
  const often = await website(api);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const events = [0, 24, 46].map((hours) => ({ user_agent: BOT, occurred_at: hoursAgo(hours) }));
  await sendBatch(api, often, events);
  await untilDropped(api, often.id, 3);
  expect(await countsOf('', often)).toEqual({ bot: 3 });
});

it('cost no statement each', async () => {
  const busy = await website(api, { exclude_bots: 1 });
  const store = service.app.get(HitStore);
  const append = store.appendDropped.bind(store);
  const write = jest.spyOn(store, 'appendDropped');
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  write.mockImplementationOnce(async (...parameters) => {
    await held;
    return append(...parameters);
  });
  for (let round = 0; round < 20; round++)
    await Promise.all(Array.from({ length: 20 }, () => visit(api, busy, { 'User-Agent': BOT })));
  await until(() => write.mock.calls.length === 1);
  release();
  await untilDropped(api, busy.id, 400);
  const written = write.mock.calls.flatMap(([sums]) => sums).filter(({ websiteId }) => websiteId === busy.id);
  write.mockRestore();
  // Events that arrive while a sum is written belong to the next sum.
  expect(written.length).toBeLessThanOrEqual(2);
  expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(400);
});

it('are counted once the database takes them again', async () => {
  const away = await website(api, { exclude_bots: 1 });
  expect(taken(await visit(api, away, { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
  await untilDropped(api, away.id, 1);
  await change(database.url, BREAK_INBOX);
  try {
    expect(taken(await visit(api, away, { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
    await until(() => service.logs.some((line) => line.includes('dropped events wait for the database')));
  } finally {
    await change(database.url, MEND_INBOX);
  }
  await untilDropped(api, away.id, 2);
});

it('leave nothing where the website is not registered or deleted', async () => {
  const gone = await website(api, { exclude_bots: 1 });
  const unknown = await send(api, { url: 'https://unknown.example/' }, { 'User-Agent': BOT });
  expect(unknown.status).toBe(404);
  expect(taken(await visit(api, gone, { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
  await api.delete(`${WEBSITES}/${gone.id}`);
  const there = await website(api, { exclude_bots: 1 });
  expect(taken(await visit(api, there, { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
  await untilDropped(api, there.id, 1);
  const [row] = await select<{ waiting: number }>(database.url, waitingOf(gone.id));
  expect(Number(row!.waiting)).toBe(0);
});

it('are written before the service ends', async () => {
  const other = await startApp({ DATABASE_URL: database.url, TIMEZONE });
  const last = await website(api, { exclude_bots: 1 });
  expect(taken(await visit(other.api, last, { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
  await other.stop();
  await untilDropped(api, last.id, 1);
});

it('are written at the last moment, where the database takes them again', async () => {
  const other = await startApp({ DATABASE_URL: database.url, TIMEZONE });
  const last = await website(api, { exclude_bots: 1 });
  const write = jest.spyOn(other.app.get(HitStore), 'appendDropped');
  expect(taken(await visit(other.api, last, { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
  write.mockRejectedValueOnce(new Error('away'));
  await other.stop();
  await untilDropped(api, last.id, 1);
});

it('are tried a few times before the service ends, and no more', async () => {
  const other = await startApp({ DATABASE_URL: database.url, TIMEZONE });
  const last = await website(api, { exclude_bots: 1 });
  const write = jest.spyOn(other.app.get(HitStore), 'appendDropped');
  await change(database.url, BREAK_INBOX);
  try {
    expect(taken(await visit(other.api, last, { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
    const before = write.mock.calls.length;
    await other.stop();
    const attempts = write.mock.calls.length - before;
    expect(attempts).toBeGreaterThanOrEqual(3);
    expect(attempts).toBeLessThanOrEqual(4);
    for (let ask = 0; ask < 20; ask++) await api.get('/health/live');
    expect(write.mock.calls.length - before).toBe(attempts);
  } finally {
    await change(database.url, MEND_INBOX);
  }
});
