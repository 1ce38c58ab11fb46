import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';

let service: TestApp;
let browser: TestBrowser;
let page: Page;
const elsewhere: string[] = [];
const warnings: string[] = [];
beforeAll(async () => {
  service = await startApp();
  browser = await openBrowser();
  page = await browser.newPage();
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(service.address) && !/^(data|blob):/.test(url)) elsewhere.push(url);
  });
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  await page.goto(`${service.address}/docs`);
  await page.getByPlaceholder('Token').filter({ visible: true }).first().fill(FIRST_KEY);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

/** Sends the request that the explorer offers for an operation. Returns the status. */
async function tryOut(operation: string): Promise<string> {
  const section = page.locator(`section[id$="/${operation}"]`);
  await section.getByRole('button', { name: 'Test Request' }).first().click();
  const dialog = page.getByRole('dialog').filter({ visible: true });
  await dialog.getByRole('button', { name: /^Send/ }).first().click();
  const status = await dialog
    .getByText(/^\d{3} \w+/)
    .first()
    .innerText();
  await dialog.getByRole('button', { name: /close/i }).first().click();
  await dialog.waitFor({ state: 'hidden' });
  return status;
}

it.each([
  ['POST/api/v1/websites', '201'],
  ['GET/api/v1/websites/{id}', '200'],
  ['GET/api/v1/stats/{website_id}', '200'],
  ['DELETE/api/v1/websites/{id}', '200'],
])('answers what a newcomer clicks first: %s', async (operation, status) => {
  expect(await tryOut(operation)).toContain(status);
});

it('leads back to the console', async () => {
  const link = page.getByRole('link', { name: 'Back to Milepost' });
  expect(await link.getAttribute('href')).toBe('/');
});

it('is shown on a phone without scrolling sideways', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('heading', { name: 'List websites' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});

it('asks nobody else, and has nothing to complain about', () => {
  expect(elsewhere).toEqual([]);
  expect(browser.complaints).toEqual([]);
  expect(warnings).toEqual([]);
});
