import { brotliCompressSync } from 'node:zlib';
import { ShareCookies } from '../../src/pages/share/share-cookies';
import type { Answer } from '../support/api-client';
import { addHits, hitsOn, visitorsOn } from '../support/past-days';
import { website } from '../support/sending';
import { statementsOf } from '../support/statements';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';

const MAX_BYTES = 80_000;
const PASSWORD = 'grün & 100% "sicher"';
const RANGE = 'from=2026-03-01&to=2026-03-31';
const SUMMARY = `api/summary?names=visitor,page&${RANGE}`;

let service: TestApp;
beforeAll(async () => void (service = await startApp({ RATE_LIMIT: 'on', TRUST_PROXY: '1' })));
afterAll(() => service.stop());

const nobody = () => service.api.as(undefined);
const at = (domain: string, rest = '') => `/share/${domain}${rest && `/${rest}`}`;
const get = (domain: string, rest = '', headers: Record<string, string> = {}) =>
  nobody().get(at(domain, rest), { headers: { Accept: '*/*', ...headers } });
const change = (id: number, form: object) =>
  service.api.patch(`/api/v1/websites/${id}`, { form: { ...form } });
const cookieOf = ({ headers }: Answer) => headers.get('Set-Cookie')!.split(';')[0]!;

const guarded = () => website(service.api, { privacy: 2, password: PASSWORD });
const enter = (domain: string, password: string, address = '203.0.113.9') =>
  nobody().post(at(domain), { form: { password }, headers: { 'X-Forwarded-For': address } });
const signIn = async (domain: string) => cookieOf(await enter(domain, PASSWORD));
const requested = async (domain: string, cookie: string) =>
  (await get(domain, SUMMARY, { Cookie: cookie })).status;

