import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ClientProxy, ClientProxyFactory, Transport } from '@nestjs/microservices';
import Redis from 'ioredis';
import { firstValueFrom } from 'rxjs';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { FIREFOX } from '../../support/agents';
import type { ApiClient } from '../../support/api-client';
import { type Broker, startBrokers } from '../../support/brokers';
import { untilCounted } from '../../support/counted';
import { freePort } from '../../support/free-port';
import { size } from '../../support/sizes';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const RANGE = { from: '1970-01-01', to: '9999-12-31' };
const MESSAGES = size('MESSAGES', 3000, 10_000);

let service: TestApp;
let brokers: Awaited<ReturnType<typeof startBrokers>>;
let port: number;
let nats: Broker;
let redis: Broker;
let stranger: ApiClient;
const clients = new Map<string, ClientProxy>();
beforeAll(async () => {
  brokers = await startBrokers();
  ({ nats, redis, port } = brokers);
  service = await startApp({ RPC_URL: brokers.rpcUrl });
  stranger = await service.anotherUser();
  const host = '127.0.0.1';
  clients.set('tcp', ClientProxyFactory.create({ transport: Transport.TCP, options: { host, port } }));
  const servers = [`${host}:${nats.port}`];
  clients.set(
    'nats',
    ClientProxyFactory.create({
      transport: Transport.NATS,
      options: { servers, maxReconnectAttempts: -1, reconnectTimeWait: 100 },
    }),
  );
  /** ioredis loses a subscription that is made between the connection and the answer to its ready check. */
  const retry = { retryAttempts: 10_000, retryDelay: 100, enableReadyCheck: false };
  clients.set(
    'redis',
    ClientProxyFactory.create({ transport: Transport.REDIS, options: { host, port: redis.port, ...retry } }),
  );
  for (const client of clients.values()) await client.connect();
});
afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await service?.stop();
  await brokers?.stop();
});

const ask = (transport: string, pattern: string, message: unknown): Promise<any> =>
  firstValueFrom(clients.get(transport)!.send(pattern, message as object));
const askAs = (key: string | undefined) => (transport: string, pattern: string, message: object) =>
  ask(transport, pattern, { ...(key && { key }), ...message });
const asFirst = askAs(FIRST_KEY);
const problemOf = async (requested: Promise<unknown>): Promise<any> =>
  requested.then(
    () => undefined,
    (problem: unknown) => problem,
  );
const newKey = (wish: object) =>
  service.app.get(ApiKeysService).create(1, { name: 'test', scope: 'full', expiresAt: null, ...wish });

