import { randomUUID } from 'node:crypto';
import { FIREFOX } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { type Sent, sendAll, sendOne } from '../../support/hostile-load';
import { type Service, startService } from '../../support/programs';
import { type Site, website, WEBSITES } from '../../support/sending';
import { size } from '../../support/sizes';
import { FIRST_KEY } from '../../support/test-app';
import { until } from '../../support/until';

const MOST_MEGABYTES = 400;
const MOST_MEGABYTES_WITH_QUERIES = 512;
/** In each test. */
const HITS = size('NEW_HITS', 4000, 234_000);
const PER_BATCH = 1000;
const CONNECTIONS = 2;
const TODAY = new Date().toISOString().slice(0, 10);
const HEADERS = { Authorization: `Bearer ${FIRST_KEY}`, 'Content-Type': 'application/json' };

let database: FreshDatabase;
let service: Service;
let site: Site;
let hits = 0;

beforeAll(async () => {
  database = await freshDatabase();
  const environment = { BOOTSTRAP_API_KEY: FIRST_KEY, LOG_LEVEL: 'error' };
  service = await startService({ DATABASE_URL: database.url, ...environment }, {});
  site = await website(new ApiClient(service.address, FIRST_KEY), { exclude_bots: 0 });
});
afterAll(async () => {
  await service.program.stop('SIGKILL');
  await database.drop();
});

/** A new visitor, with a new page of 1 KiB, referrer, campaign and properties. */
function newHit() {
  const number = hits++;
  return {
    id: randomUUID(),
    url: `https://${site.domain}/${number}/`.padEnd(1024, 'path') + `?utm_campaign=campaign-${number}`,
    referrer: `https://from-${number}.example/${number}`,
    ip: `${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}.7`,
    user_agent: `${FIREFOX} ${number}`,
    ...(number % 2 && { event: { name: `event ${number}`, props: { plan: `plan ${number}` } } }),
  };
}

function* batches(): Generator<Sent> {
  for (let sent = 0; sent < HITS; sent += PER_BATCH)
    yield {
      path: `${WEBSITES}/${site.id}/events`,
      body: JSON.stringify({ events: Array.from({ length: PER_BATCH }, newHit) }),
      headers: HEADERS,
    };
}

/** Retries like a client with a queue. */
async function untilTaken(address: string, sent: Sent): Promise<number> {
  return until(async () => {
    const status = await sendOne(address, sent);
    return status !== 503 && status !== 429 && status;
  }, 500);
}

const sendBatches = (sendIt = untilTaken) =>
  sendAll(service.address, batches(), { connections: CONNECTIONS, sendIt });

const hitQuery = (): Sent => ({
  path: `/api/v1/stats/${site.id}/query`,
  headers: HEADERS,
  body: JSON.stringify({
    metrics: ['visitors', 'pageviews', 'visits'],
    dimensions: ['page'],
    filters: [['contains', 'page', ['7']]],
    range: [TODAY, TODAY],
  }),
});

it(`stays under ${MOST_MEGABYTES} MiB through batches of hits whose values are all new`, async () => {
  expect([...(await sendBatches()).keys()]).toEqual([202]);
  expect(service.program.mostResidentMegabytes()).toBeLessThan(MOST_MEGABYTES);
});

it(`stays under ${MOST_MEGABYTES_WITH_QUERIES} MiB where queries come at the same time`, async () => {
  const answers = new Set<number>();
  const sent = await sendBatches(async (address, batch) => {
    const [status, answer] = await Promise.all([untilTaken(address, batch), sendOne(address, hitQuery())]);
    answers.add(answer);
    return status;
  });
  expect([...sent.keys()]).toEqual([202]);
  expect(answers).toContain(200);
  expect(service.program.mostResidentMegabytes()).toBeLessThan(MOST_MEGABYTES_WITH_QUERIES);
});
