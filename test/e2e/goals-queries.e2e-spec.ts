import type { ApiClient } from '../support/api-client';
import { timezoneAtNoon } from '../support/counted';
import { dayIn } from '../support/counting-model';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { at, type Sent, sendVisits, VISITS } from '../support/visited-website';

const TIMEZONE = timezoneAtNoon();
const dayBefore = (days: number) => dayIn(TIMEZONE, Date.now() - days * 24 * 3_600_000);
const [TODAY, YESTERDAY] = [dayBefore(0), dayBefore(1)];
const RANGE = [YESTERDAY, TODAY];
const RATE = ['conversions', 'converters', 'conversion_rate'];

/** The American buys yesterday after the signup, for two currencies. */
const PURCHASES: Sent[] = [
  {
    by: 'american',
    path: '/buy',
    occurred_at: at('yesterday', -1.7),
    event: { name: 'buy', props: { plan: 'Team' }, value: '19.90', currency: 'EUR' },
  },
  {
    by: 'american',
    path: '/buy',
    occurred_at: at('yesterday', -1.6),
    event: { name: 'buy', props: { plan: 'Solo' }, value: '5', currency: 'USD' },
  },
];
const GOALS = [
  { name: 'Signup', filters: [['is', 'event', ['signup']]], value: '20.50', currency: 'EUR' },
  { name: 'Team', filters: [['is', 'event_property:plan', ['Team']]] },
  { name: 'Purchase', filters: [['is', 'event', ['buy']]] },
  { name: 'Home', filters: [['is', 'page', ['/']]] },
  { name: 'Never', filters: [['is', 'page', ['/never']]] },
];

let database: FreshDatabase;
let service: TestApp;
let site: Site;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ TIMEZONE, DATABASE_URL: database.url });
  site = await visited();
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

/** A website with traffic and goals. */
async function visited(goals: object[] = GOALS, fields: object = {}): Promise<Site> {
  const made = await website(service.api, fields);
  await sendVisits(service.api, made, [...VISITS, ...PURCHASES]);
  for (const goal of goals) await store(made, goal);
  return made;
}

async function store({ id }: Site, goal: object): Promise<any> {
  const { status, body } = await service.api.post(`/api/v1/websites/${id}/goals`, { json: goal });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
}

const post = (json: unknown, { id } = site, api: ApiClient = service.api) =>
  api.post(`/api/v1/stats/${id}/query`, { json });

async function ask(hitQuery: object, of = site): Promise<any> {
  const { status, body } = await post({ range: RANGE, ...hitQuery }, of);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
}
const rows = async (hitQuery: object, of = site) => (await ask(hitQuery, of)).data;
const isGoal = (...names: (string | null)[]) => ['is', 'goal', names];

