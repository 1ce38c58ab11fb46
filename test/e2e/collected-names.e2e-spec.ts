import { dayIn } from '../support/counting-model';
import { timezoneAtNoon } from '../support/counted';
import { change } from '../support/database-access';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { at, sendVisits } from '../support/visited-website';
import { goal, stored } from '../support/website-resources';

const DAY_MS = 24 * 3_600_000;
const TIMEZONE = timezoneAtNoon();
const dayBefore = (days: number) => dayIn(TIMEZONE, Date.now() - days * DAY_MS);
const [INSTALLED, YESTERDAY, TODAY] = [30, 1, 0].map(dayBefore) as [string, string, string];

let database: FreshDatabase;
let service: TestApp;
let site: Site;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url, TIMEZONE });
  // Two of the names came with a release of today.
  const isLate = "name IN ('hostname', 'event_property:NAME')";
  await change(database.url, `UPDATE collected_names SET since = ${Date.now()} WHERE ${isLate}`);
  await change(
    database.url,
    `UPDATE collected_names SET since = ${Date.now() - 30 * DAY_MS} WHERE NOT ${isLate}`,
  );
  site = await website(service.api);
  await sendVisits(service.api, site, [
    { by: 'american', path: '/', occurred_at: at('yesterday', 0) },
    { by: 'dutch', path: '/', occurred_at: at('today', -1) },
  ]);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const ask = async (hitQuery: object) => {
  const json = { metrics: ['pageviews'], range: [YESTERDAY, TODAY], ...hitQuery };
  const { body } = await service.api.post(`/api/v1/stats/${site.id}/query`, { json });
  return body;
};
const show = async (parameters: Record<string, string>, part = '') => {
  const query = new URLSearchParams({ from: INSTALLED, to: TODAY, ...parameters }).toString();
  return (await service.api.get(`/api/v1/stats/${site.id}${part}?${query}`)).body;
};
const lateIn = ({ meta }: any): string[] =>
  (meta.warnings ?? [])
    .filter(({ code }: any) => code === 'collected_since')
    .map(({ detail }: any) => detail.split(' ')[0]);

it('are listed with the first day on which each was collected', async () => {
  const { data } = (await service.api.get('/api/v1/names')).body;
  for (const { name, collected_since } of data)
    expect([name, collected_since]).toEqual([
      name,
      ['hostname', 'event_property:NAME'].includes(name) ? TODAY : INSTALLED,
    ]);
});

it('are named where a query has hits of earlier days', async () => {
  const body = await ask({ dimensions: ['hostname'] });
  expect(body.meta.warnings).toContainEqual({
    code: 'collected_since',
    detail: `hostname is collected since ${TODAY}; earlier hits have no value.`,
  });
  const filters = [
    [
      'or',
      [
        ['is', 'event_property:plan', ['a']],
        ['is', 'hostname', ['b', 'c']],
      ],
    ],
  ];
  expect(lateIn(await ask({ filters }))).toEqual(['event_property:plan', 'hostname']);
  const compared = { dimensions: ['hostname'], range: [TODAY, TODAY], compare: 'previous' };
  expect(lateIn(await ask(compared))).toEqual(['hostname']);
  expect(lateIn(await show({ name: 'hostname' }))).toEqual(['hostname']);
  const names = 'page,hostname,channel';
  expect(lateIn(await show({ names, filter: 'hostname!=a' }, '/summary'))).toEqual(['hostname']);
});

it('are not told of where there is nothing to tell', async () => {
  expect(lateIn(await ask({ dimensions: ['hostname'], range: [TODAY, TODAY] }))).toEqual([]);
  expect(lateIn(await ask({ dimensions: ['channel'] }))).toEqual([]);
  const ago = [dayBefore(60), dayBefore(2)];
  expect(lateIn(await ask({ dimensions: ['hostname'], range: ago }))).toEqual([]);
  const another = await website(service.api);
  await sendVisits(service.api, another, [{ by: 'dutch', path: '/', occurred_at: at('today', -1) }]);
  const { body } = await service.api.post(`/api/v1/stats/${another.id}/query`, {
    json: { metrics: ['pageviews'], dimensions: ['hostname'], range: '30d' },
  });
  expect([body.data[0].pageviews, lateIn(body)]).toEqual([1, []]);
});

