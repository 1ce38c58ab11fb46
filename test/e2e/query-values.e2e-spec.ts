import { untilCounted } from '../support/counted';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { record, type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { goal, savedFilter } from '../support/website-resources';

let database: FreshDatabase;
let service: TestApp;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

type Sold = [path: string, value: string, currency: string];

async function siteWith(sold: Sold[]): Promise<Site> {
  const site = await website(service.api, { privacy: 0 });
  const events = sold.map(([path, value, currency]) => ({
    url: `https://${site.domain}${path}`,
    event: { name: 'buy', value, currency },
  }));
  await record(service.api, site, events);
  await untilCounted(service.api, site.id);
  return site;
}

const ask = async ({ id }: Site, hitQuery: object) => {
  const json = { metrics: ['value'], range: '7d', ...hitQuery };
  return (await service.api.post(`/api/v1/stats/${id}/query`, { json })).body;
};
const codesIn = ({ meta }: any) => (meta.warnings ?? []).map(({ code }: any) => code);
const byPage = (answer: any) => answer.data.map(({ page, value }: any) => [page, value]);

it('are added up exactly, however large, small or negative they are', async () => {
  const most = '99999999999.9999';
  const site = await siteWith([
    ...Array.from({ length: 30 }, (): Sold => ['/large', most, 'EUR']),
    ...Array.from({ length: 29 }, (): Sold => ['/near', most, 'EUR']),
    ['/near', '99999999999.9998', 'EUR'],
    ...Array.from({ length: 30 }, (): Sold => ['/negative', `-${most}`, 'EUR']),
    ...Array.from({ length: 20 }, (): Sold => ['/largest', '999999999999999', 'EUR']),
    ['/small', '0.0001', 'EUR'],
    ['/small', '0.0002', 'EUR'],
    ['/nothing', '5', 'EUR'],
    ['/nothing', '-5', 'EUR'],
  ]);
  const rows = [
    ['/largest', '19999999999999980'],
    ['/large', '2999999999999.997'],
    ['/near', '2999999999999.9969'],
    ['/small', '0.0003'],
    ['/nothing', '0'],
    ['/negative', '-2999999999999.997'],
  ];
  const order = (direction: string) => ({ dimensions: ['page'], order_by: [['value', direction]] });
  expect(byPage(await ask(site, order('desc')))).toEqual(rows);
  expect(byPage(await ask(site, order('asc')))).toEqual(rows.toReversed());
  const all = await ask(site, { metrics: ['value', 'events'], compare: 'previous' });
  expect(all.data).toEqual([
    { value: '20002999999999979.9972', events: 114, previous: { value: '0', events: 0 } },
  ]);
  expect(codesIn(all)).toEqual([]);
});

it('of several currencies are not added, unless the query says so', async () => {
  const site = await siteWith([
    ['/a', '10', 'EUR'],
    ['/a', '0.5', 'EUR'],
    ['/b', '7', 'USD'],
    ['/b', '1', 'EUR'],
    ['/c', '-3', 'USD'],
  ]);
  const total = await ask(site, {});
  expect([total.data, codesIn(total)]).toEqual([[{ value: null }], ['several_currencies']]);
  const pages = await ask(site, { dimensions: ['page'] });
  expect(byPage(pages)).toEqual([
    ['/a', '10.5'],
    ['/c', '-3'],
    ['/b', null],
  ]);
  expect(codesIn(pages)).toEqual(['several_currencies']);
  const currencies = await ask(site, { dimensions: ['currency'] });
  expect([currencies.data, codesIn(currencies)]).toEqual([
    [
      { currency: 'EUR', value: '11.5' },
      { currency: 'USD', value: '4' },
    ],
    [],
  ]);
  const one = await ask(site, { filters: [['is', 'currency', ['USD']]] });
  expect([one.data, codesIn(one)]).toEqual([[{ value: '4' }], []]);
  const both = await ask(site, { filters: [['is', 'currency', ['USD', 'EUR']]] });
  expect([both.data, codesIn(both)]).toEqual([[{ value: '15.5' }], ['several_currencies']]);
});

const USD_AND_EUR = ['is', 'currency', ['USD', 'EUR']];

it.each<[boolean, unknown]>([
  [true, ['and', [USD_AND_EUR]]],
  [true, ['or', [USD_AND_EUR, ['is', 'page', ['/a']]]]],
  [true, ['is_not', 'currency', [null]]],
  [true, ['not', ['is', 'currency', ['JPY']]]],
  [false, ['saved', 'In dollars or euros']],
  [false, ['is', 'goal', ['Paid']]],
])('are added: %s, by the filter %j', async (areAdded, filter) => {
  const site = await siteWith([
    ['/a', '10', 'EUR'],
    ['/b', '7', 'USD'],
  ]);
  await savedFilter(service.api, site.id, 'In dollars or euros', [USD_AND_EUR]);
  await goal(service.api, site.id, 'Paid', [['is_not', 'currency', [null]]]);
  const { data, meta } = await ask(site, { filters: [filter] });
  expect([data, codesIn({ meta })]).toEqual([[{ value: areAdded ? '17' : null }], ['several_currencies']]);
  expect(meta.warnings[0].detail.includes('are summed')).toBe(areAdded);
});

it('are none of what viewers of a shared page see', async () => {
  const site = await siteWith([['/', '1', 'EUR']]);
  const { status, body } = await service.api
    .as(undefined)
    .post(`/share/${site.domain}/api/query`, { json: { metrics: ['events', 'value'], range: '7d' } });
  expect([status, body.errors]).toEqual([
    422,
    { metrics: ['must not have value where the statistics are shared'] },
  ]);
});