describe('a public website', () => {
  it('has a page that loads nothing from elsewhere and that nobody may frame', async () => {
    const { domain } = await website(service.api, { privacy: 0 });
    const { status, headers, text } = await get(domain);
    expect(status).toBe(200);
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('X-Frame-Options')).toBe('SAMEORIGIN');
    expect(text).toContain(`data-domain="${domain}"`);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style=|https?:/);
  });

  it('may be framed where its address says so', async () => {
    const { domain } = await website(service.api, { privacy: 0 });
    const { headers, text } = await get(`${domain}?embed`);
    expect(headers.get('Content-Security-Policy')).toContain('frame-ancestors *');
    expect(headers.has('X-Frame-Options')).toBe(false);
    expect(text).toContain('data-embed');
  });

  it('names the smallest range around one that cuts a block', async () => {
    const { id, domain } = await website(service.api, { privacy: 0 });
    await addHits(service, id, [...visitorsOn('2026-03-02', 5), ...visitorsOn('2026-03-04', 5)]);
    const ranges = async (from: string, to: string) => {
      const { meta } = (await get(domain, `api/summary?names=page&from=${from}&to=${to}`)).body;
      return [meta.detailed_range, meta.surrounding_range];
    };
    const block = { from: '2026-03-02', to: '2026-03-04' };
    expect(await ranges('2026-03-03', '2026-03-04')).toEqual([null, block]);
    expect(await ranges('2026-03-03', '2026-03-03')).toEqual([null, null]);
    expect(await ranges('2026-03-01', '2026-03-31')).toEqual([
      { from: '2026-03-01', to: '2026-03-31' },
      undefined,
    ]);
  });

  it('answers what its owner is answered', async () => {
    const { id, domain } = await website(service.api, { privacy: 0 });
    await addHits(service, id, visitorsOn('2026-03-02', 10, { page: '/a' }));
    const query = `name=page&${RANGE}&compare=previous`;
    const [own, shared] = [
      await service.api.get(`/api/v1/stats/${id}?${query}`),
      await get(domain, `api/stats?${query}`),
    ];
    expect(shared.status).toBe(200);
    expect(shared.body.data).toEqual(own.body.data);
    expect(Object.keys(shared.body.meta)).toEqual([
      ...Object.keys(own.body.meta),
      'detailed_range',
      'warnings',
    ]);
    expect(shared.body.meta.detailed_range).toEqual({ from: '2026-03-01', to: '2026-03-31' });
    const summary = await get(domain, SUMMARY);
    expect(summary.body.data[1]).toMatchObject({
      name: 'page',
      sum: 10,
      entries: [{ value: '/a', count: 10 }],
    });
    const known = { 'If-None-Match': summary.headers.get('ETag')! };
    expect((await get(domain, SUMMARY, known)).status).toBe(304);
  });

  it('gives a file of the page that is shown, and never of everything', async () => {
    const { id, domain } = await website(service.api, { privacy: 0 });
    const pages = Array.from({ length: 30 }, (_, index) => hitsOn('2026-03-02', 3, { page: `/${index}` }));
    await addHits(service, id, [...visitorsOn('2026-03-02', 10), ...pages.flat()]);
    const { status, text, headers } = await get(domain, `api/stats?name=page&${RANGE}`, {
      Accept: 'text/csv',
    });
    expect([status, text.trimEnd().split('\r\n').length]).toEqual([200, 11]);
    expect(headers.get('Content-Disposition')).toContain('page-2026-03-01-2026-03-31.csv');
  });

  it('refuses what the API refuses, in the same words', async () => {
    const { id, domain } = await website(service.api, { privacy: 0 });
    for (const query of [
      'name=nothing',
      `name=page&from=2026-02-30&to=2026-03-01`,
      `name=page&${RANGE}&more=1`,
    ]) {
      const [own, shared] = [
        await service.api.get(`/api/v1/stats/${id}?${query}`),
        await get(domain, `api/stats?${query}`),
      ];
      expect([shared.status, shared.body.errors]).toEqual([422, own.body.errors]);
    }
    expect((await nobody().post(at(domain, SUMMARY))).status).toBe(405);
  });

  it('is found under any spelling of its domain, and sends to the one that it has', async () => {
    const { domain } = await website(service.api, { privacy: 0 });
    for (const [sent, way] of [
      [`/share/${domain.toUpperCase()}?range=7d`, `../share/${domain}?range=7d`],
      [`/share/www.${domain}`, `../share/${domain}`],
      [`/share/${domain}/`, `../../share/${domain}`],
    ] as const) {
      const { status, headers } = await nobody().get(sent);
      expect([status, headers.get('Location')]).toEqual([302, way]);
    }
    expect((await get(domain.toUpperCase(), SUMMARY)).status).toBe(200);
  });

  it('goes on to its page after a password that it does not need', async () => {
    const { domain } = await website(service.api, { privacy: 0 });
    const { status, headers } = await enter(domain, 'any');
    expect([status, headers.get('Location'), headers.has('Set-Cookie')]).toEqual([
      303,
      `../share/${domain}`,
      false,
    ]);
  });
});

describe('a private website', () => {
  it('is answered like one that is not there, to its owner’s key too', async () => {
    const { domain } = await website(service.api, { privacy: 1 });
    const { domain: gone, id } = await website(service.api, { privacy: 0 });
    await service.api.delete(`/api/v1/websites/${id}`);
    const others = [gone, 'none.example', 'not%20a%20domain', '%5B::1%5D', `${'a'.repeat(300)}.example`];
    const key = { Authorization: `Bearer ${FIRST_KEY}` };
    for (const rest of ['', SUMMARY, `api/stats?name=page&${RANGE}`]) {
      const own = await get(domain, rest, key);
      expect(own.status).toBe(404);
      expect(shapeOf(own.text)).not.toContain(domain);
      for (const other of others) {
        const { status, text } = await get(other, rest);
        expect([status, shapeOf(text)]).toEqual([404, shapeOf(own.text)]);
      }
    }
    expect((await enter(domain, 'any')).text).toBe((await enter('none.example', 'any')).text);
  });

  /** The time of an answer must not reveal it. */
  it.each(['', 'api/stats?name=page&from=2026-03-01&to=2026-03-31'])(
    'costs the same statements as one that is not there, which find as little (%s)',
    async (rest) => {
      const { domain } = await website(service.api, { privacy: 1 });
      const missing = `x${domain.slice(1)}`;
      const workFor = (requested: string) => statementsOf(service, () => get(requested, rest));
      const [work, ofMissing] = [await workFor(domain), await workFor(missing)];
      expect(work.length).toBeGreaterThan(0);
      expect(work).toEqual(ofMissing);
    },
  );

  /** A problem contains the path and the id of its request. */
  const shapeOf = (text: string) => text.replace(/"(instance|request_id)":"[^"]*"/g, '');
});

