import { CallerLeft } from '../../../engine/ground/gate';
import { DAY_MS, dayText } from '../../../engine/ground/time/days';
import { QueryThread } from '../../../engine/columns/threads/query-thread';
import type { ApiClient } from '../../support/api-client';
import { untilCounted } from '../../support/counted';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { record, type Site, website, WEBSITES } from '../../support/sending';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const BATCHES = 12;
const EVENTS = 1000;
/** The number of query threads on any machine divides it. */
const THREADS = 12;
const RANGE = [2, -1].map((days) => dayText(Math.floor(Date.now() / DAY_MS) - days));

let database: FreshDatabase;
let service: TestApp;
let api: ApiClient;
let site: Site;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url });
  api = service.api;
  site = await website(api);
  for (let batch = 0; batch < BATCHES; batch++) await record(api, site, eventsOf(batch));
  await untilCounted(api, site.id);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const eventsOf = (batch: number) =>
  Array.from({ length: EVENTS }, (_, index) => ({
    url: `https://${site.domain}/${'a'.repeat(200)}/${EVENTS * batch + index}`,
  }));

/** Compares each page with 20,000 texts, which takes a thread many seconds. */
const costly = {
  queries: Array.from({ length: 20 }, (_, hitQuery) => ({
    metrics: ['pageviews'],
    filters: [['contains', 'page', Array.from({ length: 1000 }, (_, text) => `aab${hitQuery}-${text}`)]],
    range: RANGE,
  })),
};
const ask = (caller: ApiClient, { id }: Site, hitQuery: object) =>
  caller.post(`/api/v1/stats/${id}/query`, { json: hitQuery });

/** A website of another user, whose queries use the same thread. */
async function neighbour(): Promise<[ApiClient, Site]> {
  const caller = await service.anotherUser();
  for (;;) {
    const own = await website(caller);
    if (own.id % THREADS === site.id % THREADS) return [caller, own];
  }
}

it('gives way to others, with 503 and Retry-After, and holds nothing else up', async () => {
  const [other, own] = await neighbour();
  let isAnswered = false;
  const requested = ask(api, site, costly).finally(() => (isAnswered = true));
  const routes = [WEBSITES, `/api/v1/stats/${site.id}/live`, '/api/v1/names', '/health/live'];
  const answers = await Promise.all(routes.map((route) => api.get(route)));
  // Nobody waits for the thread yet.
  expect([isAnswered, ...answers.map(({ status }) => status)]).toEqual([false, 200, 200, 200, 200]);
  const others = ask(other, own, { metrics: ['visitors'], range: 'today' });
  const { status, body, headers } = await requested;
  expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'question_too_long', '2']);
  expect((await others).body.data).toEqual([{ visitors: 0 }]);
});

it('is ended when its caller leaves', async () => {
  const leaves = new AbortController();
  const asking = jest.spyOn(QueryThread.prototype, 'ask');
  const requested = fetch(`${service.address}/api/v1/stats/${site.id}/query`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${FIRST_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(costly),
    signal: leaves.signal,
  });
  const aborted = expect(requested).rejects.toThrow('aborted');
  const { value: ended } = await until(() => asking.mock.results[0]);
  asking.mockRestore();
  leaves.abort();
  await aborted;
  await expect(ended).rejects.toBeInstanceOf(CallerLeft);
  const next = () => ask(api, site, { metrics: ['pageviews'], range: RANGE });
  // On a busy machine, some hits may not have been read yet.
  const answer = await until(async () => {
    const one = await next();
    return one.status !== 503 && one;
  });
  expect(answer.body.data).toEqual([{ pageviews: BATCHES * EVENTS }]);
});

it('refuses rows that repeat more text than an answer may have, and says of what to ask less', async () => {
  const wordy = await website(api);
  const event = { name: 'n'.repeat(1000) };
  const urlOf = (page: number) => `https://${wordy.domain}/${page}/${'p'.repeat(1000)}`;
  await record(
    api,
    wordy,
    Array.from({ length: 450 }, (_, page) => ({ url: urlOf(page), event })),
  );
  await untilCounted(api, wordy.id);
  const byPage = { metrics: ['events'], dimensions: ['event', 'page'], range: RANGE, per_page: 1000 };
  const some = await ask(api, wordy, { queries: Array(10).fill(byPage) });
  expect(some.body.data.map(({ data }: { data: object[] }) => data.length)).toEqual(Array(10).fill(450));
  const many = await ask(api, wordy, { queries: Array(20).fill(byPage) });
  expect([many.status, many.body.errors]).toEqual([
    422,
    {
      per_page: ['the texts of the rows have more than 16 MiB; ask for fewer rows, dimensions or queries'],
    },
  ]);
});
