import type { ApiClient } from '../support/api-client';
import { timezoneAtNoon } from '../support/counted';
import { CountingProcess, daysOver, rolledUpBefore } from '../support/counting';
import { dayIn } from '../support/counting-model';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { type Site, website } from '../support/sending';
import { loseVisitors } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';
import { sendVisits, visitedWebsite, VISITS } from '../support/visited-website';

const TIMEZONE = timezoneAtNoon();
const DAY_MS = 24 * 3_600_000;
const dayBefore = (days: number) => dayIn(TIMEZONE, Date.now() - days * DAY_MS);
const [TODAY, YESTERDAY] = [dayBefore(0), dayBefore(1)];
const RANGE = [YESTERDAY, TODAY];

let database: FreshDatabase;
let service: TestApp;
let site: Site;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ TIMEZONE, DATABASE_URL: database.url });
  site = await visitedWebsite(service.api);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const post = (json: unknown, { id } = site, api: ApiClient = service.api) =>
  api.post(`/api/v1/stats/${id}/query`, { json });

async function ask(hitQuery: object): Promise<any> {
  const { status, body } = await post({ range: RANGE, ...hitQuery });
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
}
const rows = async (hitQuery: object) => (await ask(hitQuery)).data;

describe('metrics', () => {
  it('are counted for all hits where there is no dimension', async () => {
    const metrics = ['visitors', 'pageviews', 'events', 'visits', 'bounces', 'seconds'];
    expect(await rows({ metrics })).toEqual([
      { visitors: 4, pageviews: 6, events: 1, visits: 5, bounces: 4, seconds: 720 },
    ]);
  });

  it('that are ratios are followed by what they are made of', async () => {
    const [row] = await rows({ metrics: ['bounce_rate', 'visitors', 'visit_duration', 'views_per_visit'] });
    expect(Object.entries(row)).toEqual([
      ['bounce_rate', 0.8],
      ['visitors', 4],
      ['visit_duration', 144],
      ['views_per_visit', 1.2],
      ['bounces', 4],
      ['visits', 5],
      ['seconds', 720],
      ['pageviews', 6],
    ]);
  });

  it('are null where they are ratios of nothing', async () => {
    const filters = [['is', 'country', ['XX']]];
    const metrics = ['bounce_rate', 'visit_duration', 'views_per_visit'];
    expect((await rows({ metrics, filters }))[0]).toEqual({
      ...{ bounce_rate: null, visit_duration: null, views_per_visit: null },
      ...{ bounces: 0, visits: 0, seconds: 0, pageviews: 0 },
    });
  });
});

