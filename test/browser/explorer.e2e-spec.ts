import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../support/browser';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';

let service: TestApp;
let browser: TestBrowser;
let page: Page;
beforeAll(async () => {
  service = await startApp();
  browser = await openBrowser();
  page = await browser.newPage();
  await page.goto(service.address);
  await page.click('.authorize');
  await page.fill('.auth-container input', FIRST_KEY);
  await page.click('.auth-btn-wrapper .authorize');
  await page.click('.btn-done');
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

/** Tries an operation with what the explorer offers, and returns the answer's status. */
async function tryOut(operation: string, fill: Record<string, string> = {}): Promise<string> {
  const block = page.locator(`#operations-${operation}`);
  await block.locator('.opblock-summary-control').click();
  for (const [name, value] of Object.entries(fill))
    await block.locator(`tr[data-param-name="${name}"] :is(input, select)`).fill(value);
  await block.locator('.execute').click();
  return (
    await block.locator('.live-responses-table .response .response-col_status').first().innerText()
  ).trim();
}

it('lets a newcomer register, list, change, read and delete a website', async () => {
  expect(await tryOut('Websites-websites_store')).toBe('201');
  expect(await tryOut('Websites-websites_list')).toBe('200');
  expect(await tryOut('Websites-websites_show')).toBe('200');
  expect(await tryOut('Websites-websites_update')).toBe('200');
  expect(await tryOut('Stats-stats_show')).toBe('200');
  expect(await tryOut('Websites-websites_delete')).toBe('200');
  expect((await service.api.get('/api/v1/websites')).body.meta.total).toBe(0);
});

it('offers the list as a file', async () => {
  const block = page.locator('#operations-Websites-websites_list');
  await block.locator('.response[data-code="200"] [aria-label="Media Type"]').selectOption('text/csv');
  await block.locator('.execute').click();
  await block.locator('.live-responses-table', { hasText: 'filename="websites.csv"' }).waitFor();
  expect(await block.locator('.live-responses-table').first().innerText()).toContain('text/csv');
});

it('has nothing to complain about', () => {
  expect(browser.complaints).toEqual([]);
});
