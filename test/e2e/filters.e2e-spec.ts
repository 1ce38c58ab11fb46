import { FILTER_NAMES } from '../../engine/questions/parse/filter';
import { dayIn } from '../support/counting-model';
import { timezoneAtNoon } from '../support/counted';
import { type Site, website } from '../support/sending';
import { keepHitsFrom } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';
import { at, sendVisits, visitedWebsite, VISITS } from '../support/visited-website';

const TIMEZONE = timezoneAtNoon();
const YESTERDAY = dayIn(TIMEZONE, Date.now() - 24 * 3_600_000);
const TODAY = dayIn(TIMEZONE, Date.now());
const RANGE = { from: YESTERDAY, to: TODAY };

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE });
  site = await visitedWebsite(service.api);
});
afterAll(() => service.stop());

const path = (parameters: Record<string, string>, part = '', { id } = site) =>
  `/api/v1/stats/${id}${part}?${new URLSearchParams({ ...RANGE, ...parameters }).toString()}`;
const show = (parameters: Record<string, string>) => service.api.get(path(parameters));

async function counts(name: string, filter: string, of = site): Promise<Record<string, number>> {
  const { status, body } = await service.api.get(path({ name, filter }, '', of));
  expect([status, filter]).toEqual([200, filter]);
  return Object.fromEntries(body.data.map(({ value, count }: any) => [value, count]));
}

const errorsOf = async (filter: string) => {
  const { status, body } = await show({ name: 'page', filter });
  expect([status, filter]).toEqual([422, filter]);
  return body.errors.filter[0] as string;
};

describe('selects hits', () => {
  it.each([
    ['country==US', { '/': 2, '/pricing': 1, '/Docs': 1 }],
    ['country!=US', { '/': 1, '/a;b,c%25': 1 }],
    ['country==US,country==NL;page==/', { '/': 3 }],
    ['country==NL;device==mobile,device==tablet', { '/': 1 }],
    ['page=@DOC', { '/Docs': 1 }],
    ['page!@/', {}],
    ['page=^/p', { '/pricing': 1 }],
    ['page=$CS', { '/Docs': 1 }],
    ['page==/docs', {}],
    ['page==/a%3Bb%2Cc%2525', { '/a;b,c%25': 1 }],
    ['campaign==', { '/': 2, '/pricing': 1, '/Docs': 1, '/a;b,c%25': 1 }],
    ['campaign!=', { '/': 1 }],
    ['campaign=@spring', { '/': 1 }],
    ['referrer==(direct)', { '/': 2 }],
    ['referrer==google.com', { '/': 1, '/pricing': 1, '/Docs': 1 }],
    ['event==', { '/': 3, '/pricing': 1, '/Docs': 1, '/a;b,c%25': 1 }],
    ['entry_page==/', { '/': 3, '/pricing': 1 }],
    ['exit_page==/pricing', { '/': 1, '/pricing': 1 }],
    [`day==${TODAY}`, { '/': 1 }],
    ['country==XX', {}],
    ['city==(unknown)', { '/a;b,c%25': 1 }],
  ])('%s', async (filter, expected) => {
    expect(await counts('page', filter)).toEqual(expected);
  });

  it.each([
    ['pageview', { [YESTERDAY]: 3, [TODAY]: 1 }],
    ['visitor', { [YESTERDAY]: 1, [TODAY]: 1 }],
    ['event', { signup: 1 }],
    ['referrer', { 'google.com': 1, '(direct)': 1 }],
    ['campaign', {}],
    ['browser', { Chrome: 2 }],
    ['operating_system', { Windows: 2 }],
    ['device', { desktop: 2 }],
    ['language', { 'en-US': 2 }],
    ['screen_resolution', { '1920x1080': 2 }],
    ['continent', { NA: 2 }],
    ['country', { US: 2 }],
    ['city', { 'Mountain View, California, US': 2 }],
  ])('for %s', async (name, expected) => {
    expect(await counts(name, 'country==US')).toEqual(expected);
  });

  it('counts a visitor of whom one hit is selected', async () => {
    expect(await counts('visitor', 'page==/pricing')).toEqual({ [YESTERDAY]: 1 });
    expect(await counts('browser', 'event==signup')).toEqual({ Chrome: 1 });
  });

  it('sees what comes late, and what comes next', async () => {
    const late = await website(service.api);
    await sendVisits(service.api, late, VISITS.slice(0, 2));
    expect(await counts('page', 'country==US', late)).toEqual({ '/': 1, '/pricing': 1 });
    await sendVisits(service.api, late, [
      { by: 'american', path: '/early', occurred_at: at('yesterday', -3) },
      { by: 'american', path: '/', occurred_at: at('today', 0) },
    ]);
    expect(await counts('page', 'country==US', late)).toEqual({ '/': 2, '/early': 1, '/pricing': 1 });
    expect(await counts('visitor', 'country==US', late)).toEqual({ [YESTERDAY]: 1, [TODAY]: 1 });
    expect(await counts('referrer', 'country==US', late)).toEqual({ 'google.com': 1, '(direct)': 1 });
  });
});

