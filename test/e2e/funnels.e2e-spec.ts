import type { ApiClient } from '../support/api-client';
import { type Site, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

const PRICING = { name: 'Pricing', filters: [['is', 'page', ['/pricing']]] };
const SIGNUP = { name: null, filters: [['is', 'event', ['signup']]] };
const STEPS = [PRICING, SIGNUP];

let service: TestApp;
let other: ApiClient;
let site: Site;
beforeAll(async () => {
  service = await startApp();
  other = await service.anotherUser();
});
beforeEach(async () => void (site = await website(service.api)));
afterAll(() => service.stop());

const pathOf = (id?: number, { id: websiteId } = site) =>
  `${WEBSITES}/${websiteId}/funnels${id === undefined ? '' : `/${id}`}`;
const store = (fields: object = {}, api = service.api) =>
  api.post(pathOf(), { json: { name: 'Signups', steps: STEPS, ...fields } });
const stored = async (fields: object = {}) => (await store(fields)).body.data;

describe('who may', () => {
  it('is nobody without a key, or with a wrong one', async () => {
    for (const api of [service.api.as(undefined), service.api.as('a-key-that-nobody-has-ever-had')]) {
      expect((await api.get(pathOf())).status).toBe(401);
      expect((await store({}, api)).status).toBe(401);
    }
  });

  it('is the owner of the website', async () => {
    const { id } = await stored();
    const missing = await service.api.get(pathOf(undefined, { ...site, id: 999_999 }));
    const theirs = await other.get(pathOf());
    expect([missing.status, theirs.status]).toEqual([404, 404]);
    expect(theirs.body.detail).toBe(missing.body.detail);
    for (const { status } of [
      await other.get(pathOf(id)),
      await store({}, other),
      await other.patch(pathOf(id), { json: { name: 'Mine' } }),
      await other.delete(pathOf(id)),
    ])
      expect(status).toBe(404);
    expect((await service.api.get(pathOf(id))).body.data.name).toBe('Signups');
  });

  it('finds a funnel in its own website alone', async () => {
    const { id } = await stored();
    const elsewhere = await website(service.api);
    for (const { status, body } of [
      await service.api.get(pathOf(id, elsewhere)),
      await service.api.get(pathOf(999_999)),
      await service.api.delete(pathOf(id, elsewhere)),
    ])
      expect([status, body.detail]).toEqual([404, 'Funnel not found.']);
  });
});

describe('a funnel', () => {
  it('is stored, shown, changed and deleted', async () => {
    const { status, headers, body } = await store({ name: ' Signups ' });
    expect(status).toBe(201);
    const { id, created_at, updated_at, ...fields } = body.data;
    expect(headers.get('Location')).toBe(pathOf(id));
    expect(fields).toEqual({ name: 'Signups', steps: STEPS, order: 'open', within: 'visit' });
    expect((await service.api.get(pathOf(id))).body.data).toEqual(body.data);
    const steps = [{ filters: SIGNUP.filters }, { ...PRICING, name: '  Prices ' }, PRICING];
    const changed = await service.api.patch(pathOf(id), { json: { steps, order: 'strict', within: 'day' } });
    expect(changed.body.data).toEqual({
      ...body.data,
      steps: [SIGNUP, { ...PRICING, name: 'Prices' }, PRICING],
      order: 'strict',
      within: 'day',
      updated_at: expect.any(String),
    });
    expect(Date.parse(changed.body.data.updated_at)).toBeGreaterThan(Date.parse(updated_at));
    expect(changed.body.data.created_at).toBe(created_at);
    expect((await service.api.delete(pathOf(id))).body.data).toEqual({ id, object: 'funnel', deleted: true });
    expect((await service.api.get(pathOf(id))).status).toBe(404);
  });

  it('stands in a list by name', async () => {
    for (const name of ['b', 'B', 'a', 'ä']) await stored({ name });
    const { body } = await service.api.get(`${pathOf()}?per_page=10`);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['B', 'a', 'b', 'ä']);
    const found = await service.api.get(`${pathOf()}?search=b`);
    expect(found.body.data.map(({ name }: { name: string }) => name)).toEqual(['B', 'b']);
  });

  it('has a name that no other one of the website has', async () => {
    await stored();
    expect((await store()).body.errors.name).toEqual([expect.stringContaining('already')]);
    expect((await store({ name: 'signups' })).status).toBe(201);
    const elsewhere = await website(service.api);
    const { status } = await service.api.post(pathOf(undefined, elsewhere), {
      json: { name: 'Signups', steps: STEPS },
    });
    expect(status).toBe(201);
  });

  it('is changed only as it was seen', async () => {
    const { id } = await stored();
    const tag = (await service.api.get(pathOf(id))).headers.get('ETag')!;
    const change = (ifMatch: string, order: string) =>
      service.api.patch(pathOf(id), { json: { order }, headers: { 'If-Match': ifMatch } });
    expect((await change(tag, 'strict')).status).toBe(200);
    expect((await change(tag, 'open')).status).toBe(412);
  });

  it('goes with its website', async () => {
    const { id } = await stored();
    await service.api.delete(`${WEBSITES}/${site.id}`);
    expect((await service.api.get(pathOf(id))).status).toBe(404);
  });
});

