import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RawSocket } from '../support/raw-socket';
import { measuredHere } from '../../engine/ground/measures';
import { HitStore } from '../../engine/port';
import { Housekeeping } from '../../src/retention/housekeeping';
import { CHROME } from '../support/agents';
import type { Answer, ApiClient } from '../support/api-client';
import { ROOT } from '../support/documentation';
import { freshDatabase } from '../support/fresh-database';
import { startService } from '../support/programs';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const TOKEN = 'a-token-of-some-operator-0123456789';
const DOMAIN = 'measured.example';

let service: TestApp;
let anyone: ApiClient;
let websiteId: number;
beforeAll(async () => {
  service = await startApp();
  anyone = service.api.as(undefined);
  const { body } = await service.api.post('/api/v1/websites', { form: { domain: DOMAIN } });
  websiteId = body.data.id;
});
afterAll(() => service.stop());

const plain = (headers: Record<string, string> = {}) => ({ headers: { Accept: 'text/plain', ...headers } });

/** The measures after the last shared answer: each line's value by its name and labels. */
async function measures(from = anyone): Promise<Map<string, number>> {
  await new Promise((resolve) => setTimeout(resolve, 1100));
  return parsed(await from.get('/metrics', plain()));
}

function parsed({ text }: Answer): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** By how much measures rose during some work. */
async function risen(work: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await measures();
  await work();
  const after = await measures();
  return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
}

const event = (sent: object, headers: Record<string, string> = {}) =>
  anyone.post('/api/v1/events', {
    json: { url: `https://${DOMAIN}/secret-path?k=1`, ...sent },
    headers: { 'User-Agent': CHROME, ...headers },
  });

it('counts what becomes of events, and of their requests', async () => {
  const rise = await risen(async () => {
    for (let sent = 0; sent < 3; sent++) expect((await event({})).status).toBe(202);
    expect((await event({}, { 'User-Agent': 'Googlebot/2.1' })).headers.get('Milepost-Dropped')).toBe('bot');
    expect((await event({ url: 'https://unknown.example/' })).status).toBe(404);
    expect((await event({ url: 7 })).status).toBe(422);
    const sent = { id: '0d9f5c1e-7c52-4a53-9d0b-3f1f6f0e8a11', ip: '203.0.113.7', user_agent: CHROME };
    const events = [
      { ...sent, url: `https://${DOMAIN}/` },
      { ...sent, url: `https://${DOMAIN}/` },
      { ...sent, url: 'https://other.example/' },
    ];
    await service.api.post(`/api/v1/websites/${websiteId}/events`, { json: { events } });
    await until(async () => !(await service.app.get(HitStore).hasWaiting(websiteId)));
  });
  expect(rise('milepost_events_accepted_total{source="browser"}')).toBe(3);
  expect(rise('milepost_events_accepted_total{source="server"}')).toBe(1);
  expect(rise('milepost_events_duplicate_total{source="server"}')).toBe(1);
  expect(rise('milepost_events_dropped_total{source="browser",reason="bot"}')).toBe(1);
  expect(rise('milepost_events_refused_total{source="browser",code="not_found"}')).toBe(1);
  expect(rise('milepost_events_refused_total{source="browser",code="invalid_fields"}')).toBe(1);
  expect(rise('milepost_events_refused_total{source="server",code="rejected"}')).toBe(1);
  expect(rise('milepost_http_requests_total{method="POST",route="/api/v1/events",status="202"}')).toBe(4);
  expect(rise('milepost_http_request_seconds_count{route="/api/v1/events"}')).toBe(6);
  expect(rise('milepost_http_request_seconds_bucket{route="/api/v1/events",le="+Inf"}')).toBe(6);
  expect(rise('milepost_folded_hits_total')).toBe(5);
  expect(rise('milepost_batches_total')).toBeGreaterThan(0);
});

it('counts queries, caches and what the database does', async () => {
  const rise = await risen(() =>
    service.api.get(`/api/v1/stats/${websiteId}?name=page&from=2026-01-01&to=2026-12-31`),
  );
  expect(rise('milepost_queries_total{lane="plain",kind="plain",outcome="answered"}')).toBe(1);
  expect(rise('milepost_query_seconds_count{lane="plain",kind="plain"}')).toBe(1);
  expect(rise('milepost_database_wait_seconds_count{use="read"}')).toBeGreaterThan(0);
  const all = await measures();
  expect(all.get('milepost_query_threads{lane="plain"}')).toBe(1);
  for (const name of ['queries_running{lane="plain"}', 'queries_waiting{lane="plain"}', 'inbox_hits'])
    expect([name, all.get(`milepost_${name}`)]).toEqual([name, 0]);
  // None stays busy.
  const busy = () => measuredHere().find(({ name }) => name === 'database_connections_busy')!.series;
  await until(() => busy().every(({ values }) => values[0] === 0));
  // The thread says what it has in its caches a second after its answer.
  expect(all.get('milepost_cache_bytes{cache="openDays"}')).toBeGreaterThan(0);
});

