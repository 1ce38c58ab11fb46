import { dayText } from '../../engine/ground/time/days';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import { TODAY } from '../support/counting';
import { momentOf, sendPaths, type SentHit, YESTERDAY } from '../support/sent-paths';
import { type Site, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

const RANGE = [YESTERDAY, YESTERDAY];
const step = (name: string | null, ...filters: unknown[]) => ({ name, filters });
const ENTRY = step('Entry', ['is', 'page', ['/']]);
const PRICING = step(null, ['is', 'page', ['/pricing']]);
const SIGNUP = step('Signup', ['is', 'event', ['signup']]);
const STEPS = [ENTRY, PRICING, SIGNUP];

const HITS: SentHit[] = [
  [1, 0, '/'],
  [1, 1, '/pricing'],
  [1, 3, 'signup'],
  [2, 0, '/'],
  [2, 2, '/faq'],
  [2, 5, '/pricing'],
  [2, 6, '/docs'],
  [3, 0, '/'],
  [4, 0, '/pricing'],
  [4, 1, '/'],
  // The next page is of another visit.
  [5, 0, '/'],
  [5, 60, '/pricing'],
  [6, 0, '/'],
  [6, 1, '/blog'],
  [7, 0, '/'],
  [7, 1, '/blog'],
  [8, 0, '/'],
  [8, 0, 'scrolled'],
  [8, 1, '/faq'],
];

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE: 'UTC' });
  site = await website(service.api, { privacy: 0 });
  await sendPaths(service.api, site, HITS);
});
afterAll(() => service.stop());

const post = (json: object, { id } = site, api = service.api) =>
  api.post(`/api/v1/stats/${id}/funnel`, { json: { range: RANGE, ...json } });

async function ask(json: object, asked = site): Promise<any> {
  const { status, body } = await post(json, asked);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
}
const visitors = async (json: object) =>
  (await ask(json)).data.steps.map((own: { visitors: number }) => own.visitors);
const errorsOf = async (json: object) => {
  const { status, body } = await post(json);
  expect(status).toBe(422);
  return Object.keys(body.errors);
};