describe('dimensions', () => {
  it('make rows, the largest first', async () => {
    const hitQuery = { metrics: ['pageviews', 'visitors'], dimensions: ['country'] };
    expect(await rows(hitQuery)).toEqual([
      { country: 'US', pageviews: 4, visitors: 2 },
      { country: '(unknown)', pageviews: 1, visitors: 1 },
      { country: 'NL', pageviews: 1, visitors: 1 },
    ]);
    expect(await rows({ ...hitQuery, order_by: [['country', 'desc']] })).toMatchObject([
      { country: 'US' },
      { country: 'NL' },
      { country: '(unknown)' },
    ]);
  });

  it('are up to three', async () => {
    const dimensions = ['day', 'device', 'entry_page'];
    expect(await rows({ metrics: ['visits'], dimensions, order_by: [['day', 'desc']] })).toEqual([
      { day: TODAY, device: 'desktop', entry_page: '/', visits: 1 },
      { day: YESTERDAY, device: 'desktop', entry_page: '/', visits: 1 },
      { day: YESTERDAY, device: 'desktop', entry_page: '/Docs', visits: 1 },
      { day: YESTERDAY, device: 'desktop', entry_page: '/a;b,c%25', visits: 1 },
      { day: YESTERDAY, device: 'mobile', entry_page: '/', visits: 1 },
    ]);
  });

  it('are null where there is no value', async () => {
    expect(await rows({ metrics: ['visitors'], dimensions: ['campaign'] })).toEqual([
      { campaign: null, visitors: 3 },
      { campaign: 'Spring', visitors: 1 },
    ]);
  });

  it('leave out what has no value where that is asked for, and what a search does not find', async () => {
    const hitQuery = { metrics: ['visitors'], dimensions: ['campaign'] };
    const some = await ask({ ...hitQuery, unset: false });
    expect([some.data, some.meta.total]).toEqual([[{ campaign: 'Spring', visitors: 1 }], 1]);
    const countries = { metrics: ['visitors'], dimensions: ['country'] };
    expect(await rows({ ...countries, search: 'UNITED' })).toEqual([{ country: 'US', visitors: 2 }]);
    expect(await rows({ ...countries, search: '' })).toHaveLength(3);
    expect(await rows({ metrics: ['visits'], dimensions: ['entry_page'], search: 'a;B' })).toEqual([
      { entry_page: '/a;b,c%25', visits: 1 },
    ]);
    for (const wrong of [
      { ...countries, search: 7 },
      { ...countries, search: 'x'.repeat(1025) },
      { ...countries, search: '\ud800' },
      { metrics: ['visitors'], search: 'x' },
      { metrics: ['visitors'], dimensions: ['country', 'city'], search: 'x' },
    ])
      expect(Object.keys((await post({ range: RANGE, ...wrong })).body.errors)).toEqual(['search']);
    expect(Object.keys((await post({ range: RANGE, ...countries, unset: 0 })).body.errors)).toEqual([
      'unset',
    ]);
  });

  it('are shown a page at a time', async () => {
    const hitQuery = { metrics: ['pageviews'], dimensions: ['page'], per_page: 2 };
    const pages = [
      await ask(hitQuery),
      await ask({ ...hitQuery, page: 2 }),
      await ask({ ...hitQuery, page: 3 }),
    ];
    expect(pages.map(({ data }) => data.map(({ page }: any) => page))).toEqual([
      ['/', '/Docs'],
      ['/a;b,c%25', '/pricing'],
      [],
    ]);
    expect(pages.map(({ meta }) => [meta.page, meta.per_page, meta.total])).toEqual([
      [1, 2, 4],
      [2, 2, 4],
      [3, 2, 4],
    ]);
  });

  it('that are series have their empty buckets', async () => {
    const range = [dayBefore(2), TODAY];
    const series = { metrics: ['visits'], dimensions: ['day'], range };
    const none = { day: dayBefore(2), visits: 0 };
    const counted = [
      { day: YESTERDAY, visits: 4 },
      { day: TODAY, visits: 1 },
    ];
    expect(await rows(series)).toEqual([none, ...counted]);
    expect(await rows({ ...series, fill: false })).toEqual(counted);
    const hours = await ask({ ...series, dimensions: ['hour'], range: [TODAY, TODAY], per_page: 1000 });
    expect(hours.data).toHaveLength(24);
    expect(hours.data[0].hour).toMatch(new RegExp(`^${TODAY}T00:00[+-]\\d\\d:00$`));
    expect(hours.data.filter(({ visits }: any) => visits > 0)).toHaveLength(1);
    expect((await rows({ ...series, dimensions: ['hour_of_day'] })).at(-1)).toEqual({
      hour_of_day: '23',
      visits: 0,
    });
  });
});

describe('filters', () => {
  const visitors = async (...filters: unknown[]) =>
    (await rows({ metrics: ['visitors'], filters }))[0].visitors;

  it('are joined by and, or, and not', async () => {
    const [us, nl] = [
      ['is', 'country', ['US']],
      ['is', 'country', ['NL']],
    ];
    expect(await visitors()).toBe(4);
    expect(await visitors(us)).toBe(2);
    expect(await visitors(us, nl)).toBe(0);
    expect(await visitors(['or', [us, nl]])).toBe(3);
    expect(await visitors(['is', 'country', ['US', 'NL']])).toBe(3);
    expect(await visitors(['not', us])).toBe(2);
    expect(await visitors(['and', []])).toBe(4);
    expect(await visitors(['or', []])).toBe(0);
    expect(await visitors(['is_not', 'campaign', [null]])).toBe(1);
    expect(await visitors(['starts', 'city', ['amster']])).toBe(1);
  });

  it('tell what a visitor has done that day', async () => {
    const signup = ['is', 'event', ['signup']];
    expect(await rows({ metrics: ['pageviews'], filters: [['has_done', signup]] })).toEqual([
      { pageviews: 3 },
    ]);
    expect(await rows({ metrics: ['pageviews'], filters: [['has_not_done', signup]] })).toEqual([
      { pageviews: 3 },
    ]);
  });

  it('may be deep, and may have many values', async () => {
    let filter: unknown = ['is', 'country', ['US']];
    for (let level = 0; level < 18; level++) filter = ['not', filter];
    expect(await visitors(filter)).toBe(2);
    const values = Array.from({ length: 999 }, (_, index) => `X${index}`);
    expect(await visitors(['is', 'country', [...values, 'US']])).toBe(2);
  });
});

