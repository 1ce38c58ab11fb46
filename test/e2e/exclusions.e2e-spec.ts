import { dayText } from '../../engine/ground/time/days';
import { monthOf } from '../../engine/hits/calendar';
import { Housekeeping } from '../../src/retention/housekeeping';
import type { ApiClient } from '../support/api-client';
import { closeDays } from '../support/counted';
import { pageViewOn, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { addHits } from '../support/past-days';
import { record, type Site, website } from '../support/sending';
import { keepHitsFrom } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';
import { goal, listOf, stored } from '../support/website-resources';

/** A month that is over, and a day in it. */
const MONTH = monthOf(TODAY, -1);
const DAY = MONTH + 9;
const SPAM = [['is', 'referrer', ['spam.example']]];
/** A day with this number of hits has a rollup, and so has its month. */
const MANY = 2100;

let database: FreshDatabase;
let service: TestApp;
let other: TestApp;
beforeAll(async () => {
  database = await freshDatabase();
  const settings = { DATABASE_URL: database.url, TIMEZONE: 'UTC' };
  service = await startApp(settings);
  other = await startApp(settings);
});
afterAll(async () => {
  await Promise.all([service.stop(), other.stop()]);
  await database.drop();
});

/** Visitors with a page view each, and spam among them. */
function visits(day: number, visitors: number, spam: number) {
  return Array.from({ length: visitors }, (_, index) =>
    pageViewOn(day, index % 2 === 0 ? '/' : '/a', `${index}.`.padStart(8, '0'), {
      visitor: Buffer.from(`${index}`.padStart(8, '0')).toString('base64url'),
      ...(index < spam && { referrer: 'spam.example' }),
    }),
  );
}

const rangeOf = (from: number, to = from) => `from=${dayText(from)}&to=${dayText(to)}`;
const sumOf = async (api: ApiClient, { id }: Site, name: string, range: string) =>
  (await api.get(`/api/v1/stats/${id}?name=${name}&${range}`)).body.meta.sum as number;
const exclude = (site: Site, more: object = {}) =>
  stored(service.api, site.id, 'exclusions', { name: 'Spam', filters: SPAM, ...more });
const remove = (site: Site, id: number) => service.api.delete(`${listOf(site.id, 'exclusions')}/${id}`);

/** By each service, of plain names and of a query. */
async function visitorsIn(site: Site, from: number, to = from): Promise<number[]> {
  const counted: number[] = [];
  for (const { api } of [service, other]) {
    counted.push(await sumOf(api, site, 'visitor', rangeOf(from, to)));
    const range = [dayText(from), dayText(to)];
    const query = { metrics: ['visitors'], range };
    const { body } = await api.post(`/api/v1/stats/${site.id}/query`, { json: query });
    counted.push(body.data[0].visitors);
  }
  return counted;
}
/** Divides the days of a shared page into what viewers see together. */
const untilDivided = (site: Site) => closeDays(service.counting, site.id);
const all = (count: number) => Array.from({ length: 4 }, () => count);

it('leaves out what it selects at once, in each process, before and after rollups are made anew', async () => {
  const site = await website(service.api);
  await addHits(service, site.id, [...visits(DAY, MANY, 100), ...visits(DAY + 1, 20, 5)]);
  await closeDays(service.counting, site.id);
  expect(await visitorsIn(site, MONTH, monthOf(TODAY) - 1)).toEqual(all(MANY + 20));
  const path = `/api/v1/stats/${site.id}?name=referrer&${rangeOf(MONTH, monthOf(TODAY) - 1)}`;
  const tags = await Promise.all(
    [service, other].map(async ({ api }) => (await api.get(path)).headers.get('ETag')),
  );
  const { id } = await exclude(site, { from: dayText(DAY), to: dayText(DAY) });
  for (const [index, { api }] of [service, other].entries()) {
    const again = await api.get(path, { headers: { 'If-None-Match': String(tags[index]) } });
    expect(again.status).toBe(200);
    expect(again.body.meta.excluded).toEqual([{ id, name: 'Spam' }]);
    expect(again.body.data.find(({ value }: any) => value === 'spam.example').count).toBe(5);
  }
  const expectLeftOut = async () => {
    expect(await visitorsIn(site, MONTH, monthOf(TODAY) - 1)).toEqual(all(MANY - 100 + 20));
    expect(await visitorsIn(site, DAY)).toEqual(all(MANY - 100));
    expect(await sumOf(service.api, site, 'pageview', rangeOf(DAY))).toBe(MANY - 100);
    expect(await sumOf(service.api, site, 'page', rangeOf(DAY))).toBe(MANY - 100);
    expect(await sumOf(service.api, site, 'browser', rangeOf(DAY))).toBe(MANY - 100);
  };
  await expectLeftOut();
  await closeDays(service.counting, site.id);
  await expectLeftOut();
  // A day of the month that it does not concern tells nothing of it.
  const apart = await service.api.get(`/api/v1/stats/${site.id}?name=page&${rangeOf(DAY + 1)}`);
  expect(apart.body.meta).not.toHaveProperty('excluded');
  await remove(site, id);
  expect(await visitorsIn(site, MONTH, monthOf(TODAY) - 1)).toEqual(all(MANY + 20));
  await closeDays(service.counting, site.id);
  expect(await visitorsIn(site, MONTH, monthOf(TODAY) - 1)).toEqual(all(MANY + 20));
});

it('concerns the day that goes on, funnels, journeys and files, and shows its hits in exports', async () => {
  const site = await website(service.api, { privacy: 0 });
  const empty = await exclude(site, { name: 'Load test', filters: [['is', 'page', ['/load']]] });
  expect(await visitorsIn(site, TODAY)).toEqual(all(0));
  const event = (path: string, ip: string, more: object = {}) => ({
    ...{ url: `https://${site.domain}${path}`, ip, user_agent: 'Mozilla/5.0 Firefox/150.0', ...more },
  });
  await record(service.api, site, [
    event('/load', '203.0.113.1'),
    event('/', '203.0.113.2'),
    event('/load', '203.0.113.2'),
    event('/a', '203.0.113.2'),
  ]);
  await until(async () => (await visitorsIn(site, TODAY))[0] === 1);
  expect(await visitorsIn(site, TODAY)).toEqual(all(1));
  const stats = `/api/v1/stats/${site.id}`;
  const range = [dayText(TODAY), dayText(TODAY)];
  const journey = await service.api.post(`${stats}/journey`, { json: { range, from: 'entry' } });
  expect(journey.body.meta.excluded).toEqual([{ id: empty.id, name: 'Load test' }]);
  expect(journey.body.data.steps.map(({ nodes }: any) => nodes[0]?.value)).toEqual(
    expect.arrayContaining(['/', '/a']),
  );
  expect(JSON.stringify(journey.body.data)).not.toContain('/load');
  const steps = ['/', '/a'].map((page) => ({ name: page, filters: [['is', 'page', [page]]] }));
  const funnel = await service.api.post(`${stats}/funnel`, { json: { range, steps, order: 'strict' } });
  expect(funnel.body.data.steps.map(({ visitors }: any) => visitors)).toEqual([1, 1]);
  const csv = await service.api.get(`${stats}?name=page&${rangeOf(TODAY)}`, {
    headers: { Accept: 'text/csv' },
  });
  expect(String(csv.text)).not.toContain('/load');
  const hits = await service.api.get(`${stats}/hits?${rangeOf(TODAY)}`, {
    headers: { Accept: 'application/x-ndjson' },
  });
  const lines = String(hits.text).trim().split('\n');
  const excluded = lines.map((line) => JSON.parse(line)).map(({ page, excluded }) => [page, excluded]);
  expect(excluded.sort()).toEqual([
    ['/', false],
    ['/a', false],
    ['/load', true],
    ['/load', true],
  ]);
  // A shared page shows what is left, and not why.
  await addHits(service, site.id, [...visits(DAY, 30, 10)]);
  await exclude(site);
  const shared = await service.api
    .as(undefined)
    .get(`/share/${site.domain}/api/stats?name=visitor&${rangeOf(DAY)}`);
  expect([shared.status, shared.body.meta.sum]).toEqual([200, 20]);
  expect(shared.body.meta).not.toHaveProperty('excluded');
});

it('writes goals out when it is made, changes its tag with its name, and may select conditions on all hits', async () => {
  const site = await website(service.api);
  await addHits(service, site.id, visits(DAY, 10, 4));
  const { id: goalId } = await goal(service.api, site.id, 'Spammed', SPAM);
  const { id, filters } = await exclude(site, { filters: [['has_done', ['is', 'goal', ['Spammed']]]] });
  expect(JSON.stringify(filters)).toContain('spam.example');
  await service.api.delete(`${listOf(site.id, 'goals')}/${goalId}`);
  expect(await visitorsIn(site, DAY)).toEqual(all(6));
  const path = `/api/v1/stats/${site.id}?name=page&${rangeOf(DAY)}`;
  const etag = (await other.api.get(path)).headers.get('ETag');
  await service.api.patch(`${listOf(site.id, 'exclusions')}/${id}`, { json: { name: 'Bots' } });
  const renamed = await other.api.get(path, { headers: { 'If-None-Match': String(etag) } });
  expect([renamed.status, renamed.body.meta.excluded]).toEqual([200, [{ id, name: 'Bots' }]]);
  const { body } = await service.api.patch(`${listOf(site.id, 'exclusions')}/${id}`, {
    json: { from: dayText(DAY + 1), reason: 'later' },
  });
  expect(body.data).toMatchObject({ from: dayText(DAY + 1), to: null, reason: 'later', final: false });
  expect(await visitorsIn(site, DAY)).toEqual(all(10));
});

it('concerns goals, and the details that viewers of a shared page see', async () => {
  const site = await website(service.api, { privacy: 0, share_filters: 0 });
  await addHits(service, site.id, [...visits(DAY, 30, 10), ...visits(DAY + 1, 12, 4)]);
  await goal(service.api, site.id, 'Home', [['is', 'page', ['/']]]);
  const converted = async () => {
    const metrics = ['conversions', 'converters', 'conversion_rate'];
    const json = { metrics, dimensions: ['goal'], range: [dayText(DAY), dayText(DAY + 1)] };
    const { body } = await other.api.post(`/api/v1/stats/${site.id}/query`, { json });
    return body.data[0];
  };
  expect(await converted()).toMatchObject({ conversions: 21, converters: 21, conversion_rate: 0.5 });
  const shared = async (name: string) => {
    const path = `/share/${site.domain}/api/stats?name=${name}&${rangeOf(DAY, DAY + 1)}`;
    const { body } = await other.api.as(undefined).get(path);
    return [body.meta.sum, body.data.map(({ value, count }: any) => [value, count])];
  };
  const referrers = (count: number, spam: number) => [
    count,
    spam === 0
      ? [['(direct)', count]]
      : [
          ['(direct)', count - spam],
          ['spam.example', spam],
        ],
  ];
  await untilDivided(site);
  expect(await shared('referrer')).toEqual(referrers(42, 14));
  const { id } = await exclude(site);
  expect(await converted()).toMatchObject({ conversions: 14, converters: 14, conversion_rate: 0.5 });
  expect((await shared('visitor'))[0]).toBe(28);
  await untilDivided(site);
  // The second day has 8 visitors now, fewer than viewers may see in detail.
  expect(await shared('referrer')).toEqual([
    28,
    [
      ['(direct)', 20],
      ['(other)', 8],
    ],
  ]);
  await remove(site, id);
  await untilDivided(site);
  expect(await shared('referrer')).toEqual(referrers(42, 14));
});

it('has no room for one beyond the hundredth, or for more conditions, values and bytes than a question', async () => {
  const site = await website(service.api);
  const post = (json: object, to = site) => service.api.post(listOf(to.id, 'exclusions'), { json });
  for (let number = 1; number <= 100; number++)
    expect((await post({ name: `${number}`, filters: [], all: true })).status).toBe(201);
  const full = await post({ name: 'One more', filters: SPAM });
  expect([full.status, full.body.code, full.body.errors]).toEqual([...[422, 'limit_reached'], undefined]);
  const { body } = await service.api.get(`${listOf(site.id, 'exclusions')}?per_page=10`);
  await remove(site, body.data[0].id);
  expect((await post({ name: 'One more', filters: SPAM })).status).toBe(201);
  const conditions = (count: number) => Array.from({ length: count }, () => SPAM[0]);
  const pages = (count: number, length: number) => [
    ['is', 'page', Array.from({ length: count }, (_, index) => `${index}`.padStart(length, '/'))],
  ];
  for (const [filters, more, what] of [
    [conditions(60), conditions(41), '100 conditions'],
    [pages(600, 4), pages(401, 4), '1,000 values'],
    [pages(100, 100), pages(60, 100), '16,384 bytes as JSON'],
  ] as const) {
    const other = await website(service.api);
    const first = (await post({ name: 'First', filters }, other)).body.data;
    const less = (await post({ name: 'Second', filters: SPAM }, other)).body.data;
    const error = [422, { filters: [`give all exclusions of the website together more than ${what}`] }];
    const third = await post({ name: 'Third', filters: more }, other);
    expect([third.status, third.body.errors]).toEqual(error);
    const path = `${listOf(other.id, 'exclusions')}/${less.id}`;
    const changed = await service.api.patch(path, { json: { filters: more } });
    expect([changed.status, changed.body.errors]).toEqual(error);
    await remove(other, first.id);
    expect((await service.api.patch(path, { json: { filters: more } })).status).toBe(200);
  }
});

it('refuses what makes no sense, or is too much', async () => {
  const site = await website(service.api);
  const post = async (json: object) => {
    const { status, body } = await service.api.post(listOf(site.id, 'exclusions'), { json });
    return [status, body.errors];
  };
  const [name, filters] = ['Spam', SPAM];
  expect(await post({ name, filters, from: '2026-02-02', to: '2026-02-01' })).toEqual([
    422,
    { to: ['must not be before "from"'] },
  ]);
  for (const everything of [[], [['and', []]], [['has_not_done', ['or', []]]]])
    expect(await post({ name, filters: everything })).toEqual([
      422,
      { filters: ['select all hits; send "all": true if that is meant'] },
    ]);
  expect(await post({ name, filters, purge: true })).toMatchObject([422, { purge: expect.any(Array) }]);
  const pages = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `/${from + index}`);
  expect((await post({ name, filters: [['is', 'page', pages(999)]] }))[0]).toBe(201);
  expect(await post({ name: 'More', filters: [['is', 'page', pages(2)]] })).toEqual([
    422,
    { filters: ['give all exclusions of the website together more than 1,000 values'] },
  ]);
  expect((await post({ name: 'All', filters: [], all: true, from: '2026-02-01', to: '2026-02-01' }))[0]).toBe(
    201,
  );
});

