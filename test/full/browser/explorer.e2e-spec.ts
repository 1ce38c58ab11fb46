import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { startSession } from '../../support/statistics-page';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { website } from '../../support/sending';

const MAX_BYTES = 600_000;

let service: TestApp;
let browser: TestBrowser;
const elsewhere: string[] = [];
const warnings: string[] = [];
beforeAll(async () => void ([service, browser] = await Promise.all([startApp(), openBrowser()])));
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(elsewhere).toEqual([]);
  expect(browser.complaints).toEqual([]);
  expect(warnings).toEqual([]);
});

/** The paths that a page asks for, and the bytes of their answers. */
interface Traffic {
  paths: string[];
  sizes: Promise<number>[];
}

async function open(isSignedIn: boolean): Promise<{ page: Page; traffic: Traffic }> {
  const page = await browser.newPage();
  const traffic: Traffic = { paths: [], sizes: [] };
  page.on('requestfinished', (request) => {
    const url = request.url();
    if (/^(data|blob):/.test(url)) return;
    if (!url.startsWith(service.address)) elsewhere.push(url);
    traffic.paths.push(new URL(url).pathname);
    const size = request.sizes().then((sizes) => sizes.responseBodySize + sizes.responseHeadersSize);
    // A page that is closed no longer tells.
    traffic.sizes.push(size.catch(() => 0));
  });
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  if (isSignedIn) await startSession(page, service);
  await page.goto(`${service.address}/docs`);
  await page.getByRole('heading', { name: /^Milepost/ }).waitFor();
  return { page, traffic };
}

/** Sends the request that the explorer offers for an operation. Returns the status. */
async function tryOut(page: Page, tag: string, operation: string): Promise<string> {
  const block = page.locator(`#operations-${tag}-${operation}`);
  if (!(await block.isVisible())) await page.locator(`#operations-tag-${tag}`).click();
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Execute' }).click();
  return block.locator('.live-responses-table tbody .response-col_status').innerText();
}

it('answers what a newcomer clicks first, with a key that is kept nowhere', async () => {
  const { page } = await open(false);
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByLabel('auth-bearer-value').fill(FIRST_KEY);
  await page.getByRole('button', { name: 'Apply credentials' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  for (const [tag, operation, status] of [
    ['Websites', 'createWebsite', '201'],
    ['Websites', 'getWebsite', '200'],
    ['Statistics', 'getStats', '200'],
    ['Websites', 'deleteWebsite', '200'],
  ] as const)
    expect([operation, await tryOut(page, tag, operation)]).toEqual([operation, status]);
  expect(JSON.stringify(await page.context().storageState({ indexedDB: true }))).not.toContain(FIRST_KEY);
});

it('needs no key from whoever is signed in, and sends the requests of a session to the console', async () => {
  await website(service.api);
  const { page, traffic } = await open(true);
  await page.getByText('You are signed in, so requests need no key.').waitFor();
  expect(await tryOut(page, 'Websites', 'listWebsites')).toBe('200');
  expect(await tryOut(page, 'Websites', 'createWebsite')).toBe('201');
  expect(traffic.paths.filter((path) => path === '/console/api/websites')).toHaveLength(2);
  expect(traffic.paths.filter((path) => path.startsWith('/api/'))).toEqual([]);
  const shown = await page.locator('.curl-command').first().innerText();
  expect(shown).toContain('/api/v1/websites');
  expect(shown).not.toContain('X-Milepost-Token');
});

it('is light, and allows no foreign host', async () => {
  const { page, traffic } = await open(false);
  const bytes = (await Promise.all(traffic.sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(MAX_BYTES);
  const policy = (await page.request.get(`${service.address}/docs`)).headers()['content-security-policy']!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:|\*/);
});

it('leads back to the console and to the guide', async () => {
  const { page } = await open(false);
  await page.getByRole('link', { name: 'Guide to the API' }).waitFor();
  await page.getByRole('link', { name: 'Back to Milepost' }).click();
  await page.getByLabel('API key').waitFor();
  browser.complaints.length = 0;
});

it('is shown on a phone without scrolling sideways', async () => {
  const { page } = await open(false);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('#operations-tag-Websites').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});
