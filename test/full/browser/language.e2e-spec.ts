import { DAY_MS } from '../../../engine/ground/time/days';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { faultsOf } from '../../support/faults';
import { addHits, visitorsOn } from '../../support/past-days';
import { type Site, website } from '../../support/sending';
import { figure, openOwn, panel, settled } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
import { visitedWebsite } from '../../support/visited-website';

let service: TestApp;
let browser: TestBrowser;
let site: Site;
let protectedSite: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp(), openBrowser()]);
  site = await visitedWebsite(service.api);
  // A website that is younger than the compared range has no changes.
  const day = new Date(Date.now() - 20 * DAY_MS).toISOString().slice(0, 10);
  await addHits(service, site.id, visitorsOn(day, 1));
  protectedSite = await website(service.api, { privacy: 2, password: 'secret' });
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
    .getByRole('link', { name: /^Details/ })
    .click();
  await page.getByRole('searchbox').fill('Niederl');
  const rows = page.getByRole('dialog').locator('tbody tr');
  await until(async () => (await rows.count()) === 1);
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('Niederlande')]);
});

it('has room for the heads of a whole list on a phone', async () => {
  const cut = `[...document.querySelectorAll('dialog thead th')]
    .filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent)`;
  for (const width of [390, 768]) {
    const page = await openOwn(browser, service, `?website=${site.id}&range=7d`, {
      locale: 'de',
      viewport: { width, height: 844 },
    });
    await panel(page, 'Orte')
      .getByRole('link', { name: /^Details/ })
      .click();
    await page.getByRole('dialog').locator('tbody tr').first().waitFor();
    expect(await page.getByRole('dialog').locator('thead th').allInnerTexts()).toContain('Änderung');
    expect(await page.evaluate(cut)).toEqual([]);
  }
});

it('is one that the pages have, and stays as it was chosen', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}`, { locale: 'fr' });
  expect(await page.evaluate(languageOf)).toBe('en');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('de');
  await figure(page, 'Besucher').waitFor();
  await page.goto(`${service.address}/`);
  await page.getByRole('link', { name: 'Website hinzufügen' }).waitFor();
  await page.getByRole('button', { name: /^Konto/ }).click();
  await page.getByRole('combobox', { name: 'Sprache', exact: true }).selectOption('');
  await page.getByRole('link', { name: 'Add a website' }).waitFor();
  expect(await page.evaluate('document.cookie')).toBe('');
  await page.goto(`${service.address}/?website=${site.id}`);
  await settled(page);
  expect(await page.evaluate(languageOf)).toBe('en');
});

it('is the chosen one on pages without a script as well', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}`, { locale: 'fr' });
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('de');
  await figure(page, 'Besucher').waitFor();
  await page.context().clearCookies({ name: /^(?!milepost_language)/ });
  for (const [at, language, wrong] of [
    [page, 'de', 'Falsches Passwort.'],
    [await browser.newPage(), 'en', 'Wrong password.'],
  ] as const) {
    await at.goto(`${service.address}/share/${protectedSite.domain}`);
    expect(await at.evaluate(languageOf)).toBe(language);
    await at.locator('input').fill('wrong');
    await at.getByRole('button').click();
    await at.getByText(wrong).waitFor();
    await at.goto(`${service.address}/nothing`);
    expect(await at.evaluate(languageOf)).toBe(language);
    expect(await faultsOf(at)).toEqual([]);
  }
  // Wrong passwords and unknown pages.
  browser.complaints.length = 0;
});

it('is kept for pages without a script as long as for the others', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}`, { locale: 'fr' });
  await page.evaluate(`localStorage.setItem('milepost_language', 'de')`);
  await page.reload();
  await figure(page, 'Besucher').waitFor();
  expect(await page.evaluate('document.cookie')).toBe('milepost_language=de');
});

it('of mails belongs to the account, and stays as it was where it cannot be changed', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}`, { locale: 'de' });
  await page.getByRole('button', { name: /^Konto/ }).click();
  const mails = page.getByLabel('Sprache der E-Mails');
  expect(await mails.inputValue()).toBe('en');
  await mails.selectOption('de');
  await page.getByText('Gespeichert', { exact: true }).waitFor();
  expect((await service.api.get('/api/v1/me')).body.data.language).toBe('de');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Konto/ }).click();
  expect(await mails.inputValue()).toBe('de');
  await page.route('**/console/api/me', (route) => route.abort());
  await mails.selectOption('en');
  await page.getByText('Der Dienst ist nicht erreichbar.').waitFor();
  expect(await mails.inputValue()).toBe('de');
  expect((await service.api.get('/api/v1/me')).body.data.language).toBe('de');
  // The aborted request.
  browser.complaints.length = 0;
});

it('is that of the words for a wrong field', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}`, { locale: 'de' });
  await page.goto(`${service.address}/?view=new`);
  await page.getByLabel('Domain').fill('a b.example');
  await page.getByRole('button', { name: 'Website hinzufügen' }).click();
  await page
    .getByText(
      'Das ist keine Domain: Geben Sie etwas wie example.com ein, ohne Leerzeichen, Schema, Port und Pfad.',
    )
    .waitFor();
  await page.getByLabel('Domain').fill(site.domain);
  await page.getByRole('button', { name: 'Website hinzufügen' }).click();
  await page.getByText('Das ist schon registriert.').waitFor();
  // Refused fields.
  browser.complaints.length = 0;
});