describe('a funnel', () => {
  it('counts who takes its steps, how fast, and where the others go', async () => {
    const { data, meta } = await ask({ steps: STEPS });
    expect(data).toEqual({
      steps: [
        {
          ...{ step: 1, name: 'Entry', visitors: 8, share: 1, share_of_previous: null, drop_off: 6 },
          ...{ median_seconds: null, p90_seconds: null },
          next_pages: [
            { page: '/blog', visitors: 2 },
            { page: '/faq', visitors: 1 },
          ],
        },
        {
          ...{ step: 2, name: null, visitors: 2, share: 0.25, share_of_previous: 0.25, drop_off: 1 },
          ...{ median_seconds: 60, p90_seconds: 300 },
          next_pages: [{ page: '/docs', visitors: 1 }],
        },
        {
          ...{ step: 3, name: 'Signup', visitors: 1, share: 0.125, share_of_previous: 0.5, drop_off: 0 },
          ...{ median_seconds: 120, p90_seconds: 120, next_pages: [] },
        },
      ],
    });
    expect(meta).toEqual({
      ...{ website_id: site.id, steps: STEPS, order: 'open', within: 'visit', filters: [] },
      ...{ range: { from: YESTERDAY, to: YESTERDAY }, timezone: 'UTC', as_of: expect.any(String) },
    });
  });

  it('takes the steps in one visit, or in one day', async () => {
    expect(await visitors({ steps: STEPS, within: 'visit' })).toEqual([8, 2, 1]);
    expect(await visitors({ steps: STEPS, within: 'day' })).toEqual([8, 3, 1]);
  });

  it('takes any later hit, or the very next one', async () => {
    expect(await visitors({ steps: STEPS, order: 'strict' })).toEqual([8, 1, 1]);
    const reversed = [PRICING, ENTRY];
    expect(await visitors({ steps: reversed, order: 'strict' })).toEqual([4, 1]);
  });

  it('takes a step twice only with two hits', async () => {
    expect(await visitors({ steps: [ENTRY, ENTRY] })).toEqual([8, 0]);
    const anyPage = step(null, ['is', 'event', [null]]);
    expect(await visitors({ steps: Array.from({ length: 8 }, () => anyPage) })).toEqual([
      8, 6, 1, 1, 0, 0, 0, 0,
    ]);
  });

  it('orders hits of one second as they were accepted', async () => {
    const scrolled = step(null, ['is', 'event', ['scrolled']]);
    expect(await visitors({ steps: [ENTRY, scrolled] })).toEqual([8, 1]);
    expect(await visitors({ steps: [scrolled, ENTRY] })).toEqual([1, 0]);
  });

  it('is of nobody where nobody takes the first step', async () => {
    const nowhere = step(null, ['is', 'page', ['/nowhere']]);
    const { data } = await ask({ steps: [nowhere, ENTRY] });
    expect(data.steps).toEqual([
      {
        ...{ step: 1, name: null, visitors: 0, share: null, share_of_previous: null, drop_off: 0 },
        ...{ median_seconds: null, p90_seconds: null, next_pages: [] },
      },
      {
        ...{ step: 2, name: 'Entry', visitors: 0, share: null, share_of_previous: null, drop_off: 0 },
        ...{ median_seconds: null, p90_seconds: null, next_pages: [] },
      },
    ]);
  });

  it('is compared with the range before', async () => {
    const today = [dayText(TODAY), dayText(TODAY)];
    const { data, meta } = await ask({ steps: STEPS, range: today, compare: 'previous' });
    expect(data.steps.map(({ visitors, previous }: any) => [visitors, previous])).toEqual([
      [0, { visitors: 8, share: 1, share_of_previous: null }],
      [0, { visitors: 2, share: 0.25, share_of_previous: 0.25 }],
      [0, { visitors: 1, share: 0.125, share_of_previous: 0.5 }],
    ]);
    expect(meta).toMatchObject({
      compare: 'previous',
      previous_range: { from: YESTERDAY, to: YESTERDAY },
    });
  });

  it('is broken down by a name', async () => {
    const { data, meta } = await ask({ steps: STEPS, breakdown: 'device' });
    expect([data.breakdown, meta.breakdown]).toEqual([
      [
        { value: 'desktop', steps: [7, 1, 0] },
        { value: 'mobile', steps: [1, 1, 1] },
      ],
      'device',
    ]);
    const anyPage = step(null, ['is', 'event', [null]]);
    const byPage = (await ask({ steps: [anyPage, PRICING], breakdown: 'page' })).data.breakdown;
    expect(byPage).toEqual([
      { value: '/', steps: [7, 2] },
      { value: '/pricing', steps: [1, 0] },
    ]);
    const byDay = (await ask({ steps: STEPS, breakdown: 'day' })).data.breakdown;
    expect(byDay).toEqual([{ value: YESTERDAY, steps: [8, 2, 1] }]);
  });

  it('is of the hits that filters select', async () => {
    expect(await visitors({ steps: STEPS, filters: [['is', 'device', ['mobile']]] })).toEqual([1, 1, 1]);
    const done = ['has_done', ['is', 'page', ['/docs']]];
    expect(await visitors({ steps: STEPS, filters: [done] })).toEqual([1, 1, 0]);
    expect(await visitors({ steps: STEPS, filters: [['is', 'event', [null]]] })).toEqual([8, 2, 0]);
    const moments = [momentOf(1), momentOf(10)];
    expect(await visitors({ steps: STEPS, range: moments })).toEqual([1, 0, 0]);
  });

  it('has goals and saved filters in its steps', async () => {
    const own = `${WEBSITES}/${site.id}`;
    await service.api.post(`${own}/goals`, { json: { name: 'Signup', filters: SIGNUP.filters } });
    await service.api.post(`${own}/saved-filters`, { json: { name: 'Prices', filters: PRICING.filters } });
    const steps = [ENTRY, step(null, ['saved', 'Prices']), step(null, ['is', 'goal', ['Signup']])];
    const { data, meta } = await ask({ steps, filters: [['has_done', ['saved', 'Prices']]] });
    expect(data.steps.map((one: any) => one.visitors)).toEqual([4, 2, 1]);
    expect(meta).toMatchObject({ steps, filters: [['has_done', ['saved', 'Prices']]] });
  });
});

