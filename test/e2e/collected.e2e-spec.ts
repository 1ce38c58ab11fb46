import { randomUUID } from 'node:crypto';
import { CHROME } from '../support/agents';
import type { ApiClient } from '../support/api-client';
import { untilCounted } from '../support/counted';
import { CountingProcess, pageView, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { keptHits } from '../support/stored-days';
import { EVENTS, send, type Site, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

let service: TestApp;
let api: ApiClient;
beforeAll(async () => {
  service = await startApp();
  api = service.api;
});
afterAll(() => service.stop());

type Route = (site: Site, event: object) => Promise<{ status: number; errors: unknown }>;

const fromBrowser: Route = async (_, event) => {
  const { status, body } = await send(api, event);
  return { status, errors: body?.errors?.event?.[0] };
};
const fromServer: Route = async ({ id }, event) => {
  const sent = { id: randomUUID(), ip: '203.0.113.7', user_agent: CHROME, ...event };
  const { body } = await api.post(`${WEBSITES}/${id}/events`, { json: { events: [sent] } });
  const [{ status, reason }] = body.data;
  return { status: status === 'accepted' ? 202 : 422, errors: reason?.replace('event: ', '') };
};
const routes: [string, Route][] = [
  ['browsers', fromBrowser],
  ['servers', fromServer],
];

const hexOf = (index: number) => Buffer.from(String(index)).toString('hex');

const hitOf = async (site: Site) => {
  await untilCounted(api, site.id);
  return (await keptHits(service.database, site.id)).at(-1)!;
};

describe.each(routes)('of an event on the route for %s', (_, sendBy) => {
  let site: Site;
  let url: string;
  beforeAll(async () => {
    site = await website(api);
    url = `https://www.shop.${site.domain}/`;
  });
  const sendFor = (event: object) => sendBy(site, { url, domain: site.domain, ...event });

  it('the host, the referring page, the campaign and the kind of click id are kept', async () => {
    const address = `${url}a?utm_source=News&utm_medium=e-mail&utm_term=t&utm_content=c&GCLID=secret#f`;
    await sendFor({ url: address, referrer: 'https://user:word@www.google.com:443/search/x?q=secret#f' });
    const hit = await hitOf(site);
    expect(hit).toMatchObject({
      hostname: `shop.${site.domain}`,
      referrer: 'google.com',
      referrerPage: 'google.com/search/x',
      clickId: 'gclid',
      source: 'News',
      medium: 'e-mail',
      term: 't',
      content: 'c',
      browserVersion: '124',
      properties: null,
      value: null,
      currency: null,
      isPassive: false,
    });
    expect(JSON.stringify(hit)).not.toMatch(/secret|word/);
  });

  it('a referring page of the website itself and a click id without a value are not', async () => {
    await sendFor({ url: `${url}?fbclid=`, referrer: `https://${site.domain}/a` });
    expect(await hitOf(site)).toMatchObject({ referrer: null, referrerPage: null, clickId: null });
  });

  it('properties, an amount and that it is passive are kept', async () => {
    const props = { plan: 'Team 👕', seats: 5.5, trial: false, note: '', token: 'secret', by: 'a@b.example' };
    await sendFor({ event: { name: 'buy', props, value: '-19.90', currency: 'EUR', passive: true } });
    expect(await hitOf(site)).toMatchObject({
      event: 'buy',
      properties: [
        ['plan', 'Team 👕'],
        ['seats', 5.5],
        ['trial', false],
        ['note', ''],
        ['by', '(removed)'],
      ],
      value: '-199000',
      currency: 'EUR',
      isPassive: true,
    });
  });

  it('e-mail addresses in campaigns are not', async () => {
    await sendFor({ url: `${url}?utm_source=ann%40mail.example&utm_campaign=Ann%40mail.example` });
    expect(await hitOf(site)).toMatchObject({ source: '(removed)', campaign: '(removed)' });
  });

  it('the largest one is taken', async () => {
    const props = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${index} `.padEnd(64, '域'), '\u0001'.repeat(255)]),
    );
    expect(await sendFor({ event: { name: 'large', props } })).toMatchObject({ status: 202 });
    expect((await hitOf(site)).properties).toHaveLength(20);
  });

  it.each<[string, object, string]>([
    ['a value without a currency', { value: 1 }, 'value needs a currency'],
    ['a currency without a value', { currency: 'EUR' }, 'currency needs a value'],
    ['a currency that does not exist', { value: 1, currency: 'EURO' }, 'currency must be an ISO 4217 code'],
    ['a value of five places', { value: '1.00001', currency: 'EUR' }, 'value must be a number'],
    ['a text for passive', { passive: 'true' }, 'passive must be true or false'],
    ['an unknown field', { props: {}, properties: {} }, 'has "properties", which is not a known field'],
    [
      'a property that is an object',
      { props: { a: {} } },
      'props["a"] must be a string (max 255 characters), a finite number or a boolean',
    ],
    [
      '21 properties',
      { props: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [at, 1])) },
      'props must have at most 20 names',
    ],
  ])('%s is refused', async (_, fields, problem) => {
    const { status, errors } = await sendFor({ event: { name: 'buy', ...fields } });
    expect([status, errors]).toEqual([422, expect.stringContaining(problem)]);
  });

  it.each([{ passive: true }, { event: { passive: true } }])(
    'a passive page view is refused: %j',
    async (fields) => {
      expect(await sendFor(fields)).toMatchObject({ status: 422 });
    },
  );
});

it('takes numbers as JSON has them, and refuses a property that is sent twice', async () => {
  const site = await website(api);
  const post = (event: string) =>
    api.as(undefined).post(EVENTS, {
      body: `{"url":"https://${site.domain}/","event":${event}}`,
      type: 'text/plain',
      headers: { 'User-Agent': CHROME },
    });
  const note = '"note":"\\n"';
  const sent = await post(`{"name":"buy","props":{"size":1e1,${note}},"value":29.90,"currency":"EUR"}`);
  expect(sent.status).toBe(202);
  expect(await hitOf(site)).toMatchObject({
    properties: [
      ['size', 10],
      ['note', '\n'],
    ],
    value: '299000',
  });
  const twice = await post('{"name":"buy","props":{"a":1,"a":2}}');
  expect([twice.status, twice.body.errors.event]).toEqual([422, ['props["a"] must be sent once']]);
});

describe('names of properties', () => {
  let one: CountingProcess;
  let other: CountingProcess;
  let fresh: FreshDatabase;
  beforeAll(async () => {
    fresh = await freshDatabase();
    one = await CountingProcess.start(fresh.url);
    other = await CountingProcess.start(fresh.url);
    for (const websiteId of [1, 2]) await one.register(websiteId);
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await fresh.drop();
  });

  const eventWith = (from: number, count: number, day = TODAY) => ({
    ...pageView('/', 'a'),
    day,
    event: 'buy',
    properties: Array.from({ length: count }, (_, index) => [`p${from + index}`, index] as const),
  });
  const namesIn = async (websiteId: number) =>
    (await keptHits(one.database, websiteId)).map(({ properties }) => properties!.map(([name]) => name));

  it('beyond 200 of a website are kept as (other), whichever process counts', async () => {
    for (let from = 0; from < 190; from += 19) await one.accept(1, eventWith(from, 19));
    await (await one.folderOf(1))!.foldSome();
    await other.endLeases();
    await other.accept(1, eventWith(180, 20), eventWith(195, 10));
    await (await other.folderOf(1))!.foldSome();
    const names = await namesIn(1);
    expect(names.at(-2)).toEqual(Array.from({ length: 20 }, (_, index) => `p${180 + index}`));
    expect(names.at(-1)).toEqual(['p195', 'p196', 'p197', 'p198', 'p199', '(other)']);
  });

  it('make room when no event had them for 90 days', async () => {
    const stored = Array.from({ length: 200 }, (_, index) => `(2, X'${hexOf(index)}', ${TODAY - 91})`);
    await one.execute(`INSERT INTO property_names (website_id, name, last_day) VALUES ${stored.join(', ')}`);
    const folder = (await one.folderOf(2))!;
    await one.accept(2, eventWith(1, 1, TODAY - 1));
    await folder.foldSome();
    await one.execute('DELETE FROM property_names WHERE website_id = 2 AND last_day < ?', [TODAY - 90]);
    await one.accept(2, eventWith(1, 1));
    await folder.foldSome();
    expect(await namesIn(2)).toEqual([['(other)'], ['p1']]);
  });
});
