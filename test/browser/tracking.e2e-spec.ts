import { openBrowser, type TestBrowser } from '../support/browser';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';
import { serve, type WebServer } from '../support/web-server';

const SITE = 'site.example';
const ELSEWHERE = 'staging.example';
const SCROLLED = 'scrolled.example';
const TITLED = 'titled.example';
const UNTITLED = 'untitled.example';
const ATTRIBUTES: Record<string, string> = { [SCROLLED]: 'data-scroll', [TITLED]: 'data-titles' };

let service: TestApp;
let pages: WebServer;
let browser: TestBrowser;
let websiteId: number;
beforeAll(async () => {
  service = await startApp();
  pages = await serve((request, response) => {
    const isElsewhere = request.url!.startsWith('/elsewhere');
    const attributes = isElsewhere
      ? `data-domain="${SITE}"`
      : (ATTRIBUTES[request.headers.host!.split(':')[0]!] ?? '');
    response.setHeader('Content-Type', 'text/html');
    response.end(
      `<!doctype html><title>Hello</title><script defer src="${service.address}/tracker.js" ${attributes}></script><p>Hello</p>`,
    );
  });
  browser = await openBrowser({ args: ['--host-resolver-rules=MAP *.example 127.0.0.1'] });
  const form = { domain: SITE, exclude_bots: 0 };
  websiteId = (await service.api.post('/api/v1/websites', { form })).body.data.id;
});
afterAll(async () => {
  await browser.close();
  pages.close();
  await service.stop();
});

async function counted(name: string): Promise<Record<string, number>> {
  const query = `name=${name}&from=2020-01-01&to=2999-12-31`;
  const { body } = await service.api.get(`/api/v1/stats/${websiteId}?${query}`);
  return Object.fromEntries(
    body.data.map(({ value, count }: { value: string; count: number }) => [value, count]),
  );
}

async function untilCounted(events: number): Promise<void> {
  await until(async () => {
    const counts = [await counted('pageview'), await counted('event')].flatMap((one) => Object.values(one));
    return counts.reduce((sum, count) => sum + count, 0) >= events;
  });
}

it('counts what a real browser does on a registered website', async () => {
  const page = await browser.newPage();
  const { port } = new URL(pages.address);
  await page.goto(`http://${SITE}:${port}/start?utm_campaign=launch&color=red`);
  await page.evaluate("history.pushState({}, '', '/next')");
  await page.evaluate("milepost('event', 'signup')");
  await untilCounted(3);
  expect(await counted('page')).toEqual({ '/start?color=red': 1, '/next': 1 });
  expect(await counted('event')).toEqual({ signup: 1 });
  expect(await counted('campaign')).toEqual({ launch: 1 });
  expect(await counted('browser')).toEqual({ Chrome: 1 });
  expect(await counted('referrer')).toEqual({ '(direct)': 1 });
  expect(Object.values(await counted('visitor'))).toEqual([1]);
  expect(browser.complaints).toEqual([]);
});

it('counts a page on another host for a website that allows it, and says on loopback why it does not', async () => {
  const { port } = new URL(pages.address);
  const page = await browser.newPage();
  const warning = page.waitForEvent('console');
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/v1/events'));
  await page.goto(`http://127.0.0.1:${port}/elsewhere/loopback`);
  expect((await answered).headers()['milepost-dropped']).toBe('origin');
  expect((await warning).text()).toBe('milepost: not counted: origin');

  const form = { allowed_origins: `*.other.example\n${ELSEWHERE}` };
  await service.api.patch(`/api/v1/websites/${websiteId}`, { form });
  await page.goto(`http://${ELSEWHERE}:${port}/elsewhere/allowed`);
  await page.goto(`http://a.other.example:${port}/elsewhere/wildcard`);
  await page.goto(`http://other.example:${port}/elsewhere/foreign`);
  await untilCounted(5);
  await page.goto(`http://www.${SITE}:${port}/last`);
  await untilCounted(6);
  expect(await counted('page')).toMatchObject({
    '/elsewhere/allowed': 1,
    '/elsewhere/wildcard': 1,
    '/last': 1,
  });
  expect(Object.keys(await counted('page'))).not.toContain('/elsewhere/foreign');
  expect(browser.complaints).toEqual([]);
});

it('counts how far a page was scrolled, and the visit is a bounce all the same', async () => {
  const form = { domain: SCROLLED, exclude_bots: 0 };
  const { id } = (await service.api.post('/api/v1/websites', { form })).body.data;
  const page = await browser.newPage();
  await page.goto(`http://${SCROLLED}:${new URL(pages.address).port}/`, { waitUntil: 'networkidle' });
  await page.goto('about:blank');
  const ask = async (hitQuery: object) =>
    (await service.api.post(`/api/v1/stats/${id}/query`, { json: { range: '7d', ...hitQuery } })).body.data;
  const metrics = ['pageviews', 'events', 'visits', 'bounces'];
  await until(async () => (await ask({ metrics }))[0].events > 0);
  expect(await ask({ metrics })).toEqual([{ pageviews: 1, events: 1, visits: 1, bounces: 1 }]);
  expect(
    await ask({ metrics: ['events'], dimensions: ['event', 'event_property:percent'], unset: false }),
  ).toEqual([{ event: 'Scroll', 'event_property:percent': '100', events: 1 }]);
});

it('sends the titles of pages, those of a single-page application once they are set, only with data-titles', async () => {
  const { port } = new URL(pages.address);
  const of = async (domain: string) => {
    const form = { domain, exclude_bots: 0, titles: 1 };
    const { id } = (await service.api.post('/api/v1/websites', { form })).body.data;
    const page = await browser.newPage();
    await page.goto(`http://${domain}:${port}/`);
    await page.evaluate("history.pushState({}, '', '/next'); setTimeout(() => (document.title = 'Next'), 5)");
    const json = { metrics: ['pageviews'], dimensions: ['page', 'title'], range: '7d' };
    const ask = async () =>
      (await service.api.post(`/api/v1/stats/${id}/query`, { json })).body.data as { page: string }[];
    await until(async () => (await ask()).length === 2);
    return (await ask()).sort((one, other) => one.page.length - other.page.length);
  };
  expect(await of(TITLED)).toEqual([
    { page: '/', title: 'Hello', pageviews: 1 },
    { page: '/next', title: 'Next', pageviews: 1 },
  ]);
  expect(await of(UNTITLED)).toEqual([
    { page: '/', title: null, pageviews: 1 },
    { page: '/next', title: null, pageviews: 1 },
  ]);
});
