import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { signedIn } from '../../support/console-page';
import { timezoneAtNoon } from '../../support/counted';
import { define, definedNames } from '../../support/definitions';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { pressOn, tabTo, type } from '../../support/keyboard';
import { type Site, website, WEBSITES } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';
import { visitedWebsite } from '../../support/visited-website';

const HOSTILE = `<img src=x onerror="document.title='broken'">`;
const NEWS = { name: 'News', filters: [['is', 'referrer', ['news.example']]] };
const EVERYTHING = { name: 'Everything', filters: [], all: true };

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

const open = ({ id }: Site, key?: string) =>
  signedIn(browser, service, `?website=${id}&view=options&section=exclusions`, key);
const section = (page: Page) => page.getByRole('region', { name: 'Exclusions afterwards' });
const form = (page: Page) => page.locator('dialog');
const item = (page: Page, name: string) => section(page).getByRole('listitem').filter({ hasText: name });
const create = (page: Page) => section(page).getByRole('button', { name: 'Create an exclusion' }).click();
const save = (page: Page) => form(page).getByRole('button', { name: 'Save exclusion' }).click();
const line = (page: Page) => page.locator('.excluded-by');
const stored = async ({ id }: Site) => (await service.api.get(`${WEBSITES}/${id}/exclusions`)).body.data;
const visitors = (page: Page, count: string) =>
  page.getByRole('region', { name: 'Figures' }).getByText(count, { exact: true }).first().waitFor();

async function addFilter(page: Page, name: string, value: string): Promise<void> {
  await form(page).getByRole('button', { name: 'Add a filter' }).click();
  await form(page).getByLabel('Dimension').selectOption(name);
  await form(page).getByRole('option', { name: value }).click();
  await form(page).getByRole('button', { name: 'Apply' }).click();
}

it('are made with a preview, lower the numbers and are named below the chart until they are deleted', async () => {
  const site = await visitedWebsite(service.api);
  const page = await open(site);
  await section(page).getByText('An exclusion removes what a filter selects').waitFor();
  await create(page);
  await addFilter(page, 'Referrer', 'news.example');
  const days = /^Leaves out 1 of 4 visitors, .+ – .+\.$/;
  await form(page).getByRole('status').getByText(days).waitFor();
  await form(page).getByLabel('Name').fill('News');
  await form(page).getByLabel('Reason').fill('A wave of bots');
  await save(page);
  await item(page, 'News').getByText('Referrer is news.example').waitFor();
  await item(page, 'News').getByText('A wave of bots').waitFor();
  await item(page, 'News')
    .getByText(/^Created with the key “.+” on .+, /)
    .waitFor();
  expect(await stored(site)).toMatchObject([{ ...NEWS, reason: 'A wave of bots', to: null }]);
  await page.getByRole('link', { name: 'Statistics' }).click();
  await visitors(page, '3');
  await line(page).getByText('News').waitFor();
  await line(page).getByRole('link', { name: 'Show exclusions' }).click();
  await page.getByRole('button', { name: 'Delete News' }).click();
  await form(page).getByRole('button', { name: 'Delete the exclusion' }).click();
  await section(page).getByText('An exclusion removes').waitFor();
  await page.getByRole('link', { name: 'Statistics' }).click();
  await visitors(page, '4');
  expect(await line(page).count()).toBe(0);
});

it('ask before everything is excluded, which does not make a website new', async () => {
  const site = await visitedWebsite(service.api);
  const page = await open(site);
  await create(page);
  await form(page).getByLabel('Name').fill('Everything');
  await save(page);
  await form(page).getByText('Add a filter, or confirm that everything').waitFor();
  browser.complaints.length = 0;
  await form(page).getByRole('switch', { name: 'Exclude everything' }).click({ force: true });
  await form(page).getByText('Leaves out 4 of 4 visitors').waitFor();
  await save(page);
  await item(page, 'Everything').getByText('Everything', { exact: true }).last().waitFor();
  await page.getByRole('link', { name: 'Statistics' }).click();
  await line(page).getByText('Everything').waitFor();
  await page.getByText('Nobody visited in this range').waitFor();
});