describe('by goal', () => {
  it('each goal with a conversion has a row, and a hit may be in several', async () => {
    const { data, meta } = await ask({ metrics: RATE, dimensions: ['goal'] });
    expect(data).toEqual([
      { goal: 'Home', conversions: 3, converters: 3, conversion_rate: 0.75, all_visitors: 4 },
      { goal: 'Purchase', conversions: 2, converters: 1, conversion_rate: 0.25, all_visitors: 4 },
      { goal: 'Signup', conversions: 1, converters: 1, conversion_rate: 0.25, all_visitors: 4 },
      { goal: 'Team', conversions: 1, converters: 1, conversion_rate: 0.25, all_visitors: 4 },
    ]);
    expect(meta).toMatchObject({ dimensions: ['goal'], fill: false, total: 4 });
    expect(meta.warnings.map(({ code }: any) => code)).toEqual(['rows_overlap']);
  });

  it('all other metrics are those of its hits', async () => {
    const metrics = ['visitors', 'pageviews', 'events', 'visits', 'bounces', 'seconds'];
    const found = await rows({ metrics, dimensions: ['goal'], order_by: [['goal', 'desc']] });
    expect(found.map(({ goal }: any) => goal)).toEqual(['Team', 'Signup', 'Purchase', 'Home']);
    for (const { goal, ...counts } of found)
      expect([goal, await rows({ metrics, filters: [isGoal(goal)] })]).toEqual([goal, [counts]]);
  });

  it('a goal with a value of its own counts it for each conversion, others the values of events', async () => {
    const { data, meta } = await ask({ metrics: ['value', 'conversions'], dimensions: ['goal'] });
    expect(data).toEqual([
      { goal: 'Signup', value: '20.5', conversions: 1 },
      { goal: 'Team', value: '19.9', conversions: 1 },
      { goal: 'Home', value: '0', conversions: 3 },
      { goal: 'Purchase', value: null, conversions: 2 },
    ]);
    expect(meta.warnings.map(({ code }: any) => code)).toContain('several_currencies');
    const currencies = {
      metrics: ['value'],
      dimensions: ['goal', 'currency'],
      filters: [isGoal('Purchase')],
    };
    expect(await rows(currencies)).toEqual([
      { goal: 'Purchase', currency: 'EUR', value: '19.9' },
      { goal: 'Team', currency: 'EUR', value: '19.9' },
      { goal: 'Purchase', currency: 'USD', value: '5' },
    ]);
  });

  it('the values of goals are in their currencies, which the answer names', async () => {
    const yen = { ...GOALS[0], name: '__proto__', value: '5000', currency: 'JPY' };
    const own = await visited([...GOALS, yen]);
    const byGoal = { metrics: ['value'], dimensions: ['goal'] };
    const { data, meta } = await ask({ ...byGoal, filters: [isGoal('Signup')] }, own);
    expect(data).toEqual([
      { goal: '__proto__', value: '5000' },
      { goal: 'Signup', value: '20.5' },
    ]);
    expect(Object.entries(meta.goal_currencies).sort()).toEqual([
      ['Signup', 'EUR'],
      ['__proto__', 'JPY'],
    ]);
    const isMixed = ({ warnings = [] }: { warnings?: { code: string }[] }) =>
      warnings.some(({ code }) => code === 'several_currencies');
    expect(isMixed(meta)).toBe(true);
    const searched = await ask({ ...byGoal, search: 'sign' }, own);
    expect([searched.meta.goal_currencies, isMixed(searched.meta)]).toEqual([{ Signup: 'EUR' }, false]);
    const named = await ask({ metrics: ['value'], filters: [isGoal('Signup')] }, own);
    expect([named.data[0].value, named.meta.goal_currencies]).toEqual(['20.5', { Signup: 'EUR' }]);
    for (const without of [
      { metrics: ['conversions'], dimensions: ['goal'] },
      { metrics: ['value', 'conversions'] },
      { metrics: ['value'], filters: [isGoal('Team')] },
      { ...byGoal, dimensions: ['goal', 'currency'] },
    ])
      expect((await ask(without, own)).meta).not.toHaveProperty('goal_currencies');
  });

  it('combines with other names, and all visitors are those of the other names', async () => {
    const hitQuery = { metrics: ['conversion_rate'], dimensions: ['country', 'goal'] };
    expect(await rows(hitQuery)).toEqual([
      { country: 'NL', goal: 'Home', conversion_rate: 1, converters: 1, all_visitors: 1 },
      { country: 'US', goal: 'Home', conversion_rate: 1, converters: 2, all_visitors: 2 },
      { country: 'US', goal: 'Purchase', conversion_rate: 0.5, converters: 1, all_visitors: 2 },
      { country: 'US', goal: 'Signup', conversion_rate: 0.5, converters: 1, all_visitors: 2 },
      { country: 'US', goal: 'Team', conversion_rate: 0.5, converters: 1, all_visitors: 2 },
    ]);
    const days = {
      metrics: RATE,
      dimensions: ['goal', 'day'],
      order_by: [['day', 'asc']],
      range: [dayBefore(2), TODAY],
    };
    expect(
      (await rows(days)).map(({ goal, day, conversions, all_visitors }: any) => [
        goal,
        day,
        conversions,
        all_visitors,
      ]),
    ).toEqual([
      ['Home', YESTERDAY, 2, 3],
      ['Purchase', YESTERDAY, 2, 3],
      ['Signup', YESTERDAY, 1, 3],
      ['Team', YESTERDAY, 1, 3],
      ['Home', TODAY, 1, 1],
    ]);
  });

  it('rows are filtered, searched, ordered, paged and compared', async () => {
    const goals = { metrics: ['conversions'], dimensions: ['goal'] };
    const names = async (more: object) => (await rows({ ...goals, ...more })).map(({ goal }: any) => goal);
    expect(await names({ filters: [['is', 'country', ['NL']]] })).toEqual(['Home']);
    expect(await names({ search: 'SIGN' })).toEqual(['Signup']);
    expect(await names({ unset: false, per_page: 1, page: 2 })).toEqual(['Purchase']);
    expect(
      await names({
        order_by: [
          ['conversions', 'asc'],
          ['goal', 'desc'],
        ],
      }),
    ).toEqual(['Team', 'Signup', 'Purchase', 'Home']);
    expect(
      await rows({
        ...goals,
        metrics: ['conversions', 'conversion_rate'],
        range: 'today',
        compare: 'previous',
      }),
    ).toEqual([
      {
        ...{ goal: 'Home', conversions: 1, conversion_rate: 1, converters: 1, all_visitors: 1 },
        previous: { conversions: 2, conversion_rate: 0.6667, converters: 2, all_visitors: 3 },
      },
    ]);
    expect(await names({ range: [dayBefore(9), dayBefore(8)] })).toEqual([]);
  });

  it('a website without goals has no rows, and no conversions', async () => {
    const none = await visited([]);
    expect(await rows({ metrics: RATE, dimensions: ['goal'] }, none)).toEqual([]);
    expect(await rows({ metrics: RATE }, none)).toEqual([
      { conversions: 0, converters: 0, conversion_rate: 0, all_visitors: 4 },
    ]);
    const empty = await website(service.api);
    expect(await rows({ metrics: RATE }, empty)).toEqual([
      { conversions: 0, converters: 0, conversion_rate: null, all_visitors: 0 },
    ]);
  });
});