describe.each(['tcp', 'nats', 'redis'])('by %s', (transport) => {
  let id: number;
  const domain = `${transport}.example`;
  beforeAll(async () => {
    const { data } = await asFirst(transport, 'websites.store', {
      domain,
      privacy: 0,
      exclude_ips: ['10.0.0.1'],
    });
    expect(data).toMatchObject({ domain, privacy: 0, exclude_ips: '10.0.0.1' });
    id = data.id;
  });

  it('manages websites as HTTP does', async () => {
    const shown = (await service.api.get(`/api/v1/websites/${id}`)).body;
    expect(await asFirst(transport, 'websites.show', { id })).toEqual(shown);
    expect(await asFirst(transport, 'websites.show', { id: String(id) })).toEqual(shown);
    const list = { search: domain, per_page: '25' };
    const { links, ...page } = (
      await service.api.get(`/api/v1/websites?${new URLSearchParams(list).toString()}`)
    ).body;
    expect(links).toBeDefined();
    expect(await asFirst(transport, 'websites.list', list)).toEqual(page);
    const { data } = await asFirst(transport, 'websites.update', { id, privacy: 1, exclude_ips: null });
    expect(data).toMatchObject({ privacy: 1, exclude_ips: null });
    const other = (await asFirst(transport, 'websites.store', { domain: `gone.${domain}` })).data.id;
    expect(await asFirst(transport, 'websites.delete', { id: other })).toEqual({
      data: { id: other, object: 'website', deleted: true },
    });
    expect((await service.api.get(`/api/v1/websites/${other}`)).status).toBe(404);
  });

  it.each([
    ['goals', 'goals', 'goal'],
    ['saved_filters', 'saved-filters', 'saved_filter'],
  ])('manages %s as HTTP does', async (pattern, path, object) => {
    const list = `/api/v1/websites/${id}/${path}`;
    const asked = (action: string, fields: object) =>
      asFirst(transport, `${pattern}.${action}`, { website_id: id, ...fields });
    const filters = [['is', 'page', ['/page']]];
    const name = `of ${domain}`;
    const { data } = await asked('store', { name, filters });
    expect(data).toMatchObject({ name, filters });
    expect(await asked('show', { id: String(data.id) })).toEqual(
      (await service.api.get(`${list}/${data.id}`)).body,
    );
    const { links, ...page } = (await service.api.get(`${list}?search=OF&per_page=25`)).body;
    expect(links).toBeDefined();
    expect(await asked('list', { search: 'OF', per_page: 25 })).toEqual(page);
    expect((await asked('update', { id: data.id, name: 'other' })).data).toMatchObject({
      name: 'other',
      filters,
    });
    expect(await problemOf(asked('store', { name: 'x', filters: [] }))).toMatchObject({
      errors: { filters: ['must have a condition'] },
    });
    expect(await problemOf(asFirst(transport, `${pattern}.update`, { name: '' }))).toMatchObject({
      errors: { website_id: ['is required'], id: ['is required'], name: [expect.any(String)] },
    });
    const deleted = { data: { id: data.id, object, deleted: true } };
    expect(await asked('delete', { id: data.id })).toEqual(deleted);
    for (const gone of [data.id, 'x', 0])
      expect(await problemOf(asked('show', { id: gone }))).toMatchObject({ status: 404 });
  });

  it('lets no deletion open a shared page', async () => {
    const site = { domain: `limited.${domain}`, privacy: 0 };
    const website_id = (await asFirst(transport, 'websites.store', site)).data.id;
    const limit = { website_id, name: 'limit', filters: [['is', 'page', ['/']]], shared: 1 };
    const { data } = await asFirst(transport, 'saved_filters.store', limit);
    const removed = asFirst(transport, 'saved_filters.delete', { website_id, id: data.id });
    expect(await problemOf(removed)).toMatchObject({ status: 409, code: 'limits_shared_page' });
  });

  it('manages annotations as HTTP does, and lets a key for them store them alone', async () => {
    const list = `/api/v1/websites/${id}/annotations`;
    const asked = (action: string, fields: object, ask = asFirst) =>
      ask(transport, `annotations.${action}`, { website_id: id, ...fields });
    const deployer = askAs(await newKey({ scope: 'annotations' }));
    const { data } = await asked('store', { text: 'Deployed', at: '2026-01-31T13:00:00+01:00' }, deployer);
    expect(data).toMatchObject({ text: 'Deployed', at: '2026-01-31T12:00:00Z', public: 0 });
    for (const action of ['list', 'show', 'update', 'delete'])
      expect(await problemOf(asked(action, { id: data.id }, deployer))).toMatchObject({ status: 403 });
    expect((await asked('update', { id: data.id, public: true })).data).toMatchObject({ public: 1 });
    expect(await asked('show', { id: data.id })).toEqual((await service.api.get(`${list}/${data.id}`)).body);
    const { links, ...page } = (await service.api.get(`${list}?from=2026-01-31&search=dep`)).body;
    expect(links).toBeDefined();
    expect(await asked('list', { from: '2026-01-31', search: 'dep' })).toEqual(page);
    expect(await problemOf(asked('list', { from: '2026-01-31', to: '2026-01-30' }))).toMatchObject({
      errors: { to: [expect.any(String)] },
    });
    expect((await asked('delete', { id: data.id })).data).toMatchObject({ object: 'annotation' });
  });

  it('manages alerts as HTTP does', async () => {
    const list = `/api/v1/websites/${id}/alerts`;
    const asked = (action: string, fields: object) =>
      asFirst(transport, `alerts.${action}`, { website_id: id, ...fields });
    const { data } = await asked('store', {
      ...{ name: 'Busy', metric: 'visitors', condition: 'above', threshold: 5 },
      recipients: ['team@example.com'],
    });
    expect(await asked('show', { id: data.id })).toEqual((await service.api.get(`${list}/${data.id}`)).body);
    expect((await asked('update', { id: data.id, enabled: 0 })).data).toMatchObject({ enabled: 0 });
    expect(await problemOf(asked('update', { id: data.id, threshold: -1 }))).toMatchObject({
      errors: { threshold: [expect.any(String)] },
    });
    const { data: firings, meta } = await asked('firings', { id: data.id });
    expect([firings, meta]).toMatchObject([[], { path: `${list}/${data.id}/firings`, total: 0 }]);
    expect((await asked('delete', { id: data.id })).data).toMatchObject({ object: 'alert' });
  });

  it('manages webhooks as HTTP does', async () => {
    const asked = (pattern: string, fields: object) => asFirst(transport, pattern, fields);
    const sent = { url: `https://${domain}/hooks`, events: ['alert'] };
    const { secret, ...data } = (await asked('webhooks.store', sent)).data;
    expect([data, secret]).toEqual([expect.objectContaining(sent), expect.stringMatching(/^whsec_/)]);
    const path = `/api/v1/webhooks/${data.id}`;
    expect(await asked('webhooks.show', { id: data.id })).toEqual((await service.api.get(path)).body);
    const { links, ...page } = (await service.api.get('/api/v1/webhooks?per_page=25')).body;
    expect(links).toBeDefined();
    expect(await asked('webhooks.list', { per_page: 25 })).toEqual(page);
    const renewed = (await asked('webhooks.secret', { id: data.id })).data;
    expect(renewed.secret).not.toBe(secret);
    const test = (await asked('webhooks.test', { id: data.id })).data;
    const of = { webhook_id: data.id };
    expect((await asked('deliveries.list', of)).data).toMatchObject([{ id: test.id, event: 'test' }]);
    expect((await asked('deliveries.show', { ...of, id: test.id })).data).toMatchObject({ body: test.body });
    expect(await problemOf(asked('deliveries.send', { id: test.id }))).toMatchObject({
      errors: { webhook_id: ['is required'] },
    });
    const changed = await asked('webhooks.update', { id: data.id, enabled: 0 });
    expect(changed.data).toMatchObject({ enabled: 0 });
    expect(await problemOf(asked('webhooks.test', { id: data.id }))).toMatchObject({ status: 409 });
    expect((await asked('webhooks.delete', { id: data.id })).data).toMatchObject({ object: 'webhook' });
    for (const pattern of ['webhooks.show', 'webhooks.test'])
      expect(await problemOf(asked(pattern, { id: data.id }))).toMatchObject({ status: 404 });
  });

  it('records events and shows statistics', async () => {
    const event = { id: randomUUID(), url: `https://${domain}/page`, ip: '203.0.113.7', user_agent: FIREFOX };
    const sent = { website_id: id, events: [event, { ...event, id: 'none' }] };
    const { data } = await asFirst(transport, 'events.record', sent);
    expect(data).toMatchObject([{ id: event.id, status: 'accepted' }, { status: 'rejected' }]);
    expect((await asFirst(transport, 'events.record', sent)).data[0].status).toBe('duplicate');
    await untilCounted(service.api, id);
    const stats = await asFirst(transport, 'stats.show', { website_id: id, name: 'page', ...RANGE });
    expect(stats.data).toEqual([{ value: '/page', label: '/page', count: 1 }]);
    const { body } = await service.api.get(`/api/v1/stats/${id}?name=page&from=${RANGE.from}&to=${RANGE.to}`);
    expect(stats.meta).toEqual({ ...body.meta, as_of: expect.any(String) });
    const summary = { website_id: id, names: 'visitor,page', ...RANGE };
    const values = await asFirst(transport, 'stats.values', { website_id: id, name: 'page', search: '' });
    expect(values.meta).toMatchObject({ website_id: id, name: 'page', total: values.data.length });
    expect((await asFirst(transport, 'names.list', {})).data).toContainEqual(
      expect.objectContaining({ name: 'country', filterable: true }),
    );
    expect((await asFirst(transport, 'stats.summary', summary)).data).toMatchObject([
      { name: 'visitor', sum: 1 },
      { name: 'page', sum: 1 },
    ]);
    const hitQuery = { metrics: ['pageviews'], dimensions: ['page'], range: [RANGE.from, RANGE.to] };
    const answer = await asFirst(transport, 'stats.query', { website_id: id, ...hitQuery });
    expect(answer).toMatchObject({ data: [{ page: '/page', pageviews: 1 }], meta: { total: 1 } });
    const several = { website_id: id, queries: [hitQuery, hitQuery] };
    expect((await asFirst(transport, 'stats.query', several)).data).toMatchObject(
      [answer, answer].map(({ data }) => ({ data })),
    );
    const live = await asFirst(transport, 'stats.live', { website_id: id });
    expect(live.data).toMatchObject({
      last_5_minutes: { visitors: 1, pages: [{ value: '/page', label: '/page', count: 1 }] },
      last_30_minutes: { visitors: 1 },
    });
    expect(live.data.minutes).toHaveLength(30);
    expect(live.meta).toMatchObject({ website_id: id, timezone: 'UTC', as_of: expect.any(String) });
    expect(await problemOf(asFirst(transport, 'stats.live', { website_id: id, minutes: 5 }))).toMatchObject({
      errors: { minutes: [expect.any(String)] },
    });
    expect(await problemOf(asFirst(transport, 'stats.live', { website_id: 999_999 }))).toMatchObject({
      status: 404,
    });
    const wrong = { website_id: id, ...hitQuery, metrics: ['hits'] };
    expect(await problemOf(asFirst(transport, 'stats.query', wrong))).toMatchObject({
      errors: { 'metrics.0': [expect.any(String)] },
    });
  });

  it('answers funnels and journeys', async () => {
    const of = { website_id: id, range: [RANGE.from, RANGE.to] };
    const steps = ['/page', '/none'].map((page) => ({ name: null, filters: [['is', 'page', [page]]] }));
    const stored = await asFirst(transport, 'funnels.store', { website_id: id, name: 'Pages', steps });
    expect(stored.data).toMatchObject({ name: 'Pages', steps, order: 'open', within: 'visit' });
    const own = { website_id: id, id: stored.data.id };
    const funnel = await asFirst(transport, 'stats.funnel', { ...of, funnel: 'Pages' });
    expect(funnel.data.steps).toMatchObject([{ visitors: 1 }, { visitors: 0 }]);
    expect(funnel.meta).toMatchObject({ funnel: 'Pages', steps, within: 'visit' });
    const journey = await asFirst(transport, 'stats.journey', { ...of, from: 'entry' });
    expect(journey).toMatchObject({ data: { visits: 1 }, meta: { from: 'entry', steps: 3 } });
    expect((await asFirst(transport, 'funnels.list', { website_id: id })).data).toEqual([stored.data]);
    const changed = await asFirst(transport, 'funnels.update', { ...own, within: 'day' });
    expect((await asFirst(transport, 'funnels.show', own)).data).toEqual(changed.data);
    expect((await asFirst(transport, 'funnels.delete', own)).data).toMatchObject({ object: 'funnel' });
    expect(await problemOf(asFirst(transport, 'stats.funnel', { ...of, funnel: 'Pages' }))).toMatchObject({
      status: 422,
      errors: { funnel: ['has no funnel "Pages"'] },
    });
  });

  it('asks for a key, and answers errors as problems', async () => {
    const detail = 'A valid API key is required in the field "key".';
    const unauthorized = { status: 401, code: 'unauthorized', detail };
    for (const key of [undefined, 'wrong-key-wrong-key-wrong-key', 5, {}, { toString: 1 }])
      expect(await problemOf(ask(transport, 'websites.show', { key, id }))).toMatchObject(unauthorized);
    for (const message of ['text', [1], 7])
      expect(await problemOf(ask(transport, 'websites.list', message))).toMatchObject({ status: 400 });
    const bad = await problemOf(asFirst(transport, 'websites.update', { id, privacy: 7, colour: 'red' }));
    expect(bad).toMatchObject({
      type: '/docs/guide/problems#invalid_fields',
      status: 422,
      code: 'invalid_fields',
      instance: 'websites.update',
      errors: { privacy: [expect.any(String)], colour: [expect.any(String)] },
    });
    expect(bad.request_id).toMatch(/^[\w-]{36}$/);
    for (const wrong of [0, -1, 1.5, '01', null, {}, [id]])
      expect(await problemOf(asFirst(transport, 'websites.show', { id: wrong }))).toMatchObject({
        status: 404,
      });
  });

  it('names the id of a website where it is missing, with all other fields that are wrong', async () => {
    const required = ['is required'];
    const unknown = [expect.stringContaining('is not a known field')];
    for (const [name, field] of [
      ['websites.show', 'id'],
      ['stats.live', 'website_id'],
      ['stats.query', 'website_id'],
    ] as const)
      expect(await problemOf(asFirst(transport, name, { website: id }))).toMatchObject({
        status: 422,
        errors: { [field]: required, website: unknown },
      });
  });

  it("knows neither another's website nor what a key is not for", async () => {
    const { body } = await stranger.post('/api/v1/websites', { form: { domain: `their.${transport}.test` } });
    const theirs = await problemOf(asFirst(transport, 'websites.show', { id: body.data.id }));
    const missing = await problemOf(asFirst(transport, 'websites.show', { id: 999_999 }));
    expect({ ...theirs, request_id: '' }).toEqual({ ...missing, request_id: '', status: 404 });
    const reader = askAs(await newKey({ scope: 'read' }));
    expect((await reader(transport, 'websites.show', { id })).data.id).toBe(id);
    expect(await problemOf(reader(transport, 'websites.delete', { id }))).toMatchObject({ status: 403 });
    const limited = askAs(await newKey({ websites: [999_999] }));
    expect(await problemOf(limited(transport, 'websites.show', { id }))).toMatchObject({ status: 404 });
    expect(await problemOf(limited(transport, 'websites.delete', { id }))).toMatchObject({ status: 403 });
    expect(await problemOf(limited(transport, 'websites.store', { domain: 'a.test' }))).toMatchObject({
      status: 403,
    });
    expect((await limited(transport, 'websites.list', {})).data).toEqual([]);
  });
});