it('are changed, count what else they would leave out, and keep filters of the API', async () => {
  const site = await visitedWebsite(service.api);
  const not = [['not', ['is', 'country', ['DE']]]];
  await define(service.api, site, 'exclusions', { ...NEWS, reason: 'Spam' });
  await define(service.api, site, 'exclusions', { name: 'Of the API', filters: not, to: '2026-01-01' });
  const page = await open(site);
  await page.getByRole('button', { name: 'Edit News' }).click();
  await form(page).getByText('Leaves out 0 more of the 3 visitors').waitFor();
  await form(page).getByRole('button', { name: 'Referrer is news.example', exact: true }).click();
  await form(page).getByRole('option', { name: 'Google' }).click();
  await form(page).getByRole('button', { name: 'Apply' }).click();
  await form(page).getByText('Leaves out 1 more of the 3 visitors').waitFor();
  await form(page).getByLabel('Name').fill('Two sites');
  await save(page);
  await item(page, 'Two sites').waitFor();
  await page.getByRole('button', { name: 'Edit Of the API' }).click();
  await form(page).getByText('These conditions were set through the API').waitFor();
  expect(await form(page).getByRole('button', { name: 'Add a filter' }).count()).toBe(0);
  await form(page).getByLabel('Reason').fill('No visitors');
  await save(page);
  await item(page, 'Of the API').getByText('No visitors').waitFor();
  expect(await stored(site)).toMatchObject([
    { name: 'Of the API', filters: not, reason: 'No visitors', to: '2026-01-01' },
    { name: 'Two sites', filters: [['is', 'referrer', ['news.example', 'google.com']]], reason: 'Spam' },
  ]);
});

it('have what is wrong beside their fields, and keep hostile names text', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'exclusions', { ...NEWS, name: HOSTILE });
  const page = await open(site);
  await create(page);
  await addFilter(page, 'Country', 'United States');
  await form(page).getByLabel('Name').fill('Other');
  await form(page).getByLabel('First day').fill('2026-01-02');
  await form(page).getByLabel('Last day').fill('2026-01-01');
  await save(page);
  await form(page).locator('#to-errors').waitFor();
  await form(page).getByLabel('Name').fill(HOSTILE);
  await save(page);
  await form(page).locator('#name-errors').waitFor();
  browser.complaints.length = 0;
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Statistics' }).click();
  await line(page).getByText(HOSTILE).waitFor();
  expect([await page.locator('img[src=x]').count(), await page.title()]).not.toContain('broken');
});

it('with a last day are purged once the domain is entered, and say so until they are deleted', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'exclusions', { ...NEWS, to: '2099-12-31' });
  await define(service.api, site, 'exclusions', { name: 'Goes on', filters: [['is', 'country', ['FR']]] });
  const page = await open(site);
  const button = (name: string) =>
    item(page, name).getByRole('button', { name: 'Remove these visits for good' });
  await button('News').click();
  expect(await button('Goes on').count()).toBe(0);
  await form(page).getByText('Numbers may change again').waitFor();
  const confirm = form(page).getByRole('button', { name: 'Remove for good' });
  await form(page).getByLabel(`Enter ${site.domain} to confirm`).fill('other.example');
  expect(await confirm.isDisabled()).toBe(true);
  await form(page).getByLabel(`Enter ${site.domain} to confirm`).fill(site.domain);
  await confirm.click();
  await item(page, 'News').getByText('being removed', { exact: true }).waitFor();
  expect(await button('News').count()).toBe(0);
  expect(await stored(site)).toMatchObject([
    { name: 'Goes on', purge: false },
    { name: 'News', purge: true },
  ]);
  await page.getByRole('button', { name: 'Edit News' }).click();
  await form(page).getByLabel('Reason').fill('A wave of bots');
  await save(page);
  await item(page, 'News').getByText('A wave of bots').waitFor();
  await page.getByRole('button', { name: 'Delete News' }).click();
  await form(page).getByText('This stops the removal').waitFor();
  await form(page).getByRole('button', { name: 'Delete the exclusion' }).click();
  await item(page, 'News').waitFor({ state: 'detached' });
});

