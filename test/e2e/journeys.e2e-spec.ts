import { ApiKeysService } from '../../src/auth/api-keys.service';
import { sendPaths, type SentHit, YESTERDAY } from '../support/sent-paths';
import { type Site, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

const RANGE = [YESTERDAY, YESTERDAY];

const HITS: SentHit[] = [
  [1, 0, '/'],
  [1, 1, '/pricing'],
  // Loaded again.
  [1, 2, '/pricing'],
  [1, 3, 'signup'],
  [2, 0, '/'],
  [2, 1, '/pricing'],
  [2, 2, '/'],
  [3, 0, '/'],
  [4, 0, '/blog'],
  [4, 1, '/'],
  // Another visit.
  [4, 60, '/pricing'],
];

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE: 'UTC' });
  site = await website(service.api, { privacy: 0 });
  await sendPaths(service.api, site, HITS);
});
afterAll(() => service.stop());

const post = (json: object, { id } = site, api = service.api) =>
  api.post(`/api/v1/stats/${id}/journey`, { json: { range: RANGE, from: 'entry', ...json } });

async function ask(json: object, asked = site): Promise<any> {
  const { status, body } = await post(json, asked);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
}
const page = (value: string, visits: number) => ({ kind: 'page', value, visits });
const event = (value: string, visits: number) => ({ kind: 'event', value, visits });
const NO_OTHERS = { values: 0, visits: 0 };
const link = (step: number, from: number | string, to: number | string, visits: number) => ({
  ...{ step, from, to, visits },
});

it('follows visits from their entry', async () => {
  const { data, meta } = await ask({});
  expect(data).toEqual({
    visits: 5,
    steps: [
      { step: 1, nodes: [page('/', 3), page('/blog', 1), page('/pricing', 1)], others: NO_OTHERS, ended: 0 },
      { step: 2, nodes: [page('/pricing', 2), page('/', 1)], others: NO_OTHERS, ended: 2 },
      { step: 3, nodes: [page('/', 1), event('signup', 1)], others: NO_OTHERS, ended: 1 },
    ],
    links: [
      link(1, 'start', 0, 3),
      link(1, 'start', 1, 1),
      link(1, 'start', 2, 1),
      link(2, 0, 0, 2),
      link(2, 0, 'ended', 1),
      link(2, 1, 1, 1),
      link(2, 2, 'ended', 1),
      link(3, 0, 0, 1),
      link(3, 0, 1, 1),
      link(3, 1, 'ended', 1),
    ],
  });
  expect(meta).toEqual({
    ...{ website_id: site.id, from: 'entry', direction: 'forwards', steps: 3, filters: [] },
    ...{ range: { from: YESTERDAY, to: YESTERDAY }, timezone: 'UTC', as_of: expect.any(String) },
  });
});

it('follows visits from a page or an event, and back', async () => {
  const onwards = await ask({ from: { page: '/pricing' }, steps: 1 });
  expect(onwards.data).toEqual({
    visits: 3,
    steps: [{ step: 1, nodes: [page('/', 1), event('signup', 1)], others: NO_OTHERS, ended: 1 }],
    links: [link(1, 'start', 0, 1), link(1, 'start', 1, 1), link(1, 'start', 'ended', 1)],
  });
  const back = await ask({ from: { event: 'signup' }, direction: 'backwards', steps: 2 });
  expect(back.data).toEqual({
    visits: 1,
    steps: [
      { step: 1, nodes: [page('/pricing', 1)], others: NO_OTHERS, ended: 0 },
      { step: 2, nodes: [page('/', 1)], others: NO_OTHERS, ended: 0 },
    ],
    links: [link(1, 'start', 0, 1), link(2, 0, 0, 1)],
  });
  // The last one counts backwards: what came between is seen.
  const last = await ask({ from: { page: '/' }, direction: 'backwards', steps: 1 });
  expect(last.data.steps[0].nodes).toEqual([page('/blog', 1), page('/pricing', 1)]);
  expect((await ask({ from: { page: '/signup' } })).data.visits).toBe(0);
});

