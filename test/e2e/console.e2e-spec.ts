import { ApiKey } from '../../src/auth/api-key.entity';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import { NotFound } from '../../src/common/problems';
import { dayText } from '../../engine/ground/time/days';
import { ConsoleSessions, SESSION_MS } from '../../src/pages/console/console-sessions';
import { WebsitesService } from '../../src/websites/websites.service';
import type { Answer } from '../support/api-client';
import { until } from '../support/until';
import { BOT } from '../support/agents';
import { untilDropped } from '../support/counted';
import { addHits, visitorsOn } from '../support/past-days';
import { passTime } from '../support/passing-time';
import { sendBatch, visit, website } from '../support/sending';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';

const CONSOLE = '/console/api';
const HOUR_MS = 3_600_000;
const RANGE = 'from=2026-03-01&to=2026-03-31';
/** A user may ask 600 times a minute. */
const BETWEEN_LOOKS_MS = 200;

let service: TestApp;
beforeAll(async () => void (service = await startApp({ RATE_LIMIT: 'on', TRUST_PROXY: '1' })));
afterAll(() => service.stop());

interface Session {
  cookie: string;
  token: string;
  keyId: number;
}

const nobody = () => service.api.as(undefined);
const signInWith = (key: string, headers = {}) =>
  nobody().post(`${CONSOLE}/session`, { headers: { Authorization: `Bearer ${key}`, ...headers } });
const cookieOf = ({ headers }: Answer) => headers.get('Set-Cookie')!.split(';')[0]!;

async function sessionOf(key = FIRST_KEY): Promise<Session> {
  const cookie = cookieOf(await signInWith(key));
  const { body } = await nobody().get(`${CONSOLE}/session`, { headers: { Cookie: cookie } });
  return { cookie, token: body.data.token, keyId: body.data.key.id };
}

const headersOf = ({ cookie, token }: Session) => ({ Cookie: cookie, 'X-Milepost-Token': token });
const newKey = (options: object = {}) =>
  service.app.get(ApiKeysService).create(1, { name: 'test', scope: 'full', expiresAt: null, ...options });
const list = async (cookie: string) =>
  (await nobody().get(`${CONSOLE}/websites`, { headers: { Cookie: cookie } })).status;

it('works on three requests of a session at once, and on statistics besides', async () => {
  const [session, { id }] = [await sessionOf(), await website(service.api)];
  const get = (path: string) => nobody().get(CONSOLE + path, { headers: headersOf(session) });
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const shows = jest.spyOn(service.app.get(WebsitesService), 'show').mockImplementation(async () => {
    await ended;
    throw new NotFound('Website');
  });
  const answers = Array.from({ length: 5 }, () => get(`/websites/${id}`));
  await until(() => shows.mock.calls.length === 3);
  expect((await get(`/stats/${id}?name=page&${RANGE}`)).status).toBe(200);
  expect(shows).toHaveBeenCalledTimes(3);
  shows.mockRestore();
  end();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 200, 404, 404, 404]);
});

describe('signing in', () => {
  it('exchanges a key for a cookie that scripts and other sites cannot use', async () => {
    const answer = await signInWith(FIRST_KEY);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('Set-Cookie')).toMatch(
      /^milepost_session=\d+\.\d+\.[\w-]{22}\.[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers.get('Set-Cookie')).not.toContain(FIRST_KEY);
    expect(await list(cookieOf(answer))).toBe(200);
    const tls = await signInWith(FIRST_KEY, { 'X-Forwarded-Proto': 'https' });
    expect(tls.headers.get('Set-Cookie')).toMatch(/; Secure$/);
  });

  it('says who signed in, with what key', async () => {
    const { cookie } = await sessionOf();
    const { body, headers } = await nobody().get(`${CONSOLE}/session`, { headers: { Cookie: cookie } });
    expect(body.data).toMatchObject({
      email: 'admin@localhost',
      key: { scope: 'full' },
      token: expect.any(String),
    });
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(JSON.stringify(body)).not.toContain(FIRST_KEY);
  });

  it('takes no key that may neither read nor change, and no wrong one', async () => {
    expect((await signInWith(await newKey({ scope: 'events' }))).status).toBe(403);
    expect((await signInWith(await newKey({ expiresAt: new Date(1) }))).status).toBe(401);
    for (const key of ['wrong-key-wrong-key-wrong-key', 'x', '']) {
      const { status, headers } = await signInWith(key);
      expect([status, headers.has('Set-Cookie')]).toEqual([401, false]);
    }
    expect((await nobody().post(`${CONSOLE}/session`)).status).toBe(401);
  });

  it('counts wrong keys as everywhere else', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    try {
      const guess = () => signInWith('wrong-key-wrong-key-wrong-key', { 'X-Forwarded-For': '198.51.100.20' });
      const statuses = [];
      for (let guesses = 0; guesses < 21; guesses++) statuses.push((await guess()).status);
      expect(statuses).toEqual([...Array<number>(20).fill(401), 429]);
    } finally {
      now.mockRestore();
    }
  });
});

