import { randomUUID } from 'node:crypto';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import { BOT, CHROME, FIREFOX } from '../support/agents';
import type { ApiClient } from '../support/api-client';
import { countsOf } from '../support/numbers';
import { send, type Site, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let service: TestApp;
let api: ApiClient;
beforeAll(async () => {
  service = await startApp();
  api = service.api;
});
afterAll(() => service.stop());

const eventOf = ({ domain }: Site, fields: object = {}) => ({
  url: `https://${domain}/`,
  id: randomUUID() as string,
  ip: '203.0.113.7',
  user_agent: CHROME,
  ...fields,
});
const pathOf = ({ id }: Pick<Site, 'id'>) => `${WEBSITES}/${id}/events`;
const sendMany = (site: Site, events: unknown, by = api) => by.post(pathOf(site), { json: { events } });
const verdictsOn = async (site: Site, events: unknown[]): Promise<any[]> =>
  (await sendMany(site, events)).body.data;
const verdictOn = async (site: Site, fields: object) =>
  (await verdictsOn(site, [eventOf(site, { id: ID, ...fields })]))[0];
const statusesOn = async (site: Site, events: unknown[]) =>
  (await verdictsOn(site, events)).map(({ status }) => status as string);
const many = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index));
const momentText = (moment: number) => new Date(moment).toISOString();
const pages = (site: Site) => countsOf(api, site.id, 'page');

const ID = randomUUID();

describe('a batch', () => {
  it('has a verdict for each event, in order', async () => {
    const site = await website(api, { exclude_ips: '198.51.100.0/24' });
    const ids = many(6, () => randomUUID());
    const batch = [
      eventOf(site, { id: ids[0] }),
      eventOf(site, { id: ids[1], user_agent: BOT }),
      eventOf(site, { id: ids[0], user_agent: FIREFOX }),
      eventOf(site, { id: ids[2], ip: '198.51.100.1' }),
      eventOf(site, { id: ids[3], screen: 'wide' }),
      eventOf(site, { id: ids[4], url: `https://www.${site.domain}/b`, event: { name: 'buy' } }),
      eventOf(site, { id: ids[0]!.toUpperCase() }),
      eventOf(site, { id: ids[5], user_agent: '' }),
    ];
    const answer = await sendMany(site, batch);
    expect([answer.status, answer.body]).toEqual([
      202,
      {
        data: [
          { id: ids[0], status: 'accepted' },
          { id: ids[1], status: 'dropped', reason: 'bot' },
          { id: ids[0], status: 'duplicate' },
          { id: ids[2], status: 'dropped', reason: 'ip' },
          { id: ids[3], status: 'rejected', reason: expect.stringMatching(/^screen: /) },
          { id: ids[4], status: 'accepted' },
          { id: ids[0]!.toUpperCase(), status: 'duplicate' },
          { id: ids[5], status: 'dropped', reason: 'bot' },
        ],
      },
    ]);
    expect(await pages(site)).toEqual({ '/': 1 });
    expect(await countsOf(api, site.id, 'event')).toEqual({ buy: 1 });
    expect(await countsOf(api, site.id, 'browser')).toEqual({ Chrome: 1 });
  });

  it('counts the visitors that it names, not who sends it', async () => {
    const site = await website(api);
    const visitors = [
      { ip: '8.8.8.8' },
      { ip: '::ffff:8.8.8.8' },
      { ip: '2001:db8::1' },
      { ip: '2001:DB8:0::1' },
    ];
    await sendMany(
      site,
      [...visitors, { user_agent: FIREFOX }].map((visitor) => eventOf(site, visitor)),
    );
    expect(await countsOf(api, site.id, 'country')).toEqual({ US: 1, '(unknown)': 2 });
    expect(await countsOf(api, site.id, 'browser')).toEqual({ Chrome: 2, Firefox: 1 });
    expect(await countsOf(api, site.id, 'language')).toEqual({ '(unknown)': 3 });
  });

  it('has at most 1,000 events', async () => {
    const site = await website(api);
    const events = many(1000, (index) => eventOf(site, { url: `https://${site.domain}/${index % 10}` }));
    expect(new Set(await statusesOn(site, events))).toEqual(new Set(['accepted']));
    const answer = await sendMany(site, [...events, eventOf(site)]);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['events']]);
    expect(Object.values(await pages(site))).toEqual(many(10, () => 100));
  });

  it.each<[string, unknown]>([
    ['events', {}],
    ['events', { events: [] }],
    ['events', { events: {} }],
    ['events', { events: '[]' }],
    ['events', { events: null }],
    ['events', { events: { length: 1 } }],
    ['more', { events: [{}], more: 1 }],
    ['url', { events: [{}], url: 'https://example.com/' }],
  ])('is refused where %j is wrong: %j', async (field, json) => {
    const { status, body } = await api.post(pathOf(await website(api)), { json });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it.each([
    [422, '[]'],
    [422, 'null'],
    [422, '{"events":[{}],"events":[{}]}'],
    [422, '{"events":[{}],"__proto__":[]}'],
    [400, '{"events":['],
  ])('is answered with %i: %s', async (status, body) => {
    const answer = await api.post(pathOf(await website(api)), { body, type: 'application/json' });
    expect(answer.status).toBe(status);
  });

  it('has at most 8 MiB', async () => {
    const site = await website(api);
    const padded = (bytes: number) => JSON.stringify({ events: [eventOf(site)] }).padEnd(bytes);
    const statusOf = async (body: string, type = 'application/json') =>
      (await api.post(pathOf(site), { body, type })).status;
    expect(await statusOf(padded(8 * 1024 * 1024))).toBe(202);
    expect(await statusOf(padded(8 * 1024 * 1024 + 1))).toBe(413);
    expect(await statusOf(padded(100), 'text/plain')).toBe(415);
    expect(await pages(site)).toEqual({ '/': 1 });
  });

  it('is sent with a full key of the owner', async () => {
    const site = await website(api);
    const events = [eventOf(site)];
    const readKey = await service.app
      .get(ApiKeysService)
      .create(1, { name: 'r', scope: 'read', expiresAt: null });
    const stranger = await service.anotherUser();
    for (const [caller, status] of [
      [api.as(undefined), 401],
      [api.as(readKey), 403],
      [stranger, 404],
    ] as const)
      expect((await sendMany(site, events, caller)).status).toBe(status);
    expect((await sendMany({ ...site, id: 999_999 }, events)).status).toBe(404);
    expect(await pages(site)).toEqual({});
    await api.delete(`${WEBSITES}/${site.id}`);
    expect((await sendMany(site, events)).status).toBe(404);
  });
});