it('are marked once they are final, and not shown to viewers', async () => {
  const site = await visitedWebsite(service.api);
  await service.api.patch(`${WEBSITES}/${site.id}`, { json: { privacy: 0, share_filters: 1 } });
  const id = await define(service.api, site, 'exclusions', NEWS);
  await service.database.execute('UPDATE exclusions SET is_final = 1 WHERE id = ?', [id]);
  const page = await open(site);
  await item(page, 'News').getByText('final', { exact: true }).waitFor();
  expect(await item(page, 'News').getByRole('button').count()).toBe(0);
  const viewer = await browser.newPage();
  await viewer.goto(`${service.address}/share/${site.domain}`);
  await visitors(viewer, '3');
  expect(await line(viewer).count()).toBe(0);
});

it('are read by a key that may only read, and changed by none of it', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'exclusions', NEWS);
  const { body } = await service.api.post('/api/v1/keys', { form: { name: 'test', scope: 'read' } });
  const page = await open(site, body.data.key);
  await item(page, 'News').waitFor();
  expect(await section(page).getByRole('button').count()).toBe(0);
});

it('are used by the keyboard alone, and Escape closes the form of a filter by itself', async () => {
  const site = await visitedWebsite(service.api);
  const page = await open(site);
  await section(page).getByRole('button', { name: 'Create an exclusion' }).waitFor();
  await pressOn(page, section(page).getByRole('button', { name: 'Create an exclusion' }));
  await pressOn(page, form(page).getByRole('button', { name: 'Add a filter' }));
  await form(page).getByLabel('Dimension').waitFor();
  await page.keyboard.press('Escape');
  await form(page).getByLabel('Dimension').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await form(page).getByRole('option', { name: '/pricing' }).waitFor();
  await type(page, '/pricing', 'Enter');
  await pressOn(page, form(page).getByRole('button', { name: 'Apply' }));
  await tabTo(page, form(page).getByLabel('Name'));
  await type(page, 'Pricing', 'Enter');
  await form(page).waitFor({ state: 'detached' });
  await item(page, 'Pricing').waitFor();
  expect(await definedNames(service.api, site, 'exclusions')).toEqual(['Pricing']);
  await pressOn(page, section(page).getByRole('button', { name: 'Delete Pricing' }));
  await pressOn(page, form(page).getByRole('button', { name: 'Delete the exclusion' }));
  await section(page).getByText('An exclusion removes').waitFor();
});

it('speak German', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'exclusions', { ...EVERYTHING, to: '2099-12-31' });
  const page = await open(site);
  await page.evaluate(`localStorage.setItem('milepost_language', 'de')`);
  await page.reload();
  const exclusions = page.getByRole('region', { name: 'Nachträgliche Ausschlüsse' });
  await exclusions.getByText(/^Seit|^Bis|–/).waitFor();
  await exclusions.getByText(/^Mit dem Schlüssel „.+“ angelegt am /).waitFor();
  await exclusions.getByRole('button', { name: 'Diese Besuche endgültig entfernen' }).click();
  await form(page).getByText('Zahlen können sich dabei noch einmal ändern').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

it.each([
  ['light', 1440],
  ['dark', 320],
] as const)('%s and %i wide, fit, and have no fault that axe finds', async (colorScheme, width) => {
  const site = await website(service.api);
  await define(service.api, site, 'exclusions', { ...NEWS, name: 'W'.repeat(100), reason: 'M'.repeat(200) });
  const page = await open(site);
  await showOn(page, colorScheme, width);
  await page.getByText('W'.repeat(100)).waitFor();
  await expectToFit(page, width);
  await page.getByRole('button', { name: /^Edit W/ }).click();
  await form(page).getByLabel('Name').waitFor();
  await expectToFit(page, width);
  await form(page).getByRole('button', { name: 'Add a filter' }).click();
  await form(page).getByLabel('Dimension').waitFor();
  await expectToFit(page, width);
});
