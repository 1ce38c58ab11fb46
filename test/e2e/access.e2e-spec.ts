import type { Scope } from '../../src/auth/api-key.entity';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import type { ApiClient } from '../support/api-client';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

let service: TestApp;
let keys: ApiKeysService;
let websiteId: number;
beforeAll(async () => {
  service = await startApp();
  keys = service.app.get(ApiKeysService);
  websiteId = (await service.api.post('/api/v1/websites', { form: { domain: 'mine.example.com' } })).body.data
    .id;
});
afterAll(() => service.stop());

const RANGE = 'from=2026-01-01&to=2026-01-31';
const STATS = `name=page&${RANGE}`;
const reads: [string, string][] = [
  ['GET', '/api/v1/websites'],
  ['GET', '/api/v1/websites/:id'],
  ['GET', `/api/v1/stats/:id?${STATS}`],
  ['GET', '/api/v1/stats/:id/values?name=page'],
  ['GET', '/api/v1/names'],
];
const writes: [string, string][] = [
  ['POST', '/api/v1/websites'],
  ['PUT', '/api/v1/websites/:id'],
  ['PATCH', '/api/v1/websites/:id'],
  ['DELETE', '/api/v1/websites/:id'],
  ['POST', '/api/v1/websites/:id/events'],
];
const fullReads: [string, string][] = [['GET', `/api/v1/stats/:id/hits?${RANGE}`]];
/** Some routes do not answer with JSON. */
const ANY_TYPE = { headers: { Accept: '*/*' } };
const routes = [...reads, ...fullReads, ...writes];
const of = (path: string, id: number | string = websiteId) => path.replace(':id', String(id));
const newKey = (scope: Scope, expiresAt: Date | null = null) =>
  keys.create(1, { name: 'test', scope, expiresAt });

describe.each(routes)('%s %s', (method, path) => {
  const unauthorized = { status: 401, code: 'unauthorized', title: 'Unauthorized' };

  it('needs a key', async () => {
    const answer = await service.api.as(undefined).send(method, of(path));
    expect(answer.body).toMatchObject(unauthorized);
    expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
  });

  it('needs a key before it looks at fields, parameters and the website', async () => {
    const query = path.includes('?') ? '&foo=1' : '?foo=1';
    const answer = await service.api.as(undefined).send(method, of(path, 999_999) + query);
    expect(answer.body).toMatchObject(unauthorized);
  });

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer wrong-key-wrong-key-wrong-key',
    'Bearer short',
    `Bearer ${FIRST_KEY} ${FIRST_KEY}`,
    `Basic ${FIRST_KEY}`,
    FIRST_KEY,
    `Bearer ${FIRST_KEY.toUpperCase()}`,
    `Bearer ${'x'.repeat(129)}`,
    "Bearer ' OR 1=1 -- ' OR 1=1 -- ",
  ])('refuses the header %j', async (header) => {
    const answer = await service.api
      .as(undefined)
      .send(method, of(path), { headers: { Authorization: header } });
    expect(answer.body).toMatchObject(unauthorized);
  });
});

describe.each(routes.filter(([, path]) => path.includes(':id')))('%s %s', (method, path) => {
  it("answers another's website and a missing one alike", async () => {
    const stranger = await service.anotherUser();
    const bodies = [];
    for (const id of [websiteId, 999_999]) {
      const answer = await stranger.send(method, of(path, id), ANY_TYPE);
      expect(answer.status).toBe(404);
      bodies.push({ ...answer.body, request_id: '', instance: '' });
    }
    expect(bodies[0]).toEqual(bodies[1]);
    expect((await service.api.get(of('/api/v1/websites/:id'))).status).toBe(200);
  });

  it.each([
    '0',
    '-1',
    '01',
    '1e0',
    '1.0',
    '+1',
    '0x1',
    '9007199254740993',
    '99999999999999999999',
    'abc',
    '%00',
    '%20',
  ])('has no website %s', async (id) => {
    expect((await service.api.send(method, of(path, id), ANY_TYPE)).status).toBe(404);
  });
});