it('says of an unknown message that it is', async () => {
  const unknown = { status: 404, code: 'not_found', detail: 'Unknown message.', instance: 'websites.shw' };
  for (const transport of ['tcp', 'redis'])
    expect(await problemOf(asFirst(transport, 'websites.shw', {}))).toMatchObject(unknown);
  for (const transport of ['tcp', 'redis']) {
    const { instance } = await problemOf(asFirst(transport, `websites.x\u202e${'😀'.repeat(500)}`, {}));
    expect(instance).toMatch(/^websites\.x\ufffd(😀){44}\ufffd…$/u);
  }
  const { message } = await problemOf(asFirst('nats', 'websites.shw', {}));
  expect(message).toContain('no subscribers listening to that message ("websites.shw")');
});

it('leaves messages to others who listen for them, over Redis', async () => {
  const [other, sender] = [new Redis(redis.port), new Redis(redis.port)];
  const answered: string[] = [];
  other.on('message', (channel) => answered.push(channel));
  await other.subscribe('websites.theirs', 'websites.theirs.reply', 'websites.nobodys.reply');
  await other.subscribe('websites.long.reply');
  const long = { id: '1', pattern: 'websites.long', data: 'x'.repeat(2_000_000) };
  await sender.publish('websites.long', JSON.stringify(long));
  for (const pattern of ['websites.theirs', 'websites.nobodys'])
    await sender.publish(pattern, JSON.stringify({ id: '1', pattern, data: {} }));
  await until(() => answered.includes('websites.nobodys.reply'));
  expect(answered).toEqual(['websites.theirs', 'websites.nobodys.reply']);
  await other.subscribe('stats.patterns.reply', 'stats.plain.reply');
  await sender.publish('stats.plain', 'no packet');
  await sender.publish('stats.plain', JSON.stringify({ id: 7, visitors: 3 }));
  await other.psubscribe('stats.*');
  await sender.publish('stats.patterns', JSON.stringify({ id: '2', pattern: 'stats.patterns', data: {} }));
  for (let later = 0; later < 3; later++) await asFirst('redis', 'websites.list', {});
  expect(answered.slice(2)).toEqual([]);
  other.disconnect();
  sender.disconnect();
});