describe('ranges', () => {
  const metaOf = async (range: unknown, more = {}) =>
    (await ask({ metrics: ['visitors'], range, ...more })).meta;

  it('may be named', async () => {
    expect((await metaOf('today')).range).toEqual({ from: TODAY, to: TODAY });
    expect((await metaOf('yesterday')).range).toEqual({ from: YESTERDAY, to: YESTERDAY });
    expect((await metaOf('7d')).range).toEqual({ from: dayBefore(6), to: TODAY });
    expect((await metaOf('28d')).range).toEqual({ from: dayBefore(27), to: TODAY });
    expect((await metaOf('30d')).range).toEqual({ from: dayBefore(29), to: TODAY });
    expect((await metaOf('90d')).range).toEqual({ from: dayBefore(89), to: TODAY });
    expect((await metaOf('month')).range).toEqual({ from: `${TODAY.slice(0, 7)}-01`, to: TODAY });
    expect((await metaOf('year')).range).toEqual({ from: `${TODAY.slice(0, 4)}-01-01`, to: TODAY });
    expect((await metaOf('all')).range).toEqual({ from: YESTERDAY, to: TODAY });
    const { range: lastMonth } = await metaOf('last_month');
    expect(lastMonth.from).toMatch(/-01$/);
    expect(Date.parse(lastMonth.to) + DAY_MS).toBe(Date.parse(`${TODAY.slice(0, 7)}-01`));
    expect((await metaOf('12mo')).range.from.slice(5, 7)).toBe(
      String((Number(TODAY.slice(5, 7)) % 12) + 1).padStart(2, '0'),
    );
  });

  it('may be moments, which are cut to seconds', async () => {
    const noon = Date.parse(VISITS.at(-1)!.occurred_at);
    const moments = (from: number, to: number) => [from, to].map((moment) => new Date(moment).toISOString());
    const { data, meta } = await ask({ metrics: ['pageviews'], range: moments(noon - 1000, noon + 1500) });
    expect(data).toEqual([{ pageviews: 1 }]);
    expect(meta.range.from).toBe(`${new Date(noon - 1000).toISOString().slice(0, 19)}Z`);
    expect(meta.warnings.map(({ code }: any) => code)).toEqual(['cut_to_seconds']);
    expect(await rows({ metrics: ['pageviews'], range: moments(noon + 1000, noon + 5000) })).toEqual([
      { pageviews: 0 },
    ]);
  });

  it('may be moments in milliseconds since 1970, as numbers or texts', async () => {
    const noon = Date.parse(VISITS.at(-1)!.occurred_at);
    const ofRange = (from: unknown, to: unknown) => ask({ metrics: ['pageviews'], range: [from, to] });
    const answers = await Promise.all([
      ofRange(noon - 1000, noon + 1000),
      ofRange(`${noon - 1000}`, `${noon + 1000}`),
      ofRange(noon - 1000, new Date(noon + 1000).toISOString()),
    ]);
    for (const { data, meta } of answers) {
      expect(data).toEqual([{ pageviews: 1 }]);
      expect(Date.parse(meta.range.from)).toBe(Math.floor(noon / 1000) * 1000 - 1000);
    }
    const json = { metrics: ['pageviews'], range: [`0${noon}`, `${noon + 1000}`] };
    expect((await post(json)).status).toBe(422);
  });

  it('are compared with the one before, and with the year before', async () => {
    const today = { metrics: ['pageviews', 'bounce_rate'], range: 'today', compare: 'previous' };
    const { data, meta } = await ask({ ...today, dimensions: ['country'] });
    expect(data).toEqual([
      {
        ...{ country: 'US', pageviews: 1, bounce_rate: 1, bounces: 1, visits: 1 },
        previous: { pageviews: 3, bounce_rate: 0.5, bounces: 1, visits: 2 },
      },
    ]);
    expect(meta).toMatchObject({ compare: 'previous', previous_range: { from: YESTERDAY, to: YESTERDAY } });
    const series = { metrics: ['pageviews'], range: 'today', compare: 'previous', per_page: 24 };
    const hours = await rows({ ...series, dimensions: ['hour'] });
    expect(hours.reduce((sum: number, { previous }: any) => sum + previous.pageviews, 0)).toBe(5);
    expect(await rows({ ...series, dimensions: ['day'] })).toEqual([
      { day: TODAY, pageviews: 1, previous: { pageviews: 5 } },
    ]);
    const year = await ask({ metrics: ['visitors'], range: ['2024-02-28', '2024-02-29'], compare: 'year' });
    expect(year.meta.previous_range).toEqual({ from: '2023-02-28', to: '2023-02-28' });
    expect(year.data).toEqual([{ visitors: 0, previous: { visitors: 0 } }]);
  });
});

