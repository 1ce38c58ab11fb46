import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { signedIn } from '../../support/console-page';
import { timezoneAtNoon } from '../../support/counted';
import { define, definedNames } from '../../support/definitions';
import { expectToFit, showOn } from '../../support/faults';
import { type Site, website } from '../../support/sending';
import { chips, filtersIn, openOwn, settled, shows } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
import { sendVisits, VISITS, visitedWebsite } from '../../support/visited-website';

const AMERICA = { name: 'Desktops in America', filters: [['is', 'country', ['US']]] };
const HOSTILE = `<img src=x onerror="document.title='broken'">:or:`;

let service: TestApp;
let browser: TestBrowser;
beforeAll(
  async () =>
    void ([service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()])),
);
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

const open = ({ id }: Site, query = '') => openOwn(browser, service, `?website=${id}&range=7d${query}`);
const names = (site: Site) => definedNames(service.api, site, 'saved-filters');

async function save(page: Page, name: string, button = 'Save filters'): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Save these filters' });
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: button }).click();
}

it('are saved under a name, which stands for them from then on', async () => {
  const site = await visitedWebsite(service.api);
  const page = await open(site, '&f=is:country:US&f=is:page:/pricing');
  await shows(page, { Visitors: '1' });
  await save(page, '  America ');
  await page.waitForURL(/f=saved/);
  expect(filtersIn(page)).toEqual(['saved:America']);
  expect(await chips(page).allInnerTexts()).toEqual(['Saved: America']);
  await shows(page, { Visitors: '1' });
  const { body } = await service.api.get(`/api/v1/websites/${site.id}/saved-filters`);
  expect(body.data[0].filters).toEqual([
    ['is', 'country', ['US']],
    ['has_done', ['is', 'page', ['/pricing']]],
  ]);
  await page.goBack();
  expect(filtersIn(page)).toEqual(['is:country:US', 'is:page:/pricing']);
});

it('are chosen from a list, beside other filters', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'saved-filters', AMERICA);
  const page = await open(site, '&f=is:page:/');
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('tab', { name: 'Saved filters' }).click();
  await page.getByRole('button', { name: 'Apply Desktops in America' }).click();
  await shows(page, { Visitors: '2' });
  expect(filtersIn(page)).toEqual(['is:page:/', 'saved:Desktops in America']);
  await page.getByRole('button', { name: 'Remove: Saved: Desktops in America' }).click();
  await until(async () => (await chips(page).count()) === 1);
});

it('are replaced by others under the same name, once they were taken apart', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'saved-filters', AMERICA);
  const page = await open(site, '&f=saved:Desktops%20in%20America');
  await chips(page).click();
  const form = page.getByRole('dialog', { name: /Desktops in America/ });
  await form.getByText('Country is United States').waitFor();
  await form.getByRole('button', { name: 'Edit filters' }).click();
  await page.waitForURL(/f=is/);
  expect(filtersIn(page)).toEqual(['is:country:US']);
  await page.getByRole('button', { name: 'Remove: Country is United States' }).click();
  await page.goto(`${page.url()}&f=is:country:NL`);
  await settled(page);
  await save(page, 'Desktops in America', 'Replace filters');
  await page.waitForURL(/f=saved/);
  await shows(page, { Visitors: '1' });
  expect(await names(site)).toEqual(['Desktops in America']);
  expect(await page.getByText('Viewers of the shared page will then see').count()).toBe(0);
});

it('are renamed and deleted, unless another refers to them', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'saved-filters', AMERICA);
  await define(service.api, site, 'saved-filters', { name: 'Other', filters: [['saved', AMERICA.name]] });
  const page = await open(site, '&f=saved:Desktops%20in%20America');
  await chips(page).click();
  const form = page.getByRole('dialog', { name: /Saved filters/ });
  await form.getByLabel('New name').fill('US');
  await form.getByRole('button', { name: 'Rename' }).click();
  await form.getByText(/Other/).waitFor();
  expect(await names(site)).toEqual(['Desktops in America', 'Other']);
  browser.complaints.length = 0;
  await page.goto(`${service.address}/?website=${site.id}&range=7d&f=saved:Other`);
  await settled(page);
  await chips(page).click();
  await form.getByLabel('New name').fill('Another');
  await form.getByRole('button', { name: 'Rename' }).click();
  await page.waitForURL(/saved%3AAnother/);
  await shows(page, { Visitors: '2' });
  await chips(page).click();
  await form.getByRole('button', { name: 'Delete' }).click();
  await form.getByText('Delete this saved filter?').waitFor();
  await form.getByRole('button', { name: 'Delete' }).click();
  await shows(page, { Visitors: '4' });
  expect(filtersIn(page)).toEqual([]);
  expect(await names(site)).toEqual(['Desktops in America']);
});