describe('goes with the rest', () => {
  const filter = 'country==US';

  it('says what it counted, and how it understood the filter', async () => {
    const { body } = await show({ name: 'country', filter: 'country==US,country==NL' });
    const plain = await show({ name: 'country' });
    expect(body.data).toEqual([
      { value: 'US', label: 'United States', count: 2 },
      { value: 'NL', label: 'Netherlands', count: 1 },
    ]);
    const { filters, as_of, ...meta } = body.meta;
    const { as_of: asOf, ...plainMeta } = plain.body.meta;
    expect(filters).toEqual([
      [
        'or',
        [
          ['is', 'country', ['US']],
          ['is', 'country', ['NL']],
        ],
      ],
    ]);
    expect(meta).toEqual({ ...plainMeta, total: 2, sum: 3, to: 2 });
    expect(Math.abs(Date.parse(as_of) - Date.parse(asOf))).toBeLessThan(5000);
    expect(body.links.first).toContain('filter=country%3D%3DUS%2Ccountry%3D%3DNL');
  });

  it('search, order and pages', async () => {
    const values = async (more: object) =>
      (await show({ name: 'page', filter, ...more })).body.data.map(({ value }: any) => value);
    expect(await values({})).toEqual(['/', '/Docs', '/pricing']);
    expect(await values({ sort_by: 'value', sort: 'desc' })).toEqual(['/pricing', '/Docs', '/']);
    expect(await values({ sort: 'asc' })).toEqual(['/Docs', '/pricing', '/']);
    expect(await values({ search: 'DOCS' })).toEqual(['/Docs']);
    expect((await show({ name: 'country', filter, search: 'united' })).body.meta).toMatchObject({ sum: 2 });
    const second = await show({ name: 'page', filter, page: '2' });
    expect(second.body).toMatchObject({ data: [], meta: { total: 3, current_page: 2 } });
  });

  it('a comparison', async () => {
    const today = { name: 'page', filter, from: TODAY, compare: 'previous' };
    expect((await show(today)).body).toMatchObject({
      data: [{ value: '/', count: 1, previous_count: 1 }],
      meta: { sum: 1, previous_sum: 3, previous_range: { from: YESTERDAY, to: YESTERDAY } },
    });
    expect((await show({ ...today, name: 'pageview' })).body.data).toEqual([
      { value: TODAY, label: TODAY, count: 1, previous_count: 3 },
    ]);
  });

  it('files', async () => {
    const parameters = { name: 'page', filter, sort_by: 'value', sort: 'asc' };
    const csv = await service.api.get(path(parameters), { headers: { Accept: 'text/csv' } });
    expect(csv.text.split('\r\n')).toEqual([
      'value,label,count',
      '/,/,2',
      '/Docs,/Docs,1',
      '/pricing,/pricing,1',
      '',
    ]);
    const lines = await service.api.get(path(parameters), { headers: { Accept: 'application/x-ndjson' } });
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).count),
    ).toEqual([2, 1, 1]);
    const etag = csv.headers.get('ETag')!;
    const again = await service.api.get(path(parameters), {
      headers: { Accept: 'text/csv', 'If-None-Match': etag },
    });
    expect(again.status).toBe(304);
  });

  it('entity tags', async () => {
    const own = await website(service.api);
    const requested = path({ name: 'page', filter }, '', own);
    const tagOf = async () => (await service.api.get(requested)).headers.get('ETag')!;
    const first = await tagOf();
    expect(first).not.toBe((await service.api.get(path({ name: 'page' }, '', own))).headers.get('ETag'));
    expect(await tagOf()).toBe(first);
    expect((await service.api.get(requested, { headers: { 'If-None-Match': first } })).status).toBe(304);
    await sendVisits(service.api, own, VISITS.slice(0, 1));
    expect(await tagOf()).not.toBe(first);
  });

  it('a summary', async () => {
    const names = 'visitor,page,referrer';
    const { status, body } = await service.api.get(path({ names, filter, fill: '1' }, '/summary'));
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        ...{ name: 'visitor', counts: 'visitors', total: 2, sum: 2 },
        entries: [YESTERDAY, TODAY].map((day) => ({ value: day, label: day, count: 1 })),
      },
      {
        ...{ name: 'page', counts: 'pageviews', total: 3, sum: 4 },
        entries: [
          { value: '/', label: '/', count: 2 },
          { value: '/Docs', label: '/Docs', count: 1 },
          { value: '/pricing', label: '/pricing', count: 1 },
        ],
      },
      {
        ...{ name: 'referrer', counts: 'visitors', total: 2, sum: 2 },
        entries: ['(direct)', 'google.com'].map((value) => ({ value, label: value, count: 1 })),
      },
    ]);
    expect(body.meta.filters).toEqual([['is', 'country', ['US']]]);
    const empty = await service.api.get(path({ names, filter: 'country==XX', fill: '1' }, '/summary'));
    expect(empty.body.data.map(({ total, sum }: any) => [total, sum])).toEqual([
      [2, 0],
      [0, 0],
      [0, 0],
    ]);
  });
});