describe('meta', () => {
  it('repeats the query as it was understood', async () => {
    const filters = [['is', 'device', ['desktop']]];
    const { meta } = await ask({ metrics: ['visitors'], dimensions: ['page'], filters });
    expect(meta).toEqual({
      website_id: site.id,
      metrics: ['visitors'],
      dimensions: ['page'],
      filters,
      range: { from: YESTERDAY, to: TODAY },
      order_by: [['visitors', 'desc']],
      fill: false,
      page: 1,
      per_page: 100,
      total: 4,
      timezone: TIMEZONE,
      as_of: expect.stringMatching(/Z$/),
      warnings: [{ code: 'rows_overlap', detail: expect.any(String) }],
    });
  });
});

it('says where visitors were forgotten before their hits were brought together', async () => {
  const forgotten = await visitedWebsite(service.api);
  await service.database.execute(loseVisitors(forgotten.id), []);
  const hitQuery = { range: RANGE, metrics: ['pageviews'] };
  const warning = { code: 'visitors_forgotten', detail: expect.stringContaining(YESTERDAY) };
  for (let turn = 0; turn < 2; turn++) {
    const { body } = await post(hitQuery, forgotten);
    expect([body.data, body.meta.warnings]).toEqual([[{ pageviews: 6 }], [warning]]);
  }
  const query = `name=page&from=${YESTERDAY}&to=${TODAY}&filter=country==US`;
  const { body } = await service.api.get(`/api/v1/stats/${forgotten.id}?${query}`);
  expect(body.meta.warnings).toEqual([warning]);
  expect((await ask(hitQuery)).meta).not.toHaveProperty('warnings');
});

it('goes on to say so once they are together, and in rollups', async () => {
  const today = Date.parse(TODAY) / DAY_MS;
  const forgotten = await visitedWebsite(service.api);
  await service.database.execute(loseVisitors(forgotten.id, today), []);
  const warningsOf = async (first: string) => {
    const { body: requested } = await post({ range: [first, TODAY], metrics: ['visitors'] }, forgotten);
    const path = `/api/v1/stats/${forgotten.id}?name=visitor&from=${first}&to=${TODAY}`;
    const plain = (await service.api.get(path)).body.meta.warnings;
    const filtered = (await service.api.get(`${path}&filter=country==US`)).body.meta.warnings;
    return [requested.meta.warnings, plain, filtered];
  };
  const warning = { code: 'visitors_forgotten', detail: expect.stringContaining(`On ${YESTERDAY} `) };
  const one = await CountingProcess.start(database.url);
  await one.makeDue(forgotten.id);
  await one.workOnColumns(forgotten.id, { ...daysOver(today), before: today - 1 });
  expect(await warningsOf(YESTERDAY)).toEqual([[warning], [warning], [warning]]);
  await one.makeDue(forgotten.id);
  await one.workOnColumns(forgotten.id, { ...rolledUpBefore(today), before: today - 1 });
  await one.stop();
  expect(await warningsOf(YESTERDAY)).toEqual([[warning], [warning], [warning]]);
  expect(await warningsOf(TODAY)).toEqual([undefined, undefined, undefined]);
});

