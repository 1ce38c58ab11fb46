import { DayClock } from '../../engine/ground/time/day-clock';
import { dayText } from '../../engine/ground/time/days';
import type { ResolvedFilter } from '../../engine/questions/parse/filter';
import { HitsService } from '../../src/stats/hits/hits.service';
import { FIREFOX } from '../support/agents';
import type { ApiClient } from '../support/api-client';
import { closeDays, timezoneAtNoon, untilCounted } from '../support/counted';
import { change } from '../support/database-access';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { sendBatch, type Site, website } from '../support/sending';
import { areSealed, loseHits, loseSecondHit, readVisitorHashes } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const DAY_MS = 86_400_000;
/** Yesterday can be sealed, whenever the tests run. */
const TIMEZONE = timezoneAtNoon();
const TODAY = new DayClock(TIMEZONE).dayOf(Date.now());
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

let database: FreshDatabase;
let service: TestApp;
let api: ApiClient;
let site: Site;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url, TIMEZONE });
  api = service.api;
  site = await website(api);
  await record(site, [
    {
      url: '/=a?utm_campaign=Sale&fbclid=1',
      referrer: 'https://www.a.example/b?c',
      occurred_at: yesterday(),
    },
    { url: '/b', user_agent: FIREFOX },
    {
      url: '/c',
      event: { name: 'buy', props: { plan: 'a"b', 7: true }, value: '-0.5', currency: 'EUR', passive: true },
    },
  ]);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const yesterday = () => new Date(Date.now() - DAY_MS).toISOString();

async function record(of: Site, events: { url: string; [field: string]: unknown }[]): Promise<void> {
  await sendBatch(
    api,
    of,
    events.map((event) => ({ ...event, url: `https://${of.domain}${event.url}` })),
  );
  await untilCounted(api, of.id);
}

const path = (from = TODAY - 1, to = TODAY + 1, { id } = site) =>
  `/api/v1/stats/${id}/hits?from=${dayText(from)}&to=${dayText(to)}`;
const exported = (accept = NDJSON, range = path(), headers = {}) =>
  api.get(range, { headers: { Accept: accept, ...headers } });
