import { createHmac } from 'node:crypto';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import { NotVerified, verifyWebhook } from '../../clients/typescript/src/index';
import type { Scope } from '../../src/auth/api-key.entity';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import type { Answer, ApiClient } from '../support/api-client';
import { website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';
import { Endpoint, isSigned, type Posted } from '../support/webhooks';

const WEBHOOKS = '/api/v1/webhooks';
const MOST = 20;

let database: FreshDatabase;
let service: TestApp;
let api: ApiClient;
let endpoint: Endpoint;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url, WEBHOOK_ALLOW: '127.0.0.1' });
  api = service.api;
  endpoint = await Endpoint.start();
});
afterAll(async () => {
  endpoint.close();
  await service.stop();
  await database.drop();
});

const fields = () => ({ url: `${endpoint.url}hooks`, events: ['alert', 'goal.reached'] });
const store = async (more: object = {}, caller = api) =>
  (await caller.post(WEBHOOKS, { json: { ...fields(), ...more } })).body.data;
const newKey = async (scope: Scope, websites: number[] | null = null) =>
  api.as(await service.app.get(ApiKeysService).create(1, { name: scope, scope, websites, expiresAt: null }));
const problem = ({ status, body }: Answer) => [status, body.errors ?? body.code];
const unlessIds = ({ body }: Answer) => ({ ...body, request_id: '', instance: '' });
const clear = async (caller = api) => {
  for (const { id } of (await caller.get(`${WEBHOOKS}?per_page=100`)).body.data)
    await caller.delete(`${WEBHOOKS}/${id}`);
};
beforeEach(async () => {
  await clear();
  endpoint.posted.length = 0;
  endpoint.answer = (response) => response.end('ok');
});

const routes: [method: string, rest: string, scopes: Scope[]][] = [
  ['GET', '', ['full', 'read']],
  ['POST', '', ['full']],
  ['GET', '/:id', ['full', 'read']],
  ['PUT', '/:id', ['full']],
  ['PATCH', '/:id', ['full']],
  ['DELETE', '/:id', ['full']],
  ['POST', '/:id/secret', ['full']],
  ['POST', '/:id/test', ['full']],
  ['GET', '/:id/deliveries', ['full', 'read']],
  ['GET', '/:id/deliveries/:delivery', ['full', 'read']],
  ['POST', '/:id/deliveries/:delivery/send', ['full']],
];

describe.each(routes)('%s webhooks%s', (method, rest, scopes) => {
  let id: number;
  let delivery: number;
  beforeEach(async () => {
    ({ id } = await store());
    delivery = (await api.post(`${WEBHOOKS}/${id}/test`)).body.data.id;
  });
  const at = (webhook: unknown = id, own: unknown = delivery) =>
    `${WEBHOOKS}${rest.replace(':id', String(webhook)).replace(':delivery', String(own))}`;
  const sent = () => (/^P/.test(method) && ['', '/:id'].includes(rest) ? { json: {} } : {});

  it('needs a key, before it looks at anything', async () => {
    for (const caller of [api.as(undefined), api.as('wrong-key-wrong-key-wrong-key')])
      expect(problem(await caller.send(method, `${at()}?foo=1`))).toEqual([401, 'unauthorized']);
  });

  it.each(['full', 'read', 'events', 'annotations'] as const)('minds the scope %s', async (scope) => {
    const answer = await (await newKey(scope)).send(method, at(), sent());
    if (scopes.includes(scope)) expect([200, 201, 409, 422]).toContain(answer.status);
    else expect(problem(answer)).toEqual([403, 'scope_too_narrow']);
  });

  it('is not for a key that is limited to websites', async () => {
    const limited = await newKey('full', [(await website(api)).id]);
    expect(problem(await limited.send(method, at(), sent()))).toEqual([403, 'scope_too_narrow']);
  });

  if (rest)
    it("answers another user's webhook, a missing one and an impossible id alike", async () => {
      const other = await service.anotherUser();
      const answers = [
        await other.send(method, at(), sent()),
        ...(await Promise.all(
          [999_999_999, 0, '01', 'abc', '9007199254740993'].map((one) => api.send(method, at(one), sent())),
        )),
      ];
      for (const answer of answers) {
        expect(answer.body).toMatchObject({ status: 404, detail: 'Webhook not found.' });
        expect(unlessIds(answer)).toEqual(unlessIds(answers[0]!));
      }
      expect((await api.get(`${WEBHOOKS}/${id}`)).status).toBe(200);
    });

  if (rest.includes(':delivery'))
    it("answers another webhook's delivery, a missing one and an impossible id alike", async () => {
      const { id: another } = await store();
      for (const path of [at(another), at(id, 999_999_999), at(id, 0), at(id, 'x')])
        expect((await api.send(method, path)).body).toMatchObject({
          status: 404,
          detail: 'Delivery not found.',
        });
    });
});

