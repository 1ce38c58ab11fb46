import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { signedIn } from '../../support/console-page';
import { timezoneAtNoon } from '../../support/counted';
import { define, definedNames, SIGNUP } from '../../support/definitions';
import { expectToFit, showOn } from '../../support/faults';
import { type Site, website, WEBSITES } from '../../support/sending';
import { chips, chooseRange, openOwn, panel, settled, shows } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
import { sendVisits, VISITS, visitedWebsite } from '../../support/visited-website';

const page_ = (path: string) => ({
  filters: [
    ['is', 'page', [path]],
    ['is', 'event', [null]],
  ],
});
const SIGNUPS = {
  name: 'Signups',
  steps: [page_('/'), { name: 'Prices', ...page_('/pricing') }, { filters: SIGNUP.filters }],
};

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

const open = ({ id }: Site, query = '') =>
  openOwn(browser, service, `?website=${id}&range=7d&goals=funnels${query}`);
const funnels = (page: Page) => panel(page, 'Funnels');
const stepsOf = async (page: Page) => {
  await funnels(page).locator('.step-head').first().waitFor();
  return (await funnels(page).locator('.step-head').allInnerTexts()).map((text) =>
    text.split(/\s*\n\s*/).join(' '),
  );
};

/** Waits until the steps have these texts. */
const untilTexts = (page: Page, texts: string[]) =>
  until(async () => isDeepStrictEqual(await stepsOf(page), texts));
const untilSteps = (page: Page, count: number) =>
  until(async () => (await funnels(page).locator('.step-head').count()) === count);

async function withFunnel(): Promise<Site> {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'funnels', SIGNUPS);
  return site;
}

it('show who went on and who left, in bars and as a table', async () => {
  const page = await open(await withFunnel(), '&compare=off');
  expect(await stepsOf(page)).toEqual([
    '1 Page is / 3 100.0%',
    '2 Prices 1 33.3%',
    '3 Event is signup 1 33.3%',
  ]);
  expect(await funnels(page).locator('.between').first().innerText()).toMatch(
    /^33\.3% continue · Typically 6m 0s, 90% within 6m 0s[^]*2 left \(66\.7%\)/,
  );
  await funnels(page).getByText('As a table').click();
  expect(await funnels(page).locator('tbody tr').nth(1).innerText()).toMatch(
    /2\s+Prices\s+1\s+33\.3%\s+33\.3%\s+0\s+6m 0s\s+6m 0s/,
  );
  await funnels(page).getByText('Visitors are counted once a day').waitFor();
});

it('follow the range, the comparison and the filters of the page', async () => {
  const { id } = await withFunnel();
  const page = await openOwn(browser, service, `?website=${id}&range=today&compare=previous&goals=funnels`);
  await funnels(page).locator('.step-head').getByText('−50%').waitFor();
  await chooseRange(page, 'Yesterday');
  await funnels(page).locator('.step-head').getByText('100.0%').waitFor();
  await page.goto(`${page.url()}&f=is:country:NL`);
  await untilTexts(page, ['1 Page is / 1 100.0%', '2 Prices 0 0.0%', '3 Event is signup 0 0.0%']);
});

it('are broken down by a name, which the address says', async () => {
  const page = await open(await withFunnel());
  await funnels(page).getByLabel('Break down by').selectOption('country');
  const table = funnels(page).getByRole('region', { name: 'Break down by: Country' });
  await table.waitFor();
  expect(
    (await table.locator('tbody tr').allInnerTexts()).map((text) => text.split(/\s+/).join(' ')),
  ).toEqual(['United States 2 1 50.0% 1 50.0%', 'Netherlands 1 0 0.0% 0 0.0%']);
  expect(new URL(page.url()).searchParams.get('breakdown')).toBe('country');
});

it('are created of pages, events and goals, changed and deleted', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'goals', SIGNUP);
  const page = await open(site);
  await funnels(page).getByText('A funnel counts how many visitors').waitFor();
  await funnels(page).getByRole('button', { name: 'Create a funnel' }).click();
  const form = page.getByRole('dialog', { name: 'Create a funnel' });
  await form.getByLabel('Name', { exact: true }).fill('To signup');
  const step = (number: number) => form.getByRole('group', { name: `Step ${number}` });
  await step(1).getByLabel('Path').fill('/');
  await step(2).getByLabel('What visitors do').selectOption('Reach a goal');
  await step(2).getByLabel('Goal', { exact: true }).fill('Signup');
  await form.getByRole('button', { name: 'Add a step' }).click();
  await step(3).getByLabel('What visitors do').selectOption('View similar pages');
  await step(3).getByLabel('Part of the path').fill('/pri');
  await form.getByRole('button', { name: 'Move step 3 up' }).click();
  await form.getByLabel('All steps within').selectOption('one day');
  await form.getByRole('button', { name: 'Save funnel' }).click();
  expect(await stepsOf(page)).toEqual([
    expect.stringContaining('1 Page is / 3'),
    expect.stringContaining('2 Page begins with /pri 1'),
    expect.stringContaining('3 Goal is Signup 1'),
  ]);
  expect(new URL(page.url()).searchParams.get('funnel')).toBe('To signup');
  await funnels(page).getByText('recognizes a visitor for one day only').waitFor();
  await funnels(page).getByRole('button', { name: 'Edit', exact: true }).click();
  const again = page.getByRole('dialog', { name: 'Edit funnel' });
  await again.getByRole('button', { name: 'Remove step 2' }).click();
  expect(await page.evaluate('document.activeElement.closest("fieldset").textContent')).toMatch(/^Step 2/);
  await again.getByRole('button', { name: 'Save funnel' }).click();
  await untilSteps(page, 2);
  await funnels(page).locator('.danger').getByText('Delete', { exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the funnel' }).click();
  await funnels(page).getByText('A funnel counts how many visitors').waitFor();
  expect(await definedNames(service.api, site, 'funnels')).toEqual([]);
});

