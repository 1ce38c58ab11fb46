import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser, untilTrue } from '../../support/browser';
import { accountMenu, openConsole, signedIn } from '../../support/console-page';
import { website } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';

let service: TestApp;
let browser: TestBrowser;
beforeAll(async () => void ([service, browser] = await Promise.all([startApp(), openBrowser()])));
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(() => browser.closePages());

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const cellsOf = (page: Page, name: string) => rowOf(page, name).getByRole('cell').allInnerTexts();

async function createKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill(name);
}

/** The new key, which the dialog shows once. */
async function finish(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your new key' });
  const key = await dialog.locator('code').innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return key;
}

it('makes a key, shows it once, and deletes it', async () => {
  const page = await signedIn(browser, service, '?view=keys');
  await createKey(page, 'dashboard');
  expect(await page.title()).toBe('Keys · Milepost');
  const key = await finish(page);
  expect((await service.api.as(key).get('/api/v1/websites')).status).toBe(200);
  await rowOf(page, 'dashboard').waitFor();
  expect(await page.getByText(key).count()).toBe(0);
  expect((await cellsOf(page, 'dashboard')).slice(1, 5)).toEqual([
    'Read',
    'All',
    expect.any(String),
    'Never',
  ]);
  await page.getByRole('button', { name: 'Delete dashboard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the key' }).click();
  await rowOf(page, 'dashboard').waitFor({ state: 'detached' });
  expect((await service.api.as(key).get('/api/v1/websites')).status).toBe(401);
});

it('makes a key with every limit that the API has', async () => {
  const [mine, other] = [await website(service.api), await website(service.api)];
  const page = await signedIn(browser, service, '?view=keys');
  await createKey(page, 'sender');
  await page.getByRole('radio', { name: 'Send events' }).check({ force: true });
  await page.getByLabel('Only some').check();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Choose at least one website.').waitFor();
  await page.getByLabel(mine.domain).check();
  await page.getByLabel('Expires', { exact: true }).selectOption('day');
  await page.getByLabel('Expires on').fill('2031-02-03');
  await finish(page);
  await rowOf(page, 'sender').waitFor();
  const { data } = (await service.api.get('/api/v1/keys')).body as { data: { name: string }[] };
  expect(data.find(({ name }) => name === 'sender')).toMatchObject({
    scope: 'events',
    websites: [mine.id],
    expires_at: '2031-02-03T00:00:00.000Z',
  });
  expect(await cellsOf(page, 'sender')).toEqual([
    expect.any(String),
    'Send events',
    mine.domain,
    'Never',
    'Mon, Feb 3, 2031',
    '',
  ]);
  expect(await page.getByText(other.domain).count()).toBe(0);
});

it('makes a key that stores annotations, and nothing else', async () => {
  const { id } = await website(service.api);
  const page = await signedIn(browser, service, '?view=keys');
  await createKey(page, 'deployments');
  await page.getByRole('radio', { name: 'Store annotations' }).check({ force: true });
  const api = service.api.as(await finish(page));
  await rowOf(page, 'deployments').waitFor();
  expect((await cellsOf(page, 'deployments'))[1]).toBe('Store annotations');
  const sent = { json: { text: 'Version 2.1 deployed' } };
  expect((await api.post(`/api/v1/websites/${id}/annotations`, sent)).status).toBe(201);
  expect((await api.get(`/api/v1/websites/${id}/annotations`)).status).toBe(403);
});

it('tells who is signed in with which key, in a menu for the keyboard', async () => {
  const { id } = await website(service.api);
  const fields = { form: { name: 'reader', scope: 'read', websites: id } };
  const { key } = (await service.api.post('/api/v1/keys', fields)).body.data as { key: string };
  const page = await signedIn(browser, service, '', key);
  await accountMenu(page).focus();
  await page.keyboard.press('Enter');
  await page.getByText('admin@localhost').waitFor();
  await page
    .getByText('Signed in with the key “reader”. This key can only read websites and statistics.')
    .waitFor();
  await page.getByText('It is limited to one website.').waitFor();
  expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByText('admin@localhost').waitFor({ state: 'detached' });
  await untilTrue(page, `document.activeElement.ariaLabel === 'Account admin@localhost'`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Websites' }).click();
  await page.getByText('admin@localhost').waitFor({ state: 'detached' });
});

it('changes the address of the user, and says what is wrong with one', async () => {
  const api = await service.anotherUser();
  const { key } = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data as {
    key: string;
  };
  const page = await signedIn(browser, service, '', key);
  const change = async (email: string) => {
    await page.getByRole('dialog').getByLabel('Email address').fill(email);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  };
  await accountMenu(page).click();
  await page.getByRole('button', { name: 'Change the email address' }).click();
  await change('admin@localhost');
  await page.getByText('Email address is taken.').waitFor();
  await change('Ann@Example.com');
  await page.getByRole('button', { name: 'Account ann@example.com' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await untilTrue(page, `document.activeElement.ariaLabel === 'Account ann@example.com'`);
  expect((await api.get('/api/v1/me')).body.data.email).toBe('ann@example.com');
  const { key: reader } = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'read' } })).body
    .data as {
    key: string;
  };
  const reading = await signedIn(browser, service, '', reader);
  await accountMenu(reading).click();
  await reading.getByText('ann@example.com').waitFor();
  expect(await reading.getByRole('button', { name: 'Change the email address' }).count()).toBe(0);
});

const background = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

it('keeps the theme that was chosen, for each page and from the first paint', async () => {
  const page = await signedIn(browser, service);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await background(page);
  await accountMenu(page).click();
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  const dark = await background(page);
  expect(dark).not.toBe(light);
  const { domain } = await website(service.api, { privacy: 0 });
  for (const path of ['', `share/${domain}`, 'nowhere']) {
    await page.goto(`${service.address}/${path}`, { waitUntil: 'commit' });
    await untilTrue(page, 'document.body');
    expect([path, await background(page)]).toEqual([path, dark]);
  }
  await page.goto(service.address);
  await accountMenu(page).click();
  await page.getByRole('radio', { name: 'System' }).check({ force: true });
  expect([await background(page), await page.evaluate('localStorage.length')]).toEqual([light, 0]);
});

it('says how to replace a lost key', async () => {
  const page = await openConsole(browser, service);
  await page.getByText('Lost your key?').click();
  await page.getByText('npm run -s cli -- key create admin@localhost').waitFor();
});

it('says that there are no more keys than an account may have', async () => {
  const api = await service.anotherUser();
  const { key } = (await api.post('/api/v1/keys', { form: { name: 'own', scope: 'full' } })).body.data;
  for (let count = 2; count < 100; count++)
    await api.post('/api/v1/keys', { form: { name: `key ${count}`, scope: 'full' } });
  const page = await signedIn(browser, service, '?view=keys', key);
  await createKey(page, 'one more');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('A user has at most 100 keys; delete one first.').waitFor();
});
