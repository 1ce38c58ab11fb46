import { dayIn } from '../support/counting-model';
import { timezoneAtNoon } from '../support/counted';
import { type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { at, type Sent, sendVisits } from '../support/visited-website';

const TIMEZONE = timezoneAtNoon();
const YESTERDAY = dayIn(TIMEZONE, Date.now() - 24 * 3_600_000);
const TODAY = dayIn(TIMEZONE, Date.now());
const RANGE = { from: YESTERDAY, to: TODAY };

const HOSTILE = `=!,;"'%<b>\\\n💥 a`;
const props = { plan: 'Team', seats: 5.5, trial: false, __proto__x: 'a', [HOSTILE]: HOSTILE };
Object.defineProperty(props, '__proto__', { value: 'yes', enumerable: true });

const mailing = 'utm_source=Weekly&utm_medium=email&utm_term=t&utm_content=c&utm_id=a.1';
const VISITS: Sent[] = [
  {
    by: 'american',
    path: '/a%20b',
    occurred_at: at('yesterday', -2),
    referrer: 'https://www.google.com/search/x%20y?q=secret',
  },
  {
    by: 'american',
    path: '/buy',
    occurred_at: at('yesterday', -1.9),
    event: { name: 'buy', props, value: '19.90', currency: 'EUR' },
  },
  { by: 'american', path: `/?${mailing}`, occurred_at: at('yesterday', 1), subdomain: 'shop.' },
  { by: 'dutch', path: '/?utm_source=fb&utm_medium=cpc', occurred_at: at('yesterday', -1) },
  {
    by: 'unknown',
    path: '/',
    occurred_at: at('today', -1),
    event: { name: 'buy', props: { plan: 'Solo' }, value: '5', currency: 'USD' },
  },
  { by: 'unknown', path: '/', occurred_at: at('today', -0.9) },
];

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE });
  site = await website(service.api, { privacy: 0 });
  await sendVisits(service.api, site, VISITS);
});
afterAll(() => service.stop());

const path = (parameters: Record<string, string>, part = '') =>
  `/api/v1/stats/${site.id}${part}?${new URLSearchParams(parameters).toString()}`;
const show = (parameters: Record<string, string>) => service.api.get(path({ ...RANGE, ...parameters }));
const ask = (hitQuery: object) =>
  service.api.post(`/api/v1/stats/${site.id}/query`, { json: { range: [YESTERDAY, TODAY], ...hitQuery } });
const counted = ({ body }: { body: any }) =>
  Object.fromEntries(body.data.map(({ value, count }: any) => [value, count]));

const EXPECTED: [name: string, counts: string, entries: () => Record<string, number>][] = [
  ['hostname', 'pageviews', () => ({ [site.domain]: 3, [`shop.${site.domain}`]: 1 })],
  ['source', 'visitors', () => ({ Weekly: 1, fb: 1 })],
  ['medium', 'visitors', () => ({ email: 1, cpc: 1 })],
  ['term', 'visitors', () => ({ t: 1 })],
  ['content', 'visitors', () => ({ c: 1 })],
  ['campaign_id', 'visitors', () => ({ 'a.1': 1 })],
  ['channel', 'visitors', () => ({ Search: 1, Mail: 1, 'Paid Social': 1, Direct: 1 })],
  ['referrer_page', 'visitors', () => ({ 'google.com/search/x%20y': 1, '(direct)': 2 })],
  ['entry_page', 'visits', () => ({ '/a%20b': 1, '/': 3 })],
  ['exit_page', 'visits', () => ({ '/a%20b': 1, '/': 3 })],
  ['browser_version', 'visitors', () => ({ 'Chrome 124': 1, 'Safari 17': 1, 'Firefox 125': 1 })],
  ['operating_system_version', 'visitors', () => ({ 'Windows 10': 1, 'iOS 17': 1, Linux: 1 })],
  ['region', 'visitors', () => ({ 'California, US': 1, 'North Holland, NL': 1, '(unknown)': 1 })],
  ['currency', 'events', () => ({ EUR: 1, USD: 1 })],
  [
    'event_properties',
    'events',
    () => ({
      [JSON.stringify([HOSTILE, '__proto__', '__proto__x', 'plan', 'seats', 'trial'])]: 1,
      '["plan"]': 1,
    }),
  ],
  ['event_property:plan', 'events', () => ({ Team: 1, Solo: 1 })],
  ['event_property:seats', 'events', () => ({ '5.5': 1 })],
  ['event_property:trial', 'events', () => ({ false: 1 })],
  ['event_property:__proto__', 'events', () => ({ yes: 1 })],
  [`event_property:${HOSTILE}`, 'events', () => ({ [HOSTILE]: 1 })],
  ['event_property:unheard of', 'events', () => ({})],
  [`event_property:${'👕'.repeat(64)}`, 'events', () => ({})],
];

