import { get } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { ApiClient } from '../support/api-client';
import { type Count, fillCounters } from '../support/fill-counters';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { type Sent, sendAll } from '../support/hostile-load';
import { type Service, startService } from '../support/programs';
import { EVENTS, type Site, visit, website, WEBSITES } from '../support/sending';
import { FIRST_KEY, startApp } from '../support/test-app';

const KEY = FIRST_KEY;
const MOST_MEGABYTES = 400;
/** Caches are full long before; 200,000 take minutes. */
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 30_000);
const PAGES = 100_000;
const EXPORTS = 300;
const EVENT_MEDIAN_MS = 100;
const MINUTE = 60_000;

let database: FreshDatabase;
let service: Service;
let api: ApiClient;
let site: Site;

beforeAll(async () => {
  database = await freshDatabase();
  await fill();
  service = await startService({
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: KEY,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    TRUST_PROXY: '1',
  });
  api = new ApiClient(service.address, KEY);
  site = (await api.get(WEBSITES)).body.data[0];
});
afterAll(async () => {
  await service.program.stop('SIGKILL');
  await database.drop();
});

/** A website with many pages, each seen on one day. */
async function fill(): Promise<void> {
  const app = await startApp({ DATABASE_URL: database.url });
  const { id } = await website(app.api, { exclude_bots: 0 });
  const counts = Array.from({ length: PAGES }, (_, i): Count => [
    '2026-01-01',
    `/pages/of/the/website/${i}`,
    1,
  ]);
  await fillCounters(app.database, id, 'page', counts);
  await app.stop();
}

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

/** No two are alike, so nothing that is kept for one is of use for the next. */
function* hostileRequests(): Generator<Sent> {
  const url = `https://${site.domain}/`;
  const event = (fields: object, headers: Record<string, string> = {}): Sent => ({
    path: EVENTS,
    body: JSON.stringify({ url, ...fields }),
    headers: { 'Content-Type': 'text/plain', 'User-Agent': CHROME, 'X-Forwarded-For': '8.8.8.8', ...headers },
  });
  for (let i = 0; i < REQUESTS; i++) {
    const address = `${1 + (i % 200)}.${(i >> 3) & 255}.${(i >> 5) & 255}.${i & 255}`;
    const kind = i % 100;
    if (i % 2000 === 0) yield batch(i);
    else if (kind < 90) yield event({ url: `${url}${i}` }, { 'X-Forwarded-For': address });
    else if (kind < 94) yield event({}, { 'User-Agent': `${CHROME} ${i} `.padEnd(15_000, 'agent ') });
    else if (kind < 97) yield event({ url: `${url}?${parameters(i)}` });
    else yield event({ event: { name: `${i} `.padEnd(64_000, 'name ') } });
  }
}

function parameters(i: number): string {
  return Array.from({ length: 480 }, (_, parameter) => `p${i}_${parameter}=${parameter}`).join('&');
}

function batch(i: number): Sent {
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
}

function exported(): Promise<Export> {
  const url = `${service.address}/api/v1/stats/${site.id}?name=page&from=2026-01-01&to=2026-01-31`;
  const headers = { Authorization: `Bearer ${KEY}`, Accept: 'text/csv' };
  return new Promise((resolve, reject) => {
    const sent = get(url, { headers, agent: false }, (response) => {
      let lines = 0;
      response.on('data', (data: Buffer) => {
        for (const byte of data) if (byte === 10) lines++;
      });
      response.once('end', () => resolve({ status: response.statusCode!, lines }));
      response.once('error', reject);
    });
    sent.once('error', reject);
  });
}

async function visitMs(): Promise<number> {
  const startedAt = performance.now();
  const { status } = await visit(api, site);
  return status === 202 ? performance.now() - startedAt : Infinity;
}

const medianOf = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

it(
  `stays under ${MOST_MEGABYTES} MiB through ${EXPORTS} exports at once, and takes events meanwhile`,
  async () => {
    let exporting = true;
    const exports = Promise.all(Array.from({ length: EXPORTS }, exported)).finally(() => (exporting = false));
    const taken: number[] = [];
    while (exporting) taken.push(await visitMs());
    const outcomes = await exports;
    const whole = outcomes.filter(({ status }) => status === 200);
    expect(whole.length).toBeGreaterThan(0);
    for (const { lines } of whole) expect(lines).toBe(PAGES + 1);
    expect(new Set([...outcomes.map(({ status }) => status), 503])).toEqual(new Set([200, 429, 503]));
    expect(medianOf(taken)).toBeLessThan(EVENT_MEDIAN_MS);
    expect(service.program.mostResidentMegabytes()).toBeLessThan(MOST_MEGABYTES);
  },
  5 * MINUTE,
);

it(
  `stays under ${MOST_MEGABYTES} MiB through ${REQUESTS} hostile requests`,
  async () => {
    const statuses = await sendAll(service.address, hostileRequests());
    expect([...statuses.keys()]).toEqual([202]);
    expect(service.program.mostResidentMegabytes()).toBeLessThan(MOST_MEGABYTES);
  },
  5 * MINUTE,
);

it(
  `stays under ${MOST_MEGABYTES} MiB through batches that unpack to many times their size`,
  async () => {
    const body = brotliCompressSync(`{"events":[${' '.repeat(8_000_000)}]}`);
    const bomb: Sent = {
      path: `${WEBSITES}/${site.id}/events`,
      body,
      headers: {
        Authorization: `Bearer ${KEY}`,
        'Content-Type': 'application/json',
        'Content-Encoding': 'br',
      },
    };
    const statuses = await sendAll(service.address, Array<Sent>(200).fill(bomb).values());
    expect(new Set([...statuses.keys(), 429])).toEqual(new Set([422, 429]));
    expect(service.program.mostResidentMegabytes()).toBeLessThan(MOST_MEGABYTES);
  },
  5 * MINUTE,
);