describe('an event of a batch', () => {
  it.each<[string, object]>([
    ['url', { url: undefined }],
    ['url', { url: 'example.com' }],
    ['id', { id: undefined }],
    ['id', { id: null }],
    ['id', { id: 'a' }],
    ['ip', { ip: undefined }],
    ['ip', { ip: '' }],
    ['ip', { ip: '203.0.113.0/24' }],
    ['ip', { ip: '203.0.113' }],
    ['ip', { ip: ['203.0.113.7'] }],
    ['user_agent', { user_agent: undefined }],
    ['user_agent', { user_agent: null }],
    ['user_agent', { user_agent: 7 }],
    ['occurred_at', { occurred_at: 7 }],
    ['occurred_at', { occurred_at: 'now' }],
    ['occurred_at', { occurred_at: '2026-01-31' }],
    ['occurred_at', { occurred_at: '2026-01-31T12:00:00' }],
    ['occurred_at', { occurred_at: '2026-01-31T25:00:00Z' }],
    ['event', { event: { name: '' } }],
    ['userAgent', { userAgent: CHROME }],
    ['__proto__', JSON.parse('{"__proto__":1}') as object],
  ])('is rejected for its %s alone: %j', async (field, fields) => {
    const site = await website(api);
    const [verdict, other] = await verdictsOn(site, [eventOf(site, { id: ID, ...fields }), eventOf(site)]);
    const { id = null } = fields as { id?: string };
    expect(verdict).toEqual({
      id: 'id' in fields ? id : ID,
      status: 'rejected',
      reason: expect.stringMatching(new RegExp(`^${field}: (?!.*; \\w+: )`)),
    });
    expect(other.status).toBe('accepted');
    expect(await pages(site)).toEqual({ '/': 1 });
  });

  it.each([[null], [7], ['text'], [[]], [[[]]]])('is rejected where it is none: %j', async (none) => {
    expect(await verdictsOn(await website(api), [none])).toEqual([
      { id: null, status: 'rejected', reason: expect.any(String) },
    ]);
  });

  it('is rejected where it names a field twice, alone', async () => {
    const site = await website(api);
    const [first, second] = [eventOf(site), eventOf(site)];
    const twice = `{"url":"${first.url}",${JSON.stringify(first).slice(1)}`;
    const body = `{"events":[${twice},${JSON.stringify(second)}]}`;
    const answer = await api.post(pathOf(site), { body, type: 'application/json' });
    expect(answer.body.data).toEqual([
      { id: first.id, status: 'rejected', reason: expect.stringMatching(/^url: /) },
      { id: second.id, status: 'accepted' },
    ]);
  });

  it('is rejected where it belongs to another website', async () => {
    const [site, other] = [await website(api), await website(api)];
    const refused = { id: ID, status: 'rejected', reason: 'url: belongs to another website' };
    for (const fields of [
      { url: `https://${other.domain}/` },
      { url: 'https://unregistered.example/' },
      { url: `https://${site.domain}.example/` },
      { url: `https://${site.domain}/`, domain: other.domain },
    ])
      expect(await verdictOn(site, fields)).toEqual(refused);
    for (const fields of [
      { url: `https://WWW.${site.domain}:8443/` },
      { url: 'https://staging.example.net/', domain: `www.${site.domain}` },
    ])
      expect(await verdictOn(site, { ...fields, id: randomUUID() })).toMatchObject({ status: 'accepted' });
  });
});

