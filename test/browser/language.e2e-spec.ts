import { openBrowser, type TestBrowser } from '../support/browser';
import { faultsOf } from '../support/faults';
import { type Site } from '../support/sending';
import { figure, openOwn, panel, settled } from '../support/statistics-page';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';
import { visitedWebsite } from '../support/visited-website';

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp(), openBrowser()]);
  site = await visitedWebsite(service.api);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

const languageOf = 'document.documentElement.lang';

it('is that of the browser, for words, numbers, countries and dates', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}&range=7d`, { locale: 'de-AT' });
  expect(await page.evaluate(languageOf)).toBe('de');
  await figure(page, 'Besucher').waitFor();
  await panel(page, 'Orte').getByText('Vereinigte Staaten').waitFor();
  await panel(page, 'Technik')
    .getByText(/\d+,\d\s%/)
    .first()
    .waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

it('finds a country by its name in it', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}&range=7d`, { locale: 'de' });
  await panel(page, 'Orte')
    .getByRole('link', { name: /^Alle anzeigen/ })
    .click();
  await page.getByRole('searchbox').fill('Niederl');
  const rows = page.getByRole('dialog').locator('tbody tr');
  await until(async () => (await rows.count()) === 1);
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('Niederlande')]);
});

it('is one that the pages have, and stays as it was chosen', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}`, { locale: 'fr' });
  expect(await page.evaluate(languageOf)).toBe('en');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByLabel('Language').selectOption('de');
  await figure(page, 'Besucher').waitFor();
  await page.goto(`${service.address}/`);
  await page.getByRole('link', { name: 'Website hinzufügen' }).waitFor();
  await page.getByRole('button', { name: /^Konto/ }).click();
  await page.getByLabel('Sprache').selectOption('');
  await page.getByRole('link', { name: 'Add a website' }).waitFor();
  await page.goto(`${service.address}/?website=${site.id}`);
  await settled(page);
  expect(await page.evaluate(languageOf)).toBe('en');
});