describe('are not named to viewers', () => {
  let shared: Site;
  const viewer = () => service.api.as(undefined);
  const seen = async (part: string, parameters: Record<string, string>) => {
    const query = new URLSearchParams({ from: INSTALLED, to: TODAY, ...parameters }).toString();
    const { status, body } = await viewer().get(`/share/${shared.domain}/api/${part}?${query}`);
    expect(status).toBe(200);
    return body;
  };
  const asked = async (part: string, json: object) => {
    const sent = { json: { range: [INSTALLED, TODAY], ...json } };
    const { status, body } = await viewer().post(`/share/${shared.domain}/api/${part}`, sent);
    expect([status, body.errors]).toEqual([200, undefined]);
    return body;
  };
  const setFilters = (share_filters: number) =>
    service.api.patch(`/api/v1/websites/${shared.id}`, { json: { share_filters } });
  beforeAll(async () => {
    shared = await website(service.api, { privacy: 0 });
    await sendVisits(service.api, shared, [{ by: 'american', path: '/', occurred_at: at('yesterday', 0) }]);
    await goal(service.api, shared.id, 'Team', [['is', 'event_property:plan', ['team']]]);
    await stored(service.api, shared.id, 'saved-filters', {
      name: 'limit',
      filters: [['is', 'hostname', [shared.domain]]],
      shared: 1,
    });
    await stored(service.api, shared.id, 'funnels', {
      name: 'Plans',
      steps: [{ filters: [['is', 'page', ['/']]] }, { filters: [['is', 'event_property:plan', ['team']]] }],
    });
  });

  it('who may not filter, where the filter of the page has them', async () => {
    await setFilters(0);
    for (const body of [
      await seen('stats', { name: 'page' }),
      await seen('stats', { name: 'visitor' }),
      await seen('summary', { names: 'page,channel,visitor' }),
      await asked('query', { metrics: ['visitors'] }),
    ])
      expect(JSON.stringify(body.meta)).not.toContain('hostname');
    expect(lateIn(await seen('stats', { name: 'hostname' }))).toEqual(['hostname']);
  });

  it('who filter, unless they name them themselves', async () => {
    await setFilters(1);
    const by = { metrics: ['conversions', 'conversion_rate'], dimensions: ['goal'] };
    for (const body of [
      await seen('stats', { name: 'page' }),
      await seen('stats', { name: 'page', filter: 'page==/' }),
      await seen('summary', { names: 'page,channel,visitor' }),
      await asked('query', { metrics: ['visitors'] }),
      await asked('query', { metrics: ['visitors'], filters: [['saved', 'limit']] }),
      await asked('query', by),
      await asked('funnel', { funnel: 'Plans' }),
      await asked('journey', { from: 'entry' }),
    ]) {
      const { filters, ...meta } = body.meta;
      expect(JSON.stringify([filters, meta])).not.toMatch(/hostname|plan/);
    }
    const filters = [['is', 'hostname', ['a']]];
    for (const body of [
      await seen('stats', { name: 'page', filter: 'hostname==a' }),
      await asked('query', { metrics: ['visitors'], filters }),
      await asked('journey', { from: 'entry', filters }),
      await asked('funnel', { steps: [{ filters }, { filters: [['is', 'page', ['/']]] }] }),
    ])
      expect(lateIn(body)).toEqual(['hostname']);
  });

  it('but to the owner', async () => {
    const query = new URLSearchParams({ name: 'page', from: INSTALLED, to: TODAY, filter: 'saved==limit' });
    const { body } = await service.api.get(`/api/v1/stats/${shared.id}?${query.toString()}`);
    expect(lateIn(body)).toEqual(['hostname']);
  });
});
