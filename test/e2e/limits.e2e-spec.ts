import { randomUUID } from 'node:crypto';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import { TurnsOfUsers } from '../../src/auth/turns-of-users';
import type { Answer, ApiClient } from '../support/api-client';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { freshDatabase } from '../support/fresh-database';
import { website } from '../support/sending';
import { until } from '../support/until';

/** The interval does not end within a test. */
const LONG = 99_999;
const LIMITS = `management=6/${LONG} statistics=3/${LONG} events=4/${LONG}`;
const WRONG = 'wrong-key-wrong-key-wrong-key';

let service: TestApp;
let websiteId: number;
beforeAll(async () => {
  service = await startApp({ RATE_LIMIT: LIMITS, TRUST_PROXY: '1' });
  const { body } = await service.api.post('/api/v1/websites', { form: { domain: 'example.com' } });
  websiteId = body.data.id;
});
afterAll(() => service.stop());

const newKey = (scope: 'full' | 'read' = 'full') =>
  service.app.get(ApiKeysService).create(1, { name: 'test', scope, expiresAt: null });
const caller = async () => service.api.as(await newKey());
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const statuses = async (requests: number, send: () => Promise<{ status: number }>) => {
  const answers = await Promise.all(Array.from({ length: requests }, send));
  return answers.map(({ status }) => status).sort();
};
const remaining = (headers: Headers) => Number(/;r=(\d+)/.exec(headers.get('RateLimit')!)![1]);

it('gives each key a budget of its own, exactly, and says how much is left', async () => {
  const one = await caller();
  const first = await one.get('/api/v1/websites');
  expect(first.headers.get('RateLimit-Policy')).toBe(`"management";q=6;w=${LONG}`);
  expect(first.headers.get('RateLimit')).toMatch(/^"management";r=5;t=\d+$/);
  expect(await statuses(8, () => one.get('/api/v1/websites'))).toEqual([
    ...Array<number>(5).fill(200),
    ...Array<number>(3).fill(429),
  ]);
  const refused = await one.post('/api/v1/websites', { form: { domain: 'other.example' } });
  expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited' });
  const retryAfter = Number(refused.headers.get('Retry-After'));
  expect(retryAfter).toBeGreaterThan(0);
  expect(refused.headers.get('RateLimit')).toBe(`"management";r=0;t=${retryAfter}`);
  expect((await (await caller()).get('/api/v1/websites')).status).toBe(200);
});

describe('turns of a user', () => {
  let started: TestApp;
  let turns: jest.SpiedFunction<TurnsOfUsers['run']>;
  beforeEach(async () => {
    started = await startApp();
    turns = jest.spyOn(TurnsOfUsers.prototype, 'run');
  });
  afterEach(async () => {
    turns.mockRestore();
    await started.stop();
  });
  const untilAsked = (requests: number) => until(() => turns.mock.calls.length === requests);

  /** Does something while requests with the first key wait for a lock or for a turn. */
  const besideWaiting = (requests: number, work: () => Promise<void>, signal?: AbortSignal) =>
    started.database.write(async (manager) => {
      await manager.query('UPDATE users SET created_at = created_at', []);
      const json = JSON.stringify({ url: 'https://example.com/hooks', events: ['alert'] });
      const headers = { Authorization: `Bearer ${FIRST_KEY}`, 'Content-Type': 'application/json' };
      const url = `${started.address}/api/v1/webhooks`;
      const store = () => fetch(url, { method: 'POST', headers, body: json, ...(signal && { signal }) });
      turns.mockClear();
      const waiting = Promise.allSettled(Array.from({ length: requests }, store));
      await untilAsked(requests);
      await work();
      return { waiting };
    });
  const webhooks = async () => (await started.api.get('/api/v1/webhooks')).body.meta.total;

  it('do nothing for those who left before', async () => {
    const leaving = new AbortController();
    const leave = async () => {
      leaving.abort();
      await until(() => turns.mock.calls.every(([, , signal]) => signal!.aborted));
    };
    const { waiting } = await besideWaiting(12, leave, leaving.signal);
    await waiting;
    await Promise.allSettled(turns.mock.results.map(({ value }) => value as unknown));
    // Behind those whose turn had come.
    expect(await webhooks()).toBeLessThanOrEqual(3);
  });

  it('leave one to another key', async () => {
    const keys = started.app.get(ApiKeysService);
    const other = started.api.as(await keys.create(1, { name: 'b', scope: 'read', expiresAt: null }));
    const { waiting } = await besideWaiting(12, async () => {
      expect((await other.get('/api/v1/websites')).status).toBe(200);
    });
    await waiting;
  });

  it('are those of an agent too, but for statistics', async () => {
    const headers = { Accept: 'application/json, text/event-stream' };
    const call = (name: string, fields: object = {}) => {
      const params = { name, arguments: fields };
      return started.api.post('/mcp', {
        json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        headers,
      });
    };
    const { id } = await website(started.api);
    const statistics = { website_id: String(id), name: 'page', from: '2026-01-01', to: '2026-01-31' };
    const read = () => call('read_statistics', statistics);
    expect((await read()).status).toBe(200);
    let listed = false;
    let listing: Promise<Answer> | undefined;
    const { waiting } = await besideWaiting(3, async () => {
      listing = call('list_websites');
      void listing.then(() => (listed = true));
      await untilAsked(4);
      expect((await read()).status).toBe(200);
      expect(listed).toBe(false);
    });
    expect((await listing)?.body.result).toMatchObject({ structuredContent: { websites: [{ id }] } });
    await waiting;
  });
});

