import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { accountMenu, openConsole } from '../../support/console-page';
import { timezoneAtNoon } from '../../support/counted';
import { pressOn, tabTo, type } from '../../support/keyboard';
import { type Site, website } from '../../support/sending';
import { chips, filtersIn, panel, settled, shows, startSession } from '../../support/statistics-page';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { visitedWebsite } from '../../support/visited-website';

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()]);
  site = await visitedWebsite(service.api);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true });

async function open(query: string): Promise<Page> {
  const page = await browser.newPage();
  await startSession(page, service);
  await page.goto(`${service.address}/${query}`);
  await page.locator('h1').waitFor();
  return page;
}

const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

it('signs in, adds a website, and leads to its script', async () => {
  const page = await openConsole(browser, service);
  await page.getByLabel('API key').waitFor();
  await tabTo(page, page.getByLabel('API key'));
  await type(page, FIRST_KEY, 'Enter');
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  // The first request has no session.
  browser.complaints.length = 0;
  await pressOn(page, link(page, 'Add a website'));
  await tabTo(page, page.getByLabel('Domain'));
  await type(page, 'https://keys.example/', 'Enter');
  await page.getByRole('heading', { name: 'keys.example' }).waitFor();
  await tabTo(page, page.getByRole('tab', { name: 'HTML' }));
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: 'Google Tag Manager', selected: true }).waitFor();
  await pressOn(page, button(page, 'Copy'));
  expect(await page.evaluate('String(getSelection())')).toContain('tracker.js');
  await pressOn(page, accountMenu(page));
  await pressOn(page, button(page, 'Sign out'));
  await page.getByLabel('API key').waitFor();
});

it('chooses a website, a range, a comparison, a tab and a second metric', async () => {
  const page = await open('');
  await pressOn(page, link(page, site.domain));
  await settled(page);
  await pressOn(page, page.locator('.range-menu .menu-button'));
  await type(page, '', 'ArrowDown', 'ArrowDown');
  await tabTo(page, page.locator('.range-menu').getByRole('link', { name: 'Last 7 days' }));
  await page.keyboard.press('Enter');
  await shows(page, { Visitors: '4' });
  await pressOn(page, page.locator('.compare-menu .menu-button'));
  await pressOn(page, page.locator('.compare-menu').getByRole('link', { name: /^Same period last year/ }));
  expect(parameter(page, 'compare')).toBe('year');
  await pressOn(page, page.locator('.second-menu .menu-button'));
  await pressOn(page, page.locator('.second-menu').getByRole('link', { name: 'Page views' }));
  expect(parameter(page, 'second')).toBe('pageviews');
  await tabTo(page, page.getByRole('tab', { name: 'Countries' }));
  await page.keyboard.press('ArrowLeft');
  expect(parameter(page, 'places')).toBe('language');
});

it('filters by a row and by the form, changes and removes filters, and lists all values', async () => {
  const page = await open(`?website=${site.id}&range=7d`);
  await settled(page);
  await pressOn(page, panel(page, 'Places').getByRole('link', { name: 'Filter by United States' }));
  await shows(page, { Visitors: '2' });
  await pressOn(page, button(page, 'Add a filter'));
  const form = page.getByRole('dialog', { name: 'Add a filter' });
  await form.getByRole('option', { name: '/pricing' }).waitFor();
  await type(page, '/pricing', 'Enter', 'Enter');
  await shows(page, { Visitors: '1' });
  expect(filtersIn(page)).toEqual(['is:country:US', 'is:page:/pricing']);
  await pressOn(page, chips(page).first());
  await pressOn(page, button(page, 'Exclude instead'));
  expect(filtersIn(page)[0]).toBe('is_not:country:US');
  await pressOn(page, button(page, /^Remove: Page/));
  await shows(page, { Visitors: '2' });
  await pressOn(page, panel(page, 'Pages').getByRole('link', { name: /^Details/ }));
  const all = page.getByRole('dialog', { name: 'Pages' });
  await all.getByRole('rowheader').first().waitFor();
  await type(page, 'a;b');
  await all.getByText('1–1 of 1').waitFor();
  await pressOn(page, all.getByRole('button', { name: 'Sort by Pages' }));
  await page.waitForURL(/sort=value/);
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.search.includes('more'));
});

it('changes options, and deletes a website', async () => {
  const { id, domain } = await website(service.api);
  const page = await open(`?website=${id}&view=options`);
  await pressOn(page, link(page, 'Sharing'));
  await tabTo(page, page.getByRole('radio', { name: 'Private' }));
  await page.keyboard.press('ArrowDown');
  await pressOn(page, page.getByRole('switch', { name: /Let viewers/ }), 'Space');
  await pressOn(page, button(page, 'Save'));
  await page.getByRole('status').getByText('Saved').waitFor();
  expect((await service.api.get(`/api/v1/websites/${id}`)).body.data).toMatchObject({
    ...{ privacy: 0, share_filters: 1 },
  });
  await pressOn(page, link(page, 'Danger zone'));
  await pressOn(page, button(page, 'Delete this website'));
  await tabTo(page, page.getByRole('dialog').getByRole('textbox'));
  await type(page, domain);
  await pressOn(page, button(page, `Delete ${domain}`));
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  expect((await service.api.get(`/api/v1/websites/${id}`)).status).toBe(404);
});

it('makes a key that is limited to a website, and deletes it', async () => {
  const page = await open('');
  await pressOn(page, link(page, 'Keys'));
  await pressOn(page, button(page, 'Create a key'));
  await tabTo(page, page.getByLabel('Name'));
  await type(page, 'by keyboard');
  await tabTo(page, page.getByRole('radio', { name: 'Read', exact: true }));
  await page.keyboard.press('ArrowDown');
  await tabTo(page, page.getByLabel('All, also those added later'));
  await page.keyboard.press('ArrowDown');
  await pressOn(page, page.getByLabel(site.domain), 'Space');
  await pressOn(page, button(page, 'Create key'));
  await page.getByRole('dialog', { name: 'Your new key' }).locator('code').waitFor();
  await page.keyboard.press('Escape');
  await pressOn(page, button(page, 'Done'));
  const [key] = (await service.api.get('/api/v1/keys')).body.data as object[];
  expect(key).toMatchObject({ name: 'by keyboard', scope: 'full', websites: [site.id] });
  await pressOn(page, button(page, 'Delete by keyboard'));
  await pressOn(page, button(page, 'Delete the key'));
  await page.getByRole('row').filter({ hasText: 'by keyboard' }).waitFor({ state: 'detached' });
});