it('is purged only with the domain and a last day, and keeps its filters and days from then on', async () => {
  const site = await website(service.api);
  const { id, purge } = await exclude(site);
  expect(purge).toBe(false);
  const path = `${listOf(site.id, 'exclusions')}/${id}`;
  const put = async (json: object, api = service.api) => {
    const { status, body } = await api.put(path, { json });
    return [status, body.errors ?? body.data?.purge];
  };
  const confirm = [422, { domain: ['must be the domain of the website, to confirm the purge'] }];
  const { domain } = site;
  for (const sent of [{}, { domain: '' }, { domain: 'other.example' }, { domain: `${domain}.` }])
    expect(await put({ purge: true, ...sent })).toEqual(confirm);
  for (const sent of [7, null])
    expect(await put({ purge: true, domain: sent })).toEqual([422, { domain: ['must be a string'] }]);
  expect(await put({ purge: 'now', domain })).toMatchObject([422, { purge: expect.any(Array) }]);
  expect(await put({ purge: true, domain })).toEqual([
    422,
    { purge: ['needs a last day: give the exclusion one as "to"'] },
  ]);
  expect((await put({ purge: true, domain }, await service.anotherUser()))[0]).toBe(404);
  expect(await put({ purge: false, to: dayText(TODAY) })).toEqual([200, false]);
  expect(await put({ purge: true, domain })).toEqual([200, true]);
  expect(await put({ purge: 1, domain, name: 'Load test', reason: 'Ours', to: dayText(TODAY) })).toEqual([
    200,
    true,
  ]);
  const stays = ['does not change while hits are purged; delete the exclusion to stop'];
  expect(await put({ purge: false })).toEqual([422, { purge: stays }]);
  expect(await put({ filters: [['is', 'page', ['/']]] })).toEqual([422, { filters: stays }]);
  expect(await put({ from: dayText(TODAY) })).toEqual([422, { from: stays }]);
  for (const to of [null, dayText(TODAY + 1)]) expect(await put({ to })).toEqual([422, { to: stays }]);
  expect((await remove(site, id)).status).toBe(200);
  const final = await exclude(site, { to: dayText(TODAY) });
  await service.database.execute('UPDATE exclusions SET is_final = 1 WHERE id = ?', [final.id]);
  const json = { purge: true, domain };
  const { body } = await service.api.patch(`${listOf(site.id, 'exclusions')}/${final.id}`, { json });
  expect(body.errors).toEqual({ purge: ['needs hits, and those of a final exclusion are gone'] });
});

