import { randomUUID } from 'node:crypto';
import type { Answer, ApiClient } from '../support/api-client';
import { type Site, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { goal, listOf, savedFilter } from '../support/website-resources';

const MOST = 20;
const ABOVE = { metric: 'visitors', condition: 'above', threshold: 500 };

let service: TestApp;
let api: ApiClient;
let site: Site;
let names = 0;
beforeAll(async () => {
  service = await startApp();
  api = service.api;
});
beforeEach(async () => void (site = await website(api)));
afterAll(() => service.stop());

const at = (rest = '', { id }: Pick<Site, 'id'> = site) => `${WEBSITES}/${id}/alerts${rest}`;
const named = (fields: object = ABOVE) => ({ name: `alert ${++names}`, ...fields });
const store = async (fields: object = named()) => (await api.post(at(), { json: fields })).body.data;
const keyWith = async (json: object) =>
  api.as((await api.post('/api/v1/keys', { json: { name: 'test', scope: 'full', ...json } })).body.data.key);
const problem = ({ status, body }: Answer) => [status, body.errors ?? body.code];

const ROUTES: [method: string, rest: string, isRead: boolean][] = [
  ['GET', '', true],
  ['POST', '', false],
  ['GET', '/:id', true],
  ['PUT', '/:id', false],
  ['PATCH', '/:id', false],
  ['DELETE', '/:id', false],
  ['GET', '/:id/firings', true],
];

describe.each(ROUTES)('%s alerts%s', (method, rest, isRead) => {
  const path = async (of: Pick<Site, 'id'> = site, id?: number | string) =>
    at(rest.replace(':id', String(id ?? (await store()).id)), of);
  const sent = method.startsWith('P') ? { json: method === 'POST' ? named() : {} } : {};

  it('needs a key that may', async () => {
    const own = await path();
    expect(problem(await api.as(undefined).send(method, own, sent))).toEqual([401, 'unauthorized']);
    expect((await api.as('x'.repeat(30)).send(method, own, sent)).status).toBe(401);
    for (const scope of ['events', 'annotations', ...(isRead ? [] : ['read'])])
      expect((await (await keyWith({ scope })).send(method, own, sent)).status).toBe(403);
    if (isRead) expect((await (await keyWith({ scope: 'read' })).send(method, own)).status).toBe(200);
  });

  it("answers another's website, a missing one and one that the key does not cover alike", async () => {
    const own = await path();
    const answers = [
      await (await service.anotherUser()).send(method, own, sent),
      await (await keyWith({ websites: [(await website(api)).id] })).send(method, own, sent),
      await api.send(method, await path({ id: 999_999 }, 1), sent),
    ];
    for (const { status, body } of answers)
      expect([status, body.detail]).toEqual([404, 'Website not found.']);
  });

  if (rest)
    it('answers an alert of another website, a missing one and an impossible id alike', async () => {
      const { id } = await store();
      const elsewhere = await website(api);
      for (const [of, one] of [
        [elsewhere, id],
        [site, 999_999],
        [site, 0],
        [site, 'x'],
      ] as const) {
        const { status, body } = await api.send(method, await path(of, one), sent);
        expect([status, body.detail]).toEqual([404, 'Alert not found.']);
      }
    });
});

describe('store', () => {
  it('answers 201 with the place, and the alert as it is read', async () => {
    const answer = await api.post(at(), { json: { name: ' Busy 🙂 ', ...ABOVE } });
    const { id, created_at } = answer.body.data;
    expect(answer.body.data).toEqual({
      ...{ id: expect.any(Number), name: 'Busy 🙂', metric: 'visitors', filters: [] },
      ...{ condition: 'above', threshold: 500, within: 'hour', quiet_hours: 24 },
      ...{ mail: 1, recipients: [], webhook: 1, enabled: 1 },
      ...{ fired_at: null, fired_value: null, error: null },
      ...{ created_at: expect.any(String), updated_at: created_at },
    });
    expect([answer.status, answer.headers.get('Location')]).toEqual([201, at(`/${id}`)]);
    const shown = await api.get(at(`/${id}`));
    expect(shown.body).toEqual(answer.body);
    expect(shown.headers.get('ETag')).toBe(answer.headers.get('ETag'));
  });

  it.each([
    [
      {
        condition: 'below',
        metric: 'pageviews',
        threshold: 0.5,
        within: 'day',
        quiet_hours: 720,
        mail: false,
      },
      { threshold: 0.5, within: 'day', quiet_hours: 720, mail: 0 },
    ],
    [
      { condition: 'rises', metric: 'visits', threshold: 10_000 },
      { within: 'hour', threshold: 10_000 },
    ],
    [{ condition: 'falls', metric: 'conversions', threshold: 100, within: 'hour' }, { threshold: 100 }],
    [{ condition: 'silent' }, { metric: 'events', threshold: null, within: null }],
    [
      { condition: 'silent', metric: 'events', threshold: null, within: '', enabled: 0, webhook: 0 },
      { within: null, enabled: 0, webhook: 0 },
    ],
    [
      { ...ABOVE, recipients: ['Team@BÜCHER.example', 'b@example.com'] },
      {
        recipients: [
          { address: 'team@xn--bcher-kva.example', state: 'pending' },
          { address: 'b@example.com', state: 'pending' },
        ],
      },
    ],
  ])('takes %j', async (fields, shown) => {
    expect(await store(named(fields))).toMatchObject(shown);
  });

  it.each([
    [{ ...ABOVE, name: '' }, 'name'],
    [{ ...ABOVE, name: 'a\nb' }, 'name'],
    [{ metric: 'visitors', threshold: 1 }, 'condition'],
    [{ ...ABOVE, condition: 'equals' }, 'condition'],
    [{ ...ABOVE, condition: null }, 'condition'],
    [{ condition: 'above', threshold: 1 }, 'metric'],
    [{ ...ABOVE, metric: 'bounce_rate' }, 'metric'],
    [{ ...ABOVE, metric: ['visitors'] }, 'metric'],
    [{ ...ABOVE, threshold: -1 }, 'threshold'],
    [{ ...ABOVE, threshold: '5' }, 'threshold'],
    [{ ...ABOVE, threshold: 1e16 }, 'threshold'],
    [{ ...ABOVE, threshold: null }, 'threshold'],
    [{ metric: 'visitors', condition: 'above' }, 'threshold'],
    [{ ...ABOVE, condition: 'rises', threshold: 0 }, 'threshold'],
    [{ ...ABOVE, condition: 'rises', threshold: 10_001 }, 'threshold'],
    [{ ...ABOVE, condition: 'falls', threshold: 101 }, 'threshold'],
    [{ ...ABOVE, condition: 'rises', within: 'day' }, 'within'],
    [{ ...ABOVE, within: 'week' }, 'within'],
    [{ condition: 'silent', metric: 'visitors' }, 'metric'],
    [{ condition: 'silent', threshold: 1 }, 'threshold'],
    [{ condition: 'silent', within: 'day' }, 'within'],
    [{ ...ABOVE, quiet_hours: 0 }, 'quiet_hours'],
    [{ ...ABOVE, quiet_hours: 721 }, 'quiet_hours'],
    [{ ...ABOVE, quiet_hours: 1.5 }, 'quiet_hours'],
    [{ ...ABOVE, mail: 2 }, 'mail'],
    [{ ...ABOVE, enabled: null }, 'enabled'],
    [{ ...ABOVE, recipients: 'a@example.com' }, 'recipients'],
    [{ ...ABOVE, recipients: Array.from({ length: 11 }, (_, one) => `a${one}@example.com`) }, 'recipients'],
    [{ ...ABOVE, recipients: ['a@example.com', 'A@example.com'] }, 'recipients'],
    [{ ...ABOVE, recipients: ['a@example.com', 'a@localhost'] }, 'recipients.1'],
    [{ ...ABOVE, recipients: ['a@example.com\r\nBcc: b@example.com'] }, 'recipients.0'],
    [{ ...ABOVE, recipients: [7] }, 'recipients.0'],
    [{ ...ABOVE, filters: null }, 'filters'],
    [{ ...ABOVE, filters: [['is', 'page', []]] }, 'filters.0.2'],
    [{ ...ABOVE, filters: [['is', 'goal', ['Missing']]] }, 'filters.0.2.0'],
    [{ ...ABOVE, filters: [['saved', 'Missing']] }, 'filters.0.1'],
    [{ ...ABOVE, filters: [['is', 'page', ['x'.repeat(16_384)]]] }, 'filters'],
    [{ ...ABOVE, fired_at: null }, 'fired_at'],
  ])('refuses %j', async (json, field) => {
    const { status, body } = await api.post(at(), { json: named(json) });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect((await api.get(at())).body.meta.total).toBe(0);
  });

  it('has a body of JSON alone', async () => {
    expect((await api.post(at(), { form: { name: 'a' } })).status).toBe(415);
  });

  it('stores one alert, however often and at once a request is sent', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const json = named();
    const twins = await Promise.all(Array.from({ length: 8 }, () => api.post(at(), { json, headers })));
    for (const { status, body } of twins) expect([status, body]).toEqual([201, twins[0]!.body]);
    expect(problem(await api.post(at(), { json: named(), headers }))).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    expect((await api.get(at())).body.meta.total).toBe(1);
  });

  it('keeps to one of a name and to 20 of a website, however many come at once', async () => {
    const twins = await Promise.all(
      Array.from({ length: 4 }, () => api.post(at(), { json: { name: 'twin', ...ABOVE } })),
    );
    expect(twins.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
    const rest = await Promise.all(Array.from({ length: 24 }, () => api.post(at(), { json: named() })));
    const refused = rest.filter(({ status }) => status !== 201);
    expect(refused.map(problem)).toEqual(Array(5).fill([422, 'limit_reached']));
    expect((await api.get(at())).body.meta.total).toBe(MOST);
  });
});

describe('a change', () => {
  it.each(['put', 'patch'] as const)(
    'by %s is of what is sent, and nothing where nothing changes',
    async (method) => {
      const { id, ...before } = await store(
        named({ ...ABOVE, within: 'day', recipients: ['a@example.com'] }),
      );
      const change = (json: object) => api[method](at(`/${id}`), { json });
      expect((await change({})).body.data).toEqual({ id, ...before });
      expect((await change({ threshold: 500, recipients: ['A@example.com'] })).body.data).toEqual({
        id,
        ...before,
      });
      const { body } = await change({ threshold: 10, quiet_hours: 3 });
      expect(body.data).toMatchObject({
        threshold: 10,
        within: 'day',
        quiet_hours: 3,
        recipients: before.recipients,
      });
      expect(Date.parse(body.data.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
      for (const [json, field] of [
        [{ condition: 'rises', threshold: 50, within: 'day' }, 'within'],
        [{ condition: 'rises', threshold: 50 }, undefined],
        [{ condition: 'silent' }, undefined],
        [{ condition: 'above' }, 'threshold'],
        [{ within: 'day' }, 'within'],
        [{ metric: 'visits' }, 'metric'],
      ] as const) {
        const { body: answer } = await change(json);
        expect(Object.keys(answer.errors ?? {})).toEqual(field ? [field] : []);
      }
      expect((await change({ condition: 'below', threshold: 3 })).body.data).toMatchObject({
        ...{ condition: 'below', metric: 'events', threshold: 3, within: 'hour' },
      });
    },
  );

  it('is of the version that was read', async () => {
    const stored = await api.post(at(), { json: named() });
    const one = stored.headers.get('Location')!;
    const ifMatch = (tag: string, json?: object) => ({ headers: { 'If-Match': tag }, ...(json && { json }) });
    const tag = stored.headers.get('ETag')!;
    const changed = await api.patch(one, ifMatch(tag, { quiet_hours: 2 }));
    expect(changed.status).toBe(200);
    expect((await api.patch(one, ifMatch(tag, { quiet_hours: 3 }))).status).toBe(412);
    expect((await api.delete(one, ifMatch(tag))).status).toBe(412);
    expect((await api.delete(one, ifMatch(changed.headers.get('ETag')!))).body.data).toEqual({
      id: stored.body.data.id,
      object: 'alert',
      deleted: true,
    });
  });

  it('loses none of another at the same moment', async () => {
    const { id } = await store();
    await Promise.all(
      [{ threshold: 1 }, { quiet_hours: 1 }].map((json) => api.patch(at(`/${id}`), { json })),
    );
    expect((await api.get(at(`/${id}`))).body.data).toMatchObject({ threshold: 1, quiet_hours: 1 });
  });
});

it('are listed by name, in pages, by a part of the name, and as files', async () => {
  for (const name of ['b', 'A', 'c']) await store({ name, ...ABOVE });
  const shown = async (query: string) =>
    (await api.get(at(`?${query}`))).body.data.map(({ name }: { name: string }) => name);
  expect([await shown('per_page=10'), await shown('search=B'), await shown('page=2')]).toEqual([
    ['A', 'b', 'c'],
    ['b'],
    [],
  ]);
  const csv = await api.get(at(), { headers: { Accept: 'text/csv' } });
  expect(csv.text.split('\r\n')[0]).toBe(
    'id,name,metric,filters,condition,threshold,within,quiet_hours,mail,recipients,webhook,enabled,fired_at,fired_value,error,created_at,updated_at',
  );
  const tag = { 'If-None-Match': csv.headers.get('ETag')! };
  const again = () => api.get(at(), { headers: { Accept: 'text/csv', ...tag } });
  expect((await again()).status).toBe(304);
  const [{ id }] = (await api.get(at())).body.data;
  await api.patch(at(`/${id}`), { json: { enabled: 0 } });
  expect((await again()).status).toBe(200);
});

describe('the goals and saved filters of an alert', () => {
  it('can be neither renamed nor deleted', async () => {
    const { id: goalId } = await goal(api, site.id, 'Signup', [['is', 'event', ['signup']]]);
    const { id: savedId } = await savedFilter(api, site.id, 'Phones', [['is', 'device', ['mobile']]]);
    const filters = [
      ['is', 'goal', ['Signup']],
      ['saved', 'Phones'],
    ];
    const { id } = await store({ name: 'Signups', ...ABOVE, filters });
    const used = { name: ['is used by the alert "Signups", so it can be neither changed nor deleted'] };
    for (const one of [
      `${listOf(site.id, 'goals')}/${goalId}`,
      `${listOf(site.id, 'saved-filters')}/${savedId}`,
    ]) {
      const { status, body } = await api.delete(one);
      expect([status, body.code, body.detail]).toEqual([
        409,
        'in_use',
        'It is used by the alert "Signups"; change or delete that first.',
      ]);
      expect(problem(await api.patch(one, { json: { name: 'Other' } }))).toEqual([422, used]);
    }
    await api.patch(at(`/${id}`), { json: { filters: [] } });
    expect((await api.delete(`${listOf(site.id, 'goals')}/${goalId}`)).status).toBe(200);
  });

  it('stay within the limits of its filters, whatever grows', async () => {
    const many = (count: number, name = 'page') => [
      ['or', Array.from({ length: count }, (_, index) => ['is', name, [`/${index}`]])],
    ];
    const { id: goalId } = await goal(api, site.id, 'Prices', many(30));
    const { id: savedId } = await savedFilter(api, site.id, 'Sources', many(30, 'source'));
    const filters = [['is', 'goal', ['Prices']], ['saved', 'Sources'], ...many(40, 'hostname')];
    const { id } = await store({ name: 'Both', ...ABOVE, filters });
    const grown = (path: string, name: string, count: number) =>
      api.patch(`${listOf(site.id, path)}/${path === 'goals' ? goalId : savedId}`, {
        json: { filters: many(count, name) },
      });
    for (const [path, name] of [
      ['goals', 'page'],
      ['saved-filters', 'source'],
    ] as const) {
      const { status, body } = await grown(path, name, 31);
      expect([status, body.errors]).toEqual([
        422,
        { filters: [expect.stringContaining('the alert "Both"')] },
      ]);
      expect((await grown(path, name, 30)).status).toBe(200);
    }
    const added = await api.post(listOf(site.id, 'goals'), { json: { name: 'Other', filters: many(99) } });
    expect(added.status).toBe(201);
    await api.patch(at(`/${id}`), { json: { filters: [] } });
    expect(problem(await grown('goals', 'page', 70))).toEqual([200, undefined]);
  });
});

describe('firings', () => {
  const fire = (alertId: number, firedAt: number, number: number) =>
    service.database.execute(
      `INSERT INTO alert_firings (website_id, alert_id, window_from, window_to, fired_at, value, usual, alert, mails, webhooks)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 2, 1)`,
      [
        ...[site.id, alertId, number * 3_600_000, (number + 1) * 3_600_000, firedAt, JSON.stringify(number)],
        ...['2.5', JSON.stringify({ name: 'a', ...ABOVE, within: 'hour' })],
      ],
    );

  it('are listed the latest first, in pages and as files', async () => {
    const { id } = await store();
    const { id: other } = await store();
    for (let number = 0; number < 12; number++) await fire(id, Math.floor(number / 2), number);
    await fire(other, 100, 1);
    const list = at(`/${id}/firings`);
    const { body, headers } = await api.get(list);
    expect(body.data.map(({ value }: { value: number }) => value)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    expect(body.meta).toMatchObject({ total: 12, path: list });
    expect(body.data[0]).toEqual({
      ...{ id: expect.any(Number), at: '1970-01-01T00:00:00.005Z', value: 11, usual: 2.5, threshold: 500 },
      ...{ from: '1970-01-01T11:00:00.000Z', to: '1970-01-01T12:00:00.000Z', mails: 2, webhooks: 1 },
    });
    expect((await api.get(`${list}?page=2`)).body.data).toHaveLength(2);
    expect((await api.get(list, { headers: { 'If-None-Match': headers.get('ETag')! } })).status).toBe(304);
    const csv = await api.get(list, { headers: { Accept: 'text/csv' } });
    expect(csv.text.trim().split('\r\n')).toHaveLength(13);
    expect(Object.keys((await api.get(`${list}?sort=asc`)).body.errors)).toEqual(['sort']);
    await api.delete(at(`/${id}`));
    expect((await api.get(at(`/${other}/firings`))).body.meta.total).toBe(1);
    const left = await service.database.query('SELECT 1 FROM alert_firings WHERE alert_id = ?', [id]);
    expect(left).toEqual([]);
  });
});
