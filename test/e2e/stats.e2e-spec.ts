import type { Hit } from '../../engine/hits/hit';
import { DIMENSIONS, STAT_NAMES, type StatName } from '../../engine/hits/stat-names';
import { addDropped, addHits, hitsOn, visitorsOn } from '../support/past-days';
import { formOf, rollUpFrom } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';

interface Entry {
  value: string;
  label: string;
  count: number;
}

let service: TestApp;
beforeAll(async () => void (service = await startApp({ TIMEZONE: 'Europe/Berlin' })));
afterAll(() => service.stop());

/** What statistics are read from, and the numbers of hits from which days and months are rolled up. */
const FORMS = [
  ['hits', { day: Infinity, month: Infinity }],
  ['days', { day: 1, month: Infinity }],
  ['months', { day: 1, month: 1 }],
] as const;

const FIELDS: Partial<Record<StatName, keyof Hit>> = {
  browser: 'browser',
  campaign: 'campaign',
  city: 'city',
  continent: 'continent',
  country: 'country',
  device: 'device',
  event: 'event',
  language: 'language',
  operating_system: 'operatingSystem',
  page: 'page',
  referrer: 'referrer',
  screen_resolution: 'screen',
};

type Count = [day: string, value: string, hits: number];

let sites = 0;
async function website(): Promise<number> {
  const form = { domain: `stats${++sites}.example.com` };
  return (await service.api.post('/api/v1/websites', { form })).body.data.id;
}

async function websiteWith(name: StatName, counts: Count[]): Promise<number> {
  const id = await website();
  await add(id, name, counts);
  return id;
}

async function add(id: number, name: StatName, counts: Count[]): Promise<void> {
  const field = FIELDS[name];
  const on = DIMENSIONS[name].counts === 'visitors' ? visitorsOn : hitsOn;
  const hits = () => counts.flatMap(([day, value, count]) => on(day, count, field && { [field]: value }));
  await (name === 'dropped' ? addDropped(service, id, counts) : addHits(service, id, hits()));
}

async function show(id: number, parameters: Record<string, string | number>) {
  const query = new URLSearchParams({ from: '2026-01-01', to: '2026-01-31', ...parameters });
  const answer = await service.api.get(`/api/v1/stats/${id}?${query.toString()}`);
  expect(answer.status).toBe(200);
  return answer.body as {
    data: Entry[];
    links: Record<string, string | null>;
    meta: Record<string, unknown>;
  };
}

const valuesOf = ({ data }: { data: Entry[] }) => data.map(({ value }) => value);
const on = (value: string, hits = 1): Count => ['2026-01-15', value, hits];