it('is final for days whose hits are gone, and goes with their statistics', async () => {
  const kept = await startApp({ TIMEZONE: 'UTC', ARCHIVE_DAYS: '10', STATS_DAYS: '20' });
  const site = await website(kept.api);
  const [old, recent] = [TODAY - 8, TODAY - 5];
  await addHits(kept, site.id, [...visits(old, 10, 4), ...visits(recent, 10, 4)]);
  const { id, from } = await stored(kept.api, site.id, 'exclusions', { name: 'Spam', filters: SPAM });
  expect(from).toBe(dayText(TODAY - 9));
  const path = `${listOf(site.id, 'exclusions')}/${id}`;
  const sum = (day: number) => sumOf(kept.api, site, 'visitor', rangeOf(day));
  expect([await sum(old), await sum(recent)]).toEqual([6, 6]);
  // The hits of the first day expire once its rollup is made anew.
  await closeDays(kept.counting, site.id);
  await kept.database.write((manager) => manager.query(keepHitsFrom(site.id, old + 1)));
  expect([await sum(old), await sum(recent)]).toEqual([6, 6]);
  const early = await kept.api.post(listOf(site.id, 'exclusions'), {
    json: { name: 'Early', filters: SPAM, from: dayText(old) },
  });
  expect([early.status, early.body.errors.from]).toEqual([
    422,
    [`must not change days before ${dayText(old + 1)}, whose hits are no longer kept`],
  ]);
  const changed = await kept.api.patch(path, { json: { filters: [['is', 'page', ['/']]] } });
  expect([changed.status, Object.keys(changed.body.errors)]).toEqual([422, ['filters']]);
  expect((await kept.api.delete(path)).status).toBe(200);
  expect((await kept.api.get(path)).body.data).toMatchObject({ final: true, to: dayText(old) });
  expect([await sum(old), await sum(recent)]).toEqual([6, 10]);
  await closeDays(kept.counting, site.id);
  expect([await sum(old), await sum(recent)]).toEqual([6, 10]);
  for (const days of [6, 12, 14]) {
    await kept.database.write((manager) => manager.query("DELETE FROM retention WHERE name <> 'clock'"));
    await kept.app.get(Housekeeping).tidy(Date.now() + days * 86_400_000);
  }
  expect((await kept.api.get(path)).status).toBe(404);
  await kept.stop();
});
