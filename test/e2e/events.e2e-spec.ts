import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { CountingLease } from '../../engine/columns/leases/counting-lease';
import { BOT, CHROME, FIREFOX } from '../support/agents';
import { ApiClient } from '../support/api-client';
import { untilCounted } from '../support/counted';
import { freshDatabase } from '../support/fresh-database';
import { asOf, countsOf } from '../support/numbers';
import { type Service, startService } from '../support/programs';
import {
  ACCEPTED,
  droppedFor,
  EVENTS,
  type Headers,
  send,
  type Site,
  taken,
  visit,
  website,
  WEBSITES,
} from '../support/sending';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

let service: TestApp;
let api: ApiClient;
beforeAll(async () => {
  service = await startApp();
  api = service.api;
});
afterAll(() => service.stop());

const post = (body: string | Uint8Array, type = 'application/json', headers: Headers = {}) =>
  api.as(undefined).post(EVENTS, { body, type, headers: { 'User-Agent': CHROME, ...headers } });
const pages = (site: Site) => countsOf(api, site.id, 'page');
const visitors = async (site: Site, by = api) => Object.values(await countsOf(by, site.id, 'visitor'));

describe('an event', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'text/plain', 'text/plain;charset=UTF-8'])(
    'is taken as %s, with nothing in the answer',
    async (type) => {
      const site = await website(api);
      const answer = await post(JSON.stringify({ url: `https://${site.domain}/a` }), type);
      expect(taken(answer)).toEqual(ACCEPTED);
      expect([answer.text, answer.headers.get('Content-Length')]).toEqual(['', '0']);
      expect(await pages(site)).toEqual({ '/a': 1 });
    },
  );

  it.each(['/api/v1/events/', '/API/v1/Events', '/api/v1/events?', '/api/v1/events/?'])(
    'is taken at %s as well',
    async (path) => {
      const site = await website(api);
      const body = JSON.stringify({ url: `https://${site.domain}/` });
      for (const type of ['application/json', 'text/plain']) {
        const answer = await api.as(undefined).post(path, { body, type, headers: { 'User-Agent': CHROME } });
        expect(taken(answer)).toEqual(ACCEPTED);
      }
      expect(await pages(site)).toEqual({ '/': 2 });
    },
  );

  it('tells all that is counted of it', async () => {
    const site = await website(api);
    const event = {
      url: `https://${site.domain}/a?utm_campaign=Spring&b=1#c`,
      referrer: 'https://www.google.com/search',
      screen: '1920x1080',
    };
    await send(api, event, { 'Accept-Language': 'fr-CH, fr;q=0.9' });
    await send(api, { ...event, language: 'de_AT', event: { name: 'signup' }, domain: null, id: null });
    const names = { page: '/a?b=1', event: 'signup', referrer: 'google.com', campaign: 'Spring' };
    const ofTheFirst = { language: 'fr-CH', browser: 'Chrome', device: 'desktop', country: '(unknown)' };
    for (const [name, value] of Object.entries({ ...names, ...ofTheFirst, screen_resolution: '1920x1080' }))
      expect([name, await countsOf(api, site.id, name)]).toEqual([name, { [value]: 1 }]);
  });

  it.each<[string, (domain: string) => object]>([
    ['the host of its address', (domain) => ({ url: `https://${domain}/` })],
    ['that host, www. aside', (domain) => ({ url: `http://www.${domain}/` })],
    [
      'that host in any case and with a port',
      (domain) => ({ url: `https://WWW.${domain.toUpperCase()}:8443` }),
    ],
    ['the domain it names', (domain) => ({ url: 'https://staging.example.net/', domain })],
    [
      'the domain, www. aside',
      (domain) => ({ url: 'https://staging.example.net/', domain: `www.${domain}` }),
    ],
  ])('belongs to %s', async (_, eventOf) => {
    const site = await website(api);
    expect(taken(await send(api, eventOf(site.domain)))).toEqual(ACCEPTED);
    expect(await pages(site)).toEqual({ '/': 1 });
  });

  it('belongs to a domain that is no ASCII', async () => {
    const site = await website(api, { domain: 'mühle.example' });
    for (const event of [{ url: 'https://mühle.example/' }, { url: 'https://a.b/', domain: 'MÜHLE.example' }])
      expect(taken(await send(api, event))).toEqual(ACCEPTED);
    expect(await pages(site)).toEqual({ '/': 2 });
  });
});