describe('without rows by goal', () => {
  it('the conversions are those of the goals that the filters name', async () => {
    const signup = { metrics: [...RATE, 'visitors', 'value'], filters: [isGoal('Signup')] };
    expect(await rows(signup)).toEqual([
      {
        ...{ conversions: 1, converters: 1, conversion_rate: 0.25, visitors: 1, value: '20.5' },
        all_visitors: 4,
      },
    ]);
    const countries = { ...signup, metrics: ['conversion_rate'], dimensions: ['country'] };
    expect(await rows(countries)).toEqual([
      { country: 'US', conversion_rate: 0.5, converters: 1, all_visitors: 2 },
      { country: '(unknown)', conversion_rate: 0, converters: 0, all_visitors: 1 },
      { country: 'NL', conversion_rate: 0, converters: 0, all_visitors: 1 },
    ]);
    const days = {
      ...signup,
      metrics: ['conversion_rate'],
      dimensions: ['day'],
      range: [dayBefore(2), TODAY],
    };
    expect(await rows(days)).toEqual([
      { day: dayBefore(2), conversion_rate: null, converters: 0, all_visitors: 0 },
      { day: YESTERDAY, conversion_rate: 0.3333, converters: 1, all_visitors: 3 },
      { day: TODAY, conversion_rate: 0, converters: 0, all_visitors: 1 },
    ]);
  });

  it('else they are those of any goal, each hit once', async () => {
    expect(await rows({ metrics: RATE, range: [YESTERDAY, YESTERDAY] })).toEqual([
      { conversions: 5, converters: 2, conversion_rate: 0.6667, all_visitors: 3 },
    ]);
    const hits = { metrics: ['conversions', 'pageviews', 'events'], dimensions: ['hour'], fill: false };
    const hours = await rows({ ...hits, range: [YESTERDAY, YESTERDAY] });
    const sum = (metric: string) => hours.reduce((all: number, row: any) => all + row[metric], 0);
    expect([sum('conversions'), sum('pageviews'), sum('events')]).toEqual([5, 5, 3]);
  });

  it('other conditions on goals are part of the rest', async () => {
    const rates = async (...filters: unknown[]) => Object.values((await rows({ metrics: RATE, filters }))[0]);
    expect(await rates(isGoal('Team', 'Home'))).toEqual([4, 3, 0.75, 4]);
    expect(await rates(['starts', 'goal', ['s']])).toEqual([1, 1, 0.25, 4]);
    expect(await rates(['contains', 'goal', ['nothing like it']])).toEqual([0, 0, 0, 4]);
    expect(await rates(isGoal('Purchase'), isGoal('Team'))).toEqual([1, 1, 0.25, 4]);
    expect(await rates(['is_not', 'goal', ['Home']])).toEqual([3, 1, 0.5, 2]);
    expect(await rates(['not', isGoal('Home')])).toEqual([3, 1, 0.5, 2]);
    expect(await rates(isGoal('Home', null))).toEqual([3, 3, 0.75, 4]);
    expect(await rates(isGoal(null))).toEqual([0, 0, 0, 2]);
    expect(await rates(['has_done', isGoal('Signup')], isGoal('Home'))).toEqual([1, 1, 1, 1]);
  });

  it('a value is that of one named goal, unless the query is about currencies', async () => {
    const value = async (filters: unknown[], more = {}) =>
      (await rows({ metrics: ['value'], filters, ...more })).map((row: any) => row.value);
    expect(await value([isGoal('Signup')])).toEqual(['20.5']);
    expect(await value([isGoal('Signup', 'Signup')])).toEqual(['20.5']);
    expect(await value([isGoal('Signup', 'Team')])).toEqual(['19.9']);
    expect(await value([isGoal('Team')])).toEqual(['19.9']);
    expect(await value([isGoal('Signup'), ['is', 'currency', [null]]])).toEqual(['0']);
    expect(await value([isGoal('Signup')], { dimensions: ['country'] })).toEqual(['20.5']);
    expect(await value([isGoal('Purchase'), ['is', 'currency', ['USD']]])).toEqual(['5']);
  });
});