const linesOf = (text: string): any[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

it.each(['', '*/*', NDJSON, 'application/*', `${CSV};q=0.5, ${NDJSON}`])(
  'are NDJSON for %j, with all that is kept of each, in the order of acceptance',
  async (accept) => {
    const answer = await exported(accept);
    expect(answer.headers.get('Content-Type')).toBe(`${NDJSON}; charset=utf-8`);
    expect(answer.headers.get('Content-Disposition')).toMatch(/filename="hits-\d{4}-.*\.ndjson"/);
    const hits = linesOf(answer.text);
    const common = {
      hostname: site.domain,
      device: 'desktop',
      language: '(unknown)',
      screen_resolution: '(unknown)',
      country: '(unknown)',
    };
    expect(hits).toEqual([
      expect.objectContaining({
        ...common,
        day: dayText(TODAY - 1),
        visitor: 1,
        event: null,
        page: '/=a',
        referrer: 'a.example',
        referrer_page: 'a.example/b',
        campaign: 'Sale',
        click_id: 'fbclid',
        browser: 'Chrome',
        browser_version: '124',
        props: null,
        value: null,
        passive: false,
      }),
      expect.objectContaining({ ...common, visitor: 1, page: '/b', browser: 'Firefox', referrer: null }),
      expect.objectContaining({
        ...common,
        visitor: 2,
        event: 'buy',
        props: { 7: true, plan: 'a"b' },
        value: '-0.5',
        currency: 'EUR',
        passive: true,
      }),
    ]);
    for (const { occurred_at, day } of hits) expect(occurred_at).toMatch(new RegExp(`^${day}T[0-9:]{8}Z$`));
  },
);

it('are CSV where that is asked for', async () => {
  const [head, first, , third] = (await exported(CSV)).text.split('\r\n');
  expect(head).toMatch(
    /^occurred_at,day,visitor,event,hostname,page,.*,props,value,currency,passive,excluded$/,
  );
  expect(first).toContain(`,1,,${site.domain},/=a,,a.example,`);
  expect(third).toContain(`,"{""7"":true,""plan"":""a\\""b""}",-0.5,EUR,true`);
});

it('are those of the range alone, and none of a day without any', async () => {
  expect(linesOf((await exported(NDJSON, path(TODAY - 1, TODAY - 1))).text)).toHaveLength(1);
  const none = await exported(NDJSON, path(TODAY - 9, TODAY - 2));
  expect([none.status, none.text]).toEqual([200, '']);
});

it.each(['application/json', 'text/html', 'text/csv;q=0'])('are not to be had as %s', async (accept) => {
  expect((await exported(accept)).body).toMatchObject({ status: 406, code: 'not_acceptable' });
});

it('are refused for a range that ends before it begins, and with fields that are not known', async () => {
  expect((await exported(NDJSON, path(TODAY, TODAY - 1))).body.errors).toHaveProperty('to');
  expect((await exported(NDJSON, `${path()}&page=1`)).body.errors).toHaveProperty('page');
  expect((await exported(NDJSON, `/api/v1/stats/${site.id}/hits`)).body.errors).toHaveProperty('from');
});

it('are told to be the same until another one is counted', async () => {
  const again = await website(api);
  await record(again, [{ url: '/' }]);
  const range = path(TODAY - 1, TODAY + 1, again);
  const tag = (await exported(NDJSON, range)).headers.get('ETag')!;
  const unchanged = await exported(NDJSON, range, { 'If-None-Match': tag });
  expect([unchanged.status, unchanged.text]).toEqual([304, '']);
  await record(again, [{ url: '/' }]);
  expect((await exported(NDJSON, range, { 'If-None-Match': tag })).status).toBe(200);
});

it('say of a visitor no more than a number, which is another one on another day', async () => {
  const { text } = await exported();
  const hashes = await readVisitorHashes(service.database);
  expect(hashes.length).toBeGreaterThan(0);
  for (const hash of hashes)
    for (const coding of ['base64url', 'hex'] as const) expect(text).not.toContain(hash.toString(coding));
});

describe('with a filter', () => {
  const selected = async (filter: string, accept = NDJSON) =>
    (await exported(accept, `${path()}&filter=${encodeURIComponent(filter)}`)).text;

  it.each([
    ['page==/b', ['/b']],
    ['page==/b,event==buy', ['/b', '/c']],
    ['browser==Chrome;event==', ['/=a']],
    ['campaign==Sale', ['/=a']],
    ['event_property:plan=@"', ['/c']],
    ['country==DE', []],
    ['', ['/=a', '/b', '/c']],
  ])('are those that %j selects', async (filter, expected) => {
    expect(linesOf(await selected(filter)).map(({ page }) => page)).toEqual(expected);
  });

  it('keep the numbers of their visitors', async () => {
    const all = linesOf((await exported()).text);
    expect(linesOf(await selected('event==buy'))).toEqual([all[2]]);
  });

  it('are CSV as well, and have another ETag', async () => {
    expect((await selected('page==/b', CSV)).split('\r\n')).toHaveLength(3);
    const tags = await Promise.all(
      ['', '&filter=page==/b'].map(async (query) =>
        (await exported(NDJSON, path() + query)).headers.get('ETag'),
      ),
    );
    expect(tags[0]).not.toBe(tags[1]);
  });

  it('are refused where it names nothing that hits have', async () => {
    const answer = await exported(NDJSON, `${path()}&filter=visitor==1`);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.filter[0]).toContain('unknown name "visitor"');
  });

  it('break off where the day became columns between', async () => {
    const closed = await website(api);
    const past = { url: '/', occurred_at: yesterday() };
    await record(closed, [past]);
    const hits = service.app.get(HitsService);
    const caller = { owner: 1 };
    const version = await hits.version(1, closed.id, { from: 0, to: TODAY + 1 }, caller);
    await record(closed, [past]);
    await seal(closed);
    await expect(
      hits.pieces(1, closed.id, version, [['is', 'page', ['/']]], NDJSON, caller).next(),
    ).rejects.toThrow('Try again');
  });
});

async function seal({ id }: Site): Promise<void> {
  await until(async () => (await service.counting.settle(id, TODAY)) !== 'elsewhere');
  await closeDays(service.counting, id, TODAY);
  expect(await areSealed(service.database, id, TODAY)).toBe(true);
}

