import { dayText } from '../../../engine/ground/time/days';
import type { Hit } from '../../../engine/hits/hit';
import { HitStore } from '../../../engine/port';
import { readingOf } from '../../../engine/columns/followed-websites';
import { daysOfPart } from '../../../engine/columns/segments/merged-part';
import { detachVisitors } from '../../../engine/columns/segments/hit-segments';
import type { ResolvedFilter } from '../../../engine/questions/parse/filter';
import { closeDays } from '../../support/counted';
import { CountingProcess, daysOver, mixedHitsOn, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { addHits } from '../../support/past-days';
import { type Site, website } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';
import { listOf, stored } from '../../support/website-resources';

/** Their salts are gone. */
const DAYS = [9, 6, 5, 4].map((ago) => TODAY - ago);
const [FIRST, EMPTIED, , LAST] = DAYS as [number, number, number, number];
const [FROM, TO] = [dayText(TODAY - 20), dayText(TODAY)];
const RANGE = [FROM, TO];
const SPAM = [['is', 'page', ['/spam']]];
const STEPS = ['/a', '/b'].map((page) => ({ filters: [['is', 'page', [page]]] }));

/** What anybody may ask of a website, with the answer's path and, where it is asked by POST, its body. */
const QUESTIONS: [path: string, json?: object][] = [
  ...['page', 'visitor', 'pageview', 'event', 'country', 'referrer'].map(
    (name) => [`/api/v1/stats/ID?name=${name}&from=${FROM}&to=${TO}`] as [string],
  ),
  ...['visitor', 'page', 'referrer', 'country'].map(
    (name) => [`/share/DOMAIN/api/stats?name=${name}&from=${FROM}&to=${TO}`] as [string],
  ),
  ...[['entry_page'], ['exit_page'], ['day'], ['hour', 'referrer']].map(
    (dimensions) =>
      [
        '/api/v1/stats/ID/query',
        {
          ...{ dimensions, range: RANGE },
          metrics: ['visitors', 'pageviews', 'visits', 'bounces', 'seconds', 'value'],
          filters: [['has_not_done', ['is', 'event', ['never']]]],
        },
      ] as [string, object],
  ),
  // Of one day, whose counts are kept in memory by the number of its hits.
  [
    '/api/v1/stats/ID/query',
    { metrics: ['visitors'], dimensions: ['page'], range: [dayText(FIRST), dayText(FIRST)] },
  ],
  ['/api/v1/stats/ID/funnel', { steps: STEPS, range: RANGE, order: 'strict' }],
  ['/api/v1/stats/ID/journey', { from: 'entry', range: RANGE }],
  [`/api/v1/stats/ID/hits?from=${FROM}&to=${TO}`],
];

let databases: FreshDatabase[];
/** One keeps old days in columns, the other as rows. */
let services: TestApp[];
beforeAll(async () => {
  databases = [await freshDatabase(), await freshDatabase()];
  services = [
    await startApp({ DATABASE_URL: databases[0]!.url, TIMEZONE: 'UTC' }),
    await startApp({ DATABASE_URL: databases[1]!.url, TIMEZONE: 'UTC', HITS_URL: 'rows' }),
  ];
});
afterAll(async () => {
  for (const service of services) await service.stop();
  for (const database of databases) await database.drop();
});

const visitorCalled = (name: string) => Buffer.from(name.padStart(8, '.')).toString('base64url');
const hit = (day: number, page: string, name: string, second: number, referrer: string | null = null): Hit =>
  pageViewOn(day, page, '', { at: 86_400 * day + second, visitor: visitorCalled(name), referrer });
const spam = (day: number, name: string, second: number) => hit(day, '/spam', name, second, 'spam.example');
const isSpam = ({ page }: Hit) => page === '/spam';

/** Visitors with spam between two of their pages, and visitors with nothing else. */
function hitsOn(day: number, visitors = 20): Hit[] {
  const of = (index: number) => [
    hit(day, '/a', `v${index}`, 60 * index),
    ...(index % 2 === 0 ? [spam(day, `v${index}`, 60 * index + 1700)] : []),
    hit(day, '/b', `v${index}`, 60 * index + 3000),
    ...(index % 3 === 0 ? [spam(day, `s${index}`, 60 * index + 10)] : []),
  ];
  // Without its spam, this visitor came without a referrer.
  const reached = [spam(day, 'w', 7), hit(day, '/a', 'w', 500)];
  const all = Array.from({ length: visitors }, (_, index) => of(index)).flat();
  return [...all, ...reached, ...mixedHitsOn(day)];
}
const HITS = DAYS.flatMap((day) =>
  day === EMPTIED ? ['x', 'y'].map((name) => spam(day, name, 5)) : hitsOn(day),
);

async function answersOf({ api }: TestApp, { id, domain }: Site): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [path, json] of QUESTIONS) {
    const own = path.replace('ID', String(id)).replace('DOMAIN', domain);
    const asker = own.startsWith('/share') ? api.as(undefined) : api;
    const { status, body, text } = json
      ? await asker.post(own, { json })
      : await asker.get(own, { headers: { Accept: 'application/json, application/x-ndjson' } });
    expect([path, status]).toEqual([path, 200]);
    answers.push([path, json, body?.meta?.sum, body?.data ?? text]);
  }
  return answers;
}