it('answers several queries of one moment, each with its own goals', async () => {
  const queries = [
    { metrics: ['conversions'], dimensions: ['goal'], range: RANGE },
    { metrics: ['conversions'], filters: [isGoal('Team')], range: RANGE },
    { metrics: ['conversions'], range: RANGE },
    { metrics: ['conversions'], dimensions: ['goal'], filters: [isGoal('Signup')], range: RANGE },
  ];
  const { body } = await post({ queries });
  expect(body.data.map(({ data }: any) => data.map((row: any) => row.conversions))).toEqual([
    [3, 2, 1, 1],
    [1],
    [6],
    [1],
  ]);
});

it('counts the past anew once a goal is changed, and no more once it is deleted', async () => {
  const own = await visited([]);
  const { id } = await store(own, { name: 'Docs', filters: [['is', 'page', ['/none']]] });
  const count = () => rows({ metrics: ['conversions'], dimensions: ['goal'] }, own);
  expect(await count()).toEqual([]);
  const path = `/api/v1/websites/${own.id}/goals/${id}`;
  await service.api.patch(path, { json: { name: 'Pages', filters: [['contains', 'page', ['DOCS']]] } });
  expect(await count()).toEqual([{ goal: 'Pages', conversions: 1 }]);
  await service.api.delete(path);
  expect(await count()).toEqual([]);
});