describe('a stored funnel', () => {
  it('is asked by its name', async () => {
    const fields = { name: 'Signups', steps: STEPS, within: 'day', order: 'open' };
    await service.api.post(`${WEBSITES}/${site.id}/funnels`, { json: fields });
    const { data, meta } = await ask({ funnel: 'Signups' });
    expect(data.steps.map((one: any) => one.visitors)).toEqual([8, 3, 1]);
    expect(meta).toMatchObject({ funnel: 'Signups', steps: STEPS, within: 'day' });
  });

  it('must be one of the website', async () => {
    for (const funnel of ['signups', 'Signups ', 'x'])
      expect((await post({ funnel })).body.errors).toEqual({
        funnel: [`has no funnel ${JSON.stringify(funnel)}`],
      });
    expect(await errorsOf({ funnel: '' })).toEqual(['funnel']);
    expect(await errorsOf({ funnel: 'x'.repeat(101) })).toEqual(['funnel']);
    expect(await errorsOf({ funnel: ['Signups'] })).toEqual(['funnel']);
  });

  it('is refused by its name once a step of it can never be true', async () => {
    const own = `${WEBSITES}/${site.id}`;
    const fields = { name: 'Moved', filters: ENTRY.filters };
    const { body } = await service.api.post(`${own}/goals`, { json: fields });
    const never = step(null, ['is', 'goal', ['Moved']], ...ENTRY.filters);
    const steps = [PRICING, never];
    expect((await service.api.post(`${own}/funnels`, { json: { name: 'Moving', steps } })).status).toBe(201);
    expect(await visitors({ funnel: 'Moving' })).toEqual([4, 1]);
    await service.api.patch(`${own}/goals/${body.data.id}`, { json: { filters: PRICING.filters } });
    expect((await post({ funnel: 'Moving' })).body.errors).toEqual({
      funnel: ['cannot be taken: step 2 can never be true, with what goals and saved filters stand for'],
    });
    expect(await errorsOf({ steps })).toEqual(['steps.1.filters']);
  });

  it('is read together with what its steps refer to', async () => {
    const own = `${WEBSITES}/${site.id}`;
    const make = async (kind: string, json: object) =>
      `${own}/${kind}/${(await service.api.post(`${own}/${kind}`, { json })).body.data.id}`;
    const { database } = service;
    const found = new Set<unknown>();
    for (let reads = 1; reads <= 6; reads++) {
      const goal = await make('goals', { name: 'Brief', filters: SIGNUP.filters });
      const funnel = await make('funnels', {
        name: 'Brief',
        steps: [ENTRY, step(null, ['is', 'goal', ['Brief']])],
      });
      const remove = async () => {
        for (const path of [funnel, goal]) await service.api.delete(path);
      };
      const readQuick = database.readQuick.bind(database);
      let left = reads;
      const spy = jest.spyOn(database, 'readQuick').mockImplementation(async (work) => {
        const read = await readQuick(work);
        if (--left === 0) await remove();
        return read;
      });
      const { status, body } = await post({ funnel: 'Brief' });
      spy.mockRestore();
      await remove();
      found.add(status === 200 ? 'answered' : Object.keys(body.errors).join());
    }
    expect(found).toEqual(new Set(['funnel', 'answered']));
  });

  it('does not stand beside steps and their rules', async () => {
    expect(await errorsOf({ funnel: 'Signups', steps: STEPS, order: 'open', within: 'day' })).toEqual([
      'steps',
      'order',
      'within',
    ]);
  });
});

