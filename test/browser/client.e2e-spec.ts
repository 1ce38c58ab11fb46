import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openBrowser, type TestBrowser } from '../support/browser';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';
import { serve, type WebServer } from '../support/web-server';

const SITE = 'site.example';
const BUILT = join(__dirname, '../../clients/typescript/dist');

let service: TestApp;
let pages: WebServer;
let browser: TestBrowser;
let websiteId: number;
beforeAll(async () => {
  service = await startApp();
  pages = await serve((request, response) => {
    const isScript = request.url!.endsWith('.js');
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript ? readFileSync(join(BUILT, basename(request.url!))) : '<!doctype html><p>Hello</p>',
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

async function untilCounted(event: string, count: number): Promise<void> {
  const path = `/api/v1/stats/${websiteId}?name=event&search=${event}&from=2020-01-01&to=2999-12-31`;
  await until(async () => (await service.api.get(path)).body.meta.sum === count);
}

const queueIn = (delayMs: number) => `
  (async () => {
    const { Milepost } = await import('/index.js');
    window.queue = new Milepost({ url: '${service.address}' }).pageQueue({ delayMs: ${delayMs} });
    window.send = (name) => queue.add({ url: location.href, event: { name } });
  })()`;

it('sends events from a page, and what waits when the page is left', async () => {
  const page = await browser.newPage();
  const { port } = new URL(pages.address);
  await page.goto(`http://${SITE}:${port}/`);
  await page.evaluate(queueIn(10));
  await page.evaluate("send('at-once')");
  await untilCounted('at-once', 1);
  await page.evaluate(queueIn(3_600_000));
  await page.evaluate("for (let count = 0; count < 20; count++) send('leaving')");
  await page.goto('about:blank');
  await untilCounted('leaving', 20);
  expect(browser.complaints).toEqual([]);
});