describe('a session', () => {
  it('ends when its key is deleted or expires, after a week, and by signing out', async () => {
    const one = await sessionOf(await newKey());
    await service.api.delete(`/api/v1/keys/${one.keyId}`);
    expect(await list(one.cookie)).toBe(401);
    const soon = await sessionOf(await newKey({ expiresAt: new Date(Date.now() + HOUR_MS) }));
    expect(await list(soon.cookie)).toBe(200);
    await service.database.write((manager) =>
      manager.update(ApiKey, soon.keyId, { expiresAt: new Date(Date.now() - 1) }),
    );
    expect(await list(soon.cookie)).toBe(401);
    const { cookie, token, keyId } = await sessionOf();
    const old = service.app.get(ConsoleSessions, { strict: false }).valueFor(keyId, Date.now() - SESSION_MS);
    expect(await list(`milepost_session=${old}`)).toBe(401);
    const out = await nobody().delete(`${CONSOLE}/session`, { headers: headersOf({ cookie, token, keyId }) });
    expect([out.status, out.headers.get('Set-Cookie')]).toEqual([
      204,
      expect.stringContaining('milepost_session=; '),
    ]);
    expect(out.headers.get('Set-Cookie')).toContain('Max-Age=0');
    expect(await list(cookie)).toBe(401);
    expect((await nobody().delete(`${CONSOLE}/session`, { headers: { Cookie: cookie } })).status).toBe(401);
  });

  it('is one of several of a key, and the others go on', async () => {
    const key = await newKey();
    const [one, other] = [await sessionOf(key), await sessionOf(key)];
    await nobody().delete(`${CONSOLE}/session`, { headers: headersOf(one) });
    expect([await list(one.cookie), await list(other.cookie)]).toEqual([401, 200]);
    const { domain } = await website(service.api, { privacy: 1 });
    const page = async ({ cookie }: Session) =>
      (await nobody().get(`/share/${domain}`, { headers: { Cookie: cookie } })).status;
    expect([await page(one), await page(other)]).toEqual([404, 200]);
  });

  it('cannot be made up', async () => {
    const { cookie } = await sessionOf();
    const [key, endsAt, id, signature] = cookie.split('=')[1]!.split('.') as [string, string, string, string];
    const forged = [
      `${Number(key) + 1}.${endsAt}.${id}.${signature}`,
      `${key}.${Number(endsAt) + 1}.${id}.${signature}`,
      `${key}.${endsAt}.${id.slice(1)}A.${signature}`,
      `${key}.${endsAt}.${id}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      `${key}.${endsAt}.${id}.`,
      `${key}.${endsAt}.${signature}`,
      '',
      FIRST_KEY,
    ];
    for (const value of forged)
      expect([value, await list(`milepost_session=${value}`)]).toEqual([value, 401]);
  });

  it('counts for the console alone: the API reads no cookie, and the console no key', async () => {
    const { cookie } = await sessionOf();
    expect((await nobody().get('/api/v1/websites', { headers: { Cookie: cookie } })).status).toBe(401);
    expect((await service.api.get(`${CONSOLE}/websites`)).status).toBe(401);
  });

  it('of a key that may only read changes nothing', async () => {
    const session = await sessionOf(await newKey({ scope: 'read' }));
    const { id } = await website(service.api);
    const headers = headersOf(session);
    expect(
      (await nobody().patch(`${CONSOLE}/websites/${id}`, { json: { privacy: 0 }, headers })).status,
    ).toBe(403);
    expect((await nobody().get(`${CONSOLE}/keys`, { headers })).status).toBe(403);
    expect((await nobody().get(`${CONSOLE}/websites/${id}`, { headers })).status).toBe(200);
    expect((await nobody().delete(`${CONSOLE}/session`, { headers })).status).toBe(204);
  });

  it('of a key that is limited to websites sees these alone', async () => {
    const [mine, other] = [
      await website(service.api, { privacy: 1 }),
      await website(service.api, { privacy: 1 }),
    ];
    const { cookie } = await sessionOf(await newKey({ scope: 'read', websites: [mine.id] }));
    const get = async (path: string) => (await nobody().get(path, { headers: { Cookie: cookie } })).status;
    expect(await get(`${CONSOLE}/websites/${mine.id}`)).toBe(200);
    expect(await get(`${CONSOLE}/websites/${other.id}`)).toBe(404);
    expect(await get(`/share/${mine.domain}`)).toBe(200);
    expect(await get(`/share/${other.domain}`)).toBe(404);
  });
});

describe('a request of another site', () => {
  const changes = async (headers: Record<string, string>) => {
    const { id } = await website(service.api);
    return (await nobody().patch(`${CONSOLE}/websites/${id}`, { json: { privacy: 0 }, headers })).status;
  };

  it('changes nothing', async () => {
    const session = await sessionOf();
    const other = await sessionOf(await newKey());
    const { Cookie, ...token } = headersOf(session);
    expect(await changes({ Cookie, ...token })).toBe(200);
    expect(await changes({ Cookie })).toBe(403);
    expect(await changes({ Cookie, 'X-Milepost-Token': other.token })).toBe(403);
    expect(await changes({ Cookie, ...token, 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await changes({ Cookie, ...token, 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(await changes({ Cookie, ...token, Origin: 'https://evil.example' })).toBe(403);
    expect(await changes({ Cookie, ...token, Origin: 'null' })).toBe(403);
    expect(
      await changes({ Cookie, ...token, 'Sec-Fetch-Site': 'same-origin', Origin: service.address }),
    ).toBe(200);
  });

  it('reads nothing', async () => {
    const { cookie } = await sessionOf();
    const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' };
    for (const path of ['session', 'websites', `stats/1?name=page&${RANGE}`]) {
      const { status, body } = await nobody().get(`${CONSOLE}/${path}`, { headers });
      expect([status, body.code]).toEqual([403, 'cross_site']);
    }
  });
});

describe('the console', () => {
  it('answers what the API answers', async () => {
    const session = await sessionOf();
    const headers = headersOf(session);
    const { id } = await website(service.api);
    for (const path of [
      `websites/${id}`,
      'websites?per_page=10&sort=asc',
      `stats/${id}?name=page&${RANGE}`,
      'websites/0',
      'stats/1?name=x',
    ]) {
      const [own, shown] = [
        await service.api.get(`/api/v1/${path}`),
        await nobody().get(`${CONSOLE}/${path}`, { headers }),
      ];
      expect([path, shown.status]).toEqual([path, own.status]);
      expect(shown.body.data).toEqual(own.body.data);
      expect(shown.body.errors).toEqual(own.body.errors);
    }
    const refused = await nobody().post(`${CONSOLE}/websites`, { json: { domain: 'http://x' }, headers });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['domain']]);
  });

  it('asks for nothing beyond websites, statistics, keys and oneself', async () => {
    const headers = headersOf(await sessionOf());
    for (const path of ['events', 'docs', '../health/live', 'websitesx', ''])
      expect((await nobody().get(`${CONSOLE}/${path}`, { headers })).status).toBe(404);
  });

  it('tells the visitors of the last 28 days of a page of websites at once', async () => {
    const [one, quiet, young, hidden] = [
      await website(service.api),
      await website(service.api),
      await website(service.api),
      await website(service.api),
    ];
    const dayBefore = (days: number) => dayText(Math.floor(Date.now() / 86_400_000) - days);
    const today = dayBefore(0);
    await addHits(service, one.id, [
      ...visitorsOn(today, 7),
      ...visitorsOn(dayBefore(28), 100),
      ...visitorsOn(dayBefore(29), 11),
      ...visitorsOn(dayBefore(55), 12),
      ...visitorsOn(dayBefore(56), 100),
    ]);
    await addHits(service, young.id, [...visitorsOn(today, 3), ...visitorsOn(dayBefore(40), 5)]);
    const recent = async (cookie: string, ids: string) =>
      nobody().get(`${CONSOLE}/recent?websites=${ids}`, { headers: { Cookie: cookie } });
    const none = Array<number>(28).fill(0);
    const { cookie } = await sessionOf();
    const { status, body } = await recent(cookie, `${one.id},${quiet.id},${young.id},999999`);
    expect([status, body.data]).toEqual([
      200,
      [
        {
          ...{ website_id: one.id, visitors: [...none.slice(1), 7], visitors_before: 23 },
          ...{ since: null, visitors_now: 0 },
        },
        { website_id: quiet.id, visitors: none, visitors_before: 0, since: null, visitors_now: 0 },
        {
          ...{ website_id: young.id, visitors: [...none.slice(1), 3], visitors_before: 5 },
          ...{ since: dayBefore(40), visitors_now: 0 },
        },
      ],
    ]);
    const yesterday = Date.now() - 86_400_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(yesterday);
    expect((await recent(cookie, String(one.id))).body.data).toEqual(body.data.slice(0, 1));
    clock.mockRestore();
    const limited = await sessionOf(await newKey({ scope: 'read', websites: [one.id] }));
    expect((await recent(limited.cookie, `${one.id},${hidden.id}`)).body.data).toHaveLength(1);
    const stranger = await newKeyOf(await otherUser());
    expect((await recent((await sessionOf(stranger)).cookie, String(one.id))).body.data).toEqual([]);
    const many = Array.from({ length: 101 }, (_, index) => index + 1).join();
    for (const ids of ['', 'x', '1,1', '0', '1.5', many])
      expect([ids, (await recent(cookie, ids)).status]).toEqual([ids, 422]);
    expect((await nobody().get(`${CONSOLE}/recent?websites=1`)).status).toBe(401);
    const total = async (of: string, page = '1') =>
      nobody().get(`${CONSOLE}/recent/total?page=${page}`, { headers: { Cookie: of } });
    const sum = { visitors: [...none.slice(1), 7], visitors_before: 23, since: null };
    expect((await total(limited.cookie)).body.data).toEqual(sum);
    expect((await total(limited.cookie, '2')).body.data).toEqual({
      visitors: none,
      visitors_before: 0,
      since: null,
    });
    expect((await total((await sessionOf(stranger)).cookie)).body.data.visitors).toEqual(none);
    for (const page of ['', '0', 'x', '1.5'])
      expect([page, (await total(cookie, page)).status]).toEqual([page, 422]);
    expect((await total('')).status).toBe(401);
    expect((await service.api.get('/api/v1/recent?websites=1')).status).toBe(404);
  });

  it('tells whether an event from its own address was left out, and of other addresses nothing', async () => {
    const site = await website(service.api, { exclude_bots: 1 });
    const { cookie } = await sessionOf();
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const own = async (address: string, of = cookie, { id } = site) =>
      nobody().get(`${CONSOLE}/first-visit?website=${id}`, { headers: { Cookie: of, ...from(address) } });
    const comes = (address: string) => visit(service.api, site, { 'User-Agent': BOT, ...from(address) });
    await comes('198.51.100.1');
    expect((await own('198.51.100.1')).body.data.own_dropped).toBeNull();
    await comes('198.51.100.2');
    expect((await own('198.51.100.1')).body.data.own_dropped).toBeNull();
    await comes('198.51.100.1');
    const dropped = { reason: 'bot', seconds_ago: expect.any(Number) };
    expect((await own('198.51.100.1')).body.data.own_dropped).toEqual(dropped);
    expect((await own('198.51.100.2')).body.data.own_dropped).toBeNull();
    const other = await website(service.api);
    expect((await own('198.51.100.1', cookie, other)).body.data.own_dropped).toBeNull();
    passTime(3 * 60_000);
    expect((await own('198.51.100.1')).body.data.own_dropped).toBeNull();
  });

  it('tells what was left out, by reason and day', async () => {
    const site = await website(service.api, { exclude_bots: 1, exclude_ips: '203.0.113.9' });
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    await sendBatch(service.api, site, [
      { user_agent: BOT },
      { user_agent: BOT, occurred_at: yesterday },
      { ip: '203.0.113.9', occurred_at: yesterday },
    ]);
    await untilDropped(service.api, site.id, 3);
    const { cookie } = await sessionOf();
    const dropped = async (query: string, of = cookie) =>
      nobody().get(`${CONSOLE}/dropped?${query}`, { headers: { Cookie: of } });
    const [first, last] = [yesterday.slice(0, 10), new Date().toISOString().slice(0, 10)];
    expect((await dropped(`website=${site.id}&from=2020-01-01&to=${last}`)).body.data).toEqual({
      reasons: expect.arrayContaining([
        { reason: 'bot', count: 2 },
        { reason: 'ip', count: 1 },
      ]),
      days: [
        { day: last, reason: 'bot', count: 1 },
        { day: first, reason: 'bot', count: 1 },
        { day: first, reason: 'ip', count: 1 },
      ],
    });
    const range = `from=${last}&to=${last}`;
    const today = [{ reason: 'bot', count: 1 }];
    expect((await dropped(`website=${site.id}&${range}`)).body.data.reasons).toEqual(today);
    const stranger = await sessionOf(await newKeyOf(await otherUser()));
    const limited = await sessionOf(await newKey({ scope: 'read', websites: [site.id + 1] }));
    for (const path of [`dropped?website=${site.id}&${range}`, `first-visit?website=${site.id}`]) {
      const statusFor = async (of: string) =>
        (await nobody().get(`${CONSOLE}/${path}`, { headers: { Cookie: of } })).status;
      const statuses = await Promise.all([cookie, stranger.cookie, limited.cookie, ''].map(statusFor));
      expect([path, statuses]).toEqual([path, [200, 404, 404, 401]]);
      expect((await service.api.get(`/api/v1/${path}`)).status).toBe(404);
    }
    for (const query of [
      range,
      `website=x&${range}`,
      `website=1&from=${last}`,
      `website=1&from=${last}&to=${first}`,
    ])
      expect([query, (await dropped(query)).status]).toEqual([query, 422]);
  });

  it('checks a domain as storing it would, and stores nothing', async () => {
    const { cookie } = await sessionOf();
    const check = async (domain: string, of = cookie) =>
      nobody().get(`${CONSOLE}/domain?domain=${encodeURIComponent(domain)}`, { headers: { Cookie: of } });
    expect((await check('www.Bücher.example')).body).toEqual({ data: { domain: 'xn--bcher-kva.example' } });
    expect((await check('bücher.example')).status).toBe(200);
    const { domain } = await website(service.api);
    for (const [typed, error] of [
      [domain, 'is already registered'],
      ['co.uk', 'must not be a public suffix, under which anyone can register domains'],
      ['*.example.org', 'is not a domain: enter example.org'],
      ['http://example.org/', 'is not a domain: enter example.org'],
      ['ann@www.example.org', 'is not a domain: enter example.org'],
      [
        '*.ex_ample.org',
        'is not a domain: enter something like example.com, with labels of letters, digits and inner hyphens, 63 characters each',
      ],
      ['my site', 'is not a domain: enter something like example.com, without spaces, scheme, port or path'],
    ]) {
      const { status, body } = await check(typed!);
      expect([typed, status, body.errors]).toEqual([typed, 422, { domain: [error] }]);
      const stored = await service.api.post('/api/v1/websites', { form: { domain: typed! } });
      expect(stored.body.errors).toEqual({ domain: [error] });
    }
    const narrow = [{ scope: 'read' }, { websites: [1] }];
    for (const wish of narrow)
      expect((await check('free.example', (await sessionOf(await newKey(wish))).cookie)).status).toBe(403);
  });

  const demo = async (method: 'get' | 'post', session: Session) =>
    nobody()[method](`${CONSOLE}/demo`, { headers: headersOf(session) });

  it('fills a demo website for a user without websites, and for nobody else', async () => {
    await website(service.api, { domain: 'demo.example' });
    const owner = await sessionOf();
    expect((await demo('post', owner)).status).toBe(409);
    const key = await newKeyOf(await otherUser());
    const session = await sessionOf(key);
    const started = await demo('post', session);
    expect([started.status, started.body.data]).toEqual([
      202,
      { website_id: expect.any(Number), sent: 0, events: 30_000, has_failed: false },
    ]);
    expect((await demo('post', session)).body.data.website_id).toBe(started.body.data.website_id);
    expect((await demo('get', owner)).body.data).toBeNull();
    await until(async () => (await demo('get', session)).body.data === null, BETWEEN_LOOKS_MS);
    const api = service.api.as(key);
    const { website_id: id } = started.body.data;
    const { domain } = (await api.get(`/api/v1/websites/${id}`)).body.data;
    expect(domain).toMatch(/^demo-\d+\.example$/);
    const path = `/api/v1/stats/${id}?name=visitor&from=${dayText(Math.floor(Date.now() / 86_400_000) - 55)}`;
    const { body } = await api.get(`${path}&to=9999-12-31&per_page=100`);
    expect(body.data.length).toBeGreaterThanOrEqual(56);
    const live = await api.get(`/api/v1/stats/${id}/live`);
    expect(live.body.data.last_30_minutes.visitors).toBeGreaterThan(0);
    const { Cookie } = headersOf(session);
    expect((await nobody().post(`${CONSOLE}/demo`, { headers: { Cookie } })).status).toBe(403);
    for (const wish of [{ scope: 'read' }, { websites: [id] }])
      expect((await demo('post', await sessionOf(await newKey(wish)))).status).toBe(403);
  });

  it('fills a demo website for a user three times a day, and stops if it is deleted', async () => {
    const key = await newKeyOf(await otherUser());
    const session = await sessionOf(key);
    for (let time = 0; time < 3; time++) {
      const { status, body } = await demo('post', session);
      expect([status, body.data.has_failed]).toEqual([202, false]);
      await service.api.as(key).delete(`/api/v1/websites/${body.data.website_id}`);
      await until(async () => (await demo('get', session)).body.data.has_failed, BETWEEN_LOOKS_MS);
      expect((await demo('get', session)).body.data.website_id).toBeNull();
    }
    const refused = await demo('post', session);
    expect([refused.status, Number(refused.headers.get('Retry-After')) > 0]).toEqual([429, true]);
    const lines = service.logs.filter((line) => line.includes('demo website'));
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toContain('was deleted while it was filled');
  });

  it('tells when reports are sent, to whom, and why not', async () => {
    const { id } = await website(service.api);
    const { cookie } = await sessionOf();
    const reports = async (website: number | string, of = cookie) =>
      nobody().get(`${CONSOLE}/reports?website=${website}`, { headers: { Cookie: of } });
    expect((await reports(id)).body.data).toEqual({
      recipient: 'admin@localhost',
      off: 'no_mail_server',
      next: null,
      last: null,
    });
    const stranger = await sessionOf(await newKeyOf(await otherUser()));
    const limited = await sessionOf(await newKey({ scope: 'read', websites: [id + 1] }));
    for (const [website, of, status] of [
      [id, stranger.cookie, 404],
      [id, limited.cookie, 404],
      ['999999', cookie, 404],
      ['x', cookie, 422],
      [`${id},${id + 1}`, cookie, 422],
      [id, '', 401],
    ] as const)
      expect([website, (await reports(website, of)).status]).toEqual([website, status]);
    expect((await service.api.get(`/api/v1/reports?website=${id}`)).status).toBe(404);
  });

  it('has a page that nobody may frame', async () => {
    const { status, headers, text } = await nobody().get('/', { headers: { Accept: 'text/html' } });
    expect(status).toBe(200);
    expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style=/);
  });
});

it('shows an owner who is signed in the page of a private website, and nobody else', async () => {
  const { domain } = await website(service.api, { privacy: 1 });
  const { cookie } = await sessionOf();
  const summary = `/share/${domain}/api/summary?names=page&${RANGE}`;
  const get = async (path: string, headers: Record<string, string>) =>
    (await nobody().get(path, { headers })).status;
  expect([await get(`/share/${domain}`, { Cookie: cookie }), await get(summary, { Cookie: cookie })]).toEqual(
    [200, 200],
  );
  const stranger = cookieOf(await signInWith(await newKeyOf(await otherUser())));
  expect([
    await get(`/share/${domain}`, { Cookie: stranger }),
    await get(summary, { Cookie: stranger }),
  ]).toEqual([404, 404]);
});

const newKeyOf = (userId: number) =>
  service.app.get(ApiKeysService).create(userId, { name: '', scope: 'full', expiresAt: null });

async function otherUser(): Promise<number> {
  return (await (await service.anotherUser()).get('/api/v1/me')).body.data.id;
}
