import { timezoneAtNoon, untilCounted } from '../support/counted';
import { record, send, type Site, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

let service: TestApp;
let site: Site;
beforeAll(async () => void (service = await startApp({ TIMEZONE: timezoneAtNoon() })));
beforeEach(async () => void (site = await website(service.api, { exclude_bots: 0, titles: 1 })));
afterAll(() => service.stop());

const answer = (path: string, headers = {}) =>
  service.api.get(`/api/v1/stats/${site.id}${path}`, { headers });

async function titles(filter = ''): Promise<Record<string, number>> {
  await untilCounted(service.api, site.id);
  const { body } = await answer(`?name=title&from=2020-01-01&to=2999-12-31${filter}`);
  return Object.fromEntries(body.data.map(({ value, count }: any) => [value, count]));
}

it('are counted, searched and filtered by, whoever sends them', async () => {
  await send(service.api, { url: `https://${site.domain}/`, title: 'Start' });
  await record(service.api, site, [
    { title: 'Pricing' },
    { title: 'Pricing' },
    { title: 'Bought', event: { name: 'buy' } },
  ]);
  expect(await titles()).toEqual({ Start: 1, Pricing: 2 });
  expect(await titles('&search=RIC')).toEqual({ Pricing: 2 });
  expect(await titles('&filter=title%3D%3DStart')).toEqual({ Start: 1 });
  const json = { metrics: ['events'], dimensions: ['title'], range: '7d' };
  const { body } = await service.api.post(`/api/v1/stats/${site.id}/query`, { json });
  expect(body.data).toContainEqual({ title: 'Bought', events: 1 });
});

it('are stored without addresses and secrets, and at most 255 bytes of them', async () => {
  await record(service.api, site, [{ title: 'Mail to jane@example.com' }, { title: 'é'.repeat(200) }]);
  expect(await titles()).toEqual({ 'Mail to (removed)': 1, ['é'.repeat(127)]: 1 });
});

it('are not stored without the option', async () => {
  await service.api.patch(`${WEBSITES}/${site.id}`, { json: { titles: 0 } });
  await send(service.api, { url: `https://${site.domain}/`, title: 'Secret' });
  await record(service.api, site, [{ title: 'Secret' }]);
  expect(await titles()).toEqual({});
  const { text } = await answer('/hits?from=2020-01-01&to=2999-12-31', {
    Accept: 'application/x-ndjson',
  });
  expect(text.trim().split('\n')).toHaveLength(2);
  expect(text).not.toContain('Secret');
});

it('are refused if they are no text', async () => {
  const { status, body } = await send(service.api, {
    url: `https://${site.domain}/`,
    title: 5,
  });
  expect([status, Object.keys(body.errors)]).toEqual([422, ['title']]);
});