describe('a website with a password', () => {
  it('shows a form, and answers nothing without the password', async () => {
    const { domain } = await guarded();
    const { status, text, headers } = await get(`${domain}?embed`);
    expect(status).toBe(200);
    expect(text).toContain('<input id="password" name="password" type="password"');
    expect(text.match(/<script[^>]*>/g)).toEqual([expect.stringContaining('assets/theme-')]);
    expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
    const refused = await get(domain, SUMMARY);
    expect([refused.status, refused.body.code]).toEqual([403, 'password_required']);
    expect(refused.headers.has('WWW-Authenticate')).toBe(false);
  });

  it('lets in who knows it, by a cookie that scripts and other sites cannot use', async () => {
    const { id, domain } = await guarded();
    const entered = await enter(domain, PASSWORD);
    expect([entered.status, entered.headers.get('Location')]).toEqual([303, `../share/${domain}`]);
    expect(entered.headers.get('Set-Cookie')).toMatch(
      new RegExp(`^milepost_share_${id}=\\d+\\.[\\w-]{43}; Max-Age=2592000; HttpOnly; SameSite=Lax$`),
    );
    const cookie = cookieOf(entered);
    expect((await get(domain, '', { Cookie: `other=1; ${cookie}` })).text).toContain('data-domain');
    expect(await requested(domain, cookie)).toBe(200);
    const withKey = await nobody().get(`/api/v1/stats/${id}?name=page&${RANGE}`, {
      headers: { Cookie: cookie },
    });
    expect(withKey.status).toBe(401);
  });

  it('marks the cookie for TLS where a proxy has it', async () => {
    const { domain } = await guarded();
    const headers = { 'X-Forwarded-Proto': 'https' };
    const { headers: answered } = await nobody().post(at(domain), { form: { password: PASSWORD }, headers });
    expect(answered.get('Set-Cookie')).toMatch(/; Secure$/);
  });

  it.each([
    ['a wrong password', 'wrong', 403, 'Wrong password.'],
    ['none', '', 422, 'Enter the password.'],
  ])('asks again after %s', async (_, password, expected, complaint) => {
    const { domain } = await guarded();
    const { status, text, headers } = await enter(domain, password);
    expect([status, text.includes(complaint), headers.has('Set-Cookie')]).toEqual([expected, true, false]);
  });

  it('believes no cookie of another website, another time or anybody else', async () => {
    const [one, other] = [await guarded(), await guarded()];
    const cookie = await signIn(one.domain);
    const [name, value] = cookie.split('=') as [string, string];
    const [endsAt, signature] = value.split('.') as [string, string];
    const forged = [
      `milepost_share_${other.id}=${value}`,
      `${name}=${Number(endsAt) + 1}.${signature}`,
      `${name}=${endsAt}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      `${name}=${endsAt}.`,
      `${name}=`,
      `${name}=${value}.x`,
      name,
    ];
    for (const sent of forged)
      for (const { domain } of [one, other])
        expect([sent, await requested(domain, sent)]).toEqual([sent, 403]);
    expect(await requested(other.domain, cookie)).toBe(403);
    const cookies = service.app.get(ShareCookies, { strict: false });
    const old = cookies.valueFor({ id: one.id, accessVersion: 0 }, Date.now() - 31 * 86_400_000);
    expect(await requested(one.domain, `${name}=${old}`)).toBe(403);
  });

  it('makes a cookie void with a change of the password or the privacy, for good', async () => {
    const { id, domain } = await guarded();
    let cookie = await signIn(domain);
    await change(id, { exclude_bots: 0, favorited_at: '2026-01-01T00:00:00' });
    expect(await requested(domain, cookie)).toBe(200);
    await change(id, { privacy: 1 });
    expect(await requested(domain, cookie)).toBe(404);
    await change(id, { privacy: 2 });
    expect(await requested(domain, cookie)).toBe(403);
    cookie = await signIn(domain);
    expect(await requested(domain, cookie)).toBe(200);
    await change(id, { password: PASSWORD });
    expect(await requested(domain, cookie)).toBe(403);
  });

  it('reads nothing but a small form', async () => {
    const { domain } = await guarded();
    const send = async (sent: object) => (await nobody().post(at(domain), sent)).status;
    expect(await send({ json: { password: PASSWORD } })).toBe(415);
    expect(await send({ form: { password: 'x'.repeat(5000) } })).toBe(413);
    expect(await send({ form: `password=${encodeURIComponent(PASSWORD)}&password=x` })).toBe(422);
    expect(await send({ form: 'password=%ff' })).toBe(400);
    expect(await send({})).toBe(422);
  });

  it('takes the password from its own page alone', async () => {
    const { domain } = await guarded();
    const send = async (headers: Record<string, string>) =>
      (await nobody().post(at(domain), { form: { password: PASSWORD }, headers })).status;
    expect(await send({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await send({ 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(await send({ Origin: 'https://evil.example' })).toBe(403);
    expect(await send({ Origin: 'null' })).toBe(403);
    expect(await send({ 'Sec-Fetch-Site': 'same-origin' })).toBe(303);
    expect(await send({ Origin: service.address })).toBe(303);
  });
});

describe('who guesses', () => {
  // No interval ends between the guesses.
  beforeAll(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.now()));
  afterAll(() => void jest.restoreAllMocks());

  it('may do so 20 times for a website and an address', async () => {
    const [one, other] = [await guarded(), await guarded()];
    const address = '198.51.100.1';
    for (let guess = 0; guess < 20; guess++)
      expect((await enter(one.domain, 'wrong', address)).status).toBe(403);
    for (const password of ['wrong', PASSWORD]) {
      const { status, text, headers } = await enter(one.domain, password, address);
      expect([status, text.includes('Too many wrong passwords')]).toEqual([429, true]);
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
      expect(headers.has('Set-Cookie')).toBe(false);
    }
    expect((await enter(one.domain, PASSWORD, '198.51.100.2')).status).toBe(303);
    expect((await enter(other.domain, PASSWORD, address)).status).toBe(303);
  });

  it('may send many at once, and no more than 20 are looked at', async () => {
    const { domain } = await guarded();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => enter(domain, 'wrong', '198.51.100.3')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 429]));
    expect(answers.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(20);
  });
});

it('counts queries against a budget of the address', async () => {
  const limited = await startApp({ RATE_LIMIT: 'statistics=2/99999', TRUST_PROXY: '1' });
  try {
    const { domain } = await website(limited.api, { privacy: 0 });
    const ask = (address: string) =>
      limited.api.get(at(domain, SUMMARY), { headers: { 'X-Forwarded-For': address } });
    const statuses = [];
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])
      statuses.push((await ask(address)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  } finally {
    await limited.stop();
  }
});

describe('what the page loads', () => {
  it.each(['a shared page', 'the console'])('of %s is kept for ever, and small', async (which) => {
    const { domain } = await website(service.api, { privacy: 0 });
    const page = which === 'the console' ? '/' : at(domain);
    const { text } = await nobody().get(page, { headers: { Accept: '*/*' } });
    const names = [...text.matchAll(/(?:href|src)="(?:\.\.?\/)(assets\/[^"]+)"/g)].map(([, name]) => name!);
    expect(new Set(names.map((name) => name.replace(/.*\./, '')))).toEqual(new Set(['svg', 'js', 'css']));
    expect(names.filter((name) => name.startsWith('assets/theme-'))).toHaveLength(1);
    let bytes = brotliCompressSync(text).length;
    for (const name of names) {
      const { status, headers } = await nobody().get(`/${name}`);
      expect([status, headers.get('Cache-Control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
      const packed = await fetch(`${service.address}/${name}`, {
        headers: { 'Accept-Encoding': 'gzip, br' },
      });
      expect(packed.headers.get('Content-Encoding')).toBe('br');
      bytes += brotliCompressSync(Buffer.from(await packed.arrayBuffer())).length;
    }
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  it.each(['none.js', '..%2fmanifest.json', '%2e%2e%2f%2e%2e%2fpackage.json', 'constructor'])(
    'has no %s',
    async (name) => expect((await nobody().get(`/assets/${name}`)).status).toBe(404),
  );
});
