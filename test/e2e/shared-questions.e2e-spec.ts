import { CHROME, FIREFOX } from '../support/agents';
import { timezoneAtNoon, untilCounted } from '../support/counted';
import { record, type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { at } from '../support/visited-website';

const TIMEZONE = timezoneAtNoon();
const ENOUGH = 10;

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE });
  site = await website(service.api, { privacy: 0 });
  await sendCrowd();
});
afterAll(() => service.stop());

/** Ten visitors with Chrome, who see two pages, and three with Firefox. */
async function sendCrowd(): Promise<void> {
  const seen = (number: number, user_agent: string, path: string, hours: number) => ({
    url: `https://${site.domain}${path}`,
    ip: `203.0.113.${number}`,
    user_agent,
    occurred_at: at('today', hours),
  });
  const events = [
    ...Array.from({ length: ENOUGH }, (_, number) => seen(number, CHROME, '/', -2)),
    ...Array.from({ length: ENOUGH }, (_, number) => seen(number, CHROME, '/pricing', -1.9)),
    ...Array.from({ length: 3 }, (_, number) => seen(100 + number, FIREFOX, '/', -1)),
  ];
  await record(service.api, site, events);
  await untilCounted(service.api, site.id);
}

const nobody = () => service.api.as(undefined);
const post = (json: unknown, headers = {}, domain = site.domain) =>
  nobody().post(`/share/${domain}/api/query`, { json, headers });
const ask = (question: object) => post({ metrics: ['visitors'], range: 'today', ...question });
const isIn = (browser: string) => ['is', 'browser', [browser]];

it('answers what its owner is answered', async () => {
  const question = {
    metrics: ['visitors', 'bounce_rate'],
    dimensions: ['page'],
    filters: [isIn('Chrome'), ['has_done', ['is', 'page', ['/pricing']]]],
    range: 'today',
  };
  const [own, shared] = [
    await service.api.post(`/api/v1/stats/${site.id}/query`, { json: question }),
    await post(question),
  ];
  expect([shared.status, shared.body.data]).toEqual([200, own.body.data]);
  expect(shared.body.data).toMatchObject([
    { page: '/', visitors: ENOUGH },
    { page: '/pricing', visitors: ENOUGH },
  ]);
  const queries = [question, { ...question, dimensions: [] }];
  expect((await post({ queries })).body.data).toHaveLength(2);
});

describe('names in a filter', () => {
  const three = [isIn('Chrome'), ['is_not', 'country', ['DE']], ['has_done', ['is', 'page', ['/']]]];

  it('are at most three, however they are put', async () => {
    expect((await ask({ filters: three })).status).toBe(200);
    expect((await ask({ filters: [...three, isIn('Edge')] })).status).toBe(200);
    for (const filters of [
      [...three, ['is', 'device', ['desktop']]],
      [['and', [...three, ['is', 'device', ['desktop']]]]],
      [['not', ['or', [['has_not_done', ['is', 'device', ['x']]], ...three]]]],
    ]) {
      const { status, body } = await ask({ filters });
      expect([status, body.errors]).toEqual([
        422,
        { filters: [expect.stringContaining('must have at most 3 names')] },
      ]);
    }
    const list = await post({
      queries: [
        { metrics: ['visits'], range: 'today' },
        { metrics: ['visits'], range: 'today', filters: [...three, ['is', 'city', ['x']]] },
      ],
    });
    expect(Object.keys(list.body.errors)).toEqual(['queries.1.filters']);
  });

  it('and further dimensions together are at most three', async () => {
    expect((await ask({ filters: three, dimensions: ['city'] })).status).toBe(200);
    expect((await ask({ filters: three, dimensions: ['city', 'page'] })).status).toBe(422);
    expect((await ask({ filters: three.slice(1), dimensions: ['city', 'page'] })).status).toBe(200);
  });

  it('are none within days, and ranges are of days', async () => {
    for (const name of ['hour', 'hour_of_day'])
      expect((await ask({ filters: [['not', ['is', name, ['12']]]] })).body.errors).toEqual({
        filters: ['must not have hour or hour_of_day where the statistics are shared'],
      });
    const range = [at('today', -2), at('today', -1)];
    expect(Object.keys((await ask({ range })).body.errors)).toEqual(['range']);
  });

  it('of statistics are limited alike', async () => {
    const get = (path: string, filter: string, headers = {}) =>
      nobody().get(
        `/share/${site.domain}/api/${path}&from=2026-01-01&to=2030-01-01&filter=${encodeURIComponent(filter)}`,
        { headers },
      );
    const allowed = 'browser==Chrome;country!=DE;page==/,page==/pricing';
    for (const path of ['stats?name=page', 'summary?names=page,visitor']) {
      expect((await get(path, allowed)).status).toBe(200);
      for (const filter of [`${allowed};device==desktop`, 'hour_of_day==9']) {
        const { status, body } = await get(path, filter);
        expect([status, Object.keys(body.errors)]).toEqual([422, ['filter']]);
      }
    }
    const csv = { Accept: 'text/csv' };
    expect((await get('stats?name=page', allowed, csv)).status).toBe(200);
    expect((await get('stats?name=page', `${allowed};city==x`, csv)).status).toBe(422);
  });
});

