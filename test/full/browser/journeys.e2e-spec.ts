import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { timezoneAtNoon, untilCounted } from '../../support/counted';
import { expectToFit, showOn } from '../../support/faults';
import { shiftsOf, watchShifts } from '../../support/layout-shifts';
import { record, type Site, website } from '../../support/sending';
import { openOwn, panel } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
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

const open = (query = '') => openOwn(browser, service, `?website=${site.id}&range=7d&goals=journeys${query}`);
const journeys = (page: Page) => panel(page, 'Journeys');
const linksOf = (page: Page) =>
  journeys(page)
    .locator('.journey-table tbody tr')
    .evaluateAll((all) =>
      all.map((row) => Array.from(row.children, (cell) => cell.textContent.trim()).join(' | ')),
    );
/** Waits until the table has these rows, in any order. */
const untilLinks = (page: Page, links: string[]) =>
  until(async () => isDeepStrictEqual((await linksOf(page)).sort(), [...links].sort()));

it('show where visits go from their entry, as a drawing and as a table', async () => {
  const page = await open('&steps=2');
  await untilLinks(page, [
    '1 | Entry | / | 3',
    '1 | Entry | /Docs | 1',
    '1 | Entry | /a;b,c% | 1',
    '2 | / | /pricing | 1',
    '2 | / | Left | 2',
    '2 | /Docs | Left | 1',
    '2 | /a;b,c% | Left | 1',
  ]);
  await until(async () => (await journeys(page).locator('.ribbon').count()) === 4);
  expect(await journeys(page).locator('.journey-heading').allInnerTexts()).toEqual([
    expect.stringMatching(/^Entry\s+Visits$/),
    expect.stringMatching(/^Step 2\s+Visits$/),
  ]);
});

it('show five pages of a step at first, and all on demand', async () => {
  const busy = await website(service.api);
  const paths = ['/a', '/b', '/c', '/d', '/e', '/f', '/g'];
  await record(
    service.api,
    busy,
    paths.map((path, index) => ({ url: `https://${busy.domain}${path}`, ip: `203.0.113.${index}` })),
  );
  await untilCounted(service.api, busy.id);
  const page = await openOwn(browser, service, `?website=${busy.id}&range=today&goals=journeys&steps=1`);
  await journeys(page).getByText('2 pages and events').waitFor();
  await journeys(page).getByRole('button', { name: 'Show more pages' }).click();
  expect(await journeys(page).getByRole('button', { name: 'show journeys from here' }).count()).toBe(7);
  await journeys(page).getByRole('button', { name: 'Show fewer pages' }).click();
  expect(await journeys(page).getByRole('button', { name: 'show journeys from here' }).count()).toBe(5);
});

it('begin at a node that is chosen, by the keyboard too, and back leads back', async () => {
  const page = await open('&steps=2');
  const node = journeys(page).getByRole('button', { name: /^\/pricing 1/ });
  await node.focus();
  expect(await journeys(page).locator('.ribbon.lit').count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.waitForURL(/journey=page%3A%2Fpricing/);
  await untilLinks(page, ['1 | /pricing | signup | 1', '2 | signup | Left | 1']);
  await page.goBack();
  await journeys(page).locator('.journey-heading', { hasText: 'Entry' }).waitFor();
});

it('begin at an event that is typed, and go backwards', async () => {
  const page = await open();
  await journeys(page).getByLabel('From', { exact: true }).selectOption('From: An event');
  await journeys(page).getByText('A journey shows where visits go').waitFor();
  await journeys(page).getByLabel('Event').fill('signup');
  await journeys(page).getByLabel('Event').press('Enter');
  await page.waitForURL(/journey=event%3Asignup/);
  expect(await page.evaluate('document.activeElement.id')).toBe('journey-value');
  await journeys(page).getByLabel('Direction').selectOption('What came before');
  await page.waitForURL(/direction=backwards/);
  await journeys(page).getByText('Began here').first().waitFor();
  await untilLinks(page, ['1 | signup | /pricing | 1', '2 | /pricing | / | 1', '3 | / | Began here | 1']);
  const places = await journeys(page)
    .locator('.journey-box')
    .evaluateAll((all) => all.map((box) => box.getBoundingClientRect().left));
  expect(places).toEqual([...places].sort((one, other) => other - one));
});

it('follow the filters of the page, and say where nothing fits', async () => {
  const page = await open('&f=is:country:NL&steps=1');
  await untilLinks(page, ['1 | Entry | / | 1']);
  await page.goto(`${service.address}/?website=${site.id}&range=7d&goals=journeys&journey=page:/nothing`);
  await journeys(page).getByText('No visits in this range match.').waitFor();
});

it('are loaded when they are opened, and move nothing above them', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}&range=7d`);
  await page.setViewportSize({ width: 1280, height: 1600 });
  await watchShifts(page);
  await page.reload();
  const loaded = () =>
    page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('journeys')).length`,
    );
  await panel(page, 'Goals').getByRole('tab', { name: 'Journeys' }).waitFor();
  expect(await loaded()).toBe(0);
  await panel(page, 'Goals').getByRole('tab', { name: 'Journeys' }).click();
  await journeys(page).locator('.journey-box').first().waitFor();
  expect(await loaded()).toBeGreaterThan(0);
  const moved = ((await shiftsOf(page)) as [number, ...string[]][]).flatMap(([, ...elements]) => elements);
  expect(moved.filter((element) => !/^<(details|footer)/.test(element))).toEqual([]);
});

it.each([
  ['light', 1440],
  ['dark', 768],
  ['dark', 320],
] as const)('%s and %i wide, fit, and have no fault that axe finds', async (colorScheme, width) => {
  const page = await open('&steps=5');
  await showOn(page, colorScheme, width);
  await journeys(page).locator('.journey-box').first().waitFor();
  await journeys(page).getByText('As a table').click();
  await expectToFit(page, width);
});
