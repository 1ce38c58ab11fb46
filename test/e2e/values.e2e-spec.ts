import { DIMENSIONS, STAT_NAMES } from '../../engine/hits/stat-names';
import type { ApiClient } from '../support/api-client';
import { addHits, hitsOn, visitorsOn } from '../support/past-days';
import { type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

const RANGE = 'from=1970-01-01&to=9999-12-31';

let service: TestApp;
let api: ApiClient;
let site: Site;
beforeAll(async () => {
  service = await startApp();
  api = service.api;
  site = await website(api);
  await addHits(service, site.id, [
    ...hitsOn('2020-01-01', 1, { page: '/a%20b' }),
    ...hitsOn('2026-01-01', 2, { page: '/a%20b' }),
    ...Array.from({ length: 12 }, (_, index) => hitsOn('2026-01-02', 1, { page: `/c/${index}` })).flat(),
    ...visitorsOn('2026-01-01', 1, { page: '/%_', country: 'US' }),
    ...visitorsOn('2026-01-01', 5, { page: '/%_', country: 'GB' }),
    ...visitorsOn('2026-01-02', 3, { page: '/%_', country: 'DE' }),
  ]);
});
afterAll(() => service.stop());

const values = async (query: string) => {
  const { status, body } = await api.get(`/api/v1/stats/${site.id}/values?${query}`);
  return { status, body, found: body.data?.map(({ value }: { value: string }) => value) };
};

it('are listed by their counts of all days', async () => {
  const { body } = await values('name=country');
  expect(body).toEqual({
    data: [
      { value: 'GB', label: 'United Kingdom', count: 5 },
      { value: 'DE', label: 'Germany', count: 3 },
      { value: 'US', label: 'United States', count: 1 },
    ],
    meta: { website_id: site.id, name: 'country', total: 3, as_of: expect.stringMatching(/Z$/) },
  });
});

it.each([
  ['name=country&search=UNITED', ['GB', 'US']],
  ['name=country&search=de', ['DE']],
  ['name=page&search=A B', ['/a%20b']],
  ['name=page&search=%25_', ['/%_']],
  ['name=page&search=nothing', []],
  ['name=entry_page&search=A B', ['/a%20b']],
  ['name=exit_page&search=%25_', ['/%_']],
  ['name=campaign', []],
])('of %s are %j', async (query, found) => {
  expect((await values(query)).found).toEqual(found);
});

it('are as many as are asked for', async () => {
  const first = await values('name=page');
  expect([first.found.length, first.body.meta.total]).toEqual([10, 14]);
  expect((await values('name=page&per_page=25')).found).toHaveLength(14);
});

it.each(['', 'name=visitor', 'name=day', 'name=constructor', 'name=page&per_page=11', 'name=page&page=2'])(
  'are refused for %j',
  async (query) => {
    expect((await values(query)).status).toBe(422);
  },
);

describe('the list of names', () => {
  const names = async () => (await api.get('/api/v1/names')).body.data as any[];

  it('has each once, with what it counts', async () => {
    const all = await names();
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.find(({ name }) => name === 'country')).toEqual({
      name: 'country',
      level: 'visitor',
      counts: 'visitors',
      statistic: true,
      filterable: true,
      collected_since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    for (const name of STAT_NAMES)
      expect(all.find((one) => one.name === name)).toMatchObject({ counts: DIMENSIONS[name].counts });
    expect(all.find(({ name }) => name === 'entry_page')).toMatchObject({ level: 'visit', counts: 'visits' });
    expect(all.find(({ name }) => name === 'week')).toMatchObject({ level: 'moment', counts: null });
  });

  it('says where each is taken, and is right', async () => {
    for (const { name, statistic, filterable } of await names()) {
      const shown = await api.get(`/api/v1/stats/${site.id}?name=${name}&${RANGE}`);
      const filtered = await api.get(`/api/v1/stats/${site.id}?name=page&${RANGE}&filter=${name}=@x`);
      expect([name, shown.status === 200, filtered.status === 200]).toEqual([name, statistic, filterable]);
    }
  });

  it('takes no fields', async () => {
    expect((await api.get('/api/v1/names?search=a')).status).toBe(422);
  });
});
