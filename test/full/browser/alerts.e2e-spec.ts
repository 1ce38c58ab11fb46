import type { Page } from 'playwright-core';
import { Jobs } from '../../../engine/database/jobs';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { signedIn } from '../../support/console-page';
import { timezoneAtNoon } from '../../support/counted';
import { define, definedNames, SIGNUP } from '../../support/definitions';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { pressOn, tabTo, type } from '../../support/keyboard';
import { type Site, website, WEBSITES } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
import { visitedWebsite } from '../../support/visited-website';

const HOSTILE = `<img src=x onerror="document.title='broken'">`;
const MANY = { name: 'Many', metric: 'visitors', condition: 'above', threshold: 500, within: 'hour' };

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
  signedIn(browser, service, `?website=${id}&view=options&section=reports`, key);
const section = (page: Page) => page.getByRole('region', { name: 'Alerts' });
const form = (page: Page) => page.getByRole('dialog');
const item = (page: Page, name: string) => section(page).getByRole('listitem').filter({ hasText: name });
const create = (page: Page) => section(page).getByRole('button', { name: 'Create an alert' }).click();
const save = (page: Page) => form(page).getByRole('button', { name: 'Save alert' }).click();
const stored = async ({ id }: Site) => (await service.api.get(`${WEBSITES}/${id}/alerts`)).body.data;
/** The switch itself is drawn by its label. */
const toggle = (page: Page, name: string) => form(page).getByRole('switch', { name }).click({ force: true });

it('are explained where there are none, with an example by one click', async () => {
  const site = await website(service.api);
  const page = await open(site);
  await section(page).getByText('An alert tells you by email or webhook when a number is unusual').waitFor();
  await section(page).getByRole('button', { name: 'Create an example' }).click();
  await item(page, 'No activity for 24 hours').getByText('Not triggered yet.').waitFor();
  expect(await stored(site)).toMatchObject([
    {
      name: 'No activity for 24 hours',
      metric: 'events',
      condition: 'silent',
      threshold: null,
      within: null,
    },
  ]);
});

it('are created with the fields of their condition, and named by their sentence', async () => {
  const site = await website(service.api);
  const page = await open(site);
  await create(page);
  await form(page).getByLabel('Threshold').fill('500');
  expect(await form(page).getByRole('switch').count()).toBe(2);
  await save(page);
  await item(page, 'Visitors in an hour rise above 500').waitFor();
  await create(page);
  await form(page).getByLabel('Condition').selectOption('fall below the usual');
  await form(page).getByText('in an hour').waitFor();
  expect(await form(page).getByLabel('Period').count()).toBe(0);
  await form(page).getByLabel('Percent').fill('50');
  await form(page).getByLabel('What counts').selectOption('View a page');
  await form(page).getByLabel('Path').fill('/pricing');
  await form(page).getByLabel('Don’t alert again').fill('6');
  await toggle(page, 'Email me');
  await form(page).getByLabel('Name').fill('Prices');
  await save(page);
  await item(page, 'Prices')
    .getByText('Visitors in an hour fall 50% below the usual (Page is /pricing)')
    .waitFor();
  await create(page);
  await form(page).getByLabel('Condition').selectOption('there is no activity for 24 hours');
  for (const label of ['Threshold', 'Percent', 'Metric', 'Don’t alert again'])
    expect([label, await form(page).getByLabel(label).count()]).toEqual([label, 0]);
  await save(page);
  await until(async () => (await stored(site)).length === 3);
  expect(await stored(site)).toMatchObject([
    { name: 'No activity for 24 hours', condition: 'silent' },
    {
      ...{ name: 'Prices', metric: 'visitors', condition: 'falls', threshold: 50, within: 'hour' },
      ...{ quiet_hours: 6, mail: 0, webhook: 1, enabled: 1 },
      filters: [
        ['is', 'page', ['/pricing']],
        ['is', 'event', [null]],
      ],
    },
    { ...MANY, name: 'Visitors in an hour rise above 500', filters: [], quiet_hours: 24, mail: 1 },
  ]);
});