describe('a domain that nobody registered', () => {
  const unknown = { status: 404, code: 'not_found' };

  it('is not there', async () => {
    const { domain } = await website(api);
    for (const event of [
      { url: 'https://unregistered.example/' },
      { url: `https://shop.${domain}/` },
      { url: `https://${domain}/`, domain: 'unregistered.example' },
      { url: 'https://127.0.0.1/' },
    ])
      expect((await send(api, event)).body).toMatchObject(unknown);
    const named = service.logs.filter((line) => line.includes('Events for unregistered.example are refused'));
    expect(named).toHaveLength(1);
  });

  it('is one that was deleted a moment ago, until it is registered again', async () => {
    const site = await website(api);
    expect(taken(await visit(api, site))).toEqual(ACCEPTED);
    await api.delete(`${WEBSITES}/${site.id}`);
    expect((await visit(api, site)).body).toMatchObject(unknown);
    const again = await website(api, { domain: site.domain });
    expect(taken(await visit(api, again))).toEqual(ACCEPTED);
  });

  it('starts with nothing where it was registered before', async () => {
    const { domain, id } = await website(api);
    await send(api, { url: `https://${domain}/old` });
    await api.delete(`${WEBSITES}/${id}`);
    const again = await website(api, { domain });
    await send(api, { url: `https://${domain}/new` });
    expect(await pages(again)).toEqual({ '/new': 1 });
  });
});

describe('a field that is not allowed', () => {
  const url = 'https://fields.example.com/';
  const longest = `${url}a${'é'.repeat((8192 - 1 - url.length) / 2)}`;
  beforeAll(() => website(api, { domain: 'fields.example.com' }));

  it.each([
    ...[
      undefined,
      null,
      '',
      7,
      true,
      [url],
      { href: url },
      'example.com/',
      '/a',
      'ftp://a.b/',
      'https://',
      `${longest}a`,
    ].map((sent) => ['url', sent]),
    ...[7, false, [url], {}, `${longest}a`].map((sent) => ['referrer', sent]),
    ...['https://a.example', 'a..example', '192.0.2.1', 7, ['a.example'], {}].map((sent) => ['domain', sent]),
    ...[7, ['de'], {}, 'x'.repeat(256)].map((sent) => ['language', sent]),
    ...[
      '1920',
      '1920X1080',
      '1920x',
      '-1x5',
      '+1x5',
      '1e3x5',
      ' 1920x1080',
      '１x１',
      '123456x1',
      1920,
      ['1x1'],
      {},
    ].map((sent) => ['screen', sent]),
    ...['', 'signup', 7, [], ['signup'], {}, { name: '' }, { name: null }, { name: 7 }, { name: {} }].map(
      (sent) => ['event', sent],
    ),
    ...[
      { name: 'a', value: 1 },
      { name: 'a', toString: 'b' },
    ].map((sent) => ['event', sent]),
    ...[
      '1',
      'g'.repeat(36),
      randomUUID().slice(1),
      `{${randomUUID()}}`,
      randomUUID().replaceAll('-', ''),
      7,
      [],
      {},
    ].map((sent) => ['id', sent]),
    ...['Url', 'ip', 'user_agent', 'occurred_at', 'name', 'toString', 'constructor', 'x'.repeat(100), ''].map(
      (name) => [name, 'a'],
    ),
  ] as [string, unknown][])('is refused by name: %s (%#)', async (name, sent) => {
    const answer = await send(api, { url, [name]: sent });
    expect(answer.body).toMatchObject({ status: 422, code: 'invalid_fields' });
    expect(Object.keys(answer.body.errors)).toEqual([name]);
  });

  it.each([
    ['__proto__', `{"url":"${url}","__proto__":{"event":{"name":"a"}}}`],
    ['url', `{"url":"${url}","url":"${url}"}`],
    ['event', `{"url":"${url}","event":{"name":"a"},"\\u0065vent":null}`],
    ['event', `{"url":"${url}","event":{"name":"a","name":"b"}}`],
    ['referrer', `{"url":"${url}","referrer":${'['.repeat(900)}${']'.repeat(900)}}`],
    ...['[]', 'null', '"a"', '1', 'true', '[{}]', '['.repeat(30_000) + ']'.repeat(30_000)].map((body) => [
      'body',
      body,
    ]),
  ] as [string, string][])('is refused as it stands in JSON: %s (%#)', async (name, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([name]);
  });

  it('is named together with all others', async () => {
    const { body } = await send(api, { referrer: 1, screen: 'x', event: {}, id: '', other: 1, more: 2 });
    expect(Object.keys(body.errors).sort()).toEqual(['event', 'more', 'other', 'referrer', 'screen', 'url']);
    const namedOf = async (fields: number) => {
      const many = Array.from({ length: fields }, (_, index) => [`field${index}`, 1]);
      return Object.keys((await send(api, Object.fromEntries(many))).body.errors);
    };
    // The first of them, and the one that is missing.
    expect(await namedOf(50)).toHaveLength(21);
    expect(await namedOf(2000)).toEqual(['body']);
  });

  it('is a parameter of the query', async () => {
    const { body } = await api.as(undefined).post(`${EVENTS}?url=a&__proto__=b`, { json: { url } });
    expect([body.status, Object.keys(body.errors).sort()]).toEqual([422, ['__proto__', 'url']]);
  });

  it('is none of these', async () => {
    for (const event of [
      { url: longest, referrer: longest, language: 'x'.repeat(255), screen: '99999x1' },
      { url, domain: '', referrer: '', language: '', screen: '', event: null, id: '' },
      { url, referrer: 'no address', language: '?', event: { name: ' ' }, id: randomUUID().toUpperCase() },
      { url, event: { name: '\ud800'.repeat(5000) } },
    ])
      expect(taken(await send(api, event))).toEqual(ACCEPTED);
  });
});