it("lists only what is the caller's", async () => {
  const stranger = await service.anotherUser();
  expect((await stranger.get('/api/v1/websites?search=mine')).body.meta.total).toBe(0);
});

it('takes the scheme in any case', async () => {
  for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
    const headers = { Authorization: `${scheme} ${FIRST_KEY}` };
    expect((await service.api.as(undefined).get('/api/v1/websites', { headers })).status).toBe(200);
  }
});

it('takes no key from the query or the body', async () => {
  const nobody = service.api.as(undefined);
  expect((await nobody.get(`/api/v1/websites?access_token=${FIRST_KEY}`)).status).toBe(401);
  const form = { domain: 'query.example.com', access_token: FIRST_KEY };
  expect((await nobody.post('/api/v1/websites', { form })).status).toBe(401);
  expect((await service.api.get(`/api/v1/websites?access_token=${FIRST_KEY}`)).status).toBe(422);
});

it('knows no key of another application in its process', async () => {
  const other = await startApp();
  const wish = { name: 'test', scope: 'read', expiresAt: null } as const;
  const here = await newKey('read');
  const there = await other.app.get(ApiKeysService).create(1, wish);
  const clients = [service.api.as(here), other.api.as(there), service.api.as(there), other.api.as(here)];
  const answers = await Promise.all(clients.map((client) => client.get('/api/v1/websites')));
  await other.stop();
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
});

describe('a read key', () => {
  let reader: ApiClient;
  beforeAll(async () => void (reader = service.api.as(await newKey('read'))));

  it.each(reads)('may %s %s', async (method, path) => {
    expect((await reader.send(method, of(path))).status).toBe(200);
  });

  it.each([...fullReads, ...writes])('may not %s %s, whatever the fields', async (method, path) => {
    const answer = await reader.send(method, `${of(path, 999_999)}?foo=1`);
    expect(answer.body).toMatchObject({ status: 403, code: 'scope_too_narrow' });
  });
});

describe('a key for events', () => {
  const sending = '/api/v1/websites/:id/events';
  let sender: ApiClient;
  beforeAll(async () => void (sender = service.api.as(await newKey('events'))));

  it('may send events, and nothing else', async () => {
    expect((await sender.post(of(sending), { json: { events: [] } })).status).toBe(422);
    for (const [method, path] of [...routes, ['GET', '/api/v1/me'], ['GET', '/api/v1/keys']] as const) {
      if (path === sending) continue;
      const answer = await sender.send(method, of(path, 999_999));
      expect(answer.body).toMatchObject({ status: 403, code: 'scope_too_narrow' });
    }
  });
});