it('names routes by their pattern, and nothing that callers choose', async () => {
  const rise = await risen(async () => {
    for (const path of ['/nope', `/nope/${TOKEN}`, `/a?${DOMAIN}`, '/api/v1/nope', '//x', '/%00'])
      await anyone.get(path);
    await service.api.get(`/api/v1/websites/${websiteId}`);
    await service.api.get(`/API/v1/Websites/${websiteId}/`);
    await anyone.get(`/share/${DOMAIN}`, plain({ Accept: 'text/html' }));
    await anyone.send('PROPFIND', '/health/live');
  });
  const requests = 'milepost_http_requests_total';
  expect(rise(`${requests}{method="GET",route="/api/v1/websites/:id",status="200"}`)).toBe(2);
  expect(rise(`${requests}{method="GET",route="/share/:domain",status="404"}`)).toBe(1);
  expect(rise(`${requests}{method="(none)",route="/health/live",status="405"}`)).toBe(1);
  expect(rise(`${requests}{method="(none)",route="(none)",status="404"}`)).toBeGreaterThanOrEqual(4);
  const { text } = await anyone.get('/metrics', plain());
  const labels = text.split('\n').filter((line) => !line.startsWith('#'));
  for (const chosen of [DOMAIN, TOKEN, FIRST_KEY, 'nope', 'secret-path', '/Websites'])
    expect(labels.filter((line) => line.includes(chosen))).toEqual([]);
});

it('counts requests that cannot be read', async () => {
  const rise = await risen(async () => {
    const raw = new RawSocket(service.address);
    raw.write('no request\r\n\r\n');
    await raw.closed;
  });
  expect(rise('milepost_http_unreadable_requests_total{status="400"}')).toBe(1);
});

it('looks once for all who ask at once, and at few rows', async () => {
  await measures();
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const looks = jest.spyOn(service.app.get(HitStore), 'look');
  const warnings = jest.spyOn(service.app.get(Housekeeping), 'warnings');
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 300 }, () => anyone.get('/metrics', plain())));
  const seconds = Math.ceil((performance.now() - began) / 1000);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(looks.mock.calls.length);
  expect(looks.mock.calls.length).toBeLessThanOrEqual(1 + seconds);
  // A slow look at warnings serves the next look too.
  expect(warnings.mock.calls.length).toBeGreaterThan(0);
  expect(warnings.mock.calls.length).toBeLessThanOrEqual(looks.mock.calls.length);
  looks.mockRestore();
  warnings.mockRestore();
});

it('answers without numbers of the database while that is away', async () => {
  expect((await measures()).get('milepost_ready')).toBe(1);
  const failing = jest.spyOn(service.app.get(Housekeeping), 'warnings').mockRejectedValue(new Error('away'));
  expect((await measures()).get('milepost_ready')).toBe(0);
  failing.mockRestore();
  jest
    .spyOn(service.app.get(Housekeeping), 'warnings')
    .mockResolvedValueOnce([{ code: 'retention_held', detail: 'It waits.' }]);
  const held = await measures();
  expect([held.get('milepost_ready'), held.get('milepost_warnings{code="retention_held"}')]).toEqual([1, 1]);
  expect((await measures()).has('milepost_warnings{code="retention_held"}')).toBe(false);
});

