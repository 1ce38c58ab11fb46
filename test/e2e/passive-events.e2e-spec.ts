import { dayText } from '../../engine/ground/time/days';
import { untilCounted } from '../support/counted';
import { TODAY } from '../support/counting';
import { sendBatch, type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

let service: TestApp;
beforeAll(async () => void (service = await startApp({ TIMEZONE: 'UTC' })));
afterAll(() => service.stop());

const BEGIN = Date.parse(`${dayText(TODAY - 1)}T22:30:00Z`);
const KINDS = {
  view: {},
  event: { event: { name: 'signup' } },
  passive: { event: { name: 'Scroll', props: { percent: 80 }, passive: true } },
};
type Sent = [kind: keyof typeof KINDS, minute: number];
const METRICS = ['visitors', 'pageviews', 'events', 'visits', 'bounces', 'seconds'];

/** A website with hits of one visitor. */
async function visited(...hits: Sent[]): Promise<Site> {
  const site = await website(service.api);
  const events = hits.map(([kind, minute]) => ({
    url: `https://${site.domain}/${kind}/${minute}`,
    occurred_at: new Date(BEGIN + 60_000 * minute).toISOString(),
    ...KINDS[kind],
  }));
  await sendBatch(service.api, site, events);
  await untilCounted(service.api, site.id);
  return site;
}

async function rows({ id }: Site, hitQuery: object): Promise<any> {
  const range = [dayText(TODAY - 1), dayText(TODAY)];
  const { body } = await service.api.post(`/api/v1/stats/${id}/query`, { json: { range, ...hitQuery } });
  return body.data;
}

it.each<[string, Sent[], number[]]>([
  [
    'an event ends a bounce',
    [
      ['view', 0],
      ['event', 5],
    ],
    [1, 1, 1, 1, 0, 300],
  ],
  [
    'a passive one does not',
    [
      ['view', 0],
      ['passive', 5],
    ],
    [1, 1, 1, 1, 1, 0],
  ],
  [
    'it does not lengthen a visit',
    [
      ['view', 0],
      ['view', 10],
      ['passive', 20],
    ],
    [1, 2, 1, 1, 0, 600],
  ],
  [
    'it belongs to a visit that was long ago',
    [
      ['view', 0],
      ['passive', 45],
    ],
    [1, 1, 1, 1, 1, 0],
  ],
  [
    'it joins no visits',
    [
      ['view', 0],
      ['passive', 20],
      ['view', 40],
    ],
    [1, 2, 1, 2, 2, 0],
  ],
  [
    'it is within a visit',
    [
      ['view', 0],
      ['passive', 20],
      ['event', 30],
    ],
    [1, 1, 2, 1, 0, 1800],
  ],
  [
    'it is not the start of a visit',
    [
      ['passive', 0],
      ['view', 20],
    ],
    [1, 1, 1, 1, 1, 0],
  ],
  [
    'alone it makes no visit',
    [
      ['passive', 0],
      ['passive', 60],
    ],
    [1, 0, 2, 0, 0, 0],
  ],
])('%s: %j', async (_, hits, counts) => {
  const [row] = await rows(await visited(...hits), { metrics: METRICS });
  expect(METRICS.map((metric) => row[metric])).toEqual(counts);
});

it('is found in its visit, by its page and in its hour', async () => {
  const site = await visited(['view', 0], ['view', 10], ['passive', 85], ['view', 88]);
  const filters = [['is', 'event', ['Scroll']]];
  expect(await rows(site, { metrics: ['visits', 'seconds'], dimensions: ['exit_page'], filters })).toEqual([
    { exit_page: '/view/10', visits: 1, seconds: 600 },
  ]);
  expect(await rows(site, { metrics: ['events'], dimensions: ['page', 'hour'], filters })).toEqual([
    { page: '/passive/85', hour: `${dayText(TODAY - 1)}T23:00+00:00`, events: 1 },
  ]);
});