it.each<[string, object]>([
  ['steps', {}],
  ['steps', { steps: [ENTRY] }],
  ['steps.1.filters', { steps: [ENTRY, step('None')] }],
  ['steps.1.filters.1', { steps: [ENTRY, step(null, ...PRICING.filters, ...ENTRY.filters)] }],
  ['steps.0.filters.0.2.0', { steps: [step(null, ['is', 'goal', ['None']]), ENTRY] }],
  ['steps.1.filters.0.1', { steps: [ENTRY, step(null, ['saved', 'None'])] }],
  ['filters.0.1', { steps: STEPS, filters: [['saved', 'None']] }],
  ['filters.0.0', { steps: STEPS, filters: [['near', 'page', ['/']]] }],
  ['range', { steps: STEPS, range: 'someday' }],
  ['range', { steps: STEPS, range: undefined }],
  ['range', { steps: STEPS, range: ['1970-01-01', '2026-01-01'], breakdown: 'hour' }],
  ['compare', { steps: STEPS, compare: 'before' }],
  ['breakdown', { steps: STEPS, breakdown: 'goal' }],
  ['breakdown', { steps: STEPS, breakdown: ['page'] }],
  ['order', { steps: STEPS, order: 'any' }],
  ['within', { steps: STEPS, within: null }],
  ['page', { steps: STEPS, page: 1 }],
])('refuses %s in %j', async (field, json) => {
  expect(await errorsOf(json)).toEqual([field]);
});

it('has at most 100 conditions in its steps and filters together', async () => {
  const many = (count: number) => [
    'or',
    Array.from({ length: count }, (_, index) => ['is', 'page', [`/${index}`]]),
  ];
  const steps = [step(null, many(40)), step(null, many(40))];
  expect((await post({ steps, filters: [many(20)] })).status).toBe(200);
  expect(await errorsOf({ steps, filters: [many(21)] })).toEqual(['filters']);
  expect(await errorsOf({ steps: [...steps, step(null, many(21))] })).toEqual(['steps']);
  await service.api.post(`${WEBSITES}/${site.id}/funnels`, { json: { name: 'Many', steps } });
  expect((await post({ funnel: 'Many', filters: [many(20)] })).status).toBe(200);
  expect(await errorsOf({ funnel: 'Many', filters: [many(21)] })).toEqual(['filters']);
  expect(await errorsOf({ funnel: 'Many', filters: [['saved', 'None']] })).toEqual(['filters.0.1']);
});

it('is for those who may read the website', async () => {
  const keys = service.app.get(ApiKeysService);
  const made = (scope: 'read' | 'events', websites: number[] | null) =>
    keys.create(1, { name: scope, scope, expiresAt: null, websites });
  const other = await service.anotherUser();
  const elsewhere = await website(service.api);
  const limited = service.api.as(await made('read', [elsewhere.id]));
  const asked = { steps: STEPS };
  expect((await post(asked, site, service.api.as(undefined))).status).toBe(401);
  expect((await post(asked, site, service.api.as(await made('events', null)))).status).toBe(403);
  expect((await post(asked, site, service.api.as(await made('read', null)))).status).toBe(200);
  expect((await post(asked, site, limited)).status).toBe(404);
  expect((await post(asked, site, other)).status).toBe(404);
  expect((await post({ funnel: 'Signups' }, site, other)).status).toBe(404);
  expect((await post({ funnel: 'None' }, site, other)).status).toBe(404);
  expect((await post(asked, { ...site, id: 999_999 })).status).toBe(404);
});

