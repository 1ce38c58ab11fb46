import { CHROME, FIREFOX } from '../support/agents';
import { timezoneAtNoon, untilCounted } from '../support/counted';
import { record, type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { at } from '../support/visited-website';

const TIMEZONE = timezoneAtNoon();
const ENOUGH = 10;

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE });
  site = await website(service.api, { privacy: 0, share_filters: 1 });
  await sendCrowd();
});
afterAll(() => service.stop());

/** Ten visitors with Chrome, who view two pages, and three with Firefox. */
async function sendCrowd(): Promise<void> {
  const seen = (number: number, user_agent: string, path: string, hours: number) => ({
    url: `https://${site.domain}${path}`,
    ip: `203.0.113.${number}`,
    user_agent,
    occurred_at: at('today', hours),
  });
  const events = [
    ...Array.from({ length: ENOUGH }, (_, number) => seen(number, CHROME, '/', -2)),
    ...Array.from({ length: ENOUGH }, (_, number) => seen(number, CHROME, '/pricing', -1.9)),
    ...Array.from({ length: 3 }, (_, number) => seen(100 + number, FIREFOX, '/', -1)),
  ];
  await record(service.api, site, events);
  await untilCounted(service.api, site.id);
}

const nobody = () => service.api.as(undefined);
const post = (json: unknown, headers = {}, domain = site.domain) =>
  nobody().post(`/share/${domain}/api/query`, { json, headers });
const ask = (hitQuery: object) => post({ metrics: ['visitors'], range: 'today', ...hitQuery });
const CHROMES = ['is', 'browser', ['Chrome']];

it('answers what its owner is answered', async () => {
  const hitQuery = {
    metrics: ['visitors', 'bounce_rate'],
    dimensions: ['page'],
    filters: [CHROMES, ['has_done', ['is', 'page', ['/pricing']]]],
    range: 'today',
  };
  const [own, shared] = [
    await service.api.post(`/api/v1/stats/${site.id}/query`, { json: hitQuery }),
    await post(hitQuery),
  ];
  expect([shared.status, shared.body.data]).toEqual([200, own.body.data]);
  expect(shared.body.data).toMatchObject([
    { page: '/', visitors: ENOUGH },
    { page: '/pricing', visitors: ENOUGH },
  ]);
  const queries = [hitQuery, { ...hitQuery, dimensions: [] }];
  expect((await post({ queries })).body.data).toHaveLength(2);
});

it('reads bodies of 16 KiB, and nothing else', async () => {
  const values = Array.from({ length: 900 }, (_, index) => `/${index}`.padEnd(20, 'x'));
  expect((await ask({ filters: [['is', 'page', values]] })).status).toBe(413);
  expect(
    (await nobody().post(`/share/${site.domain}/api/query`, { form: { metrics: 'visitors' } })).status,
  ).toBe(415);
  expect((await nobody().post(`/share/${site.domain}/api/query`)).status).toBe(422);
  expect((await post([])).status).toBe(422);
  expect((await nobody().get(`/share/${site.domain}/api/query`)).status).toBe(405);
});

it('is for those who may see the website', async () => {
  const hitQuery = { metrics: ['visitors'], range: 'today' };
  const [closed, guarded] = [
    await website(service.api, { privacy: 1 }),
    await website(service.api, { privacy: 2, password: 'hush', share_filters: 1 }),
  ];
  expect((await post(hitQuery, {}, closed.domain)).status).toBe(404);
  expect((await post(hitQuery, {}, 'none.example')).status).toBe(404);
  expect((await post(hitQuery, {}, guarded.domain)).status).toBe(403);
  const entered = await nobody().post(`/share/${guarded.domain}`, { form: { password: 'hush' } });
  const Cookie = entered.headers.get('Set-Cookie')!.split(';')[0]!;
  expect((await post(hitQuery, { Cookie }, guarded.domain)).status).toBe(200);
  expect(
    (await post({ ...hitQuery, range: [at('today', -1), at('today', 0)] }, { Cookie }, guarded.domain))
      .status,
  ).toBe(422);
});

it('lists the values of a name for a filter box', async () => {
  const path = `share/${site.domain}/api/values?name=browser&search=fire`;
  const { status, body } = await nobody().get(`/${path}`);
  expect([status, body.data]).toEqual([200, [{ value: 'Firefox', label: 'Firefox', count: 3 }]]);
  const closed = await website(service.api, { privacy: 1 });
  expect((await nobody().get(`/share/${closed.domain}/api/values?name=page`)).status).toBe(404);
});