describe('an event of a subdomain', () => {
  const statusesOf = (site: Site) => {
    const domain = `blog.${site.domain}`;
    return statusesOn(site, [
      eventOf(site, { url: `https://${domain}/` }),
      eventOf(site, { url: `https://www.${domain}/` }),
      eventOf(site, { url: `https://other.${site.domain}/` }),
      eventOf(site, { url: `https://${domain}/`, domain: site.domain }),
    ]);
  };
  const all = ['accepted', 'accepted', 'accepted', 'accepted'];
  const some = ['rejected', 'rejected', 'accepted', 'accepted'];

  it('is rejected as long as that is a website of its own', async () => {
    const site = await website(api);
    expect(await statusesOf(site)).toEqual(all);
    const blog = await website(api, { domain: `blog.${site.domain}` });
    expect(await statusesOf(site)).toEqual(some);
    await api.delete(`${WEBSITES}/${blog.id}`);
    expect(await statusesOf(site)).toEqual(all);
  });

  it('is rejected as long as that is a website of another user, who was first', async () => {
    const owner = await service.anotherUser();
    const blog = await website(owner, { domain: 'blog.first-come.example' });
    const site = await website(api, { domain: 'first-come.example' });
    expect(await statusesOf(site)).toEqual(some);
    await owner.delete(`${WEBSITES}/${blog.id}`);
    expect(await statusesOf(site)).toEqual(all);
  });
});