describe('steps', () => {
  const IN_STEP: [place: string, step: unknown][] = [
    ['steps.1', 'signup'],
    ['steps.1', { ...SIGNUP, page: '/' }],
    ['steps.1.name', { ...SIGNUP, name: 'x'.repeat(101) }],
    ['steps.1.name', { ...SIGNUP, name: 'a\u0007b' }],
    ['steps.1.name', { ...SIGNUP, name: 7 }],
    ['steps.1.filters', { name: 'Nothing' }],
    ['steps.1.filters', { filters: [] }],
    ['steps.1.filters', { filters: [['and', []]] }],
    ['steps.1.filters.0.1', { filters: [['is', 'clicks', ['/']]] }],
    ['steps.1.filters.0.2.0', { filters: [['is', 'page', ['\ud800']]] }],
    ['steps.1.filters.1', { filters: [...PRICING.filters, ['is', 'page', ['/']]] }],
    [
      'steps.1.filters.0.1.1',
      {
        filters: [
          [
            'and',
            [
              ['is', 'page', ['/a']],
              ['is_not', 'page', ['/a']],
            ],
          ],
        ],
      },
    ],
    ['steps.1.filters.0.1', { filters: [['saved', 'Unknown']] }],
    ['steps.1.filters.0.2.0', { filters: [['is', 'goal', ['Unknown']]] }],
  ];

  it.each(IN_STEP)('are refused at %s', async (place, step) => {
    const { status, body } = await store({ steps: [PRICING, step] });
    expect([status, Object.keys(body.errors)]).toEqual([422, [place]]);
    expect((await service.api.get(pathOf())).body.data).toEqual([]);
  });

  it.each([[[]], [[PRICING]], [Array.from({ length: 9 }, () => PRICING)], ['/pricing'], [null], [undefined]])(
    'are two to eight: %j',
    async (steps) => {
      const { status, body } = await store({ steps });
      expect([status, Object.keys(body.errors)]).toEqual([422, ['steps']]);
    },
  );

  it('have at most 100 conditions and 16 KiB together', async () => {
    const many = (count: number) => ({
      filters: [['or', Array.from({ length: count }, (_, index) => ['is', 'page', [`/${index}`]])]],
    });
    expect((await store({ steps: [many(50), many(50)] })).status).toBe(201);
    const tooMany = await store({ name: 'More', steps: [many(51), many(50)] });
    expect(tooMany.body.errors.steps).toEqual([expect.stringContaining('at most 100 conditions')]);
    const long = { filters: [['is', 'page', ['/'.padEnd(17_000, 'x')]]] };
    expect((await store({ name: 'Long', steps: [long, SIGNUP] })).body.errors.steps).toEqual([
      expect.stringContaining('at most 16,384 bytes'),
    ]);
  });

  it('may have goals and saved filters, which then stay', async () => {
    const { body: goal } = await service.api.post(`${WEBSITES}/${site.id}/goals`, {
      json: { name: 'Prices', filters: PRICING.filters },
    });
    const steps = [{ filters: [['is', 'goal', ['Prices']]] }, SIGNUP];
    await stored({ steps });
    const removed = await service.api.delete(`${WEBSITES}/${site.id}/goals/${goal.data.id}`);
    expect([removed.status, removed.body.detail]).toEqual([
      409,
      expect.stringContaining('the funnel "Signups"'),
    ]);
    const impossible = [
      {
        filters: [
          ['is', 'goal', ['Prices']],
          ['is', 'page', ['/']],
        ],
      },
      SIGNUP,
    ];
    expect(Object.keys((await store({ name: 'Never', steps: impossible })).body.errors)).toEqual([
      'steps.0.filters',
    ]);
  });

  describe('stay within the limits, whatever grows', () => {
    const many = (count: number) => [
      ['or', Array.from({ length: count }, (_, index) => ['is', 'page', [`/${index}`]])],
    ];
    const define = async (kind: string, name: string, filters: unknown[]) => {
      const { body } = await service.api.post(`${WEBSITES}/${site.id}/${kind}`, { json: { name, filters } });
      return `${WEBSITES}/${site.id}/${kind}/${body.data.id}`;
    };
    const grown = (path: string, count: number) =>
      service.api.patch(path, { json: { filters: many(count) } });
    const TOO_MANY = [
      'would break the funnel "Signups": it must have at most 100 conditions with 1,000 values in all filters together',
    ];

    it('be it a goal that a step names', async () => {
      const goal = await define('goals', 'Prices', many(50));
      await stored({ steps: [{ filters: [['is', 'goal', ['Prices']]] }, { filters: many(50) }] });
      const { status, body } = await grown(goal, 51);
      expect([status, body.errors]).toEqual([422, { filters: TOO_MANY }]);
      expect((await service.api.get(goal)).body.data.filters).toEqual(many(50));
      expect((await grown(goal, 49)).status).toBe(200);
    });

    it('be it a new goal that a pattern finds', async () => {
      await stored({ steps: [{ filters: [['contains', 'goal', ['price']]] }, { filters: many(50) }] });
      const json = { name: 'All prices', filters: many(51) };
      const { status, body } = await service.api.post(`${WEBSITES}/${site.id}/goals`, { json });
      expect([status, body.errors]).toEqual([422, { filters: TOO_MANY }]);
      expect((await service.api.get(`${WEBSITES}/${site.id}/goals`)).body.meta.total).toBe(0);
    });

    it('be it a saved filter that contains another', async () => {
      const inner = await define('saved-filters', 'inner', many(50));
      const outer = await define('saved-filters', 'outer', [['saved', 'inner']]);
      await stored({ steps: [{ filters: [['saved', 'outer']] }, { filters: many(50) }] });
      for (const path of [inner, outer])
        expect((await grown(path, 51)).body.errors).toEqual({ filters: TOO_MANY });
      expect((await grown(outer, 50)).status).toBe(200);
    });

    it('be it a goal of a single step', async () => {
      const goal = await define('goals', 'Prices', many(50));
      await stored({ steps: [{ filters: [['is', 'goal', ['Prices']], ...many(49)] }, SIGNUP] });
      expect((await grown(goal, 52)).body.errors.filters[0]).toContain('the funnel "Signups"');
    });

    it('but what was wrong before refuses no other change', async () => {
      const goal = await define('goals', 'Prices', many(2));
      const steps = JSON.stringify([{ name: null, filters: many(101) }, SIGNUP]);
      await service.database.write((manager) =>
        manager.query(
          `INSERT INTO funnels (website_id, name, steps, step_order, within, created_at, updated_at)
          VALUES (?, 'Old', ?, 'open', 'visit', 0, 0)`,
          [site.id, steps],
        ),
      );
      expect((await grown(goal, 3)).status).toBe(200);
    });
  });

  it.each([
    ['order', 'next'],
    ['within', 'week'],
    ['order', null],
    ['filters', []],
  ])('do not stand beside %s %j', async (field, value) => {
    const { status, body } = await store({ [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });
});
