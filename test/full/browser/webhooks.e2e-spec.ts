import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { accountMenu, signedIn } from '../../support/console-page';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { pressOn, tabTo, type } from '../../support/keyboard';
import { website } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const HOSTILE = `<img src=x onerror="document.title='broken'">`;
const EVENTS = ['alert', 'report', 'goal.reached'];

interface Received {
  event: string | undefined;
  signature: string | undefined;
  body: string;
}

let service: TestApp;
let browser: TestBrowser;
let endpoint: Server;
let url: string;
/** What the endpoint answers. */
let status = 200;
const received: Received[] = [];
beforeAll(async () => {
  endpoint = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { 'milepost-event': event, 'milepost-signature': signature } = request.headers;
      received.push({ event: event as string, signature: signature as string, body });
      response.writeHead(status).end(HOSTILE);
    });
  }).listen(0, '127.0.0.1');
  [service, browser] = await Promise.all([
    startApp({ WEBHOOK_ALLOW: '127.0.0.1', TIMEZONE: 'UTC' }),
    openBrowser(),
  ]);
  url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hooks`;
});
beforeEach(() => {
  status = 200;
  received.length = 0;
});
afterAll(async () => {
  await Promise.all([service.stop(), browser.close()]);
  endpoint.close();
});
afterEach(async () => {
  await browser.closePages();
  for (const { id } of await stored()) await service.api.delete(`/api/v1/webhooks/${id}`);
  expect(browser.complaints.splice(0)).toEqual([]);
});

const stored = async () => (await service.api.get('/api/v1/webhooks?per_page=25')).body.data;
const added = async (fields: object = {}): Promise<number> =>
  (await service.api.post('/api/v1/webhooks', { json: { url, events: EVENTS, ...fields } })).body.data.id;
const open = (query = '', key?: string) => signedIn(browser, service, `?view=webhooks${query}`, key);
const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page) => page.getByRole('row').filter({ hasText: '/hooks' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const delivery = (page: Page) => page.locator('.delivery').first();

it('are added, with a secret that is shown once', async () => {
  const page = await open();
  await page.getByText('No webhooks yet.').waitFor();
  expect(await page.title()).toBe('Webhooks · Milepost');
  await button(page, 'Add a webhook').click();
  await dialog(page).getByLabel('Address').fill(url);
  await dialog(page).getByLabel('Reports').uncheck();
  await button(page, 'Add webhook').click();
  const secret = await dialog(page).locator('code').innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press('Escape');
  await button(page, 'Copy').click();
  expect(await page.evaluate('String(getSelection())')).toBe(secret);
  await button(page, 'Done').click();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Add a webhook');
  await row(page).getByText('None so far').waitFor();
  expect((await row(page).getByRole('cell').allInnerTexts()).slice(0, 3)).toEqual([
    'Alerts, Goals',
    'On',
    'None so far',
  ]);
  expect(await page.content()).not.toContain(secret);
  expect(await stored()).toMatchObject([{ url, events: ['alert', 'goal.reached'], enabled: 1 }]);
});

it('post messages of the chosen format', async () => {
  const page = await open();
  await button(page, 'Add a webhook').click();
  const format = () => dialog(page).getByLabel('Format');
  expect(await format().inputValue()).toBe('milepost');
  await dialog(page).getByLabel('Address').fill(`${url}/T0/secret`);
  await format().selectOption('Slack');
  await button(page, 'Add webhook').click();
  await button(page, 'Done').click();
  expect(await stored()).toMatchObject([{ url: `${url}/T0/secret`, format: 'slack' }]);
  await button(page, `Edit ${url}/T0/secret`).click();
  expect(await format().inputValue()).toBe('slack');
  await format().selectOption('Discord');
  await button(page, 'Save webhook').click();
  await until(async () => (await stored())[0].format === 'discord');
  await service.api.post(`/api/v1/webhooks/${(await stored())[0].id}/test`);
  await until(() => received.length > 0);
  expect(JSON.parse(received[0]!.body)).toMatchObject({ content: expect.any(String), allowed_mentions: {} });
});

it('say what is wrong, and need an event', async () => {
  const page = await open();
  await button(page, 'Add a webhook').click();
  await dialog(page).getByLabel('Address').fill('https://user@example.com/');
  await button(page, 'Add webhook').click();
  await dialog(page).locator('#url-errors').waitFor();
  await dialog(page).getByLabel('Address').fill('http://10.0.0.1/hooks');
  await button(page, 'Add webhook').click();
  await dialog(page).getByText('Address must be on the internet, or be allowed by the setting').waitFor();
  for (const name of ['Alerts', 'Reports', 'Goals']) await dialog(page).getByLabel(name).uncheck();
  await button(page, 'Add webhook').click();
  await dialog(page).getByText('Choose at least one event.').waitFor();
  browser.complaints.length = 0;
  expect(await stored()).toEqual([]);
});

it('are changed, turned off and deleted', async () => {
  const id = await added();
  const page = await open();
  await button(page, `Edit ${url}`).click();
  await dialog(page).getByLabel('Goals').uncheck();
  await dialog(page).getByLabel('Turned on').uncheck();
  await button(page, 'Save webhook').click();
  await row(page).getByText('Off', { exact: true }).waitFor();
  expect(await stored()).toMatchObject([{ id, events: ['alert', 'report'], enabled: 0 }]);
  await button(page, `Delete ${url}`).click();
  await button(page, 'Delete the webhook').click();
  await page.getByText('No webhooks yet.').waitFor();
  expect(await stored()).toEqual([]);
});

it('get a test, whose answer is shown', async () => {
  await added();
  const page = await open();
  await page.getByRole('link', { name: url }).click();
  await page.getByText('None so far.').waitFor();
  await button(page, 'Send a test').click();
  await page.getByRole('status').getByText('A test is being sent').waitFor();
  await delivery(page).getByText('Delivered').waitFor();
  expect(received).toMatchObject([{ event: 'test', signature: expect.stringMatching(/^t=\d+,v1=/) }]);
  await delivery(page).locator('summary').click();
  await delivery(page)
    .getByText(/, Status 200, [\d,]+ ms$/)
    .waitFor();
  await delivery(page).getByText(HOSTILE).waitFor();
  expect(JSON.parse(await delivery(page).locator('pre').innerText())).toEqual(JSON.parse(received[0]!.body));
  expect([await page.locator('img[src=x]').count(), await page.title()]).not.toContain('broken');
});

it('get a delivery again', async () => {
  const id = await added();
  await service.api.post(`/api/v1/webhooks/${id}/test`);
  const page = await open(`&webhook=${id}`);
  await delivery(page).getByText('Delivered').waitFor();
  await delivery(page).locator('summary').click();
  await button(page, 'Send again').click();
  await until(() => received.length === 2);
  expect(received[1]!.body).toBe(received[0]!.body);
  await delivery(page).getByText('Delivered').waitFor();
});

it('show what failed and when it is tried again, and the deliveries of a state', async () => {
  status = 500;
  const id = await added();
  await service.api.post(`/api/v1/webhooks/${id}/test`);
  const page = await open(`&webhook=${id}`);
  await delivery(page).getByText('1 attempt').waitFor();
  await delivery(page).locator('summary').click();
  await delivery(page)
    .getByText(/^Next attempt: /)
    .waitFor();
  await delivery(page)
    .getByText(/, Status 500, /)
    .waitFor();
  expect(await button(page, 'Send again').count()).toBe(0);
  await page.getByLabel('State', { exact: true }).selectOption('Failed');
  await page.getByText('None so far.').waitFor();
  expect(new URL(page.url()).searchParams.get('state')).toBe('failed');
  await page.getByLabel('State', { exact: true }).selectOption('Waiting');
  await delivery(page).waitFor();
});

it('say in the list what became of the last delivery, and follow it', async () => {
  status = 500;
  const id = await added();
  await service.api.post(`/api/v1/webhooks/${id}/test`);
  const page = await open();
  await row(page).getByText('Failed, retrying').waitFor();
  status = 200;
  await row(page).getByRole('link').click();
  await button(page, 'Send a test').click();
  await page.getByRole('status').getByText('A test is being sent').waitFor();
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await row(page).getByText('Delivered').waitFor();
});

it('say until when they pause, and do not look for what waits behind a pause', async () => {
  const id = await added();
  const until = Date.now() + 3_600_000;
  await service.database.execute('UPDATE webhooks SET failures = 5, paused_until = ?, due_at = ?', [
    ...[until, until],
  ]);
  await service.database.execute(
    `INSERT INTO webhook_deliveries (webhook_id, occasion, event, state, due_at, expires_at, attempts, created_at, answers, body)
    VALUES (?, 'one', 'alert', 'waiting', ?, ?, 0, ?, '[]', '{}')`,
    [id, Date.now(), until, Date.now()],
  );
  const page = await signedIn(browser, service);
  await page.clock.install();
  let asked = 0;
  page.on('request', (request) => void (request.url().includes('/deliveries') && asked++));
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await row(page).getByText('Waiting').waitFor();
  await row(page)
    .getByText(/^Paused until /)
    .waitFor();
  await page.clock.runFor(60_000);
  expect(asked).toBe(1);
  await row(page).getByRole('link').click();
  await page
    .locator('.facts')
    .getByText(/^Paused until /)
    .waitFor();
});

it('get a new secret once that is confirmed', async () => {
  const id = await added();
  const page = await open(`&webhook=${id}`);
  await button(page, 'New secret').click();
  await dialog(page).getByText('The old secret stops working at once.').waitFor();
  await button(page, 'Create a new secret').click();
  expect(await dialog(page).locator('code').innerText()).toMatch(/^whsec_/);
  await button(page, 'Done').click();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('New secret');
  await button(page, 'Delete').click();
  await button(page, 'Delete the webhook').click();
  await page.getByText('No webhooks yet.').waitFor();
});

it('that are gone say so', async () => {
  const page = await open('&webhook=999');
  await page.getByText('This webhook doesn’t exist.').waitFor();
  browser.complaints.length = 0;
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await page.getByText('No webhooks yet.').waitFor();
});

it('belong to the whole account: keys that read, or have some websites, see none', async () => {
  const { id } = await website(service.api);
  for (const fields of [
    { name: 'test', scope: 'read' },
    { name: 'test', scope: 'full', websites: id },
  ]) {
    const { body } = await service.api.post('/api/v1/keys', { form: fields });
    const page = await open('', body.data.key);
    await page.getByRole('heading', { name: 'Websites' }).waitFor();
    await accountMenu(page).click();
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  }
});

it('are used by the keyboard alone', async () => {
  const page = await signedIn(browser, service);
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  await pressOn(page, page.getByRole('link', { name: 'Webhooks' }));
  await page.getByText('No webhooks yet.').waitFor();
  await pressOn(page, button(page, 'Add a webhook'));
  await tabTo(page, dialog(page).getByLabel('Address'));
  await type(page, url, 'Enter');
  await dialog(page).locator('code').waitFor();
  await pressOn(page, button(page, 'Done'));
  await pressOn(page, page.getByRole('link', { name: url }));
  await pressOn(page, button(page, 'Send a test'));
  await delivery(page).getByText('Delivered').waitFor();
  await pressOn(page, delivery(page).locator('summary'));
  await pressOn(page, button(page, 'Send again'));
  await until(() => received.length === 2);
});

it('speak German', async () => {
  const id = await added();
  await service.api.post(`/api/v1/webhooks/${id}/test`);
  const page = await open(`&webhook=${id}`);
  await page.evaluate(`localStorage.setItem('milepost_language', 'de')`);
  await page.reload();
  await delivery(page).getByText('Zugestellt').waitFor();
  await page.getByRole('heading', { name: 'Zustellungen' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await service.api.patch(`/api/v1/webhooks/${id}`, { json: { enabled: 0 } });
  await delivery(page).locator('summary').click();
  await button(page, 'Noch einmal senden').click();
  await page.getByText('Der Webhook ist ausgeschaltet. Schalten Sie ihn zuerst ein.').waitFor();
  browser.complaints.length = 0;
});

it.each([
  ['light', 1440],
  ['dark', 320],
] as const)('%s and %i wide, fit, and have no fault that axe finds', async (colorScheme, width) => {
  const id = await added({ url: `${url}/${'w'.repeat(300)}` });
  await service.api.post(`/api/v1/webhooks/${id}/test`);
  const page = await open();
  await showOn(page, colorScheme, width);
  await row(page).waitFor();
  await expectToFit(page, width);
  await row(page).getByRole('link').click();
  await delivery(page).locator('summary').click();
  await delivery(page).locator('pre').waitFor();
  await expectToFit(page, width);
  await button(page, 'Edit').click();
  await expectToFit(page, width);
});