it('counts management, statistics and events apart', async () => {
  const one = await caller();
  const stats = `/api/v1/stats/${websiteId}?name=page&from=2026-01-01&to=2026-01-31`;
  expect(await statuses(4, () => one.get(stats))).toEqual([200, 200, 200, 429]);
  const batch = { json: { events: [] } };
  expect(await statuses(5, () => one.post(`/api/v1/websites/${websiteId}/events`, batch))).toEqual([
    422, 422, 422, 422, 429,
  ]);
  expect((await one.get('/api/v1/websites')).status).toBe(200);
});

it('counts pages that links in mails lead to in the budget of the address', async () => {
  const nobody = service.api.as(undefined);
  const decisions = ['confirm', 'unsubscribe'];
  const topics = ['alerts', 'reports'].flatMap((topic) => decisions.map((to) => `/${topic}/${to}/1.a.b`));
  const paths = [...topics, '/unsubscribe/1.a'];
  const asked: number[] = [];
  for (const path of [...paths, ...paths]) asked.push((await nobody.post(path, from('203.0.113.77'))).status);
  expect(asked).toEqual([...Array<number>(6).fill(404), ...Array<number>(4).fill(429)]);
  const refused = await nobody.get(paths[0]!, {
    headers: { ...from('203.0.113.77').headers, 'Accept-Language': 'de', Accept: 'text/html' },
  });
  expect([refused.status, refused.text]).toEqual([
    429,
    expect.stringContaining('<h1>Zu viele Anfragen</h1>'),
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await nobody.post(paths[0]!, from('203.0.113.78'))).status).toBe(404);
});

it('gives each address, and each network of IPv6, a budget for events', async () => {
  const nobody = service.api.as(undefined);
  const send = (address: string) =>
    nobody.post('/api/v1/events', {
      json: { url: 'https://example.com/', id: randomUUID() },
      ...from(address),
    });
  expect(await statuses(5, () => send('203.0.113.1'))).toEqual([202, 202, 202, 202, 429]);
  const refused = await send('203.0.113.1');
  expect(refused.body).toMatchObject({ code: 'rate_limited' });
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(refused.headers.get('Access-Control-Allow-Origin')).toBe('*');
  const other = await send('203.0.113.2');
  expect(other.status).toBe(202);
  expect(other.headers.get('RateLimit-Policy')).toBe(`"events";q=4;w=${LONG}`);
  expect(remaining(other.headers)).toBe(3);
  let host = 1;
  expect(await statuses(5, () => send(`2001:db8::${host++}`))).toEqual([202, 202, 202, 202, 429]);
  expect((await send('2001:db8:0:1::1')).status).toBe(202);
});

describe('an address that guesses keys', () => {
  // No minute ends between the guesses.
  beforeAll(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.now()));
  afterAll(() => void jest.restoreAllMocks());

  const address = '198.51.100.7';
  const guess = (key = WRONG) => service.api.as(key).get('/api/v1/websites', from(address));

  it('is refused after 20 wrong ones, while keys that it used before go on working', async () => {
    const known = await newKey();
    expect((await guess(known)).status).toBe(200);
    expect(await statuses(25, () => guess('short'))).toEqual([
      ...Array<number>(20).fill(401),
      ...Array<number>(5).fill(429),
    ]);
    const refused = await guess();
    expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(refused.headers.get('RateLimit-Policy')).toBe('"wrong-keys";q=20;w=60');
    expect((await guess(await newKey())).status).toBe(429);
    expect((await guess(known)).status).toBe(200);
    const elsewhere = await service.api.as(WRONG).get('/api/v1/websites', from('198.51.100.8'));
    expect(elsewhere.status).toBe(401);
  });
});