async function siteWith(service: TestApp, hits: Hit[]): Promise<Site> {
  const site = await website(service.api, { privacy: 0 });
  await addHits(service, site.id, hits);
  return site;
}

async function purge(service: TestApp, site: Site, fields: object): Promise<string> {
  const { id } = await stored(service.api, site.id, 'exclusions', { name: 'Spam', filters: SPAM, ...fields });
  // The days are rolled up without what is excluded.
  await closeDays(service.counting, site.id);
  const path = `${listOf(site.id, 'exclusions')}/${id}`;
  const json = { purge: true, domain: site.domain };
  expect((await service.api.patch(path, { json })).body.data).toMatchObject({ purge: true });
  return path;
}

const listed = async ({ api }: TestApp, { id }: Site) => (await api.get(listOf(id, 'exclusions'))).body.data;
const numberOf = async ({ database }: TestApp, sql: string) =>
  Number((await database.query<{ n: number }[]>(sql))[0]!.n);

it.each([
  ['columns', 0],
  ['rows', 1],
])('leaves a website with days in %s as if the hits had never been', async (_, index) => {
  const service = services[index]!;
  const [had, never] = [
    await siteWith(service, HITS),
    await siteWith(
      service,
      HITS.filter((own) => !isSpam(own)),
    ),
  ];
  const before = await answersOf(service, had);
  expect(before).not.toEqual(await answersOf(service, never));
  const path = await purge(service, had, { from: dayText(FIRST), to: dayText(LAST) });
  const statistics = `/api/v1/stats/${had.id}?name=page&from=${FROM}&to=${TO}`;
  const excluding = await service.api.get(statistics);
  await closeDays(service.counting, had.id);
  const headers = { 'If-None-Match': String(excluding.headers.get('ETag')) };
  expect([
    excluding.body.meta.excluded.length,
    (await service.api.get(statistics, { headers })).status,
  ]).toEqual([1, 200]);
  expect(await listed(service, had)).toEqual([]);
  expect((await service.api.get(path)).status).toBe(404);
  expect(await answersOf(service, had)).toEqual(await answersOf(service, never));
  // Nothing of it is left in the store.
  const texts = await numberOf(service, `SELECT COUNT(*) AS n FROM hit_days WHERE website_id = ${had.id}`);
  expect(texts).toBe(DAYS.length - 1);
  const left = ['hit_columns', 'hits'].map((table) =>
    numberOf(
      service,
      table === 'hits'
        ? `SELECT COUNT(*) AS n FROM hits WHERE website = ${had.id} AND page = '/spam'`
        : `SELECT COUNT(*) AS n FROM hit_columns WHERE website_id = ${had.id} AND segment NOT IN
            (SELECT segment FROM hit_days WHERE website_id = ${had.id})`,
    ),
  );
  expect(await Promise.all(left)).toEqual([0, 0]);
  // As many hits come late as were removed: what was kept in memory is not taken for them.
  const late = HITS.filter((own) => own.day === FIRST && isSpam(own)).map((own, place) =>
    hit(own.day, `/late/${place}`, '', 7),
  );
  const unknown = late.map((own) => ({ ...own, visitor: '' }));
  for (const { id } of [had, never]) await addHits(service, id, unknown);
  expect(await answersOf(service, had)).toEqual(await answersOf(service, never));
});

it('goes on day by day, stays in force meanwhile, and ends where the exclusion is deleted', async () => {
  const [service] = services as [TestApp];
  const recent = TODAY - 1;
  const [had, clean] = [
    await siteWith(service, [...HITS, ...hitsOn(recent)]),
    await siteWith(service, [...HITS.filter((own) => !isSpam(own)), ...hitsOn(recent)]),
  ];
  const path = await purge(service, had, { to: TO });
  await closeDays(service.counting, had.id);
  const [{ from, to, purge: isPurged }] = await listed(service, had);
  expect([from, to, isPurged]).toEqual([null, TO, true]);
  const { body } = await service.api.get(`/api/v1/stats/${had.id}?name=page&from=${TO}&to=${TO}`);
  expect(body.meta.excluded).toMatchObject([{ name: 'Spam' }]);
  const pages = async (day: number) => {
    const { text } = await service.api.get(
      `/api/v1/stats/${had.id}?name=page&from=${dayText(day)}&to=${dayText(day)}`,
    );
    return text.includes('/spam');
  };
  expect([await pages(FIRST), await pages(recent)]).toEqual([false, false]);
  await service.api.patch(path, { json: { name: 'Renamed' } });
  await closeDays(service.counting, had.id);
  await service.api.delete(path);
  await closeDays(service.counting, had.id);
  expect([await pages(FIRST), await pages(recent)]).toEqual([false, true]);
  expect(await answersOf(service, had)).toEqual(await answersOf(service, clean));
});