describe('the moment of an event', () => {
  it.each([
    ['47 hours ago, nearly', -47 * HOUR_MS + MINUTE_MS],
    ['a day ago', -24 * HOUR_MS],
    ['a moment ago', -1000],
    ['now by a clock that is a little ahead', MINUTE_MS / 2],
  ])('counts on its own day: %s', async (_, difference) => {
    const site = await website(api);
    const occurred_at = momentText(Date.now() + difference);
    expect(await verdictOn(site, { occurred_at })).toEqual({ id: ID, status: 'accepted' });
    for (const name of ['pageview', 'visitor'])
      expect(await countsOf(api, site.id, name)).toEqual({ [occurred_at.slice(0, 10)]: 1 });
  });

  it.each([
    ['more than 47 hours ago', -47 * HOUR_MS - MINUTE_MS],
    ['years ago', -10_000 * HOUR_MS],
    ['in more than a minute', 2 * MINUTE_MS],
    ['tomorrow', 24 * HOUR_MS],
  ])('is rejected: %s', async (_, difference) => {
    const site = await website(api);
    expect(await verdictOn(site, { occurred_at: momentText(Date.now() + difference) })).toEqual({
      id: ID,
      status: 'rejected',
      reason: expect.stringMatching(/^occurred_at: /),
    });
    expect(await pages(site)).toEqual({});
  });

  it('is read with its offset and its fractions', async () => {
    const site = await website(api);
    const moment = Date.now() - 46 * HOUR_MS;
    const elsewhere = momentText(moment + 14 * HOUR_MS).replace(/\.\d+Z/, '.123456789+14:00');
    for (const occurred_at of [elsewhere, momentText(moment).replace(/\.\d+Z/, 'Z')])
      expect(await verdictOn(site, { occurred_at, id: randomUUID() })).toMatchObject({ status: 'accepted' });
    expect(await countsOf(api, site.id, 'visitor')).toEqual({ [momentText(moment).slice(0, 10)]: 1 });
  });

  it('makes a visitor of each day', async () => {
    const site = await website(api);
    const days = [0, 24].map((hours) => momentText(Date.now() - hours * HOUR_MS));
    const events = [...days, ...days].map((occurred_at) => eventOf(site, { occurred_at }));
    await sendMany(site, events);
    const counts = (count: number) => Object.fromEntries(days.map((day) => [day.slice(0, 10), count]));
    expect(await countsOf(api, site.id, 'visitor')).toEqual(counts(1));
    expect(await countsOf(api, site.id, 'pageview')).toEqual(counts(2));
  });
});

describe('an id', () => {
  it('is another one on the route of browsers, where anybody can send it', async () => {
    const site = await website(api);
    const [first, second] = [randomUUID(), randomUUID()];
    const url = `https://${site.domain}/`;
    await send(api, { url, id: first });
    expect(await pages(site)).toEqual({ '/': 1 });
    const events = [eventOf(site, { id: first }), eventOf(site, { id: second })];
    expect(await statusesOn(site, events)).toEqual(['accepted', 'accepted']);
    for (const id of [first, second, second]) expect((await send(api, { url, id })).status).toBe(202);
    expect(await pages(site)).toEqual({ '/': 4 });
    expect(await statusesOn(site, events)).toEqual(['duplicate', 'duplicate']);
  });

  it('is another one on another website', async () => {
    for (const site of [await website(api), await website(api)]) {
      expect(await verdictOn(site, {})).toEqual({ id: ID, status: 'accepted' });
      expect(await pages(site)).toEqual({ '/': 1 });
    }
  });

  it('is not used up by an event that was dropped or rejected', async () => {
    const site = await website(api);
    const statuses = await statusesOn(site, [
      eventOf(site, { id: ID, user_agent: BOT }),
      eventOf(site, { id: ID, screen: 'wide' }),
      eventOf(site, { id: ID }),
      eventOf(site, { id: ID }),
    ]);
    expect(statuses).toEqual(['dropped', 'rejected', 'accepted', 'duplicate']);
  });

  it('counts once in equal batches at once, whatever their order', async () => {
    const site = await website(api);
    const events = many(200, () => eventOf(site));
    const batches = many(10, (index) => (index % 2 === 0 ? events : [...events].reverse()));
    const verdicts = await Promise.all(batches.map((batch) => verdictsOn(site, batch)));
    const accepted = verdicts.flat().filter(({ status }) => status === 'accepted');
    expect(accepted.map(({ id }) => id as string).sort()).toEqual(events.map(({ id }) => id).sort());
    expect(verdicts.flat().filter(({ status }) => status === 'duplicate')).toHaveLength(9 * 200);
    expect(await pages(site)).toEqual({ '/': 200 });
  });
});