it('of conversions are about any goal or one of those that are suggested', async () => {
  const site = await website(service.api);
  await define(service.api, site, 'goals', SIGNUP);
  const page = await open(site);
  await create(page);
  await form(page).getByLabel('Metric').selectOption('conversions');
  expect(await form(page).getByLabel('What counts').locator('option').allInnerTexts()).toEqual([
    'Any goal',
    'Reach a goal',
  ]);
  await form(page).getByLabel('What counts').selectOption('Reach a goal');
  await form(page).locator('datalist option[value=Signup]').waitFor({ state: 'attached' });
  await form(page).getByLabel('Goal', { exact: true }).fill('Signup');
  await form(page).getByLabel('Period').selectOption('a day');
  await form(page).getByLabel('Threshold').fill('10');
  await save(page);
  await item(page, 'Conversions in a day rise above 10 (Goal is Signup)').waitFor();
  await page.getByRole('link', { name: 'Goals' }).click();
  await page.getByRole('button', { name: 'Delete Signup' }).click();
  await form(page).getByRole('listitem').getByText('Alert: Conversions in a day').waitFor();
  await form(page).getByRole('button', { name: 'Delete all of these' }).click();
  await page.getByRole('status').getByText('Goal deleted').waitFor();
  expect(await stored(site)).toEqual([]);
});

it('are changed, keep filters of the API and the state of recipients, and are deleted', async () => {
  const site = await website(service.api);
  const filters = [['not', ['is', 'country', ['DE']]]];
  await define(service.api, site, 'alerts', { ...MANY, filters, recipients: ['team@example.com'] });
  const page = await open(site);
  await page.getByRole('button', { name: 'Edit Many' }).click();
  await form(page).getByRole('listitem').getByText('not confirmed yet').waitFor();
  await form(page).getByLabel('Further recipients').fill('team@example.com\nnobody');
  await save(page);
  await form(page)
    .getByText(/^Further recipients 2 /)
    .waitFor();
  browser.complaints.length = 0;
  await form(page).getByLabel('Further recipients').fill('team@example.com\nother@example.com');
  await form(page).getByLabel('Threshold').fill('900');
  await toggle(page, 'Turned on');
  await save(page);
  await item(page, 'Many').getByText('off', { exact: true }).waitFor();
  expect(await stored(site)).toMatchObject([
    {
      ...{ name: 'Many', threshold: 900, enabled: 0, filters },
      recipients: [
        { address: 'team@example.com', state: 'pending' },
        { address: 'other@example.com', state: 'pending' },
      ],
    },
  ]);
  await page.getByRole('button', { name: 'Delete Many' }).click();
  await form(page).getByRole('button', { name: 'Delete the alert' }).click();
  await section(page).getByText('An alert tells you').waitFor();
  expect(await definedNames(service.api, site, 'alerts')).toEqual([]);
});

it('have what is wrong beside their fields, and keep hostile names text', async () => {
  const site = await website(service.api);
  await define(service.api, site, 'alerts', { ...MANY, name: HOSTILE });
  const page = await open(site);
  await create(page);
  await form(page).getByLabel('Threshold').fill('5');
  await form(page).getByLabel('Name').fill(HOSTILE);
  await save(page);
  await form(page).locator('#name-errors').waitFor();
  browser.complaints.length = 0;
  await page.keyboard.press('Escape');
  await item(page, HOSTILE).waitFor();
  expect([await page.locator('img[src=x]').count(), await page.title()]).not.toContain('broken');
});

it('say what is usual beside a threshold, and keep the button to save in sight', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'alerts', MANY);
  const page = await open(site);
  await page.setViewportSize({ width: 1440, height: 500 });
  await page.getByRole('button', { name: 'Edit Many' }).click();
  await form(page)
    .getByText(/^In the last 7 days: 0 in a typical hour, [12] at most\.$/)
    .waitFor();
  await form(page).getByLabel('Period').selectOption('a day');
  await form(page).getByText('In the last 28 days: 0 on a typical day, 3 at most.').waitFor();
  await form(page).getByLabel('What counts').selectOption('View a page');
  await form(page).getByLabel('Path').fill('/pricing');
  await form(page).getByText('In the last 28 days: 0 on a typical day, 1 at most.').waitFor();
  const button = await form(page).getByRole('button', { name: 'Save alert' }).boundingBox();
  expect(button!.y + button!.height).toBeLessThan(500);
});