it('counts a hundred goals', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `Goal ${String(index).padStart(2, '0')}`);
  const many = await visited(
    names.map((name, index) => ({ name, filters: [['is', 'page', [index % 2 ? '/' : '/buy']]] })),
  );
  const found = await rows({ metrics: RATE, dimensions: ['goal'], per_page: 1000 }, many);
  expect(found).toHaveLength(100);
  expect(found.slice(0, 50).map(({ goal }: any) => goal)).toEqual(names.filter((_, index) => index % 2));
  expect(found.at(-1)).toEqual({
    ...{ goal: 'Goal 98', conversions: 2, converters: 1, conversion_rate: 0.25, all_visitors: 4 },
  });
});

describe('is refused', () => {
  const goals = { metrics: ['conversions'], dimensions: ['goal'], range: RANGE };

  it.each<[string, object, string[]]>([
    [
      'an unknown goal',
      { ...goals, filters: [['is', 'country', ['US']], isGoal('Home', 'home')] },
      ['filters.1.2.1'],
    ],
    ['goals twice', { ...goals, dimensions: ['goal', 'goal'] }, ['dimensions']],
    [
      'an order by goal without rows by goal',
      { ...goals, dimensions: [], order_by: [['goal', 'asc']] },
      ['order_by.0.0'],
    ],
    [
      'an order by a metric that was not asked',
      { ...goals, order_by: [['converters', 'asc']] },
      ['order_by.0.0'],
    ],
    [
      'goals beside three names',
      { ...goals, dimensions: ['goal', 'page', 'country', 'device'] },
      ['dimensions'],
    ],
    [
      'several queries with an unknown goal',
      { queries: [goals, { ...goals, filters: [isGoal('X')] }] },
      ['queries.1.filters.0.2.0'],
    ],
  ])('%s', async (_, json, places) => {
    const { status, body } = await post(json);
    expect([status, Object.keys(body.errors)]).toEqual([422, places]);
  });

  it('as a name of statistics', async () => {
    const query = `name=goal&from=${YESTERDAY}&to=${TODAY}`;
    expect((await service.api.get(`/api/v1/stats/${site.id}?${query}`)).status).toBe(422);
    expect((await service.api.get(`/api/v1/stats/${site.id}/values?name=goal`)).status).toBe(422);
  });

  it('the same way, whether another owner has the goal or not', async () => {
    const other = await service.anotherUser();
    for (const name of ['Home', 'None']) {
      const { status, body } = await post({ ...goals, filters: [isGoal(name)] }, site, other);
      expect([status, body.detail]).toEqual([404, 'Website not found.']);
    }
    expect((await post(goals, site, other)).status).toBe(404);
  });
});

describe('viewers of a shared page', () => {
  const goals = { metrics: RATE, dimensions: ['goal'], range: RANGE };
  const view = ({ domain }: Site, json: object) =>
    service.api.as(undefined).post(`/share/${domain}/api/query`, { json });

  it('see no goals', async () => {
    const closed = await visited(GOALS, { privacy: 0 });
    expect(Object.keys((await view(closed, goals)).body.errors)).toEqual(['metrics']);
    const rate = { metrics: ['conversion_rate'], range: RANGE };
    expect(Object.keys((await view(closed, rate)).body.errors)).toEqual(['metrics']);
    const visitors = { metrics: ['visitors'], range: RANGE };
    expect(Object.keys((await view(closed, { ...visitors, dimensions: ['goal'] })).body.errors)).toEqual([
      'dimensions',
    ]);
    expect(Object.keys((await view(closed, { ...visitors, filters: [isGoal('Home')] })).body.errors)).toEqual(
      ['filters'],
    );
  });

  it('see them as the owner does where they may filter, without values', async () => {
    const open = await visited(GOALS, { privacy: 0, share_filters: 1 });
    expect((await view(open, goals)).body.data).toEqual(await rows(goals, open));
    const value = { ...goals, metrics: ['conversions', 'value'] };
    expect(Object.keys((await view(open, value)).body.errors)).toEqual(['metrics']);
  });
});