describe('over TCP', () => {
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  it.each([
    ['no length', `x#{"key":"${FIRST_KEY}"}`],
    ['broken JSON', `40#{"key":"${FIRST_KEY}","id":}`.padEnd(43)],
    ['a frame that is too large', `${2 ** 30}#${'x'.repeat(2 ** 20 + 1)}`],
  ])('ends a connection with %s, and no other, and logs no key', async (_, frame) => {
    const socket = await open();
    const closed = once(socket, 'close');
    socket.write(frame);
    await closed;
    expect((await asFirst('tcp', 'websites.list', {})).data).toBeInstanceOf(Array);
    expect(service.logs.join('\n')).not.toContain(FIRST_KEY);
  });

  it('answers a plain caller', async () => {
    const socket = await open();
    const packet = JSON.stringify({ pattern: 'websites.list', data: { key: FIRST_KEY }, id: 'one' });
    socket.write(`${packet.length}#${packet}`);
    let received = '';
    for await (const data of socket) {
      received += String(data);
      const [length, ...rest] = received.split('#');
      if (rest.join('#').length >= Number(length)) break;
    }
    expect(JSON.parse(received.slice(received.indexOf('#') + 1))).toMatchObject({
      id: 'one',
      response: { data: expect.any(Array) },
    });
  });
});