it('takes visits with a selected hit, whole', async () => {
  const filters = [['is', 'event', ['signup']]];
  const { data } = await ask({ filters, steps: 5 });
  expect(data.visits).toBe(1);
  expect(data.steps.flatMap(({ nodes }: any) => nodes)).toEqual([
    page('/', 1),
    page('/pricing', 1),
    event('signup', 1),
  ]);
});

it('shows ten pages of a step, and the others together', async () => {
  const busy = await website(service.api);
  const hits = Array.from({ length: 25 }, (_, visitor): SentHit[] => [
    [visitor + 10, 0, '/'],
    [visitor + 10, 1, `/${String(Math.floor(visitor / 2)).padStart(2, '0')}`],
    [visitor + 10, 2, '/end'],
  ]);
  await sendPaths(service.api, busy, hits.flat());
  const { data } = await ask({}, busy);
  const [, second, third] = data.steps;
  expect(second.nodes).toEqual(Array.from({ length: 10 }, (_, index) => page(`/0${index}`.slice(0, 3), 2)));
  expect(second.others).toEqual({ values: 3, visits: 5 });
  expect(third.nodes).toEqual([page('/end', 25)]);
  expect(data.links.filter(({ step }: any) => step === 3)).toEqual([
    ...Array.from({ length: 10 }, (_, index) => link(3, index, 0, 2)),
    link(3, 'others', 0, 5),
  ]);
});

it.each<[string, object]>([
  ['from', { from: undefined }],
  ['from', { from: '/pricing' }],
  ['from', { from: {} }],
  ['from', { from: { page: '' } }],
  ['from', { from: { page: '/', event: 'signup' } }],
  ['from', { from: { country: 'DE' } }],
  ['from', { from: { page: '/'.repeat(8193) } }],
  ['from', { from: { page: ['/'] } }],
  ['direction', { direction: 'backwards' }],
  ['direction', { direction: 'up', from: { page: '/' } }],
  ['steps', { steps: 0 }],
  ['steps', { steps: 6 }],
  ['steps', { steps: '3' }],
  ['range', { range: null }],
  ['filters.0.2.0', { filters: [['is', 'goal', ['None']]] }],
  ['compare', { compare: 'previous' }],
])('refuses %s in %j', async (field, json) => {
  const { status, body } = await post(json);
  expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
});

it('is for those who may read the website', async () => {
  const keys = service.app.get(ApiKeysService);
  const events = await keys.create(1, { name: 'e', scope: 'events', expiresAt: null, websites: null });
  const other = await service.anotherUser();
  expect((await post({}, site, service.api.as(undefined))).status).toBe(401);
  expect((await post({}, site, service.api.as(events))).status).toBe(403);
  expect((await post({}, site, other)).status).toBe(404);
  expect((await post({ filters: [['saved', 'None']] }, site, other)).status).toBe(404);
  expect((await post({}, { ...site, id: 999_999 })).status).toBe(404);
});

it('of a shared page needs its filters', async () => {
  const shared = (json: object = {}) =>
    service.api
      .as(undefined)
      .post(`/share/${site.domain}/api/journey`, { json: { range: RANGE, from: 'entry', ...json } });
  expect(Object.keys((await shared()).body.errors)).toEqual(['from']);
  await service.api.patch(`${WEBSITES}/${site.id}`, { json: { share_filters: 1 } });
  expect((await shared()).body.data).toEqual((await ask({})).data);
  const { body } = await shared({ filters: [['is', 'currency', ['EUR']]] });
  expect(Object.keys(body.errors)).toEqual(['filters']);
  const json = { name: 'Without blog', filters: [['is_not', 'page', ['/blog']]], shared: 1 };
  await service.api.post(`${WEBSITES}/${site.id}/saved-filters`, { json });
  expect((await shared({ steps: 1 })).body.data).toMatchObject({
    visits: 5,
    steps: [{ nodes: [page('/', 4), page('/pricing', 1)] }],
  });
  expect((await ask({ steps: 1 })).data.steps[0].nodes).toContainEqual(page('/blog', 1));
});
