import { randomUUID } from 'node:crypto';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import type { Scope } from '../../../src/auth/api-key.entity';
import { Housekeeping } from '../../../src/retention/housekeeping';
import type { Answer, ApiClient } from '../../support/api-client';
import { type Site, website, WEBSITES } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';

const MOST = 1000;

let service: TestApp;
let api: ApiClient;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE: 'Europe/Berlin' });
  api = service.api;
});
beforeEach(async () => void (site = await website(api)));
afterAll(() => service.stop());

const at = ({ id }: Pick<Site, 'id'> = site, rest = '') => `${WEBSITES}/${id}/annotations${rest}`;
const newKey = async (scope: Scope, websites: number[] | null = null) =>
  api.as(await service.app.get(ApiKeysService).create(1, { name: scope, scope, websites, expiresAt: null }));
const store = async (fields: object, of = site) => (await api.post(at(of), { json: fields })).body.data;
const textsOf = ({ body }: Answer) => body.data.map(({ text }: { text: string }) => text);
const problem = ({ status, body }: Answer) => [status, body.errors ?? body.code];
const unlessIds = ({ body }: Answer) => ({ ...body, request_id: '', instance: '' });

const routes: [method: string, rest: string, scopes: Scope[]][] = [
  ['GET', '', ['full', 'read']],
  ['POST', '', ['full', 'annotations']],
  ['GET', '/:id', ['full', 'read']],
  ['PUT', '/:id', ['full']],
  ['PATCH', '/:id', ['full']],
  ['DELETE', '/:id', ['full']],
];

/** Reads have no body, and deletions no fields. */
const sentBy = (method: string, json: object) => (method.startsWith('P') ? { json } : {});

describe.each(routes)('%s annotations%s', (method, rest, scopes) => {
  const of = async (website = site, id?: number) =>
    at(website, rest.replace(':id', String(id ?? (await store({ text: 'own' })).id)));

  it('needs a key, before it looks at anything', async () => {
    const nobody = api.as(undefined);
    for (const path of [await of(), `${await of({ id: 999_999, domain: '' })}?foo=1`])
      expect(problem(await nobody.send(method, path))).toEqual([401, 'unauthorized']);
    const wrong = { headers: { Authorization: 'Bearer wrong-key-wrong-key-wrong-key' } };
    expect((await nobody.send(method, await of(), wrong)).status).toBe(401);
  });

  it.each(['full', 'read', 'events', 'annotations'] as const)('minds the scope %s', async (scope) => {
    const answer = await (await newKey(scope)).send(method, await of(), sentBy(method, {}));
    if (scopes.includes(scope)) expect([200, 201, 422]).toContain(answer.status);
    else expect(problem(answer)).toEqual([403, 'scope_too_narrow']);
  });

  it("answers another's website, a missing one and one that the key does not cover alike", async () => {
    const path = await of();
    const callers = [await service.anotherUser(), await newKey('full', [(await website(api)).id])];
    const sent = sentBy(method, { text: 'foreign' });
    const answers = [
      ...(await Promise.all(callers.map((caller) => caller.send(method, path, sent)))),
      await api.send(method, await of({ id: 999_999, domain: '' }, 1), sent),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(unlessIds(answer)).toEqual(unlessIds(answers[0]!));
    }
    expect(textsOf(await api.get(at()))).not.toContain('foreign');
  });

  if (rest)
    it("answers another website's annotation, a missing one and an impossible id alike", async () => {
      const { id } = await store({ text: 'elsewhere' }, await website(api));
      const answers = await Promise.all(
        [id, 999_999_999, 0, '01', 'abc', '9007199254740993'].map((one) =>
          api.send(method, at(site, `/${one}`), sentBy(method, {})),
        ),
      );
      for (const answer of answers)
        expect(answer.body).toMatchObject({ status: 404, detail: 'Annotation not found.' });
    });
});

it('lets a key for annotations store them, and do nothing else', async () => {
  const deployer = await newKey('annotations', [site.id]);
  const stored = await deployer.post(at(), { form: { text: 'Version 2.1' } });
  expect(stored.status).toBe(201);
  const others = [
    ['GET', stored.headers.get('Location')!],
    ['GET', WEBSITES],
    ['POST', WEBSITES],
    ['GET', `${WEBSITES}/${site.id}`],
    ['DELETE', `${WEBSITES}/${site.id}`],
    ['POST', `${WEBSITES}/${site.id}/events`],
    ['GET', `/api/v1/stats/${site.id}?name=page&from=2026-01-01&to=2026-01-31`],
    ['POST', `/api/v1/stats/${site.id}/query`],
    ['GET', '/api/v1/names'],
    ['GET', '/api/v1/me'],
    ['GET', '/api/v1/keys'],
    ['POST', '/mcp'],
    ['POST', '/console/api/session'],
  ] as const;
  for (const [method, path] of others)
    expect([path, (await deployer.send(method, path)).body]).toMatchObject([
      path,
      { status: 403, code: 'scope_too_narrow' },
    ]);
});