describe('of a shared page', () => {
  const shared = (json: object) =>
    service.api.as(undefined).post(`/share/${site.domain}/api/funnel`, { json: { range: RANGE, ...json } });

  it('is the owner’s alone without filters', async () => {
    const { status, body } = await shared({ steps: STEPS });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['steps']]);
    expect(Object.keys((await shared({ funnel: 'Signups' })).body.errors)).toEqual(['funnel']);
  });

  it('is answered where viewers may filter, within their limits', async () => {
    await service.api.patch(`${WEBSITES}/${site.id}`, { json: { share_filters: 1 } });
    const own = await ask({ steps: STEPS, breakdown: 'device' });
    expect((await shared({ steps: STEPS, breakdown: 'device' })).body.data).toEqual(own.data);
    const stored = await shared({ funnel: 'Signups' });
    expect(stored.status).toBe(200);
    // What a stored funnel looks at is the owner's.
    expect(stored.body.meta.steps.map((one: any) => one.filters)).toEqual(STEPS.map(() => []));
    const property = step(null, ['is', 'event_property:plan', ['team']]);
    const tooMany = step(null, ...Array(20).fill(PRICING.filters[0]));
    for (const [field, json] of [
      ['steps.1.filters', { steps: [ENTRY, property] }],
      ['steps', { steps: [ENTRY, tooMany] }],
      ['filters', { steps: [PRICING, PRICING], filters: tooMany.filters.slice(1) }],
      ['filters', { steps: STEPS, filters: property.filters }],
      ['breakdown', { steps: STEPS, breakdown: 'hour' }],
      ['breakdown', { steps: STEPS, breakdown: 'event_property:plan' }],
      ['range', { steps: STEPS, range: [`${YESTERDAY}T00:00:00Z`, `${YESTERDAY}T10:00:00Z`] }],
    ] as const)
      expect(Object.keys((await shared(json)).body.errors)).toEqual([field]);
  });

  it('does not tell by a refusal what goals and saved filters stand for', async () => {
    const own = `${WEBSITES}/${site.id}`;
    const make = async (kind: string, json: object) =>
      (await service.api.post(`${own}/${kind}`, { json })).body.data.id as number;
    const goal = await make('goals', { name: 'Launched', filters: PRICING.filters });
    const limit = await make('saved-filters', { name: 'Limit', filters: PRICING.filters, shared: 1 });
    const onAnother = (...named: unknown[]) => step(null, ...ENTRY.filters, named);
    const names = [onAnother('saved', 'Limit'), onAnother('is', 'goal', ['Launched'])];
    for (const never of names) {
      const steps = [PRICING, never];
      const { status, body } = await shared({ steps });
      expect([status, body.data?.steps.map((one: { visitors: number }) => one.visitors)]).toEqual([
        200,
        [4, 0],
      ]);
      expect((await shared({ steps: [never, PRICING] })).body.data.steps[0].visitors).toBe(0);
      expect(await errorsOf({ steps })).toEqual(['steps.1.filters']);
    }
    await service.api.patch(`${own}/goals/${goal}`, { json: { filters: ENTRY.filters } });
    await make('funnels', { name: 'Launching', steps: [PRICING, names[1]] });
    await service.api.patch(`${own}/goals/${goal}`, { json: { filters: PRICING.filters } });
    expect((await shared({ funnel: 'Launching' })).body.data.steps[1].visitors).toBe(0);
    expect(await errorsOf({ funnel: 'Launching' })).toEqual(['funnel']);
    // What viewers sent is their own.
    const sent = step(null, ...ENTRY.filters, ...PRICING.filters);
    expect(Object.keys((await shared({ steps: [PRICING, sent] })).body.errors)).toEqual([
      'steps.1.filters.1',
    ]);
    await service.api.patch(`${own}/saved-filters/${limit}`, { json: { shared: 0 } });
  });

  it('shows no hit that the filter of the page leaves out', async () => {
    const json = { name: 'Without blog', filters: [['is_not', 'page', ['/blog', '/faq']]], shared: 1 };
    const { body } = await service.api.post(`${WEBSITES}/${site.id}/saved-filters`, { json });
    const { data, meta } = (await shared({ steps: STEPS, order: 'strict' })).body;
    expect(data.steps.map((one: any) => [one.visitors, one.next_pages])).toEqual([
      [8, []],
      // The page between its steps is as if it was not there.
      [2, [{ page: '/docs', visitors: 1 }]],
      [1, []],
    ]);
    expect(meta.filters).toEqual([]);
    expect(await visitors({ steps: STEPS, order: 'strict' })).toEqual([8, 1, 1]);
    await service.api.delete(`${WEBSITES}/${site.id}/saved-filters/${body.data.id}`);
  });
});