describe('a body that cannot be read', () => {
  it.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['JSON cut short', '{"url":'],
    ['a form', 'url=https%3A%2F%2Fexample.com%2F'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('is malformed: %s', async (_, body) => {
    for (const type of ['application/json', 'text/plain'])
      expect((await post(body, type)).body).toMatchObject({ status: 400, code: 'malformed' });
  });

  it('has more than 64 KiB', async () => {
    const { domain } = await website(api);
    const padded = (bytes: number) => JSON.stringify({ url: `https://${domain}/` }).padEnd(bytes);
    expect((await post(padded(64 * 1024))).status).toBe(202);
    for (const bytes of [64 * 1024 + 1, 2_000_000])
      expect((await post(padded(bytes))).body).toMatchObject({ status: 413, code: 'too_large' });
  });

  it.each([
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['application/jsonp', {}],
    ['multipart/form-data; boundary=x', {}],
    ['', {}],
    ['application/json', { 'Content-Encoding': 'gzip' }],
  ])('is of a type that is not read: %j %j', async (type, headers) => {
    const body = gzipSync('{}');
    expect((await post(body, type, headers)).body).toMatchObject({
      status: 415,
      code: 'unsupported_body',
    });
  });
});

it('is no error of the service that a page is left while it sends', async () => {
  const socket = connect(Number(new URL(service.address).port), '127.0.0.1');
  const arrived = once(service.app.getHttpServer(), 'request');
  socket.write(
    `POST ${EVENTS} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\n{`,
  );
  const [request] = (await arrived) as [IncomingMessage];
  socket.destroy();
  await new Promise((resolve) => request.once('close', resolve));
  await nextTurn();
  expect(service.logs.join()).not.toContain('internal_error');
});

describe('a page of any origin', () => {
  it('may send, and hears why an event was dropped', async () => {
    const site = await website(api);
    const answers = [
      await visit(api, site),
      await visit(api, site, { 'User-Agent': BOT }),
      await visit(api, { domain: 'unregistered.example' }),
      await send(api, {}),
      await post('{'),
      await post('{}', 'text/html'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 404, 422, 400, 415]);
    for (const { headers } of answers) {
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(headers.get('Access-Control-Expose-Headers')).toContain('Milepost-Dropped');
    }
  });

  it('may ask before', async () => {
    const answer = await api.as(undefined).send('OPTIONS', EVENTS, {
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('Access-Control-Allow-Methods')).toContain('POST');
    expect(answer.headers.get('Access-Control-Allow-Headers')).toContain('Content-Type');
    expect(Number(answer.headers.get('Access-Control-Max-Age'))).toBeGreaterThan(0);
  });
});

it('gives each answer the id of its request', async () => {
  const site = await website(api);
  const own = { 'X-Request-Id': 'page-7.a:b_c' };
  expect((await visit(api, site, own)).headers.get('X-Request-Id')).toBe('page-7.a:b_c');
  const refused = await send(api, {}, own);
  expect([refused.headers.get('X-Request-Id'), refused.body.request_id]).toEqual([
    'page-7.a:b_c',
    'page-7.a:b_c',
  ]);
  for (const headers of [{}, { 'X-Request-Id': 'a b' }, { 'X-Request-Id': 'x'.repeat(129) }] as Headers[])
    expect((await visit(api, site, headers)).headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
});

describe('a rule', () => {
  it.each(['', BOT, 'curl/8.5.0', `${CHROME} HeadlessChrome/124.0.0.0`])(
    'drops the bot %j',
    async (agent) => {
      const site = await website(api);
      expect(taken(await visit(api, site, { 'User-Agent': agent }))).toEqual(droppedFor('bot'));
      expect(await pages(site)).toEqual({});
    },
  );

  it('lets bots in where they are not excluded', async () => {
    const site = await website(api, { exclude_bots: 0 });
    expect(taken(await visit(api, site, { 'User-Agent': BOT }))).toEqual(ACCEPTED);
    expect(await visitors(site)).toEqual([1]);
  });

  it.each(['127.0.0.1', '127.0.0.0/8', '::ffff:127.0.0.0/104', '::ffff:127.0.0.1', '10.0.0.1\n0.0.0.0/0'])(
    'drops an address among %j',
    async (exclude_ips) => {
      const site = await website(api, { exclude_ips });
      expect(taken(await visit(api, site))).toEqual(droppedFor('ip'));
      expect(await pages(site)).toEqual({});
    },
  );

  it.each(['127.0.0.2', '128.0.0.0/8', '::1', '::/0'])(
    'lets an address in that is not among %j',
    async (exclude_ips) => {
      expect(taken(await visit(api, await website(api, { exclude_ips })))).toEqual(ACCEPTED);
    },
  );

  it.each(['null', 'https://DOMAIN', 'http://www.DOMAIN:8080', 'https://shop.DOMAIN', 'https://a.b.DOMAIN'])(
    'lets the origin %s pass',
    async (origin) => {
      const site = await website(api);
      expect(taken(await visit(api, site, { Origin: origin.replace('DOMAIN', site.domain) }))).toEqual(
        ACCEPTED,
      );
    },
  );

  it.each(['https://a.example', 'https://xDOMAIN', 'https://DOMAIN.a.example', 'https://com', 'nonsense'])(
    'drops the origin %s',
    async (origin) => {
      const site = await website(api);
      const Origin = origin.replace('DOMAIN', site.domain);
      expect(taken(await visit(api, site, { Origin }))).toEqual(droppedFor('origin'));
      expect(await pages(site)).toEqual({});
    },
  );

  it('takes the excluded parameters out of pages', async () => {
    const site = await website(api, { exclude_params: 'session\nref_*' });
    for (const query of ['?session=1&b=%20+2', '?ref_a=1&b=%20+2&utm_source=x', '?ref=1', '?session&ref_'])
      await send(api, { url: `https://${site.domain}/a${query}` });
    expect(await pages(site)).toEqual({ '/a?b=%20+2': 2, '/a?ref=1': 1, '/a': 1 });
    await api.patch(`${WEBSITES}/${site.id}`, { form: { exclude_params: '*' } });
    await send(api, { url: `https://${site.domain}/b?c=1&utm_campaign=Sale` });
    expect(await pages(site)).toMatchObject({ '/b': 1 });
    expect(await countsOf(api, site.id, 'campaign')).toEqual({ Sale: 1 });
  });

  it('holds for the very next event', async () => {
    const site = await website(api);
    const bot = { 'User-Agent': BOT };
    for (let round = 0; round < 5; round++)
      for (const [form, headers, expected] of [
        [{ exclude_bots: 0 }, bot, ACCEPTED],
        [{ exclude_bots: 1 }, bot, droppedFor('bot')],
        [{ exclude_ips: '127.0.0.1' }, {}, droppedFor('ip')],
        [{ exclude_ips: '' }, {}, ACCEPTED],
      ] as [object, Headers, unknown[]][]) {
        await api.patch(`${WEBSITES}/${site.id}`, { form: { ...form } });
        expect(taken(await visit(api, site, headers))).toEqual(expected);
      }
    expect(await pages(site)).toEqual({ '/': 10 });
  });
});

describe('the same id', () => {
  const purchase = ({ domain }: Site, id: string) => ({
    url: `https://${domain}/`,
    event: { name: 'buy' },
    id,
  });

  it('counts once when it is sent again', async () => {
    const site = await website(api);
    const id = randomUUID();
    for (const sent of [id, id, id.toUpperCase()])
      expect(taken(await send(api, purchase(site, sent)))).toEqual(ACCEPTED);
    await untilCounted(api, site.id);
    expect(taken(await send(api, purchase(site, id)))).toEqual(ACCEPTED);
    expect(await countsOf(api, site.id, 'event')).toEqual({ buy: 1 });
  });

  it('counts once when it is sent 50 times at once', async () => {
    const site = await website(api);
    const ids = [randomUUID(), randomUUID()];
    const sent = Array.from({ length: 100 }, (_, index) => send(api, purchase(site, ids[index % 2]!)));
    for (const answer of await Promise.all(sent)) expect(taken(answer)).toEqual(ACCEPTED);
    expect(await countsOf(api, site.id, 'event')).toEqual({ buy: 2 });
  });

  it('is not used up by an event that was dropped', async () => {
    const site = await website(api);
    const id = randomUUID();
    expect(taken(await send(api, purchase(site, id), { 'User-Agent': BOT }))).toEqual(droppedFor('bot'));
    expect(taken(await send(api, purchase(site, id)))).toEqual(ACCEPTED);
    expect(await countsOf(api, site.id, 'event')).toEqual({ buy: 1 });
  });
});

it('counts every event of many at once', async () => {
  const some = await Promise.all([website(api), website(api), website(api)]);
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      visit(api, some[index % 3]!, { 'User-Agent': `${FIREFOX} a${index % 10}` }),
    ),
  );
  expect(answers.map(taken)).toEqual(answers.map(() => ACCEPTED));
  for (const site of some) {
    expect(await pages(site)).toEqual({ '/': 100 });
    expect(await visitors(site)).toEqual([10]);
  }
});

it('says how far the numbers go while events wait', async () => {
  const site = await website(api);
  const lease = await CountingLease.take(service.database, site.id, 'another process');
  await visit(api, site);
  const waitingSince = await asOf(api, site.id);
  const firstBefore = Date.now();
  await until(() => Date.now() > firstBefore);
  await visit(api, site);
  expect(await asOf(api, site.id)).toBe(waitingSince);
  await lease!.release();
  expect(await pages(site)).toEqual({ '/': 2 });
});

describe('two processes on one database', () => {
  let processes: Service[];
  let clients: ApiClient[];
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    drop = () => database.drop();
    const environment = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: FIRST_KEY };
    processes = [await startService(environment), await startService(environment)];
    clients = processes.map(({ address }) => new ApiClient(address, FIRST_KEY));
  });
  afterAll(async () => {
    await Promise.all(processes.map(({ program }) => program.stop('SIGKILL')));
    await drop();
  });

  it('hold a change for the very next event, whichever made it', async () => {
    for (let round = 0; round < 6; round++) {
      const [one, other] = round % 2 === 0 ? clients : [...clients].reverse();
      const site = await website(one!, {});
      expect(taken(await visit(other!, site))).toEqual(ACCEPTED);
      for (const [exclude_bots, expected] of [
        [0, ACCEPTED],
        [1, droppedFor('bot')],
      ] as const) {
        await one!.patch(`${WEBSITES}/${site.id}`, { form: { exclude_bots } });
        expect(taken(await visit(other!, site, { 'User-Agent': BOT }))).toEqual(expected);
      }
      await one!.delete(`${WEBSITES}/${site.id}`);
      expect((await visit(other!, site)).status).toBe(404);
    }
  });

  it('count each event once', async () => {
    const [one, other] = clients as [ApiClient, ApiClient];
    const site = await website(one, {});
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const event = { url: `https://${site.domain}/`, event: { name: 'buy' } };
    await Promise.all(
      [...ids, ...ids].flatMap((id) => [send(one, { ...event, id }), send(other, { ...event, id })]),
    );
    for (const client of clients) expect(await countsOf(client, site.id, 'event')).toEqual({ buy: 20 });
    expect(await visitors(site, one)).toEqual([1]);
  });
});
