import { get } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { CHROME } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { type Sent, sendAll } from '../../support/hostile-load';
import { addHits, hitsOn } from '../../support/past-days';
import { type Service, startService } from '../../support/programs';
import { EVENTS, type Site, visit, website, WEBSITES } from '../../support/sending';
import { size } from '../../support/sizes';
import { FIRST_KEY, startApp } from '../../support/test-app';
import { until } from '../../support/until';

const KEY = FIRST_KEY;
const MOST_MEGABYTES = 400;
/** Caches are full long before. */
const REQUESTS = size('HOSTILE_REQUESTS', 2000, 200_000);
const SITES = size('HOSTILE_WEBSITES', 4, 100);
const BODIES = size('HOSTILE_BODIES', 10, 2000);
const PAGES = size('EXPORTED_PAGES', 10_000, 100_000);
/** Concurrent exports. Some wait, and others are refused. */
const EXPORTS = size('EXPORTS', 40, 300);

let database: FreshDatabase;
let service: Service;
let api: ApiClient;
/** The first one has many pages. */
let sites: Site[];

beforeAll(async () => {
  database = await freshDatabase();
  await fill();
  const environment = { BOOTSTRAP_API_KEY: KEY, LOG_LEVEL: 'warn', RATE_LIMIT: 'off', TRUST_PROXY: '1' };
  service = await startService({ DATABASE_URL: database.url, ...environment }, {});
  api = new ApiClient(service.address, KEY);
  sites = (await api.get(WEBSITES)).body.data;
  while (sites.length < SITES) sites.push(await website(api, { exclude_bots: 0 }));
});
afterAll(async () => {
  await service.program.stop('SIGKILL');
  await database.drop();
});

/** A website with many pages, each seen on one day. */
async function fill(): Promise<void> {
  const app = await startApp({ DATABASE_URL: database.url });
  const { id } = await website(app.api, { exclude_bots: 0 });
  const pages = Array.from({ length: PAGES }, (_, i) =>
    hitsOn('2026-01-01', 1, { page: `/pages/of/the/website/${i}` }),
  );
  await addHits(app, id, pages.flat());
  await app.stop();
}

/** All requests differ, so no cached result is used twice. */
function* hostileRequests(): Generator<Sent> {
  for (let i = 0; i < REQUESTS; i++) {
    const site = sites[i % SITES]!;
    const url = `https://${site.domain}/`;
    const event = (fields: object, headers: Record<string, string> = {}): Sent => ({
      path: EVENTS,
      body: JSON.stringify({ url, ...fields }),
      headers: {
        'Content-Type': 'text/plain',
        'User-Agent': CHROME,
        'X-Forwarded-For': '8.8.8.8',
        ...headers,
      },
    });
    const address = `${1 + (i % 200)}.${(i >> 3) & 255}.${(i >> 5) & 255}.${i & 255}`;
    const kind = i % 100;
    if (i % 2000 === 0) yield batch(site, i);
    else if (kind < 90) yield event({ url: `${url}${i}` }, { 'X-Forwarded-For': address });
    else if (kind < 94) yield event({}, { 'User-Agent': `${CHROME} ${i} `.padEnd(15_000, 'agent ') });
    else if (kind < 97) yield event({ url: `${url}?${parameters(i)}` });
    else yield event({ event: { name: `${i} `.padEnd(64_000, 'name ') } });
  }
}

function parameters(i: number): string {
  return Array.from({ length: 480 }, (_, parameter) => `p${i}_${parameter}=${parameter}`).join('&');
}

function batch(site: Site, i: number): Sent {
  const events = Array.from({ length: 1000 }, (_, event) => ({
    url: `https://${site.domain}/${i}/${event}`,
    ip: '8.8.4.4',
    user_agent: `${CHROME} ${i}.${event} `.padEnd(1024, 'agent '),
  }));
  return {
    path: `${WEBSITES}/${site.id}/events`,
    body: JSON.stringify({ events }),
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
  };
}

interface Export {
  status: number;
  lines: number;
  retryAfter: string | undefined;
}

function exported(): Promise<Export> {
  const url = `${service.address}/api/v1/stats/${sites[0]!.id}?name=page&from=2026-01-01&to=2026-01-31`;
  const headers = { Authorization: `Bearer ${KEY}`, Accept: 'text/csv' };
  return new Promise((resolve, reject) => {
    const sent = get(url, { headers, agent: false }, (response) => {
      let lines = 0;
      response.on('data', (data: Buffer) => {
        for (const byte of data) if (byte === 10) lines++;
      });
      const retryAfter = response.headers['retry-after'];
      response.once('end', () => resolve({ status: response.statusCode!, lines, retryAfter }));
      response.once('error', reject);
    });
    sent.once('error', reject);
  });
}

it(`stays under ${MOST_MEGABYTES} MiB through ${EXPORTS} exports at once, and takes events meanwhile`, async () => {
  let exporting = true;
  const outcomes: Export[] = [];
  // All are of one user, who has fewer places for waiting. With a slow database, all that wait may get a 503 first.
  const exports = until(async () => {
    const some = await Promise.all(Array.from({ length: EXPORTS }, exported));
    outcomes.push(...some);
    return some.some(({ status }) => status === 429);
  }).finally(() => (exporting = false));
  const events: number[] = [];
  while (exporting) events.push((await visit(api, sites[0]!)).status);
  await exports;
  const whole = outcomes.filter(({ status }) => status === 200);
  const refused = outcomes.filter(({ status }) => status !== 200);
  expect(whole.length).toBeGreaterThan(0);
  for (const { lines } of whole) expect(lines).toBe(PAGES + 1);
  for (const { status, retryAfter } of refused)
    expect([status, retryAfter]).toEqual([status === 503 ? 503 : 429, expect.stringMatching(/^[1-9]\d*$/)]);
  // The service answers within a second and a half, which a busy machine may miss.
  expect(new Set(events.filter((status) => status !== 503))).toEqual(new Set([202]));
  expect(service.program.mostResidentMegabytes()).toBeLessThan(MOST_MEGABYTES);
});

it(`stays under ${MOST_MEGABYTES} MiB through ${REQUESTS} hostile requests`, async () => {
  const statuses = await sendAll(service.address, hostileRequests());
  expect([...statuses.keys()].filter((status) => status !== 503)).toEqual([202]);
  expect(service.program.mostResidentMegabytes()).toBeLessThan(MOST_MEGABYTES);
});

it(`stays under ${MOST_MEGABYTES} MiB through batches that unpack to many times their size`, async () => {
  const body = brotliCompressSync(`{"events":[${' '.repeat(8_000_000)}]}`);
  const bomb: Sent = {
    path: `${WEBSITES}/${sites[0]!.id}/events`,
    body,
    headers: {
      Authorization: `Bearer ${KEY}`,
      'Content-Type': 'application/json',
      'Content-Encoding': 'br',
    },
  };
  const statuses = await sendAll(service.address, Array<Sent>(BODIES).fill(bomb).values());
  // Each is read as a whole and refused for its content, unless others fill its user's share of the memory.
  expect(statuses.get(422)).toBeGreaterThan(0);
  expect([...statuses.keys()].filter((status) => status !== 422 && status !== 429)).toEqual([]);
  expect(service.program.mostResidentMegabytes()).toBeLessThan(MOST_MEGABYTES);
});