it('show when they fired, with how many mails and deliveries', async () => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'alerts', { ...MANY, name: 'Busy', threshold: 0, within: 'day' });
  const { body } = await service.api.get(`${WEBSITES}/${site.id}/alerts`);
  const path = `${WEBSITES}/${site.id}/alerts/${body.data[0].id}/firings`;
  await until(async () => {
    await service.app.get(Jobs, { strict: false }).run('alerts');
    return (await service.api.get(path)).body.data.length === 1;
  });
  const page = await open(site);
  await item(page, 'Busy')
    .getByText(/^Last triggered on /)
    .waitFor();
  await item(page, 'Busy').getByText('History').click();
  await item(page, 'Busy')
    .getByText(/counted 1, limit 0, emails: \d, webhooks: 0$/)
    .waitFor();
});

it('are read by a key that may only read, and changed by none of it', async () => {
  const site = await website(service.api);
  await define(service.api, site, 'alerts', MANY);
  const { body } = await service.api.post('/api/v1/keys', { form: { name: 'test', scope: 'read' } });
  const page = await open(site, body.data.key);
  await item(page, 'Many').waitFor();
  expect(await section(page).getByRole('button').count()).toBe(0);
  expect(await section(page).getByRole('link').count()).toBe(0);
});

it('say that they could not be loaded', async () => {
  const site = await website(service.api);
  const page = await signedIn(browser, service, `?website=${site.id}&view=options`);
  await page.route(/\/alerts\?/, (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByRole('link', { name: 'Reports and alerts' }).click();
  await section(page).getByRole('alert').waitFor();
  expect(await section(page).getByRole('button', { name: 'Create an alert' }).count()).toBe(0);
  await page.unroute(/\/alerts\?/);
  await section(page).getByRole('button', { name: 'Try again' }).click();
  await section(page).getByText('An alert tells you').waitFor();
  browser.complaints.length = 0;
});

it('are used by the keyboard alone, and lead to webhooks', async () => {
  const site = await website(service.api);
  const page = await open(site);
  await section(page).getByRole('button', { name: 'Create an alert' }).waitFor();
  await pressOn(page, section(page).getByRole('button', { name: 'Create an alert' }));
  await form(page).waitFor();
  await tabTo(page, form(page).getByLabel('Threshold'));
  await type(page, '12', 'Enter');
  await item(page, 'Visitors in an hour rise above 12').waitFor();
  await pressOn(page, section(page).getByRole('button', { name: /^Delete Visitors/ }));
  await pressOn(page, form(page).getByRole('button', { name: 'Delete the alert' }));
  await section(page).getByText('An alert tells you').waitFor();
  await pressOn(page, section(page).getByRole('link', { name: 'Webhooks' }));
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
});

it('speak German', async () => {
  const site = await website(service.api);
  await define(service.api, site, 'alerts', { ...MANY, condition: 'rises', threshold: 200 });
  const page = await open(site);
  await page.evaluate(`localStorage.setItem('milepost_language', 'de')`);
  await page.reload();
  const alerts = page.getByRole('region', { name: 'Meldungen' });
  await alerts.getByText('Besucher steigen in einer Stunde um 200\u00a0% über das Übliche').waitFor();
  await alerts.getByText('Noch nie ausgelöst.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

it.each([
  ['light', 1440],
  ['dark', 320],
] as const)('%s and %i wide, fit, and have no fault that axe finds', async (colorScheme, width) => {
  const site = await website(service.api);
  const recipients = [`${'w'.repeat(60)}@example.com`];
  await define(service.api, site, 'alerts', { ...MANY, name: 'W'.repeat(100), recipients });
  const page = await open(site);
  await showOn(page, colorScheme, width);
  await page.getByText('W'.repeat(100)).waitFor();
  await expectToFit(page, width);
  await page.getByRole('button', { name: /^Edit W/ }).click();
  await form(page).getByLabel('Threshold').waitFor();
  await expectToFit(page, width);
});