describe('store', () => {
  it('answers 201 with the place and the secret, which no other answer has', async () => {
    const answer = await api.post(WEBHOOKS, { json: { ...fields(), url: ` ${endpoint.url}hooks?a=%20 ` } });
    const { id, secret, created_at, ...rest } = answer.body.data;
    expect(rest).toEqual({
      ...{ url: `${endpoint.url}hooks?a=%20`, events: ['alert', 'goal.reached'], enabled: 1 },
      format: 'milepost',
      paused_until: null,
      updated_at: created_at,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect([answer.status, answer.headers.get('Location')]).toEqual([201, `${WEBHOOKS}/${id}`]);
    const shown = await api.get(`${WEBHOOKS}/${id}`);
    expect(shown.body.data).toEqual({ id, created_at, ...rest });
    expect(shown.headers.get('ETag')).toBe(answer.headers.get('ETag'));
    const list = await api.get(WEBHOOKS);
    expect(list.body.data).toEqual([shown.body.data]);
    expect(list.text + shown.text).not.toContain(secret);
  });

  it('takes a form, and other forms of its values', async () => {
    const sent = { url: endpoint.url, events: 'alert, report', enabled: '0' };
    const { body } = await api.post(WEBHOOKS, { form: sent });
    expect(body.data).toMatchObject({ events: ['alert', 'report'], enabled: 0 });
    expect(await store({ enabled: true })).toMatchObject({ enabled: 1 });
  });

  it.each([
    [{ url: undefined }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: null }, 'url'],
    [{ url: 7 }, 'url'],
    [{ url: 'example.com' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: 'https://user@example.com/' }, 'url'],
    [{ url: 'https://:password@example.com/' }, 'url'],
    [{ url: 'https://example.com/#a' }, 'url'],
    [{ url: 'https://example.com/#' }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2000)}` }, 'url'],
    [{ url: `https://example.com/${'ü'.repeat(400)}` }, 'url'],
    ...['10.0.0.1', '127.0.0.2', '[::1]', '[::ffff:192.168.0.1]', '169.254.169.254', '0'].map(
      (host): [{ url: string }, string] => [{ url: `http://${host}/` }, 'url'],
    ),
    [{ events: undefined }, 'events'],
    [{ events: [] }, 'events'],
    [{ events: '' }, 'events'],
    [{ events: null }, 'events'],
    [{ events: {} }, 'events'],
    [{ events: ['test'] }, 'events'],
    [{ events: ['alert', 'alert'] }, 'events'],
    [{ events: ['alert', null] }, 'events'],
    [{ enabled: 2 }, 'enabled'],
    [{ enabled: null }, 'enabled'],
    [{ secret: 'mine' }, 'secret'],
    [{ user_id: 2 }, 'user_id'],
  ])('refuses %j', async (wrong, field) => {
    const answer = await api.post(WEBHOOKS, { json: { ...fields(), ...wrong } });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
    expect((await api.get(WEBHOOKS)).body.data).toEqual([]);
  });

  it('keeps an address that was allowed before, and takes no other one that is not', async () => {
    const { id, url } = await store();
    const strict = await startApp({ DATABASE_URL: database.url });
    const change = (fields: object) => strict.api.patch(`${WEBHOOKS}/${id}`, { json: fields });
    expect(problem(await change({ url: 'http://localhost/' }))).toEqual([
      422,
      { url: ['must be on the internet, or be allowed by the setting WEBHOOK_ALLOW'] },
    ]);
    expect((await change({ url, events: ['report'] })).body.data).toMatchObject({ url, events: ['report'] });
    await strict.stop();
  });

  it('creates one for an idempotency key, and answers the same secret', async () => {
    const send = (json: object) => api.post(WEBHOOKS, { json, headers: { 'Idempotency-Key': 'once' } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(fields())));
    const [first] = answers;
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([201, first!.body]);
    const { id, secret } = first!.body.data;
    expect((await api.post(`${WEBHOOKS}/${id}/secret`)).body.data.secret).not.toBe(secret);
    expect((await send(fields())).body.data).toMatchObject({ id, secret });
    expect((await api.get(WEBHOOKS)).body.meta.total).toBe(1);
    expect(problem(await send({ ...fields(), events: ['report'] }))).toEqual([422, 'idempotency_key_reused']);
    await clear();
    expect(problem(await send(fields()))).toEqual([422, 'idempotency_key_reused']);
  });

  it(`makes at most ${MOST} for a user, also at once`, async () => {
    const answers = await Promise.all(
      Array.from({ length: MOST + 5 }, () => api.post(WEBHOOKS, { json: fields() })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST);
    expect(problem(answers.find(({ status }) => status !== 201)!)).toEqual([422, 'limit_reached']);
    const { body } = await api.get(`${WEBHOOKS}?per_page=10&page=2`);
    expect([body.data.length, body.meta.total]).toEqual([10, MOST]);
    expect((await store({}, await service.anotherUser())).id).toEqual(expect.any(Number));
  });
});

describe('lists', () => {
  it('are files where the caller asks for them', async () => {
    const { secret, ...webhook } = await store();
    const ndjson = await api.get(WEBHOOKS, { headers: { Accept: 'application/x-ndjson' } });
    expect(JSON.parse(ndjson.text)).toEqual(webhook);
    expect(ndjson.text).not.toContain(secret);
    const csv = await api.get(WEBHOOKS, { headers: { Accept: 'text/csv' } });
    expect(csv.text.split('\r\n')[0]).toBe('id,url,events,format,enabled,paused_until,created_at,updated_at');
    await api.post(`${WEBHOOKS}/${webhook.id}/test`);
    const deliveries = `${WEBHOOKS}/${webhook.id}/deliveries`;
    const all = await api.get(deliveries, { headers: { Accept: 'application/x-ndjson' } });
    expect(JSON.parse(all.text)).toMatchObject({ event: 'test', website_id: null });
  });

  it('answer 304 while nothing changed', async () => {
    const { id } = await store();
    await api.post(`${WEBHOOKS}/${id}/test`);
    await until(() => endpoint.posted.length === 1);
    await until(
      async () => (await api.get(`${WEBHOOKS}/${id}/deliveries?state=delivered`)).body.data.length === 1,
    );
    for (const headers of [{}, { Accept: 'text/csv' }] as Record<string, string>[])
      for (const path of [WEBHOOKS, `${WEBHOOKS}/${id}/deliveries`]) {
        const tag = (await api.get(path, { headers })).headers.get('ETag')!;
        expect((await api.get(path, { headers: { ...headers, 'If-None-Match': tag } })).status).toBe(304);
      }
  });
});

describe('changes', () => {
  it.each(['put', 'patch'] as const)('%s changes what was sent, and nothing else', async (method) => {
    const { id, secret, ...before } = await store();
    const { body } = await api[method](`${WEBHOOKS}/${id}`, { json: { events: ['report'], enabled: 0 } });
    expect(body.data).toMatchObject({
      ...before,
      id,
      events: ['report'],
      enabled: 0,
      updated_at: expect.any(String),
    });
    expect(body.data.secret).toBeUndefined();
    const same = await api[method](`${WEBHOOKS}/${id}`, { json: { events: ['report'] } });
    expect(same.body).toEqual(body);
    expect(problem(await api[method](`${WEBHOOKS}/${id}`, { json: { url: '' } }))[0]).toBe(422);
    expect(secret).toMatch(/^whsec_/);
  });

  it('are created forty times an hour, and a repeated request costs nothing', async () => {
    const limited = await startApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW: '127.0.0.1' });
    const headers = { 'Idempotency-Key': 'one' };
    const json = { url: endpoint.url, events: ['alert'] };
    const create = () => limited.api.post(WEBHOOKS, { json });
    const { body } = await limited.api.post(WEBHOOKS, { json, headers });
    const statuses: number[] = [];
    for (let number = 0; number < 40; number++) {
      expect((await limited.api.post(WEBHOOKS, { json, headers })).body.data.id).toBe(body.data.id);
      const created = await create();
      statuses.push(created.status);
      if (created.status === 201) await limited.api.delete(`${WEBHOOKS}/${created.body.data.id}`);
    }
    expect(statuses).toEqual([...Array<number>(39).fill(201), 429]);
    expect(problem(await limited.api.post(WEBHOOKS, { json: { url: '' } }))[0]).toBe(422);
    await store({}, await limited.anotherUser());
    await limited.stop();
  });

  it('that have deliveries tried at once are allowed twenty times an hour, for all webhooks of a user', async () => {
    const limited = await startApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW: '127.0.0.1' });
    const paths = [await store({}, limited.api), await store({}, limited.api)].map(
      ({ id }) => `${WEBHOOKS}/${id}`,
    );
    const change = (path: string, json: object) => limited.api.patch(path, { json });
    const statuses: number[] = [];
    for (let number = 0; number < 11; number++) {
      const url = `${endpoint.url}${number}`;
      statuses.push((await change(paths[0]!, { url, events: ['alert'] })).status);
      await change(paths[0]!, { url, events: ['report'] });
      await change(paths[1]!, { enabled: 0 });
      statuses.push((await change(paths[1]!, { enabled: 1 })).status);
    }
    expect(statuses).toEqual([...Array<number>(20).fill(200), 429, 429]);
    expect((await limited.api.get(paths[0]!)).body.data.url).toBe(`${endpoint.url}9`);
    expect((await limited.api.get(paths[1]!)).body.data.enabled).toBe(0);
    expect((await change(paths[0]!, { events: ['alert'], enabled: 0 })).status).toBe(200);
    expect((await change(`${WEBHOOKS}/999`, { url: endpoint.url })).status).toBe(404);
    const other = await limited.anotherUser();
    const { id } = await store({}, other);
    expect((await other.patch(`${WEBHOOKS}/${id}`, { json: { url: endpoint.url } })).status).toBe(200);
    await limited.stop();
  });

  it('end a pause, which the webhook shows, where they make it try anew', async () => {
    const { id, events } = await store();
    const path = `${WEBHOOKS}/${id}`;
    const list = await api.get(WEBHOOKS);
    const until = '2100-01-01T00:00:00.000Z';
    await service.database.execute('UPDATE webhooks SET failures = 5, paused_until = ? WHERE id = ?', [
      ...[Date.parse(until), id],
    ]);
    expect((await api.get(path)).body.data.paused_until).toBe(until);
    const tag = list.headers.get('ETag')!;
    const again = await api.get(WEBHOOKS, { headers: { 'If-None-Match': tag } });
    expect([again.status, again.body.data]).toMatchObject([200, [{ paused_until: until }]]);
    const kept = await api.patch(path, { json: { events: ['report'] } });
    expect([events, kept.body.data.paused_until]).toEqual([['alert', 'goal.reached'], until]);
    const moved = await api.patch(path, { json: { url: `${endpoint.url}other` } });
    expect(moved.body.data.paused_until).toBeNull();
    expect((await api.get(path)).headers.get('ETag')).toBe(moved.headers.get('ETag'));
  });

  it('are made to the version that the caller means', async () => {
    const created = await api.post(WEBHOOKS, { json: fields() });
    const path = created.headers.get('Location')!;
    const headers = { 'If-Match': created.headers.get('ETag')! };
    const changed = await api.patch(path, { json: { enabled: 0 }, headers });
    expect(changed.status).toBe(200);
    for (const answer of [
      await api.patch(path, { json: { enabled: 1 }, headers }),
      await api.post(`${path}/secret`, { headers }),
      await api.delete(path, { headers }),
    ])
      expect(problem(answer)).toEqual([412, 'precondition_failed']);
    expect(
      (await api.delete(path, { headers: { 'If-Match': changed.headers.get('ETag')! } })).body.data,
    ).toEqual({
      id: created.body.data.id,
      object: 'webhook',
      deleted: true,
    });
    expect((await api.get(path)).status).toBe(404);
  });
});