describe('hours', () => {
  const hours = { metrics: ['pageviews'], dimensions: ['hour'] };
  const namesOf = (answer: any) => [
    answer.meta.dimensions,
    answer.meta.warnings?.map(({ code }: { code: string }) => code),
  ];

  it('are shown of all visitors, and where a filter selects ten of a day', async () => {
    for (const filters of [[], [isIn('Chrome')]]) {
      const { body } = await ask({ ...hours, filters });
      expect(namesOf(body)).toEqual([['hour'], undefined]);
      expect(body.data.length).toBeGreaterThanOrEqual(23);
    }
  });

  it('are days where a filter selects fewer, with a warning', async () => {
    for (const filters of [[isIn('Firefox')], [['not', isIn('Chrome')]]])
      for (const dimension of ['hour', 'hour_of_day']) {
        const { body } = await ask({
          ...{ ...hours, dimensions: [dimension], order_by: [[dimension, 'desc']] },
          filters,
        });
        expect(namesOf(body)).toEqual([['day'], ['few_visitors']]);
        expect(body.data).toEqual([{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), pageviews: 3 }]);
        expect(body.meta.order_by).toEqual([['day', 'desc']]);
      }
  });

  it('are days where a page of the answer, another dimension or the period before would show few', async () => {
    const beside = await ask({ ...hours, dimensions: ['hour', 'browser'] });
    expect(namesOf(beside.body)).toEqual([['day', 'browser'], ['few_visitors']]);
    const paged = await ask({ ...hours, filters: [isIn('Firefox')], page: 20, per_page: 1 });
    expect(namesOf(paged.body)).toEqual([['day'], ['few_visitors']]);
    const today = new Date(at('today', 0)).toLocaleDateString('en-CA', { timeZone: TIMEZONE });
    const tomorrow = new Date(at('today', 24)).toLocaleDateString('en-CA', { timeZone: TIMEZONE });
    const before = await ask({
      ...hours,
      filters: [isIn('Firefox')],
      range: [tomorrow, tomorrow],
      compare: 'previous',
    });
    expect(namesOf(before.body)).toEqual([['day'], ['few_visitors']]);
    expect(before.body.meta.previous_range.from).toBe(today);
  });

  it('of a list of questions are judged one by one', async () => {
    const { body } = await post({
      queries: [
        { ...hours, range: 'today', filters: [isIn('Firefox')] },
        { ...hours, range: 'today', filters: [isIn('Chrome')] },
        { metrics: ['visitors'], range: 'today' },
      ],
    });
    expect(body.data.map(({ meta }: any) => meta.dimensions)).toEqual([['day'], ['hour'], []]);
    expect(body.data[2].data).toEqual([{ visitors: 13 }]);
  });

  it('are the owner’s whole', async () => {
    const json = { ...hours, range: 'today', filters: [isIn('Firefox')] };
    const { body } = await service.api.post(`/api/v1/stats/${site.id}/query`, { json });
    expect(namesOf(body)).toEqual([['hour'], undefined]);
  });
});

it('reads bodies of 16 KiB, and nothing else', async () => {
  const values = Array.from({ length: 900 }, (_, index) => `/${index}`.padEnd(20, 'x'));
  expect((await ask({ filters: [['is', 'page', values]] })).status).toBe(413);
  expect(
    (await nobody().post(`/share/${site.domain}/api/query`, { form: { metrics: 'visitors' } })).status,
  ).toBe(415);
  expect((await nobody().post(`/share/${site.domain}/api/query`)).status).toBe(422);
  expect((await post([])).status).toBe(422);
  expect((await nobody().get(`/share/${site.domain}/api/query`)).status).toBe(405);
});

it('is for those who may see the website', async () => {
  const question = { metrics: ['visitors'], range: 'today' };
  const [closed, guarded] = [
    await website(service.api, { privacy: 1 }),
    await website(service.api, { privacy: 2, password: 'hush' }),
  ];
  expect((await post(question, {}, closed.domain)).status).toBe(404);
  expect((await post(question, {}, 'none.example')).status).toBe(404);
  expect((await post(question, {}, guarded.domain)).status).toBe(403);
  const entered = await nobody().post(`/share/${guarded.domain}`, { form: { password: 'hush' } });
  const Cookie = entered.headers.get('Set-Cookie')!.split(';')[0]!;
  expect((await post(question, { Cookie }, guarded.domain)).status).toBe(200);
  expect(
    (await post({ ...question, range: [at('today', -1), at('today', 0)] }, { Cookie }, guarded.domain))
      .status,
  ).toBe(422);
});

it('lists the values of a name for a filter box', async () => {
  const path = `share/${site.domain}/api/values?name=browser&search=fire`;
  const { status, body } = await nobody().get(`/${path}`);
  expect([status, body.data]).toEqual([200, [{ value: 'Firefox', label: 'Firefox', count: 3 }]]);
  const closed = await website(service.api, { privacy: 1 });
  expect((await nobody().get(`/share/${closed.domain}/api/values?name=page`)).status).toBe(404);
});