it('limit the shared page, one at a time', async () => {
  const site = await website(service.api, { privacy: 1 });
  await sendVisits(service.api, site, VISITS);
  await define(service.api, site, 'saved-filters', AMERICA);
  const page = await open(site, '&f=saved:Desktops%20in%20America');
  const entries = await page.evaluate('history.length');
  await chips(page).click();
  const form = page.getByRole('dialog', { name: /Desktops in America/ });
  await form.getByLabel('Limit the shared page to this filter').check();
  await page.getByRole('status').getByText('Filters saved').waitFor();
  const { body } = await service.api.get(`/api/v1/websites/${site.id}/saved-filters`);
  expect(body.data[0].shared).toBe(1);
  await form.getByRole('button', { name: 'Delete' }).click();
  await form.getByText('limits the shared page, which would show everything without it').waitFor();
  expect(await form.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Delete');
  const box = form.getByLabel('Limit the shared page to this filter');
  const sharedNow = async () =>
    (await service.api.get(`/api/v1/websites/${site.id}/saved-filters`)).body.data[0].shared;
  await box.click();
  await form.getByText('Viewers of the shared page will then see all visits.').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
  expect([await box.isChecked(), await sharedNow()]).toEqual([true, 1]);
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.type')).toBe('checkbox');
  expect([await box.isChecked(), await sharedNow()]).toEqual([true, 1]);
  await page.keyboard.press('Space');
  await form.getByRole('button', { name: 'Show all visits' }).click();
  await until(async () => (await sharedNow()) === 0);
  expect(await box.isChecked()).toBe(false);
  await form.getByRole('button', { name: 'Delete' }).click();
  await form.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('status').getByText('Saved filter deleted').waitFor();
  await until(() => filtersIn(page).length === 0);
  expect(await page.evaluate('history.length')).toBe(entries);
});

it('say that others replace those that limit the shared page', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'saved-filters', { ...AMERICA, shared: 1 });
  const page = await open(site, '&f=is:country:NL');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(AMERICA.name);
  await page.getByText('Viewers of the shared page will then see only what these filters match.').waitFor();
});

it('keep whether they limit the shared page where the service refuses a change', async () => {
  const site = await website(service.api, { privacy: 0 });
  await sendVisits(service.api, site, VISITS);
  await define(service.api, site, 'saved-filters', AMERICA);
  const page = await open(site, '&f=saved:Desktops%20in%20America');
  await page.route(/saved-filters\/\d+$/, (route) =>
    route.fulfill({ status: 503, json: { detail: 'Busy.' } }),
  );
  await chips(page).click();
  const box = page.getByRole('dialog').getByLabel('Limit the shared page to this filter');
  await box.click();
  await page.getByRole('dialog').getByText('Busy.').waitFor();
  expect(await box.isChecked()).toBe(false);
  browser.complaints.length = 0;
});

it('keep hostile names text, and are read from any link', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'saved-filters', { ...AMERICA, name: HOSTILE });
  const page = await open(site, `&f=${encodeURIComponent(`saved:${HOSTILE}`)}`);
  await shows(page, { Visitors: '2' });
  expect(await chips(page).allInnerTexts()).toEqual([`Saved: ${HOSTILE}`]);
  expect(await page.locator('img[src=x]').count()).toBe(0);
});

it('that are gone say so', async () => {
  const site = await visitedWebsite(service.api);
  const page = await open(site, '&f=saved:Nothing');
  await page.getByText('This can’t be shown here.').waitFor();
  browser.complaints.length = 0;
  await chips(page).click();
  await page.getByText('No saved filter has this name.').waitFor();
});

it('apply on a shared page that may be filtered, and are not changed there', async () => {
  const site = await website(service.api, { privacy: 0, share_filters: 1 });
  await sendVisits(service.api, site, VISITS);
  await define(service.api, site, 'saved-filters', AMERICA);
  const page = await browser.newPage();
  await page.goto(`${service.address}/share/${site.domain}?range=7d&f=saved:Desktops%20in%20America`);
  await shows(page, { Visitors: '2' });
  expect(await page.locator('button.chip-text').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
  expect(await page.getByRole('tab', { name: 'Saved filters' }).count()).toBe(0);
});

it('are chosen by a key that may only read, and not saved', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'saved-filters', AMERICA);
  const { body } = await service.api.post('/api/v1/keys', { form: { name: 'test', scope: 'read' } });
  const page = await signedIn(browser, service, `?website=${site.id}&range=7d`, body.data.key);
  await settled(page);
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('tab', { name: 'Saved filters' }).click();
  await page.getByRole('button', { name: 'Apply Desktops in America' }).click();
  await shows(page, { Visitors: '2' });
  await chips(page).click();
  const form = page.getByRole('dialog', { name: /Desktops in America/ });
  await form.waitFor();
  expect(await form.getByRole('button').allInnerTexts()).toEqual(['Edit filters']);
  expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
});

it('are used by the keyboard alone', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'saved-filters', AMERICA);
  const page = await open(site);
  await page.getByRole('button', { name: 'Add a filter' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Filter', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: 'Apply Desktops in America' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await shows(page, { Visitors: '2' });
  expect(await page.evaluate('document.activeElement.id')).toBe('add-filter');
});

it.each([
  ['light', 1024],
  ['dark', 320],
] as const)('%s and %i wide, fit, and have no fault that axe finds', async (colorScheme, width) => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'saved-filters', { ...AMERICA, name: 'W'.repeat(100) });
  const page = await open(site, `&f=saved:${'W'.repeat(100)}&f=is:device:desktop`);
  await showOn(page, colorScheme, width);
  await chips(page).first().click();
  await page.getByRole('dialog').getByText('Country is United States').waitFor();
  await expectToFit(page, width);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog', { name: 'Save these filters' }).waitFor();
  await expectToFit(page, width);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('tab', { name: 'Saved filters' }).click();
  await page.getByRole('button', { name: /^Apply W/ }).waitFor();
  await expectToFit(page, width);
});