it.each(['tcp', 'nats', 'redis'])(
  `answers ${MESSAGES} messages that come at once by %s`,
  async (transport) => {
    const domain = `many-${transport}.example`;
    const { data } = await asFirst(transport, 'websites.store', { domain });
    const statuses = Array.from({ length: MESSAGES }, async (_, index) => {
      const key = index % 20 === 0 ? FIRST_KEY : 'short';
      const answer = await ask(transport, 'websites.show', { key, id: data.id }).catch((problem) => problem);
      return answer.data?.domain ?? answer.code;
    });
    const answers = await Promise.all(statuses);
    expect((await service.api.get(`/api/v1/websites/${data.id}`)).status).toBe(200);
    const countOf = (answer: string) => answers.filter((one) => one === answer).length;
    // A busy machine refuses some, as it does over HTTP.
    const refused = ['database_unavailable', 'overloaded', 'too_many_requests'].map(countOf);
    expect(countOf(domain)).toBeGreaterThan(MESSAGES / 100);
    expect(countOf('unauthorized')).toBeGreaterThan(MESSAGES / 2);
    const all = [countOf(domain), countOf('unauthorized'), ...refused];
    expect(all.reduce((sum, count) => sum + count)).toBe(MESSAGES);
  },
);

it.each([
  ['nats', () => nats],
  ['redis', () => redis],
])('goes on when %s comes back', async (transport, broker) => {
  await broker().stop();
  await broker().start();
  let answer: any;
  // Messages before both have reconnected get no answer.
  await until(() => {
    asFirst(transport, 'websites.list', {}).then(
      (one) => (answer = one),
      () => undefined,
    );
    return answer;
  }, 50);
  expect(answer.data).toBeInstanceOf(Array);
});

it('counts messages against the budgets of HTTP', async () => {
  const own = await freePort();
  const limited = await startApp({ RPC_URL: `tcp://127.0.0.1:${own}`, RATE_LIMIT: 'management=2/99999' });
  const client = ClientProxyFactory.create({ transport: Transport.TCP, options: { port: own } });
  try {
    const list = () => firstValueFrom(client.send('websites.list', { key: FIRST_KEY }));
    await list();
    expect((await limited.api.get('/api/v1/websites')).status).toBe(200);
    expect(await problemOf(list())).toMatchObject({
      status: 429,
      code: 'rate_limited',
      retry_after: expect.any(Number),
    });
  } finally {
    await client.close();
    await limited.stop();
  }
});