it('ends at once for a website without hits, or without any on its days', async () => {
  const [service] = services as [TestApp];
  const empty = await website(service.api);
  const other = await siteWith(service, hitsOn(LAST));
  for (const site of [empty, other]) {
    await purge(service, site, { from: dayText(FIRST), to: dayText(FIRST) });
    await closeDays(service.counting, site.id);
    expect(await listed(service, site)).toEqual([]);
    await stored(service.api, site.id, 'exclusions', { name: 'Spam', filters: SPAM });
  }
});

it('lowers the place of a reader, whose cursor from before is no longer taken', async () => {
  const [service] = services as [TestApp];
  const { database, counting } = service;
  const store = service.app.get(HitStore);
  const site = await siteWith(service, hitsOn(LAST));
  await database.write((tx) => store.follow(tx, site.id, Date.now()));
  const before = (await database.write((tx) => store.followed(tx, site.id)))!.cursor;
  await purge(service, site, { from: dayText(LAST), to: dayText(LAST) });
  await closeDays(counting, site.id);
  const hits = hitsOn(LAST);
  const { cursor } = (await database.write((tx) => store.followed(tx, site.id)))!;
  expect(readingOf(before).places).toEqual([[LAST, hits.length]]);
  expect(readingOf(cursor).places).toEqual([[LAST, hits.filter((own) => !isSpam(own)).length]]);
  expect(await database.write((tx) => store.moveCursor(tx, site.id, before, before))).toBe(false);
  expect(await database.write((tx) => store.moveCursor(tx, site.id, cursor, cursor))).toBe(true);
});

it('moves the other days of a segment as they are, also one with late hits', async () => {
  const one = await CountingProcess.start(databases[0]!.url);
  const [id, earlier] = [900, LAST - 1];
  await one.register(id);
  await one.count(id, [...hitsOn(earlier), ...hitsOn(LAST)]);
  await one.closeDays(id, LAST + 1);
  await one.count(
    id,
    [hit(LAST, '/late', '', 9)].map((own) => ({ ...own, visitor: '' })),
  );
  const segments = async () => {
    const sql = `SELECT DISTINCT segment FROM hit_days WHERE website_id = ${id}`;
    return (await one.database.query<{ segment: number }[]>(sql)).map(({ segment }) => Number(segment));
  };
  const before = await segments();
  expect(before).toHaveLength(1);
  const purged = { id: 1, name: 'Spam', filters: SPAM as ResolvedFilter[], from: earlier, to: earlier };
  await one.database.write(async (tx) => {
    await detachVisitors(tx, id, earlier);
    await one.store.leaveOut(tx, id, [purged]);
    await one.store.leaveOut(tx, id, [{ ...purged, purge: true }]);
  });
  await one.workOnColumns(id, { ...daysOver(LAST + 1), before: LAST, finalBefore: LAST });
  expect(await one.database.query('SELECT * FROM purges')).toEqual([]);
  expect(await segments()).not.toEqual(before);
  const counted = async (day: number) => (await one.counted(id, 'page', day, day))['/spam'] ?? 0;
  const spams = hitsOn(LAST).filter(isSpam).length;
  expect([await counted(earlier), await counted(LAST)]).toEqual([0, spams]);
  expect(await one.counted(id, 'page', LAST, LAST)).toMatchObject({ '/late': 1 });
  await one.stop();
});

it('leaves nothing in the segment that a day had before late hits came', async () => {
  const one = await CountingProcess.start(databases[0]!.url);
  const [id, earlier] = [901, LAST - 1];
  const unmerged = { merge: { textBytes: 1_000_000, hits: 1 } };
  await one.register(id);
  await one.count(id, [...hitsOn(earlier), ...hitsOn(LAST)]);
  await one.closeDays(id, LAST + 1);
  await one.count(id, [{ ...hit(earlier, '/late', '', 9), visitor: '' }]);
  await one.closeDays(id, LAST + 1, unmerged);
  const daysOfSegments = async () => {
    const named = await one.database.query<{ segment: number; day: number }[]>(
      `SELECT segment, day FROM hit_days WHERE website_id = ${id} ORDER BY day`,
    );
    const kept = named.map(({ segment, day }) =>
      daysOfPart(one.database, { websiteId: id, segment: Number(segment), part: 0 }, day),
    );
    return Promise.all(kept);
  };
  expect(await daysOfSegments()).toEqual([[earlier], [earlier, LAST]]);
  const purged = { id: 1, name: 'Spam', filters: SPAM as ResolvedFilter[], from: earlier, to: earlier };
  await one.database.write(async (tx) => {
    await detachVisitors(tx, id, earlier);
    await one.store.leaveOut(tx, id, [purged]);
    await one.store.leaveOut(tx, id, [{ ...purged, purge: true }]);
  });
  await one.workOnColumns(id, daysOver(LAST + 1), unmerged);
  expect(await one.database.query('SELECT * FROM purges')).toEqual([]);
  expect(await daysOfSegments()).toEqual([[earlier], [LAST]]);
  expect(await one.counted(id, 'page', earlier, earlier)).not.toHaveProperty('/spam');
  await one.stop();
});
