import type { Locator, Page } from 'playwright-core';
import { dayText } from '../../src/common/time/days';
import { openBrowser, type TestBrowser } from '../support/browser';
import { expectToFit, faultsOf, showOn } from '../support/faults';
import { untilCounted } from '../support/counted';
import { fillCounters } from '../support/fill-counters';
import { figure, passTimeUntil } from '../support/statistics-page';
import { visit, website } from '../support/sending';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const TODAY = dayText(Math.floor(Date.now() / 86_400_000));

let service: TestApp;
let browser: TestBrowser;
const elsewhere: string[] = [];
beforeAll(async () => void ([service, browser] = await Promise.all([startApp(), openBrowser()])));
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(elsewhere.splice(0)).toEqual([]);
});

async function open(query = ''): Promise<Page> {
  const page = await browser.newPage();
  page.on('request', (request) => {
    if (!request.url().startsWith(service.address)) elsewhere.push(request.url());
  });
  await page.goto(`${service.address}/${query}`);
  return page;
}

async function signedIn(query = '', key = FIRST_KEY): Promise<Page> {
  const page = await open(query);
  await signIn(page, key);
  return page;
}

async function signIn(page: Page, key = FIRST_KEY): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  // The first request has no session.
  browser.complaints.length = 0;
}

it('keeps no key in the browser, and forgets who signed out', async () => {
  const page = await open();
  await page.getByLabel('API key').fill('wrong-key-wrong-key-wrong-key');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This key is not valid. Check that you copied all of it.').waitFor();
  expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('API key').fill(FIRST_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  const state = await page.context().storageState({ indexedDB: true });
  expect(JSON.stringify(state)).not.toContain(FIRST_KEY);
  expect(state.origins).toEqual([]);
  expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual([
    '',
    0,
    0,
  ]);
  await page.reload();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  await page.reload();
  await page.getByLabel('API key').waitFor();
});

it('adds a website, says what to embed, and what is wrong with a domain', async () => {
  const page = await open();
  await page.clock.install();
  await signIn(page);
  await page.getByRole('heading', { name: 'Add your first website' }).waitFor();
  expect(await page.getByRole('searchbox').count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Add a website' }).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Add a website' }).click();
  await page.getByLabel('Domain').fill('new_.example');
  await page.getByRole('button', { name: 'Add website' }).click();
  await page.getByText('Domain must be a domain name like example.com').waitFor();
  expect(await page.getByLabel('Domain').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Domain').fill('https://www.new.example:8088/foo');
  await page.getByRole('button', { name: 'Add website' }).click();
  await page.getByRole('heading', { name: 'new.example', exact: true }).waitFor();
  expect(await page.title()).toBe('new.example · Milepost');
  await page.getByText(`<script defer src="${service.address}/tracker.js"></script>`).waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  expect(await page.evaluate('String(getSelection())')).toContain('/tracker.js');
  await page.getByText('Waiting for the first visit.').waitFor();
  await visit(service.api, { domain: 'new.example' });
  await passTimeUntil(page, page.getByText(/^Visits are being received. \//));
  await page.reload();
  await page.getByText(/^Visits are being received. \//).waitFor();
  await page.getByRole('link', { name: 'View statistics' }).click();
  await page.getByRole('heading', { name: 'Pages' }).waitFor();
});

it('shows the script in the place of statistics until there are some, and what to check while nothing comes', async () => {
  const site = await website(service.api);
  const page = await open();
  await page.clock.install();
  await signIn(page);
  await page.getByRole('link', { name: site.domain, exact: true }).click();
  await page.getByText('Waiting for the first visit.').waitFor();
  expect([await page.locator('.panel').count(), await page.locator('.figure').count()]).toEqual([0, 0]);
  expect(await page.getByText('Nothing has been received yet').count()).toBe(0);
  await page.clock.fastForward(30_000);
  await page.getByText('Nothing has been received yet').waitFor();
  await page.getByText(`The page is at ${site.domain} or one of its subdomains`).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await visit(service.api, site);
  await untilCounted(service.api, site.id);
  const view = page.getByRole('button', { name: 'View statistics' });
  await passTimeUntil(page, view);
  await view.click();
  await figure(page, 'Visitors 1').waitFor();
});

it('has guides for what a website is made with, which arrow keys reach and the address names', async () => {
  const site = await website(service.api);
  const page = await signedIn(`?website=${site.id}`);
  const guide = page.getByRole('tabpanel');
  await guide.getByText(`<script defer src="${service.address}/tracker.js"></script>`).waitFor();
  await page.getByRole('tab', { name: 'HTML' }).focus();
  for (const [title, code] of [
    ['Google Tag Manager', "document.createElement('script')"],
    ['WordPress', 'wp_enqueue_script'],
    ['Next.js', "import Script from 'next/script'"],
  ] as const) {
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: title, selected: true }).waitFor();
    await guide.getByText(code).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  }
  expect(new URL(page.url()).searchParams.get('guide')).toBe('next');
  await page.reload();
  await page.getByRole('tab', { name: 'Next.js', selected: true }).waitFor();
  await page.getByRole('link', { name: 'Milepost' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  browser.complaints.length = 0;
});

it('says that there is no such website, and leads back', async () => {
  const page = await signedIn('?website=999999');
  await page.getByText('There is no such website, or your key may not read it.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Back to websites' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
});

async function expectDescribed(input: Locator, text: string): Promise<void> {
  const id = await input.getAttribute('aria-describedby');
  expect(await input.page().locator(`#${id}`).innerText()).toBe(text);
}

it('changes every option, and says at the field what is wrong', async () => {
  const site = await website(service.api);
  const page = await signedIn(`?website=${site.id}&view=options`);
  const save = () => page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Who can see the statistics').selectOption('2');
  await page.getByLabel('Excluded IP addresses').fill('203.0.113.7\nnonsense');
  await save();
  await page.getByText(/^Excluded IP addresses .*nonsense/).waitFor();
  await page.getByLabel('Excluded IP addresses').fill('203.0.113.7');
  await save();
  await page.getByText('Password of the statistics is required while privacy is 2').waitFor();
  await page.getByLabel('Password of the statistics').fill('hush');
  await page.getByLabel('Exclude known bots').uncheck();
  await page.getByLabel('Send reports by mail').check();
  await page.getByLabel('Excluded query parameters').fill('session\nref_*');
  const sharing = page.getByLabel('Let viewers of the shared statistics filter and combine');
  const risk = 'Single visitors, though nobody knows who they are, can then be told apart.';
  await expectDescribed(sharing, risk);
  await sharing.check();
  await page.getByLabel('Additional allowed hosts').fill('shop.example.net');
  await save();
  await page.getByText('Saved.').waitFor();
  expect((await service.api.get(`/api/v1/websites/${site.id}`)).body.data).toMatchObject({
    privacy: 2,
    has_password: true,
    exclude_bots: 0,
    email: 1,
    exclude_ips: '203.0.113.7',
    exclude_params: 'session\nref_*',
    allowed_origins: 'shop.example.net',
    share_filters: 1,
  });
  await page.getByRole('link', { name: `/share/${site.domain}` }).waitFor();
  await page.getByLabel('Forget the stored password').check();
  await save();
  await page.getByText(/^Password of the statistics .*required while privacy is 2/).waitFor();
  await page.getByLabel('Who can see the statistics').selectOption('1');
  await save();
  await page.getByLabel('Forget the stored password').waitFor({ state: 'detached' });
  expect((await service.api.get(`/api/v1/websites/${site.id}`)).body.data.has_password).toBe(false);
});

it('finds, sorts and marks websites', async () => {
  for (const name of ['zebra', 'lion', 'gnu', 'ibex'])
    await website(service.api, { domain: `${name}.example` });
  await website(service.api, { domain: 'aardvark.example' });
  const page = await signedIn();
  const domains = page.locator('.domain');
  const onlyShows = async (domain: string) => {
    await until(async () => (await domains.allInnerTexts()).join() === domain);
  };
  await page.getByRole('combobox', { name: 'Order' }).selectOption('domain');
  await page.waitForURL(/sort=domain/);
  await until(async () => (await domains.first().innerText()) === 'aardvark.example');
  await page.getByRole('button', { name: 'Favorite zebra.example' }).click();
  await page.getByRole('button', { name: 'Favorite zebra.example', pressed: true }).waitFor();
  await page.getByRole('button', { name: '★ Favorites' }).click();
  await onlyShows('zebra.example');
  await page.goBack();
  await page.getByRole('searchbox').fill('aardv');
  await onlyShows('aardvark.example');
  await page.getByRole('searchbox').fill('no such');
  await page.getByText('Nothing matches.').waitFor();
});

it('draws the last 30 days of each website, all from one request', async () => {
  const sites = [await website(service.api), await website(service.api)];
  for (const { id } of sites) await fillCounters(service.database, id, 'visitor', [[TODAY, TODAY, 42 + id]]);
  const page = await open();
  const requested: string[] = [];
  page.on('request', (request) => request.url().includes('/recent') && requested.push(request.url()));
  await page.getByLabel('API key').fill(FIRST_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  for (const { id, domain } of sites)
    await page.getByRole('img', { name: `${domain}: ${42 + id} visitors in the last 30 days` }).waitFor();
  expect(requested).toHaveLength(1);
});

it('deletes a website after a question that names it', async () => {
  const site = await website(service.api);
  const page = await signedIn(`?website=${site.id}&view=options`);
  await page.getByRole('button', { name: 'Delete this website' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${site.domain}?` });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Delete this website' }).click();
  await dialog.getByRole('button', { name: `Delete ${site.domain}` }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  expect((await service.api.get(`/api/v1/websites/${site.id}`)).status).toBe(404);
});

it('makes a key, shows it once, and deletes it', async () => {
  const page = await signedIn('?view=keys');
  await page.getByLabel('Name').fill('dashboard');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page.locator('.made code').innerText();
  expect((await service.api.as(key).get('/api/v1/websites')).status).toBe(200);
  const row = page.getByRole('listitem').filter({ hasText: 'dashboard' });
  await row.waitFor();
  await page.getByRole('button', { name: 'Delete dashboard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the key' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await service.api.as(key).get('/api/v1/websites')).status).toBe(401);
});

it('shows the statistics of a private website', async () => {
  const site = await website(service.api, { privacy: 1 });
  await fillCounters(service.database, site.id, 'visitor', [[TODAY, TODAY, 42]]);
  await fillCounters(service.database, site.id, 'page', [[TODAY, '/hello', 7]]);
  const page = await signedIn();
  await page.getByRole('link', { name: site.domain, exact: true }).click();
  await page
    .getByRole('button', { name: /^Visitors/ })
    .getByText('42')
    .waitFor();
  await page.getByRole('link', { name: 'Today' }).click();
  await page.getByText('/hello').waitFor();
  await page.goto(`${service.address}/share/${site.domain}`);
  await page
    .getByRole('button', { name: /^Visitors/ })
    .getByText('42')
    .waitFor();
});

it('lets a key that may only read see all of it, and change nothing', async () => {
  const made = await service.api.post('/api/v1/keys', { form: { scope: 'read' } });
  const site = await website(service.api);
  const page = await signedIn('', made.body.data.key);
  await page.getByRole('link', { name: site.domain, exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Add a website' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
  await page.goto(`${service.address}/?website=${site.id}&view=options`);
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Delete this website' }).count()).toBe(0);
});

it.each([
  ['light', 1280],
  ['dark', 320],
] as const)('%s and %i wide, it fits, and has no fault that axe finds', async (colorScheme, width) => {
  const site = await website(service.api, { privacy: 0 });
  const page = await open();
  await showOn(page, colorScheme, width);
  await page.getByLabel('API key').waitFor();
  await expectToFit(page, width);
  await page.getByLabel('API key').fill(FIRST_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  for (const [query, loaded] of [
    ['', page.getByRole('link', { name: site.domain, exact: true })],
    ['?view=new', page.getByLabel('Domain')],
    ['?view=keys', page.getByRole('listitem').getByRole('button').first()],
    [`?website=${site.id}&view=options`, page.getByLabel('Additional allowed hosts')],
    [`?website=${site.id}`, page.getByText('Waiting for the first visit.')],
  ] as const) {
    await page.goto(`${service.address}/${query}`);
    await loaded.waitFor();
    await page.locator('h1').waitFor();
    await expectToFit(page, width);
  }
});