describe('store', () => {
  it('answers 201 with the place, and the annotation as it is read', async () => {
    const answer = await api.post(at(), {
      json: { at: '2026-01-31T13:00:00.9+01:00', text: ' Version 2.1 ✓ ', public: true },
    });
    const { id, created_at } = answer.body.data;
    expect(answer.body.data).toEqual({
      id: expect.any(Number),
      at: '2026-01-31T12:00:00Z',
      text: 'Version 2.1 ✓',
      public: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: created_at,
    });
    expect([answer.status, answer.headers.get('Location')]).toEqual([201, at(site, `/${id}`)]);
    const shown = await api.get(at(site, `/${id}`));
    expect(shown.body).toEqual(answer.body);
    expect(shown.headers.get('ETag')).toBe(answer.headers.get('ETag'));
  });

  it('is about now, and not public, unless told otherwise', async () => {
    const before = Date.now() - 1000;
    const { at: moment, public: isPublic } = await store({ text: 'now' });
    expect(Date.parse(moment)).toBeGreaterThan(before - 1000);
    expect([moment, isPublic]).toEqual([expect.stringMatching(/:\d\dZ$/), 0]);
    expect(await store({ text: 'a day', at: '2026-01-31' })).toMatchObject({ at: '2026-01-31' });
  });

  it('is about one moment in each answer, by the clock of the database', async () => {
    const deployer = await newKey('annotations', [site.id]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_000);
    const repeated = { json: { text: 'Version 2.1' }, headers: { 'Idempotency-Key': 'clock' } };
    const first = (await deployer.post(at(), repeated)).body.data;
    clock.mockRestore();
    await api.patch(at(site, `/${first.id}`), { json: { text: 'Version 2.2' } });
    expect((await deployer.post(at(), repeated)).body.data).toEqual(first);
    expect(Date.parse(first.at)).toBe(1000 * Math.floor(Date.parse(first.created_at) / 1000));
  });

  it.each([
    [{}, 'text'],
    [{ text: '' }, 'text'],
    [{ text: ' \n ' }, 'text'],
    [{ text: null }, 'text'],
    [{ text: 7 }, 'text'],
    [{ text: ['a'] }, 'text'],
    [{ text: 'a\nb' }, 'text'],
    [{ text: 'a\u2028b' }, 'text'],
    [{ text: 'a\u0000b' }, 'text'],
    [{ text: 'x'.repeat(281) }, 'text'],
    [{ text: '\ud800' }, 'text'],
    [{ text: 'a', at: '' }, 'at'],
    [{ text: 'a', at: null }, 'at'],
    [{ text: 'a', at: 1_769_860_800 }, 'at'],
    [{ text: 'a', at: '2026-02-30' }, 'at'],
    [{ text: 'a', at: '2026-01-31T12:00:00' }, 'at'],
    [{ text: 'a', public: 2 }, 'public'],
    [{ text: 'a', public: '' }, 'public'],
    [{ text: 'a', date: '2026-01-31' }, 'date'],
    [{ text: 'a', id: 1 }, 'id'],
  ])('refuses %j', async (json, field) => {
    const { status, body } = await api.post(at(), { json });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect((await api.get(at())).body.meta.total).toBe(0);
  });

  it('takes 280 characters, whatever their bytes, and keeps hostile ones', async () => {
    for (const text of ['😀'.repeat(280), `<script>'"--\\%_\u202E`, '__proto__'])
      expect((await store({ text })).text).toBe(text);
  });

  it('refuses a field that is sent twice, and a body of another type', async () => {
    expect(problem(await api.post(at(), { form: 'text=a&text=b' }))[0]).toBe(422);
    expect((await api.post(at(), { body: 'text', type: 'text/plain' })).status).toBe(415);
  });

  it('stores one annotation, however often and at once a request is sent', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const json = { text: 'deployed' };
    const twins = await Promise.all(Array.from({ length: 10 }, () => api.post(at(), { json, headers })));
    for (const { status, body } of twins) expect([status, body]).toEqual([201, twins[0]!.body]);
    expect((await api.get(at())).body.meta.total).toBe(1);
    const reused = [422, 'idempotency_key_reused'];
    expect(problem(await api.post(at(), { json: { text: 'other' }, headers }))).toEqual(reused);
    expect(problem(await api.post(at(await website(api)), { json, headers }))).toEqual(reused);
    const asWebsite = { form: { domain: 'twin.example' }, headers };
    expect(problem(await api.post(WEBSITES, asWebsite))).toEqual(reused);
    await api.delete(at(site, `/${twins[0]!.body.data.id}`));
    expect(problem(await api.post(at(), { json, headers }))).toEqual(reused);
  });

  it('answers a missing website of a repeated request as missing', async () => {
    const sent = { json: { text: 'deployed' }, headers: { 'Idempotency-Key': randomUUID() } };
    expect((await api.post(at(), sent)).status).toBe(201);
    await api.delete(`${WEBSITES}/${site.id}`);
    expect((await api.post(at(), sent)).status).toBe(404);
  });

  it('keeps to 1,000 of a website, however many come at once', async () => {
    const rows = Array.from({ length: MOST - 5 }, (_, index) => [site.id, index, `old ${index}`]);
    await service.database.write(async (manager) => {
      for (const [id, moment, text] of rows)
        await manager.query(
          'INSERT INTO annotations (website_id, moment, text, is_public, created_at, updated_at) VALUES (?, ?, ?, 0, 0, 0)',
          [id, moment, text],
        );
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => api.post(at(), { json: { text: `new ${index}` } })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(15);
    for (const answer of refused) expect(problem(answer)).toEqual([422, 'limit_reached']);
    expect((await api.get(at())).body.meta.total).toBe(MOST);
    const { id } = (await api.get(at(site, '?search=new'))).body.data[0];
    await api.delete(at(site, `/${id}`));
    expect((await api.post(at(), { json: { text: 'again' } })).status).toBe(201);
  });
});

describe('a list', () => {
  beforeEach(async () => {
    await store({ text: 'Straße', at: '2026-03-02' });
    await store({ text: 'tie one', at: '2026-03-01T12:00:00Z' });
    await store({ text: 'tie two', at: '2026-03-01T13:00:00+01:00' });
    await store({ text: '100%', at: '2026-02-28T23:30:00Z' });
    await store({ text: 'first', at: '2026-02-28' });
  });

  it('has the latest first, those of one moment as they came, a page at a time', async () => {
    const first = await api.get(at());
    expect(textsOf(first)).toEqual(['Straße', 'tie one', 'tie two', '100%', 'first']);
    expect(first.body.meta).toMatchObject({ total: 5, per_page: 10, path: at() });
    const beyond = await api.get(at(site, '?page=2&per_page=10'));
    expect([textsOf(beyond), beyond.body.meta.total]).toEqual([[], 5]);
  });

  it.each([
    ['from=2026-03-01', ['Straße', 'tie one', 'tie two', '100%']],
    ['to=2026-02-28', ['first']],
    ['from=2026-03-01&to=2026-03-01', ['tie one', 'tie two', '100%']],
    ['from=2026-02-28&to=2026-02-28', ['first']],
    ['search=TIE', ['tie one', 'tie two']],
    ['search=%25', ['100%']],
    ['search=STRA%C3%9FE', ['Straße']],
    ['search=ie&to=2026-02-28', []],
  ])('of %s', async (query, texts) => {
    expect(textsOf(await api.get(at(site, `?${query}`)))).toEqual(texts);
  });

  it.each([
    ['to', 'from=2026-03-02&to=2026-03-01'],
    ['from', 'from=yesterday'],
    ['from', 'from=2026-03-01&from=2026-03-01'],
    ['per_page', 'per_page=5'],
    ['sort', 'sort=asc'],
    ['search', `search=${'x'.repeat(1025)}`],
  ])('refuses %s where it is not allowed', async (field, query) => {
    const { status, body } = await api.get(at(site, `?${query}`));
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('is a file where that is asked for, with a tag that each change changes', async () => {
    const file = (known = '') =>
      api.get(at(), { headers: { Accept: 'text/csv', ...(known && { 'If-None-Match': known }) } });
    const { text, headers } = await file();
    expect(text.split('\r\n')[0]).toBe('id,at,text,public,created_at,updated_at');
    expect(text).toContain(',2026-03-02,Straße,0,');
    const tag = headers.get('ETag')!;
    expect((await file(tag)).status).toBe(304);
    const { id } = (await api.get(at())).body.data[0];
    await api.patch(at(site, `/${id}`), { json: { public: 1 } });
    const later = (await file(tag)).headers.get('ETag')!;
    await api.delete(at(site, `/${id}`));
    expect((await file(later)).status).toBe(200);
    const part = await api.get(at(site, '?search=tie'), { headers: { Accept: 'application/x-ndjson' } });
    expect(
      part.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).text),
    ).toEqual(['tie one', 'tie two']);
  });

  it('is revalidated, has a HEAD, and no other methods or types', async () => {
    const { headers } = await api.get(at());
    const known = { headers: { 'If-None-Match': headers.get('ETag')! } };
    expect((await api.get(at(), known)).status).toBe(304);
    expect((await api.send('HEAD', at())).status).toBe(200);
    expect((await api.put(at(), { json: {} })).headers.get('Allow')).toBe('GET, HEAD, POST');
    expect((await api.post(at(site, '/1'), { json: {} })).headers.get('Allow')).toBe(
      'DELETE, GET, HEAD, PATCH, PUT',
    );
    expect((await api.get(at(), { headers: { Accept: 'image/png' } })).status).toBe(406);
  });
});

describe.each(['put', 'patch'] as const)('update by %s', (method) => {
  it('changes what is sent, and nothing where nothing changes', async () => {
    const { id, ...before } = await store({ text: 'before', at: '2026-01-31T12:00:00Z', public: 1 });
    const change = (json: object) => api[method](at(site, `/${id}`), { json });
    expect((await change({})).body.data).toEqual({ id, ...before });
    expect((await change({ text: ' before ', at: '2026-01-31T13:00:00+01:00' })).body.data).toEqual({
      id,
      ...before,
    });
    const { body } = await change({ at: '2026-02-01', text: 'after' });
    expect(body.data).toMatchObject({ at: '2026-02-01', text: 'after', public: 1 });
    expect(Date.parse(body.data.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect(body.data.created_at).toBe(before.created_at);
    for (const [json, field] of [
      [{ text: '' }, 'text'],
      [{ at: null }, 'at'],
      [{ public: 'yes' }, 'public'],
      [{ created_at: '2026-01-31' }, 'created_at'],
    ] as const)
      expect(Object.keys((await change(json)).body.errors)).toEqual([field]);
    expect((await api.get(at(site, `/${id}`))).body).toEqual(body);
  });

  it('lets one of several win who mean the same version', async () => {
    const stored = await api.post(at(), { json: { text: 'before' } });
    const path = stored.headers.get('Location')!;
    const headers = { 'If-Match': stored.headers.get('ETag')! };
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => api[method](path, { json: { text: `${index}` }, headers })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
    const won = answers.find(({ status }) => status === 200)!;
    expect((await api.get(path)).body).toEqual(won.body);
    expect((await api.delete(path, { headers })).status).toBe(412);
    const last = { 'If-Match': won.headers.get('ETag')! };
    expect((await api.delete(path, { headers: last })).status).toBe(200);
  });
});

it('deletes an annotation once', async () => {
  const { id } = await store({ text: 'short-lived' });
  const answers = await Promise.all([1, 2, 3].map(() => api.delete(at(site, `/${id}`))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  expect(answers.find(({ status }) => status === 200)!.body.data).toEqual({
    id,
    object: 'annotation',
    deleted: true,
  });
  expect((await store({ text: 'next' })).id).toBeGreaterThan(id);
});

it('goes with its website', async () => {
  const kept = await website(api);
  await store({ text: 'kept' }, kept);
  await store({ text: 'gone' });
  await api.delete(`${WEBSITES}/${site.id}`);
  expect((await api.get(at())).status).toBe(404);
  await service.app.get(Housekeeping).tidy();
  const rows = await service.database.read((manager) =>
    manager.query('SELECT text FROM annotations WHERE website_id IN (?, ?)', [site.id, kept.id]),
  );
  expect(rows).toEqual([{ text: 'kept' }]);
});

describe('a key for annotations that runs wild', () => {
  let limited: TestApp;
  beforeAll(async () => void (limited = await startApp({ RATE_LIMIT: 'off' })));
  afterAll(() => limited.stop());

  it('stores 60 an hour for a website, repeated requests aside, and others go on', async () => {
    const [one, other] = [await website(limited.api), await website(limited.api)];
    const stranger = await limited.anotherUser();
    const { key } = (await stranger.post('/api/v1/keys', { form: { name: 'test', scope: 'annotations' } }))
      .body.data;
    for (let index = 0; index < 130; index++)
      expect((await stranger.as(key).post(at(one), { form: { text: 'foreign' } })).status).toBe(404);
    const secret = await limited.app
      .get(ApiKeysService)
      .create(1, { name: 'ci', scope: 'annotations', expiresAt: null });
    const deployer = limited.api.as(secret);
    const sent = (index: number) => ({
      json: { text: `${index}` },
      headers: { 'Idempotency-Key': `deployment-${index}` },
    });
    const answers = [];
    // The hour may end meanwhile, which begins a second budget.
    for (let index = 0; index < 121; index++) answers.push(await deployer.post(at(one), sent(index)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.slice(0, 60).map(({ status }) => status)).toContain(201);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.body).toMatchObject({
      code: 'rate_limited',
      detail: 'The budget "new-annotations" of this caller is used up.',
    });
    expect(refused[0]!.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    expect((await deployer.post(at(one), sent(0))).body).toEqual(answers[0]!.body);
    const { id, created_at } = answers[0]!.body.data;
    const edited = { json: { text: 'edited by the owner', public: 1, at: '2020-01-01' } };
    expect((await limited.api.patch(at(one, `/${id}`), edited)).status).toBe(200);
    const again = (await deployer.post(at(one), sent(0))).body.data;
    expect(again).toMatchObject({ id, text: '0', public: 0, updated_at: created_at });
    expect(again.at).toMatch(/T/);
    expect((await deployer.post(at(other), sent(200))).status).toBe(201);
    expect((await limited.api.post(at(one), { json: { text: 'by the owner' } })).status).toBe(201);
  });
});

describe('shared', () => {
  const shared = (of: Site, query: string, headers: Record<string, string> = {}) =>
    api.as(undefined).get(`/share/${of.domain}/api/annotations?${query}`, { headers });
  const page = async (of: Site) =>
    (await api.as(undefined).get(`/share/${of.domain}`, { headers: { Accept: 'text/html' } })).text;
  const dayAt = (offset: number) => {
    const berlin = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' });
    return berlin.format(Date.now() + offset * 86_400_000);
  };
  const EVER = 'from=1970-01-01&to=9999-12-31';

  async function sharedSite(fields: object): Promise<Site> {
    const of = await website(api, { privacy: 0, ...fields });
    for (const [days, text] of [
      [-400, 'long ago'],
      [-1, 'yesterday'],
      [0, 'today'],
      [1, 'tomorrow'],
    ] as const) {
      await store({ text, at: dayAt(days), public: 1 }, of);
      await store({ text: `private ${text}`, at: dayAt(days) }, of);
    }
    return of;
  }

  it('are the public ones of days that are over, with the time and the text alone', async () => {
    const of = await sharedSite({});
    const { body, headers } = await shared(of, EVER);
    expect(body.data).toEqual([
      { at: dayAt(-1), text: 'yesterday' },
      { at: dayAt(-400), text: 'long ago' },
    ]);
    expect(body.meta.total).toBe(2);
    expect((await shared(of, EVER, { 'If-None-Match': headers.get('ETag')! })).status).toBe(304);
    expect(textsOf(await shared(of, `from=${dayAt(-30)}&to=${dayAt(30)}`))).toEqual(['yesterday']);
    expect(textsOf(await shared(of, `from=${dayAt(0)}&to=${dayAt(30)}`))).toEqual([]);
  });

  it('are those of today where viewers may filter, and none to come', async () => {
    const of = await sharedSite({ share_filters: 1 });
    expect(textsOf(await shared(of, EVER))).toEqual(['today', 'yesterday', 'long ago']);
  });

  it('are named by the page only where there are some to see', async () => {
    const [some, none] = [await sharedSite({}), await website(api, { privacy: 0 })];
    expect(await page(some)).toContain('data-annotations');
    expect(await page(none)).not.toContain('data-annotations');
    await store({ text: 'private', at: dayAt(-1) }, none);
    await store({ text: 'today', at: dayAt(0), public: 1 }, none);
    expect(await page(none)).not.toContain('data-annotations');
  });

  it('are nobody’s where the website is private or needs a password', async () => {
    const of = await sharedSite({ privacy: 1 });
    expect((await shared(of, EVER)).status).toBe(404);
    await api.patch(`${WEBSITES}/${of.id}`, { json: { privacy: 2, password: 'secret words' } });
    expect(problem(await shared(of, EVER))).toEqual([403, 'password_required']);
  });

  it.each([
    ['', ['from', 'to']],
    ['from=2026-03-02&to=2026-03-01', ['to']],
    [`${EVER}&search=x`, ['search']],
  ])('refuses %j', async (query, fields) => {
    const of = await website(api, { privacy: 0 });
    const { status, body } = await shared(of, query);
    expect([status, Object.keys(body.errors)]).toEqual([422, fields]);
  });
});