describe.each(EXPECTED)('%s', (name, counts, entries) => {
  it(`is a statistic that counts ${counts}`, async () => {
    const answer = await show({ name });
    expect([answer.status, counted(answer)]).toEqual([200, entries()]);
    const sum = Object.values(entries()).reduce((all, count) => all + count, 0);
    expect(answer.body.meta).toMatchObject({ name, counts, sum, total: Object.keys(entries()).length });
    expect(answer.body.meta.filters).toBeUndefined();
  });

  it('is a dimension, a filter and a name of values', async () => {
    const [value] = Object.keys(entries());
    const values = await service.api.get(path({ name }, '/values'));
    expect(counted(values)).toEqual(entries());
    const { body } = await ask({
      metrics: [counts],
      dimensions: [name],
      filters: [['is_not', name, [null]]],
    });
    const rows = body.data.map((row: any) => [row[name], row[counts]]);
    expect(Object.fromEntries(rows)).toMatchObject(entries());
    if (value === undefined) return;
    const filter = `${encodeURIComponent(name).replaceAll('!', '%21')}==${encodeURIComponent(value)}`;
    expect(counted(await show({ name, filter }))).toMatchObject({ [value]: entries()[value] });
    expect((await show({ name, filter: filter.replace(/==.*/, '==nothing') })).body.data).toEqual([]);
  });
});

it('of one are worded, searched, ordered, paged and compared as any other', async () => {
  const { body } = await show({ name: 'referrer_page', search: 'X Y' });
  expect(body.data).toEqual([{ value: 'google.com/search/x%20y', label: 'google.com/search/x y', count: 1 }]);
  const values = async (more: Record<string, string>) =>
    (await show({ name: 'channel', ...more })).body.data.map(({ value }: any) => value);
  expect(await values({ sort_by: 'value', sort: 'asc' })).toEqual([
    'Direct',
    'Mail',
    'Paid Social',
    'Search',
  ]);
  expect(await values({ page: '2' })).toEqual([]);
  expect((await show({ name: 'channel', from: TODAY, compare: 'previous' })).body).toMatchObject({
    data: [{ value: 'Direct', count: 1, previous_count: 0 }],
    meta: { sum: 1, previous_sum: 3 },
  });
});

it('are answered as files, and with a version', async () => {
  const asCsv = { headers: { Accept: 'text/csv' } };
  const csv = await service.api.get(path({ ...RANGE, name: 'source', sort_by: 'value' }), asCsv);
  expect(csv.text).toBe('value,label,count\r\nfb,fb,1\r\nWeekly,Weekly,1\r\n');
  const first = await show({ name: 'source' });
  const again = await service.api.get(path({ ...RANGE, name: 'source' }), {
    headers: { 'If-None-Match': first.headers.get('ETag')! },
  });
  expect(again.status).toBe(304);
});

it('stand beside others in a summary', async () => {
  const { body } = await service.api.get(
    path({ ...RANGE, names: 'visitor,channel,page,event_property:plan', per_page: '10' }, '/summary'),
  );
  expect(body.data.map(({ name, counts, sum }: any) => [name, counts, sum])).toEqual([
    ['visitor', 'visitors', 3],
    ['channel', 'visitors', 4],
    ['page', 'pageviews', 4],
    ['event_property:plan', 'events', 2],
  ]);
});

it('are percent-encoded in the list of a summary', async () => {
  const summary = (names: string) => service.api.get(path({ ...RANGE, names }, '/summary'));
  const property = `event_property:${HOSTILE}`;
  const { body } = await summary(['event', property, 'event_property:50%'].map(encodeURIComponent).join());
  expect(body.data.map(({ name, sum }: any) => [name, sum])).toEqual([
    ['event', 2],
    [property, 1],
    ['event_property:50%', 0],
  ]);
  expect((await summary('event,event_property:50%')).body.errors.names).toEqual([
    'has a broken percent escape in "event_property:50%"',
  ]);
  expect((await summary('event,%65vent')).body.errors.names).toEqual(['must not contain duplicates']);
});