it('go on in the columns of a day that is sealed before it is begun', async () => {
  const sealed = await website(api);
  const pages = ['/1', '/2', '/3', '/4'];
  const events = pages.map((url, index) => ({ url, ...(index < 3 && { occurred_at: yesterday() }) }));
  await record(sealed, events);
  const hits = service.app.get(HitsService);
  const caller = { owner: 1 };
  const range = { from: 0, to: TODAY + 1 };
  const version = await hits.version(1, sealed.id, range, caller);
  await seal(sealed);
  expect(await hits.version(1, sealed.id, range, caller)).not.toBe(version);
  const exportedPages = async (filter?: ResolvedFilter[]) => {
    const read: string[] = [];
    for await (const piece of hits.pieces(1, sealed.id, version, filter, NDJSON, caller))
      read.push(...linesOf(Buffer.from(piece).toString()).map(({ page }) => page));
    return read.sort();
  };
  expect(await exportedPages()).toEqual(pages);
  expect(await exportedPages([['is_not', 'page', ['/2']]])).toEqual(['/1', '/3', '/4']);
});

it('take the memory for a large day once', async () => {
  const hits = service.app.get(HitsService);
  const caller = { owner: 1 };
  const size = 300_000;
  const columns = { home: 0, segment: 1, firstPart: 0, lastPart: 1, hits: size, sealing: null };
  const large = JSON.stringify({ days: [{ day: TODAY - 1, hits: size, columns }], exclusions: [] });
  // The day is missing. More memory than that of one export would be refused earlier.
  for (let round = 0; round < 2; round++)
    await expect(hits.pieces(1, site.id, large, undefined, NDJSON, caller).next()).rejects.toMatchObject({
      code: 'statistics_changed',
    });
});

it('do not grow with what is counted while they are read, and break off when some are gone', async () => {
  const gone = await website(api);
  await record(gone, [{ url: '/' }]);
  await record(gone, [{ url: '/' }]);
  const hits = service.app.get(HitsService);
  const caller = { owner: 1 };
  const read = async (between: () => Promise<unknown>, filter?: ResolvedFilter[]) => {
    const version = await hits.version(1, gone.id, { from: 0, to: TODAY + 1 }, caller);
    await between();
    let found = 0;
    for await (const piece of hits.pieces(1, gone.id, version, filter, NDJSON, caller))
      found += linesOf(Buffer.from(piece).toString()).length;
    return found;
  };
  const late = async () => {
    // Enough folds that the new batches are merged with those being read.
    for (let fold = 0; fold < 8; fold++) await record(gone, [{ url: '/late' }]);
  };
  expect(await read(late)).toBe(2);
  const removed = () => change(database.url, loseHits(gone.id));
  await expect(read(removed)).rejects.toThrow('Try again');
  await record(gone, [{ url: '/' }]);
  await expect(read(removed, [['is', 'page', ['/']]])).rejects.toThrow('Try again');
});

it('are not found by whom the website is not of when they are begun', async () => {
  const hits = service.app.get(HitsService);
  const caller = { owner: 1 };
  const range = { from: 0, to: TODAY + 1 };
  const version = await hits.version(1, site.id, range, caller);
  const missing = { code: 'not_found' };
  await expect(hits.version(2, site.id, range, caller)).rejects.toMatchObject(missing);
  for (const filter of [undefined, [['is', 'page', ['/b']]] as ResolvedFilter[]])
    await expect(hits.pieces(2, site.id, version, filter, NDJSON, caller).next()).rejects.toMatchObject(
      missing,
    );
});

it.each([
  ['today', TODAY, () => ({})],
  ['yesterday', TODAY - 1, () => ({ occurred_at: yesterday() })],
])('are an error that names the day where some of %s are missing', async (_, day, at) => {
  const damaged = await website(api);
  for (const url of ['/1', '/2', '/3']) await record(damaged, [{ url, ...at() }]);
  await change(database.url, loseSecondHit(damaged.id));
  for (const filter of ['', '&filter=page==/3']) {
    const { body } = await exported(NDJSON, path(TODAY - 1, TODAY + 1, damaged) + filter);
    expect(body).toMatchObject({
      status: 500,
      code: 'damaged_columns',
      detail: expect.stringContaining(
        `${dayText(day)} are damaged (website ${damaged.id}, from number 1 on)`,
      ),
    });
  }
});