describe('refuses', () => {
  it('names that hits are not filtered by, with those that are', async () => {
    const allowed = [...FILTER_NAMES, 'saved'].join(', ');
    for (const name of ['pageview', 'visitor', 'dropped', 'colour', '', '__proto__', 'toString', ' country'])
      expect(await errorsOf(`${name}==x`)).toBe(
        `has the unknown name ${JSON.stringify(name)} (allowed: ${allowed})`,
      );
  });

  it('what is no condition', async () => {
    for (const filter of ['country', 'country=US', ';', 'country==US;', 'country==US,,', 'country<US'])
      expect(await errorsOf(filter)).toContain('expected NAME OP VALUE');
    expect(await errorsOf('country=@')).toContain('needs a value');
    expect(await errorsOf('country==%')).toContain('broken percent escape');
    expect(await errorsOf('country==%FF')).toContain('broken percent escape');
  });

  it('what is too long, or sent twice', async () => {
    expect(await errorsOf(`page==${'x'.repeat(4091)}`)).toBe('must have at most 4,096 bytes');
    expect(await counts('page', `page==${'x'.repeat(4090)}`)).toEqual({});
    expect(await errorsOf(Array(101).fill('a==b').join())).toBe('must have at most 100 conditions');
    expect(await counts('page', Array(100).fill('page==/').join(';'))).toEqual({ '/': 3 });
    const twice = await service.api.get(`${path({ name: 'page' })}&filter=page==a&filter=page==b`);
    expect([twice.status, twice.body.errors.filter]).toEqual([422, ['must be sent once']]);
  });

  it("another user's website, and a range that ends before it begins", async () => {
    const other = await service.anotherUser();
    expect((await other.get(path({ name: 'page', filter: 'page==/' }))).status).toBe(404);
    const { body } = await show({ name: 'page', filter: 'page==/', from: '9999-01-01' });
    expect(body.errors).toEqual({ to: ['must not be before "from"'] });
  });

  it('nothing for an empty filter, which is none', async () => {
    const { body } = await show({ name: 'page', filter: '' });
    expect(body.meta).not.toHaveProperty('filters');
  });
});

it('says since when hits are kept', async () => {
  const own = await website(service.api);
  await sendVisits(service.api, own, VISITS);
  const day = Math.floor(Date.parse(TODAY) / 86_400_000);
  await service.database.execute(keepHitsFrom(own.id, day), []);
  const { body } = await service.api.get(path({ name: 'pageview', filter: 'country==US' }, '', own));
  expect(body.data.map(({ value, count }: any) => [value, count])).toEqual([[TODAY, 1]]);
  expect(body.meta.warnings).toEqual([
    { code: 'kept_since', detail: `Hits are available since ${TODAY}; earlier hits are not counted.` },
  ]);
});