it.each(STAT_NAMES)('%s is empty where nothing was counted, and says when and what', async (name) => {
  const id = await website();
  const before = Date.now();
  const { data, links, meta } = await show(id, { name });
  const path = `/api/v1/stats/${id}`;
  const kept = `${path}?from=2026-01-01&to=2026-01-31&name=${name}&page=1`;
  expect(data).toEqual([]);
  expect(links).toEqual({ first: kept, last: kept, prev: null, next: null });
  expect(meta).toEqual({
    current_page: 1,
    from: 0,
    last_page: 1,
    path,
    per_page: 10,
    to: 0,
    total: 0,
    website_id: id,
    name,
    range: { from: '2026-01-01', to: '2026-01-31' },
    counts: DIMENSIONS[name].counts,
    timezone: 'Europe/Berlin',
    sum: 0,
    as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  const asOf = Date.parse(meta.as_of as string);
  expect(asOf).toBeGreaterThanOrEqual(before);
  expect(asOf).toBeLessThanOrEqual(Date.now());
});

describe.each(FORMS)('from %s', (form, hits) => {
  let restore: () => void;
  beforeAll(() => void (restore = rollUpFrom(hits)));
  afterAll(() => restore());

  it.each(STAT_NAMES)(
    'adds up a %s over the days of the range, both ends included, and nothing else',
    async (name) => {
      const counts: Count[] = [
        ['2025-12-31', 'a', 64],
        ['2026-01-01', 'a', 1],
        ['2026-01-15', 'a', 2],
        ['2026-01-31', 'a', 4],
        ['2026-02-01', 'a', 128],
        ['2026-01-02', 'b', 8],
      ];
      const id = await websiteWith(name, counts);
      await websiteWith(name, [on('a', 7)]);
      const { data, meta } = await show(id, { name });
      const days = [
        ['2026-01-02', 8],
        ['2026-01-31', 4],
        ['2026-01-15', 2],
        ['2026-01-01', 1],
      ];
      const values = [
        ['b', 8],
        ['a', 7],
      ];
      const expected = DIMENSIONS[name].days ? days : values;
      expect(data.map(({ value, count }) => [value, count])).toEqual(expected);
      expect(meta).toMatchObject({ total: expected.length, sum: 15, from: 1, to: expected.length });
      if (name !== 'dropped') expect(await formOf(service.database, id)).toBe(form);
    },
  );

  it('takes the widest range', async () => {
    const id = await websiteWith('page', [
      ['1970-01-01', '/', 1],
      ['2026-01-31', '/', 1],
    ]);
    expect((await show(id, { name: 'page', from: '1970-01-01', to: '9999-12-31' })).meta.sum).toBe(2);
  });

  it('orders by count, and by value where counts are equal', async () => {
    const id = await websiteWith('page', [on('/b', 2), on('/a', 2), on('/c', 3), on('/A', 2)]);
    expect(valuesOf(await show(id, { name: 'page' }))).toEqual(['/c', '/A', '/a', '/b']);
    expect(valuesOf(await show(id, { name: 'page', sort: 'asc' }))).toEqual(['/A', '/a', '/b', '/c']);
  });

  it('orders values by code point, and keeps apart what differs in one byte', async () => {
    const values = ['a', 'A', 'ä', 'a ', 'a  ', 'á', 'ﬁ', '🙂', '🙃', 'z', '\u{ffff}', 'É', 'e\u0301', ''];
    const sorted = [...values].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const id = await websiteWith(
      'event',
      values.map((value, index) => on(value, index + 1)),
    );
    const parameters = { name: 'event', sort_by: 'value', per_page: 25 };
    expect(valuesOf(await show(id, { ...parameters, sort: 'asc' }))).toEqual(sorted);
    expect(valuesOf(await show(id, { ...parameters, sort: 'desc' }))).toEqual(sorted.reverse());
  });

  it('pages through everything once, and tells the total of a page past the end', async () => {
    const id = await websiteWith(
      'city',
      Array.from({ length: 57 }, (_, index) => on(`City ${index}`, 1 + (index % 5))),
    );
    const seen: string[] = [];
    let next: string | null = `/api/v1/stats/${id}?name=city&from=2026-01-01&to=2026-01-31&per_page=25`;
    while (next) {
      const { body } = await service.api.get(next);
      seen.push(...valuesOf(body));
      next = body.links.next;
    }
    expect(new Set(seen).size).toBe(57);
    for (const page of [4, 9_007_199_254_740_991])
      expect(await show(id, { name: 'city', per_page: 25, page })).toMatchObject({
        data: [],
        meta: { total: 57, sum: 168, from: 0, to: 0, last_page: 3, current_page: page },
        links: { next: null },
      });
  });

  describe('search', () => {
    const literal = [
      '100%',
      'a_b',
      'a\\b',
      "it's",
      'say "x"',
      'axb',
      'İstanbul',
      'STRASSE',
      'straße',
      'ﬁn',
      'ÉCOLE',
      'a\u0000b',
    ];
    let id: number;
    beforeAll(async () => {
      id = await websiteWith(
        'event',
        literal.map((value) => on(value)),
      );
    });

    it.each([
      ['%', ['100%']],
      ['_', ['a_b']],
      ['\\', ['a\\b']],
      ["'", ["it's"]],
      ['"', ['say "x"']],
      ['A_B', ['a_b']],
      ['\u0000', ['a\u0000b']],
      ['école', ['ÉCOLE']],
      ['ÉCO', ['ÉCOLE']],
      ['ecole', []],
      ['strasse', ['STRASSE']],
      ['STRASSE', ['STRASSE']],
      ['STRAẞE', ['straße']],
      ['i̇stan', ['İstanbul']],
      ['istan', []],
      ['fin', []],
      ["' OR 1=1 -- ", []],
      ['b ', []],
    ])('finds %j literally', async (search, found) => {
      const { data, meta } = await show(id, { name: 'event', search, search_by: 'value' });
      expect(valuesOf({ data }).sort()).toEqual([...found].sort());
      expect(meta).toMatchObject({ total: found.length, sum: found.length });
    });

    it.each<[StatName, string[], string, string[]]>([
      ['country', ['US', 'DE', 'GB', '(unknown)'], 'united', ['GB', 'US']],
      ['country', ['US', 'DE', 'AU'], 'us', ['AU', 'US']],
      ['continent', ['EU', 'NA', 'SA'], 'america', ['NA', 'SA']],
      ['language', ['de-DE', 'de-AT', 'fr'], 'GERMAN (', ['de-AT', 'de-DE']],
      ['page', ['/caf%C3%A9', '/cafe'], 'CAFÉ', ['/caf%C3%A9']],
      ['page', ['/caf%C3%A9', '/cafe'], 'f%c3', ['/caf%C3%A9']],
    ])('finds a %s among %j by its label %j', async (name, values, search, found) => {
      const id = await websiteWith(
        name,
        values.map((value) => on(value)),
      );
      expect(valuesOf(await show(id, { name, search })).sort()).toEqual(found);
    });

    it('shows everything where it is empty', async () => {
      const id = await websiteWith('page', [on('/a'), on('/b')]);
      expect((await show(id, { name: 'page', search: '' })).meta.total).toBe(2);
    });
  });

  it('pages through very many equal counts in the order of the values, from both ends', async () => {
    const values = Array.from(
      { length: 2500 },
      (_, index) => `/${String((index * 7919) % 10_007).padStart(5, '0')}`,
    );
    const id = await websiteWith(
      'page',
      values.map((value, index) => on(value, index < 3 ? 5 : index < 1300 ? 2 : 1)),
    );
    const inOrder = [values.slice(0, 3), values.slice(3, 1300), values.slice(1300)].flatMap((group) =>
      group.sort(),
    );
    const page = async (parameters: object) =>
      valuesOf(await show(id, { name: 'page', per_page: 100, ...parameters }));
    for (const number of [1, 2, 7, 13, 14, 20, 25])
      expect(await page({ page: number })).toEqual(inOrder.slice((number - 1) * 100, number * 100));
    expect(await page({ sort: 'asc', page: 1 })).toEqual(values.slice(1300).sort().slice(0, 100));
    expect((await page({ sort: 'asc', page: 25 })).slice(-3)).toEqual(values.slice(0, 3).sort());
    const byValue = [...values].sort();
    for (const number of [1, 12, 25])
      expect(await page({ sort_by: 'value', sort: 'asc', page: number })).toEqual(
        byValue.slice((number - 1) * 100, number * 100),
      );
    expect(await page({ sort_by: 'value', sort: 'desc', page: 2 })).toEqual(
      byValue.reverse().slice(100, 200),
    );
  });
});

it.each<[StatName, string, string]>([
  ['country', 'US', 'United States'],
  ['country', '(unknown)', '(unknown)'],
  ['continent', 'NA', 'North America'],
  ['language', 'de-DE', 'German (Germany)'],
  ['language', '(unknown)', '(unknown)'],
  ['page', '/caf%C3%A9?q=%C3%A9', '/café?q=%C3%A9'],
  ['page', '/%FF%00', '/%FF%00'],
  ['browser', 'Chrome', 'Chrome'],
])('labels the %s %j as %j', async (name, value, label) => {
  const id = await websiteWith(name, [on(value)]);
  expect((await show(id, { name })).data).toEqual([{ value, label, count: 1 }]);
});

it.each([
  ['from=2026-01-01&to=2026-01-31', 'name'],
  ['name=page&to=2026-01-31', 'from'],
  ['name=page&from=2026-01-01', 'to'],
  ['name=&from=2026-01-01&to=2026-01-31', 'name'],
  ['name=pages&from=2026-01-01&to=2026-01-31', 'name'],
  ['name=toString&from=2026-01-01&to=2026-01-31', 'name'],
  ['name=page&name=city&from=2026-01-01&to=2026-01-31', 'name'],
  ['name=page&from=2026-02-30&to=2026-03-31', 'from'],
  ['name=page&from=2025-02-29&to=2026-03-31', 'from'],
  ['name=page&from=1969-12-31&to=2026-01-31', 'from'],
  ['name=page&from=2026-1-1&to=2026-01-31', 'from'],
  ['name=page&from=2026-01-01T00:00:00&to=2026-01-31', 'from'],
  ['name=page&from=2026-01-01&to=10000-01-01', 'to'],
  ['name=page&from=2026-01-01&to=2026-13-01', 'to'],
  ['name=page&from=2026-01-02&to=2026-01-01', 'to'],
  ['name=page&from=2026-01-01&to=2026-01-31&sort_by=hits', 'sort_by'],
  ['name=page&from=2026-01-01&to=2026-01-31&sort_by=count;SELECT 1', 'sort_by'],
  ['name=page&from=2026-01-01&to=2026-01-31&sort=DESC', 'sort'],
  ['name=page&from=2026-01-01&to=2026-01-31&search_by=label', 'search_by'],
  ['name=page&from=2026-01-01&to=2026-01-31&per_page=20', 'per_page'],
  ['name=page&from=2026-01-01&to=2026-01-31&page=0', 'page'],
  ['name=page&from=2026-01-01&to=2026-01-31&website_id=1', 'website_id'],
])('refuses %s', async (query, field) => {
  const answer = await service.api.get(`/api/v1/stats/${await website()}?${query}`);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body.errors)).toEqual([field]);
});