it('is text for Prometheus, and nothing else', async () => {
  const { headers, text } = await anyone.get('/metrics', plain());
  expect(headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toMatch(/^# HELP milepost_\w+ .+\n# TYPE milepost_\w+ (counter|gauge|histogram)\n/);
  expect((await anyone.get('/metrics')).status).toBe(406);
  expect((await anyone.post('/metrics')).status).toBe(405);
});

it('has each measure of the service in the documentation, and no other', async () => {
  const { text } = await anyone.get('/metrics', plain());
  const measured = [...text.matchAll(/^# HELP (milepost_\w+) (.+)$/gm)].map(([, name, help]) => [name, help]);
  const page = readFileSync(join(ROOT, 'docs/operations/metrics.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(milepost_\w+)` +\| (.+?) +\|/gm)].map(([, name, help]) => [
    name,
    help,
  ]);
  expect(measured.filter(([name]) => !name!.startsWith('milepost_spec_')).sort()).toEqual(rows.sort());
});

describe('without a token', () => {
  it.each<[string, Record<string, string>]>([
    ['another host', { Host: 'stats.example.com' }],
    ['a host that begins like a loopback address', { Host: '127.0.0.1.example.com' }],
    ['two hosts', { Host: '127.0.0.1, 127.0.0.1' }],
    ['a user in the host', { Host: 'localhost@example.com' }],
    ['no host', { Host: '' }],
    ['X-Forwarded-For', { 'X-Forwarded-For': '127.0.0.1' }],
    ['X-Forwarded-Host', { 'X-Forwarded-Host': 'localhost' }],
    ['Forwarded', { Forwarded: 'for=127.0.0.1' }],
    ['X-Real-IP', { 'X-Real-IP': '127.0.0.1' }],
    ['CF-Connecting-IP', { 'CF-Connecting-IP': '127.0.0.1' }],
    ['True-Client-IP', { 'True-Client-IP': '127.0.0.1' }],
    ['Via', { Via: '1.1 proxy' }],
    ['an origin', { Origin: 'http://127.0.0.1:3000' }],
    ['the origin null', { Origin: 'null' }],
  ])('a request with %s is one of an unknown route', async (_, headers) => {
    const head = Object.entries({ Host: 'localhost', Accept: '*/*', ...headers });
    const raw = new RawSocket(service.address);
    raw.write(
      `GET /metrics HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    await raw.untilAnswered();
    expect(raw.answer).toMatch(/^HTTP\/1.1 404 /);
    expect(raw.answer).toContain('"detail":"Route not found."');
    raw.end();
  });

  it.each([['localhost'], ['LOCALHOST:3000'], ['127.0.0.1'], ['127.1.2.3:80'], ['[::1]:3000']])(
    'a program on this machine may use the host %s',
    async (host) => {
      const raw = new RawSocket(service.address);
      raw.write(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer nobody-asks-for-it\r\n\r\n`);
      await raw.untilAnswered();
      expect(raw.answer).toMatch(/^HTTP\/1.1 200 /);
      raw.end();
    },
  );

  it.each<Record<string, string>>([
    { BASE_URL: 'http://localhost:3000' },
    { TRUST_PROXY: '0' },
    { HOST: '0.0.0.0' },
    { HOST: '192.0.2.1' },
  ])('with %j, nobody may', async (settings) => {
    const other = await startApp(settings);
    expect((await other.api.get('/metrics', plain())).status).toBe(404);
    await other.stop();
  });
});

describe('with a token', () => {
  let other: TestApp;
  const bearer = (token: string, address = '203.0.113.1') =>
    plain({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': address, Origin: 'https://a.example' });
  beforeEach(async () => {
    const settings = { METRICS_TOKEN: TOKEN, TRUST_PROXY: '1', BASE_URL: 'https://stats.example.com' };
    other = await startApp({ ...settings, RATE_LIMIT: 'on' });
  });
  afterEach(() => other.stop());
  const get = async (sent: ReturnType<typeof plain>, path = '/metrics') =>
    other.api.as(undefined).get(path, sent);

  it('answers whoever has it in the header, from anywhere', async () => {
    expect((await get(bearer(TOKEN))).status).toBe(200);
    expect((await get(plain({ Authorization: `bearer ${TOKEN}` }))).status).toBe(200);
    const refused = await get(plain());
    expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([
      401,
      'Bearer realm="Milepost"',
    ]);
    for (const wrong of [FIRST_KEY, TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase(), `${TOKEN} ${TOKEN}`])
      expect([wrong, (await get(bearer(wrong, '203.0.113.2'))).status]).toEqual([wrong, 401]);
    expect((await get(plain({ Authorization: `Basic ${TOKEN}` }))).status).toBe(401);
    expect((await get(plain(), `/metrics?token=${TOKEN}&access_token=${TOKEN}`)).status).toBe(401);
    expect(other.logs.join('\n')).not.toContain(TOKEN);
  });

  it('lets an address guess as seldom as keys, and the token that was used before pass meanwhile', async () => {
    const guesses = (address: string) =>
      Promise.all(Array.from({ length: 30 }, () => get(bearer('wrong-wrong-wrong-wrong-wrong', address))));
    const statuses = (await guesses('203.0.113.3')).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect((await get(bearer(TOKEN, '203.0.113.3'))).status).toBe(429);
    expect((await get(bearer(TOKEN, '203.0.113.4'))).status).toBe(200);
    expect((await get(bearer(TOKEN, '203.0.113.3'))).status).toBe(200);
    expect((await get(bearer('wrong-wrong-wrong-wrong-wrong', '203.0.113.3'))).status).toBe(429);
  });
});

it('adds up what the threads of a process measure', async () => {
  const fresh = await freshDatabase();
  const { program, address } = await startService({ DATABASE_URL: fresh.url, BOOTSTRAP_API_KEY: FIRST_KEY });
  const post = (path: string, sent: object) =>
    fetch(address + path, {
      method: 'POST',
      body: JSON.stringify(sent),
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${FIRST_KEY}`,
        'User-Agent': CHROME,
      },
    });
  await post('/api/v1/websites', { domain: DOMAIN });
  await post('/api/v1/events', { url: `https://${DOMAIN}/` });
  await until(async () => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return text.includes('\nmilepost_folded_hits_total 1\n') && text.includes('{cache="counters"}');
  });
  await program.stop();
  await fresh.drop();
});