describe('several at once', () => {
  it('are answered in their order and of one moment', async () => {
    const countries = { metrics: ['visitors'], dimensions: ['country'], range: RANGE };
    const { body } = await post({ queries: [countries, { metrics: ['events'], range: 'today' }, countries] });
    expect(body.data.map(({ data }: any) => data.length)).toEqual([3, 1, 3]);
    expect(new Set(body.data.map(({ meta }: any) => meta.as_of)).size).toBe(1);
    expect(body.data[0].data).toEqual(await rows(countries));
  });

  it('may have as many conditions as one alone', async () => {
    const filters = Array.from({ length: 100 }, (_, index) => ['is_not', 'page', [`[{${index}`]]);
    const queries = Array.from({ length: 20 }, () => ({ metrics: ['pageviews'], filters, range: RANGE }));
    const { status, body } = await post({ queries });
    expect([status, body.data?.map(({ data }: any) => data[0].pageviews)]).toEqual([200, Array(20).fill(6)]);
  });

  it('are at most 20', async () => {
    const queries = Array(21).fill({ metrics: ['visitors'], range: 'today' });
    expect((await post({ queries: queries.slice(1) })).status).toBe(200);
    expect((await post({ queries })).body.errors).toEqual({ queries: ['must be a list of at most 20'] });
  });
});