describe('a test', () => {
  it('is posted within moments, signed, and shown with its answer', async () => {
    const { id, secret } = await store();
    const added = await api.post(`${WEBHOOKS}/${id}/test`);
    expect([added.status, added.body.data]).toMatchObject([
      201,
      {
        event: 'test',
        state: expect.stringMatching(/^(waiting|sending)$/),
        attempts: 0,
        website_id: null,
        answers: [],
      },
    ]);
    await until(() => endpoint.posted.length === 1);
    const [posted] = endpoint.posted;
    expect(isSigned(posted!, secret)).toBe(true);
    const path = added.headers.get('Location')!;
    await until(async () => (await api.get(path)).body.data.state === 'delivered');
    const { data } = (await api.get(path)).body;
    expect(JSON.parse(data.body)).toEqual({
      ...{ id: String(data.id), event: 'test', created_at: data.created_at, website: null },
    });
    expect(data).toMatchObject({
      body: posted!.body,
      last_status: 200,
      answers: [{ status: 200, answer: 'ok' }],
    });
  });

  it('is signed with the new secret once it was renewed', async () => {
    const { id, secret } = await store();
    const renewed = await api.post(`${WEBHOOKS}/${id}/secret`);
    expect(renewed.body.data).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(renewed.body.data.secret).not.toBe(secret);
    await api.post(`${WEBHOOKS}/${id}/test`);
    await until(() => endpoint.posted.length === 1);
    const signed = [secret, renewed.body.data.secret].map((own) => isSigned(endpoint.posted[0]!, own));
    expect(signed).toEqual([false, true]);
  });

  it('is verified by the client, unless its text, its secret or its time is another', async () => {
    const { id, secret } = await store();
    await api.post(`${WEBHOOKS}/${id}/test`);
    await until(() => endpoint.posted.length === 1);
    const { headers, body } = endpoint.posted[0]!;
    expect(await verifyWebhook(secret, headers, body)).toMatchObject({ event: 'test', website: null });
    const fetched = new Headers({ 'Milepost-Signature': String(headers['milepost-signature']) });
    expect(await verifyWebhook(secret, fetched, body)).toMatchObject({ event: 'test' });
    for (const refused of [
      () => verifyWebhook(`${secret}x`, headers, body),
      () => verifyWebhook(secret, headers, `${body} `),
      () => verifyWebhook(secret, {}, body),
      () => verifyWebhook(secret, headers, body, { maxAgeSeconds: -1 }),
    ])
      await expect(refused()).rejects.toThrow(NotVerified);
  });

  it('has the headers of Standard Webhooks, of a webhook from before them once its secret was renewed', async () => {
    const { id, secret } = await store();
    const posted = async () => {
      const { id: delivery } = (await api.post(`${WEBHOOKS}/${id}/test`)).body.data;
      const isThere = () => endpoint.posted.find((one) => one.headers['milepost-delivery'] === delivery);
      return until(isThere);
    };
    const signedBy = ({ headers, body }: Posted, secretOf: string) => {
      const { 'webhook-id': own, 'webhook-timestamp': seconds, 'webhook-signature': signature } = headers;
      const key = Buffer.from(secretOf.slice('whsec_'.length), 'base64');
      const hash = createHmac('sha256', key).update(`${String(own)}.${String(seconds)}.${body}`);
      return own === JSON.parse(body).id && signature === `v1,${hash.digest('base64')}`;
    };
    expect(signedBy(await posted(), secret)).toBe(true);
    await service.database.write((manager) =>
      manager.query('UPDATE webhooks SET standard_from = generation + 1 WHERE id = ?', [id]),
    );
    expect((await posted()).headers).not.toHaveProperty('webhook-id');
    const renewed = (await api.post(`${WEBHOOKS}/${id}/secret`)).body.data.secret;
    expect(signedBy(await posted(), renewed)).toBe(true);
  });

  it('is refused while the webhook is disabled', async () => {
    const { id } = await store({ enabled: 0 });
    expect(problem(await api.post(`${WEBHOOKS}/${id}/test`))).toEqual([409, 'conflict']);
  });

  it('can be sent again once it ended, and not before', async () => {
    const { id } = await store();
    let answer: () => void = () => undefined;
    endpoint.answer = (response) => (answer = () => response.end());
    const path = (await api.post(`${WEBHOOKS}/${id}/test`)).headers.get('Location')!;
    await until(() => endpoint.posted.length === 1);
    expect(problem(await api.post(`${path}/send`))).toEqual([409, 'conflict']);
    answer();
    await until(async () => (await api.get(path)).body.data.state === 'delivered');
    endpoint.answer = (response) => response.end();
    expect((await api.post(`${path}/send`)).body.data).toMatchObject({ state: 'waiting', attempts: 0 });
    await until(() => endpoint.posted.length === 2);
    expect(endpoint.posted[1]!.body).toBe(endpoint.posted[0]!.body);
  });

  it('is allowed ten times an hour, for all webhooks of a user', async () => {
    const limited = await startApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW: '127.0.0.1' });
    const ids = [await store({}, limited.api), await store({}, limited.api)].map(({ id }) => id as number);
    const statuses: number[] = [];
    for (let number = 0; number < 11; number++)
      statuses.push((await limited.api.post(`${WEBHOOKS}/${ids[number % 2]}/test`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
    await limited.stop();
  });

  it('is sent again sixty times an hour', async () => {
    const limited = await startApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW: '127.0.0.1' });
    const { id } = await store({}, limited.api);
    const path = (await limited.api.post(`${WEBHOOKS}/${id}/test`)).headers.get('Location')!;
    const statuses: number[] = [];
    for (let number = 0; number < 61; number++)
      statuses.push((await limited.api.post(`${path}/send`)).status);
    expect(statuses.indexOf(429)).toBe(60);
    expect((await limited.api.post(`${WEBHOOKS}/999/deliveries/1/send`)).status).toBe(404);
    await limited.stop();
  });
});

it('a restart keeps secrets, and nothing secret is stored', async () => {
  const { id, secret } = await store();
  const again = await startApp({ DATABASE_URL: database.url, WEBHOOK_ALLOW: '127.0.0.1' });
  const { body } = await again.api.post(WEBHOOKS, {
    json: fields(),
    headers: { 'Idempotency-Key': 'restart' },
  });
  await again.stop();
  const repeated = await api.post(WEBHOOKS, { json: fields(), headers: { 'Idempotency-Key': 'restart' } });
  expect(repeated.body).toEqual(body);
  const rows = await service.database.query<object[]>('SELECT * FROM webhooks WHERE id = ?', [id]);
  expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length));
});
