import { openBrowser, type TestBrowser } from '../support/browser';
import { startApp, type TestApp } from '../support/test-app';
import { serve, type WebServer } from '../support/web-server';

const SITE = 'site.example';

let service: TestApp;
let pages: WebServer;
let browser: TestBrowser;
let websiteId: number;
beforeAll(async () => {
  service = await startApp();
  pages = await serve((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><script defer src="${service.address}/tracker.js"></script><p>Hello</p>`);
  });
  browser = await openBrowser({ args: [`--host-resolver-rules=MAP ${SITE} 127.0.0.1`] });
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
  for (let waited = 0; waited < 100; waited++) {
    const [pageviews, sent] = [await counted('pageview'), await counted('event')];
    if (
      [...Object.values(pageviews), ...Object.values(sent)].reduce((sum, count) => sum + count, 0) >= events
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${events} events were not counted`);
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