it('may be three in a query', async () => {
  const { body } = await ask({
    metrics: ['events'],
    dimensions: ['event_property:plan', 'currency', 'hostname'],
    filters: [['is', 'event', ['buy']]],
    order_by: [['event_property:plan', 'asc']],
  });
  expect(body.data).toEqual([
    { 'event_property:plan': 'Solo', currency: 'USD', hostname: site.domain, events: 1 },
    { 'event_property:plan': 'Team', currency: 'EUR', hostname: site.domain, events: 1 },
  ]);
});

it('are found by filters 10 levels deep, with 1,000 values and of many properties', async () => {
  const values = [...Array.from({ length: 989 }, (_, index) => `${index} 💥`), HOSTILE, null];
  let filter: unknown = ['is', `event_property:${HOSTILE}`, values];
  const others = ['channel', 'referrer_page', 'hostname', 'source', 'browser_version', 'currency', 'term'];
  for (const name of others) filter = ['and', [filter, ['not', ['is', name, ['none']]]]];
  filter = ['not', ['not', filter]];
  expect((await ask({ metrics: ['events'], filters: [filter] })).body.data).toEqual([{ events: 2 }]);
  const properties = Array.from({ length: 90 }, (_, index) => ['is', `event_property:${index}`, [null]]);
  expect((await ask({ metrics: ['events'], filters: properties })).body.data).toEqual([{ events: 2 }]);
});

describe('are refused', () => {
  it.each([
    'hour',
    'day',
    'weekday',
    'visitors',
    'pageviews',
    'event_property:',
    'event_property',
    'toString',
  ])('as a statistic: %s', async (name) => {
    const { status, body } = await show({ name });
    expect(status).toBe(422);
    expect(body.errors.name).toEqual([
      expect.stringMatching(
        /^must be one of browser, browser_version, .*event_property:NAME, .*hostname, .*visitor$/,
      ),
    ]);
  });

  it('where a property has a name of 65 characters, everywhere', async () => {
    const name = `event_property:${'x'.repeat(65)}`;
    const statuses = await Promise.all([
      show({ name }),
      show({ name: 'page', filter: `${name}==a` }),
      service.api.get(path({ ...RANGE, names: name }, '/summary')),
      service.api.get(path({ name }, '/values')),
      ask({ metrics: ['events'], dimensions: [name] }),
      ask({ metrics: ['events'], filters: [['is', name, ['a']]] }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 422]);
  });

  it('where a summary has more than 40 of them, or one twice', async () => {
    const summary = (names: string[]) =>
      service.api.get(path({ ...RANGE, names: names.join(',') }, '/summary'));
    const many = Array.from({ length: 41 }, (_, index) => `event_property:${index}`);
    expect((await summary(many)).body.errors.names).toEqual(['must be at most 40']);
    expect((await summary(many.slice(1))).status).toBe(200);
    expect((await summary(['channel', 'channel'])).body.errors.names).toEqual([
      'must not contain duplicates',
    ]);
  });

  it('beside what leaves no hits', async () => {
    const { body } = await service.api.get(path({ ...RANGE, names: 'dropped,channel' }, '/summary'));
    expect(body.errors.names).toEqual([expect.stringContaining('dropped')]);
  });

  it('where a name in a filter has a broken escape', async () => {
    const { body } = await show({ name: 'page', filter: 'event_property:%zz==a' });
    expect(body.errors.filter).toEqual(['has a broken percent escape in "event_property:%zz"']);
  });
});

describe('on a shared page', () => {
  const shared = (parameters: Record<string, string>, part = 'stats') => {
    const query = new URLSearchParams(parameters).toString();
    return service.api.as(undefined).get(`/share/${site.domain}/api/${part}?${query}`);
  };

  it('are seen as far as they do not tell what the website earns', async () => {
    expect(counted(await shared({ ...RANGE, name: 'channel' }))).toEqual({ '(other)': 3 });
    for (const name of ['currency', 'event_properties', 'event_property:plan']) {
      expect((await shared({ ...RANGE, name })).status).toBe(422);
      expect((await shared({ ...RANGE, names: `page,${name}` }, 'summary')).status).toBe(422);
      expect((await shared({ name }, 'values')).status).toBe(422);
      expect((await shared({ ...RANGE, name: 'page', filter: `${name}==a` })).status).toBe(422);
    }
  });
});