describe('errors', () => {
  const errorsOf = async (body: unknown) => {
    const answer = await post(body);
    expect([answer.status, body]).toEqual([422, body]);
    return answer.body.errors as Record<string, string[]>;
  };
  const ok = { metrics: ['visitors'], range: 'today' };

  it('point to the place, and say what is allowed', async () => {
    const errors = await errorsOf({
      metrics: ['visitors', 'hits'],
      dimensions: ['colour'],
      filters: [
        ['is', 'visitor', ['x']],
        ['and', [['near', 'country', ['DE']]]],
        ['is', 'country', []],
      ],
      range: 'tomorrow',
      compare: 'month',
      order_by: [['pageviews', 'desc'], ['visitors', 'up'], 'visitors'],
      page: 0,
      per_page: 1001,
      fill: 'yes',
      metric: [],
    });
    expect(errors).toEqual({
      metric: [expect.stringContaining('is not a known field (allowed: metrics,')],
      'metrics.1': [expect.stringContaining('must be one of visitors, pageviews,')],
      'dimensions.0': [expect.stringContaining('must be one of browser,')],
      'filters.0.1': [expect.stringContaining('must be one of browser,')],
      'filters.1.1.0.0': [expect.stringContaining('must be one of is, is_not,')],
      'filters.2.2': ['must be a list of one or more values'],
      range: [expect.stringContaining('or one of today, yesterday,')],
      compare: ['must be one of previous, year'],
      'order_by.0.0': ['must be one of visitors'],
      'order_by.1.1': ['must be one of desc, asc'],
      'order_by.2': ['must be a list of a name and "asc" or "desc"'],
      page: [expect.stringContaining('must be an integer from 1')],
      per_page: ['must be an integer from 1 to 1000'],
      fill: ['must be one of true, false'],
    });
    const nested = await errorsOf({ queries: [ok, { ...ok, metrics: ['x'] }, 7] });
    expect(nested).toHaveProperty(['queries.1.metrics.0']);
    expect(nested['queries.2']).toEqual(['must be an object of fields']);
  });

  it.each([
    ['nothing', {}, 'metrics'],
    ['no range', { metrics: ['visitors'] }, 'range'],
    ['a list', [], 'body'],
    ['twice the same', { ...ok, metrics: ['visitors', 'visitors'] }, 'metrics'],
    ['too many dimensions', { ...ok, dimensions: ['page', 'event', 'city', 'day'] }, 'dimensions'],
    ['days that end before they begin', { ...ok, range: ['2026-02-01', '2026-01-01'] }, 'range'],
    ['a day that is none', { ...ok, range: ['2026-02-30', '2026-03-01'] }, 'range'],
    [
      'a moment of a day that is none',
      { ...ok, range: ['2026-02-01T00:00:00Z', '2026-02-30T00:00:00Z'] },
      'range',
    ],
    ['the hour 24', { ...ok, range: ['2026-02-01T00:00Z', '2026-02-01T24:00Z'] }, 'range'],
    ['a day and a moment', { ...ok, range: ['2026-02-01', '2026-03-01T00:00:00Z'] }, 'range'],
    ['a moment before 1970', { ...ok, range: [-1, 5] }, 'range'],
    ['a part of a millisecond', { ...ok, range: [0.5, 5] }, 'range'],
    ['milliseconds after the year 9999', { ...ok, range: [0, 999_999_999_999_999] }, 'range'],
    ['a moment without an offset', { ...ok, range: ['2026-02-01T00:00', '2026-03-01T00:00'] }, 'range'],
    ['hours of centuries', { ...ok, dimensions: ['hour'], range: ['1970-01-01', '2026-01-01'] }, 'range'],
    ['empty days of millennia', { ...ok, dimensions: ['day'], range: ['1970-01-01', '9999-12-31'] }, 'range'],
    ['too many values', { ...ok, filters: [['is', 'page', Array(1001).fill('x')]] }, 'filters'],
    ['too many conditions', { ...ok, filters: Array(101).fill(['is', 'page', ['x']]) }, 'filters'],
    ['null in a comparison of parts', { ...ok, filters: [['contains', 'page', [null]]] }, 'filters.0.2.0'],
    ['an empty text', { ...ok, filters: [['is', 'page', ['']]] }, 'filters.0.2.0'],
    ['half a character', { ...ok, filters: [['is', 'page', ['\ud800']]] }, 'filters.0.2.0'],
    ['an object as a filter', { ...ok, filters: [{}] }, 'filters.0'],
    ['a name of the prototype', { ...ok, filters: [['is', 'toString', ['x']]] }, 'filters.0.1'],
    ['one query beside several', { ...ok, queries: [ok] }, 'metrics'],
    ['no queries', { queries: [] }, 'queries'],
  ])('for %s', async (_, body, place) => {
    expect(await errorsOf(body)).toHaveProperty([place]);
  });

  it('for what is nested too deeply, sent twice, or no JSON', async () => {
    let filter: unknown = ['is', 'page', ['x']];
    for (let level = 0; level < 20; level++) filter = ['not', filter];
    expect(Object.keys(await errorsOf({ ...ok, filters: [filter] }))[0]).toMatch(/^filters\.0(\.1){20}$/);
    const path = `/api/v1/stats/${site.id}/query`;
    const json = { type: 'application/json' };
    const twice = await service.api.post(path, {
      ...json,
      body: '{"metrics":["visitors"],"range":"today","range":"7d"}',
    });
    expect(twice.body.errors).toEqual({ range: ['must be sent once'] });
    const odd = await service.api.post(path, {
      ...json,
      body: '{"metrics":["visitors"],"range":"today","page":1e0}',
    });
    expect(odd.body.errors).toHaveProperty('page');
    expect((await service.api.post(path, { ...json, body: '{' })).status).toBe(400);
    expect((await service.api.post(path, { form: { metrics: 'visitors' } })).status).toBe(415);
    expect((await service.api.post(`${path}?page=1`, { json: ok })).body.errors).toHaveProperty('page');
  });

  it("for another user's website and without a key", async () => {
    const other = await service.anotherUser();
    expect((await post(ok, site, other)).status).toBe(404);
    expect((await post(ok, { ...site, id: 999_999 })).status).toBe(404);
    expect((await post(ok, site, service.api.as(undefined))).status).toBe(401);
  });
});

it('may be asked with a key that only reads', async () => {
  const key = async (scope: string) =>
    (await service.api.post('/api/v1/keys', { json: { name: scope, scope } })).body.data.key;
  const ok = { metrics: ['visitors'], range: RANGE };
  expect((await post(ok, site, service.api.as(await key('read')))).body.data).toEqual([{ visitors: 4 }]);
  expect((await post(ok, site, service.api.as(await key('events')))).status).toBe(403);
});

it('sees what was counted meanwhile', async () => {
  const own = await website(service.api);
  const pageviews = async () =>
    (await post({ metrics: ['pageviews'], range: RANGE }, own)).body.data[0].pageviews;
  expect(await pageviews()).toBe(0);
  await sendVisits(service.api, own, VISITS);
  expect(await pageviews()).toBe(6);
});
