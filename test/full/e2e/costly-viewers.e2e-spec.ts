import { QueryThread } from '../../../engine/columns/threads/query-thread';
import { timezoneAtNoon, untilCounted } from '../../support/counted';
import { record, type Site, website } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const BATCHES = 4;
const EVENTS = 1000;
const ADDRESSES = { hostile: ['203.0.113.1', '203.0.113.2'], other: '203.0.113.3' };

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TRUST_PROXY: '1', TIMEZONE: timezoneAtNoon() });
  site = await website(service.api, { privacy: 0, share_filters: 1 });
  for (let batch = 0; batch < BATCHES; batch++) await record(service.api, site, eventsOf(batch));
  await untilCounted(service.api, site.id);
});
afterAll(() => service.stop());

/** One visitor comes from everywhere, through several campaigns. */
const eventsOf = (batch: number) =>
  Array.from({ length: EVENTS }, (_, index) => ({
    url: `https://${site.domain}/?utm_campaign=${batch}`,
    referrer: `https://r${index}.example/`,
  }));

/** All combinations of the visitor's values, for each hit. */
const costly = {
  queries: Array.from({ length: 20 }, () => ({
    metrics: ['visitors'],
    dimensions: ['hostname', 'referrer', 'campaign'],
    range: 'today',
  })),
};
const cheap = { metrics: ['pageviews'], range: 'today' };
const ask = (address: string, hitQuery: object) =>
  service.api.as(undefined).post(`/share/${site.domain}/api/query`, {
    json: hitQuery,
    headers: { 'X-Forwarded-For': address },
  });

it('lets other viewers have their turn while some ask what takes long', async () => {
  const twice = async (address: string) => [await ask(address, costly), await ask(address, cheap)] as const;
  const requested = Promise.all(ADDRESSES.hostile.map(twice));
  const { status, body } = await ask(ADDRESSES.other, cheap);
  expect([status, body.data]).toEqual([200, [{ pageviews: BATCHES * EVENTS }]]);
  // The second one finds the data that the first one had read.
  const gaveWay = (await requested).filter(([answer]) => answer.status !== 200);
  expect(gaveWay.length).toBeGreaterThanOrEqual(1);
  for (const [answer, next] of gaveWay) {
    expect([answer.status, answer.body.code]).toEqual([503, 'question_too_long']);
    expect([next.status, next.body.code]).toEqual([429, 'too_many_requests']);
    expect(Number(next.headers.get('Retry-After'))).toBeGreaterThan(0);
  }
});

it('lets an address see what is known without hits while its own query takes long', async () => {
  const address = '203.0.113.4';
  const thread = jest.spyOn(QueryThread.prototype, 'ask');
  const answer = thread.getMockImplementation()!;
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  thread.mockImplementationOnce(async function (this: QueryThread, ...parameters) {
    await held;
    return answer.apply(this, parameters);
  });
  let isAnswered = false;
  const requested = ask(address, cheap).finally(() => (isAnswered = true));
  await until(() => thread.mock.calls.length > 0);
  const today = new Date().toISOString().slice(0, 10);
  const pages = [
    'live',
    'values?name=campaign',
    `summary?names=visitor,pageview&from=2026-01-01&to=${today}`,
    `stats?name=referrer&from=2026-01-01&to=${today}`,
  ];
  const looked = await Promise.all(
    pages.map((page) =>
      service.api
        .as(undefined)
        .get(`/share/${site.domain}/api/${page}`, { headers: { 'X-Forwarded-For': address } }),
    ),
  );
  expect([isAnswered, ...looked.map(({ status }) => status)]).toEqual([false, 200, 200, 200, 200]);
  expect(thread.mock.calls.filter(([kind]) => kind === 'hitQueries')).toHaveLength(1);
  thread.mockRestore();
  release();
  expect((await requested).body.data).toEqual([{ pageviews: BATCHES * EVENTS }]);
});