it('gives a user no more than 20 new keys an hour, and so no budgets without end', async () => {
  const limited = await startApp({ RATE_LIMIT: '1000/60' });
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  try {
    const make = () => limited.api.post('/api/v1/keys', { form: { name: 'test', scope: 'events' } });
    expect(await statuses(21, make)).toEqual([...Array<number>(20).fill(201), 429]);
    const refused = await make();
    expect(refused.body.detail).toContain('"new-keys"');
    expect(refused.headers.get('RateLimit-Policy')).toBe('"new-keys";q=20;w=3600');
    expect(refused.headers.get('RateLimit')).toBe(`"new-keys";r=0;t=${refused.headers.get('Retry-After')}`);
  } finally {
    now.mockRestore();
    await limited.stop();
  }
});

it('grows no budget by counts that could not be shared', async () => {
  const one = await startApp({ RATE_LIMIT: `20/${LONG}` });
  const rename = (from: string, to: string) =>
    one.database.write((manager) => manager.query(`ALTER TABLE ${from} RENAME TO ${to}`));
  const rows = () =>
    one.database.read((manager) => manager.query<unknown[]>('SELECT used FROM limit_counts'));
  try {
    await rename('limit_counts', 'limit_counts_away');
    await statuses(10, () => one.api.get('/api/v1/websites'));
    await until(() => one.logs.some((line) => line.includes('rate limits apply per process')));
    await rename('limit_counts_away', 'limit_counts');
    await one.api.get('/api/v1/websites');
    await until(async () => (await rows()).length > 0);
    expect(remaining((await one.api.get('/api/v1/websites')).headers)).toBe(8);
  } finally {
    await one.stop();
  }
});

it('limits no requests where it is off, but guesses at keys and passwords', async () => {
  const unlimited = await startApp({ RATE_LIMIT: 'off' });
  try {
    const answer = await unlimited.api.get('/api/v1/websites');
    expect(answer.headers.has('RateLimit') || answer.headers.has('RateLimit-Policy')).toBe(false);
    const nobody = unlimited.api.as(WRONG);
    const guesses = await statuses(30, () => nobody.get('/api/v1/websites'));
    expect(guesses.filter((status) => status === 401).length).toBeLessThanOrEqual(2 * 20);
    expect(guesses).toContain(429);
    const form = { domain: 'guessed.example', privacy: 2, password: 'right' };
    await unlimited.api.post('/api/v1/websites', { form });
    const stranger = unlimited.api.as(undefined);
    const guess = () => stranger.post('/share/guessed.example', { form: { password: 'wrong' } });
    expect(await statuses(41, guess)).toContain(429);
    expect((await unlimited.api.get('/api/v1/websites')).status).toBe(200);
  } finally {
    await unlimited.stop();
  }
});

describe('two processes', () => {
  it('learn of what the other counted, and keep only a hash of whom', async () => {
    const database = await freshDatabase();
    const environment = { DATABASE_URL: database.url, RATE_LIMIT: `20/${LONG}` };
    const [one, two] = [await startApp(environment), await startApp(environment)];
    const used = async () => {
      const rows = await one.database.read((manager) => manager.query('SELECT * FROM limit_counts'));
      expect(JSON.stringify(rows)).not.toContain(FIRST_KEY);
      return Number(rows[0]?.used ?? 0);
    };
    const untilUsed = (expected: number) => until(async () => (await used()) >= expected);
    try {
      await statuses(15, () => one.api.get('/api/v1/websites'));
      await untilUsed(15);
      expect(remaining((await two.api.get('/api/v1/websites')).headers)).toBe(19);
      await untilUsed(16);
      // Its report was answered with the counts of the other process.
      expect(await grantedBy(two.api)).toBe(4);
    } finally {
      await two.stop();
      await one.stop();
      await database.drop();
    }
  });

  async function grantedBy(api: ApiClient): Promise<number> {
    for (let granted = 0; ; granted++) {
      if ((await api.get('/api/v1/websites')).status === 429) return granted;
    }
  }
});