it('say which step is wrong', async () => {
  const page = await open(await visitedWebsite(service.api));
  await funnels(page).getByRole('button', { name: 'Create a funnel' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name', { exact: true }).fill('Wrong');
  const step = (number: number) => form.getByRole('group', { name: `Step ${number}` });
  await step(1).getByLabel('Path').fill('/');
  await step(2).getByLabel('What visitors do').selectOption('Reach a goal');
  await step(2).getByLabel('Goal', { exact: true }).fill('None');
  await form.getByRole('button', { name: 'Save funnel' }).click();
  await form.getByText(/^steps\.1.*None/).waitFor();
  browser.complaints.length = 0;
});

it('say what is wrong beside the steps', async () => {
  const site = await visitedWebsite(service.api);
  const pages = Array.from({ length: 50 }, (_, index) => ['is', 'page', [`/${index}`]]);
  const many = { filters: [['or', pages]] };
  await define(service.api, site, 'funnels', { name: 'Many', steps: [many, many] });
  const page = await open(site, '&f=is:country:US');
  await funnels(page).getByText('filters: must have at most 100 conditions').waitFor();
  browser.complaints.length = 0;
});

it('say that a step became impossible', async () => {
  const site = await visitedWebsite(service.api);
  const id = await define(service.api, site, 'goals', { ...page_('/'), name: 'Seen' });
  const never = { filters: [['is', 'goal', ['Seen']], ...page_('/').filters] };
  await define(service.api, site, 'funnels', { name: 'Seen', steps: [page_('/'), never] });
  await service.api.patch(`${WEBSITES}/${site.id}/goals/${id}`, { json: page_('/pricing') });
  const page = await open(site);
  await funnels(page).getByText('A step of this funnel can’t be counted.').waitFor();
  browser.complaints.length = 0;
});

it('are several to choose from, each by its address', async () => {
  const site = await withFunnel();
  await define(service.api, site, 'funnels', { name: 'Other', steps: [page_('/'), page_('/Docs')] });
  const page = await open(site);
  expect(await stepsOf(page)).toHaveLength(2);
  await funnels(page).getByLabel('Funnel', { exact: true }).selectOption('Signups');
  await untilSteps(page, 3);
  await page.goBack();
  await untilSteps(page, 2);
});

it('of the demonstration have an example by one click', async () => {
  const site = await website(service.api, { domain: 'demo.example' });
  await sendVisits(service.api, site, VISITS);
  const page = await open(site);
  await funnels(page).getByRole('button', { name: 'Create an example' }).click();
  expect(await stepsOf(page)).toHaveLength(3);
});

it('are read, and not changed, by a key that may only read', async () => {
  const site = await withFunnel();
  const { body } = await service.api.post('/api/v1/keys', { form: { name: 'test', scope: 'read' } });
  const page = await signedIn(browser, service, `?website=${site.id}&range=7d&goals=funnels`, body.data.key);
  await settled(page);
  expect(await stepsOf(page)).toHaveLength(3);
  expect(await funnels(page).getByRole('button').count()).toBe(0);
});

it('leave out what no visitor did', async () => {
  const site = await withFunnel();
  const page = await open(site, '&f=is:page:/Docs&f=is:country:US');
  await shows(page, { Visitors: '1' });
  expect(await chips(page).count()).toBe(2);
  expect((await stepsOf(page))[0]).toContain(' 1 ');
});

it.each([
  ['light', 1440],
  ['dark', 768],
  ['dark', 320],
] as const)('%s and %i wide, fit, and have no fault that axe finds', async (colorScheme, width) => {
  const page = await open(await withFunnel(), '&breakdown=country');
  await showOn(page, colorScheme, width);
  await stepsOf(page);
  for (const summary of await funnels(page).locator('summary').all()) await summary.click();
  await expectToFit(page, width);
  await funnels(page).getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Event', { exact: true }).waitFor();
  await expectToFit(page, width);
});