describe('a key that is limited to websites', () => {
  let limited: ApiClient;
  let otherId: number;
  beforeAll(async () => {
    const { body } = await service.api.post('/api/v1/websites', { form: { domain: 'other.example' } });
    otherId = body.data.id;
    const wish = { name: 'limited', scope: 'full' as const, websites: [websiteId], expiresAt: null };
    limited = service.api.as(await keys.create(1, wish));
  });

  it('shows these alone', async () => {
    for (const sent of [{}, { headers: { Accept: 'application/x-ndjson' } }]) {
      const { text } = await limited.get('/api/v1/websites', sent);
      expect(text).toContain('mine.example.com');
      expect(text).not.toContain('other.example');
    }
    expect((await limited.get('/api/v1/websites')).body.meta.total).toBe(1);
    expect((await limited.get('/api/v1/me')).body.data.key.websites).toEqual([websiteId]);
  });

  const ofOne = routes.filter(
    ([method, path]) => path.includes(':id') && !(method === 'DELETE' && path === '/api/v1/websites/:id'),
  );
  it.each(ofOne)('%s %s knows no other', async (method, path) => {
    const answer = await limited.send(method, of(path, otherId), ANY_TYPE);
    expect(answer.body).toMatchObject({ status: 404, detail: 'Website not found.' });
    expect((await service.api.get(of('/api/v1/websites/:id', otherId))).status).toBe(200);
  });

  it.each([
    ['POST', '/api/v1/websites'],
    ['DELETE', '/api/v1/websites/:id'],
    ['PATCH', '/api/v1/me'],
    ['GET', '/api/v1/keys'],
    ['POST', '/api/v1/keys'],
    ['DELETE', '/api/v1/keys/1'],
  ])('may not %s %s', async (method, path) => {
    const answer = await limited.send(method, of(path));
    expect(answer.body).toMatchObject({ status: 403, code: 'scope_too_narrow' });
  });

  it('keeps its limits when it is rotated', async () => {
    const key = (await keys.list(1)).find(({ name }) => name === 'limited')!;
    const rotated = service.api.as(await keys.rotate(key, null));
    expect((await rotated.get(of('/api/v1/websites/:id', otherId))).status).toBe(404);
    expect((await rotated.get(of('/api/v1/websites/:id'))).status).toBe(200);
  });
});

it('stops at once when a key is revoked, rotated or expired', async () => {
  const status = async (secret: string) => (await service.api.as(secret).get('/api/v1/websites')).status;
  const idOf = async (secret: string) => (await keys.recognise(secret))!.id;

  const revoked = await newKey('full');
  expect(await status(revoked)).toBe(200);
  expect(await keys.revoke(await idOf(revoked))).toBe(true);
  expect(await status(revoked)).toBe(401);

  const old = await newKey('read');
  const rotated = await keys.rotate((await keys.recognise(old))!, null);
  expect(await status(old)).toBe(401);
  expect(await status(rotated!)).toBe(200);
  expect((await keys.recognise(rotated!))!.scope).toBe('read');

  expect(await status(await newKey('full', new Date(Date.now() + 60_000)))).toBe(200);
  expect(await status(await newKey('full', new Date(Date.now() - 1)))).toBe(401);
});

it('rotates a key once, however many ask at once', async () => {
  const key = (await keys.recognise(await newKey('full')))!;
  const secrets = await Promise.all(Array.from({ length: 10 }, () => keys.rotate(key, null)));
  expect(secrets.filter(Boolean)).toHaveLength(1);
});

it('keeps the last use, and of the key only a hash and a prefix', async () => {
  const secret = await newKey('full');
  const before = Date.now();
  await service.api.as(secret).get('/api/v1/websites');
  const stored = await until(async () => {
    const last = (await keys.list(1)).at(-1)!;
    return last.lastUsedAt && last;
  });
  expect(stored.prefix).toBe(secret.slice(0, 8));
  expect(stored.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(stored.lastUsedAt!.getTime()).toBeGreaterThanOrEqual(before - 1);
  const rows = await service.database.read((manager) => manager.query('SELECT * FROM api_keys'));
  expect(JSON.stringify(rows)).not.toContain(secret);
});

it('logs no key, no password and no address', async () => {
  const secret = await newKey('full');
  const client = service.api.as(secret);
  await client.post(`/api/v1/websites?access_token=${secret}`, {
    form: { domain: 'x.example', password: 'hidden-word' },
  });
  await client.patch(`/api/v1/websites/${websiteId}`, {
    json: { password: 'hidden-word', exclude_ips: '203.0.113.99' },
  });
  await client.get(`/${secret}`);
  await client.get(`/api/v1/websites/${secret}`);
  const logs = service.logs.join('\n');
  expect(logs).toContain('"route":"/api/v1/websites/:id"');
  for (const word of [secret, FIRST_KEY, 'hidden-word', '203.0.113.99', '127.0.0.1'])
    expect(logs).not.toContain(word);
});
