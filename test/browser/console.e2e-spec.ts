import type { Page } from 'playwright-core';
import { dayText } from '../../engine/ground/time/days';
import { DemoService } from '../../src/demo/demo.service';
import { openBrowser, type TestBrowser } from '../support/browser';
import { accountMenu, openConsole, signIn, signOut } from '../support/console-page';
import { expectToFit, faultsOf, showOn } from '../support/faults';
import { BOT, FIREFOX } from '../support/agents';
import { timezoneAtNoon, untilCounted, untilDropped } from '../support/counted';
import { passTime } from '../support/passing-time';
import { addHits, visitorsOn } from '../support/past-days';
import { shiftsOf, watchShifts } from '../support/layout-shifts';
import { chooseRange, figure, fastForwardUntil } from '../support/statistics-page';
import { sendBatch, type Site, visit, website } from '../support/sending';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const TIMEZONE = timezoneAtNoon();
const today = Math.floor(Date.now() / 86_400_000);
const [TODAY, YESTERDAY, MONTH_BEFORE, LONG_AGO] = [today, today - 1, today - 31, today - 60].map(
  dayText,
) as [string, string, string, string];

let service: TestApp;
let browser: TestBrowser;
const elsewhere: string[] = [];
beforeAll(async () => void ([service, browser] = await Promise.all([startApp({ TIMEZONE }), openBrowser()])));
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(elsewhere.splice(0)).toEqual([]);
});

async function open(query = ''): Promise<Page> {
  const page = await openConsole(browser, service, query);
  page.on('request', (request) => {
    if (!request.url().startsWith(service.address)) elsewhere.push(request.url());
  });
  return page;
}

async function openSignedIn(query = '', key = FIRST_KEY): Promise<Page> {
  const page = await open(query);
  await signIn(browser, page, key);
  return page;
}

it('keeps no key in the browser except in a password manager, and forgets who signed out', async () => {
  const files: string[] = [];
  const page = await browser.newPage();
  page.on('response', (response) => files.push(new URL(response.url()).pathname));
  const areStatisticsLoaded = () => files.some((file) => /\/website-[^/]*\.js$/.test(file));
  await page.goto(service.address);
  expect(await page.locator('form [autocomplete=username]').inputValue()).toBe('Milepost');
  expect(await page.getByLabel('API key').getAttribute('autocomplete')).toBe('current-password');
  await page.getByLabel('API key').fill('wrong-key-wrong-key-wrong-key');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This key is not valid. Check that you copied all of it.').waitFor();
  expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
  expect(areStatisticsLoaded()).toBe(false);
  await page.getByLabel('API key').fill(FIRST_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  await until(areStatisticsLoaded);
  const state = await page.context().storageState({ indexedDB: true });
  expect(JSON.stringify(state)).not.toContain(FIRST_KEY);
  expect(state.origins).toEqual([]);
  expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual([
    '',
    0,
    0,
  ]);
  await page.reload();
  await signOut(page);
  await page.getByLabel('API key').waitFor();
  await page.reload();
  await page.getByLabel('API key').waitFor();
});

it('adds a website from a pasted address, and leads by the script to its first visit', async () => {
  const page = await open();
  await page.clock.install();
  await signIn(browser, page);
  await page.getByRole('heading', { name: 'Add your first website' }).waitFor();
  await page.getByRole('button', { name: 'Load demo data' }).waitFor();
  expect(await page.getByRole('searchbox').count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Add a website' }).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Add a website' }).click();
  await page.getByLabel('Domain').fill('new_.example');
  await page
    .getByText('That is not a domain: enter something like example.com, with labels of letters')
    .waitFor();
  await page.getByRole('button', { name: 'Add website' }).click();
  await page.getByText('That is not a domain: enter something like example.com').waitFor();
  expect(await page.getByLabel('Domain').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Domain').fill('https://www.New.example:8088/foo');
  await page.getByText('new.example will be added.').waitFor();
  await page.getByRole('button', { name: 'Add website' }).click();
  await page.getByRole('heading', { name: 'new.example', exact: true }).waitFor();
  expect(await page.title()).toBe('Install · new.example · Milepost');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Script' })
    .and(page.locator('[aria-current=step]'))
    .waitFor();
  await page.getByText(`<script defer src="${service.address}/tracker.js"></script>`).waitFor();
  await page.getByText('Only this computer reaches this address. Set BASE_URL').waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  expect(await page.evaluate('String(getSelection())')).toContain('/tracker.js');
  await page.getByText('Waiting for the first visit.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await visit(service.api, { domain: 'new.example' });
  await fastForwardUntil(page, page.getByText(/^First visit received: \/ · country unknown/));
  await page.locator('[aria-current=step]').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText(/^First visit received: \/ · country unknown/).waitFor();
  await page.getByRole('link', { name: 'View statistics' }).click();
  await page.getByRole('heading', { name: 'Pages' }).waitFor();
  expect(await page.title()).toBe('new.example · Milepost');
});

it('shows the script in the place of statistics until there are some, and what to check while nothing comes', async () => {
  const site = await website(service.api);
  const page = await open();
  await page.clock.install();
  await signIn(browser, page);
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
  await fastForwardUntil(page, view);
  await view.click();
  await figure(page, 'Visitors 1').waitFor();
});

it('says why visits were left out, first of all the own ones', async () => {
  const site = await website(service.api, { exclude_bots: 1, exclude_ips: '203.0.113.9' });
  const page = await open();
  await page.clock.install();
  await signIn(browser, page);
  await sendBatch(service.api, site, [{ ip: '203.0.113.9' }]);
  await untilDropped(service.api, site.id, 1);
  await page.goto(`${service.address}/?website=${site.id}&view=install`);
  await page.getByText('Left out so far: excluded IP address (1).').waitFor();
  await visit(service.api, site, { 'User-Agent': BOT });
  await fastForwardUntil(
    page,
    page.getByText('Your own visit was left out just now: headless browser or bot.'),
  );
  await page.getByText('Open the page in an ordinary browser window').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  // The service has forgotten it, as one of its other processes does not know it.
  passTime(3 * 60_000);
  await page.clock.fastForward(3 * 60_000);
  await page.getByText(/^Your own visit was left out \d minutes ago: headless browser/).waitFor();
  await visit(service.api, site);
  await fastForwardUntil(page, page.getByText(/^First visit received/));
  expect(await page.getByText('was left out').count()).toBe(0);
  await untilDropped(service.api, site.id, 2);
  for (const [query, line] of [
    ['', '2 events were left out in this range'],
    ['&view=options&section=exclusions', '2 events were left out in the last 28 days'],
  ]) {
    await page.goto(`${service.address}/?website=${site.id}${query}`);
    // The line of the statistics is below the first screen.
    await page.locator('.card').first().waitFor();
    await until(async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return page.getByText(line!).isVisible();
    });
    await page.getByText(line!).click();
    await page.getByRole('columnheader', { name: 'excluded IP address' }).waitFor();
    expect(await page.locator('.dropped tbody tr').count()).toBe(2);
    expect(await faultsOf(page)).toEqual([]);
  }
});

it('previews what the service would answer, and shows domains in their own letters', async () => {
  await website(service.api, { domain: 'taken.example' });
  const page = await openSignedIn('?view=new');
  for (const [typed, said] of [
    ['*.shop.example', 'That is not a domain: enter shop.example.'],
    ['ann@shop.example', 'That is not a domain: enter shop.example.'],
    [`${'x'.repeat(80)}.example`, 'That is not a domain: enter something like example.com, with labels'],
    ['taken.example', 'That is already registered.'],
    ['co.uk', 'That must not be a public suffix'],
    ['https://www.müller-straße.example/pfad', 'müller-straße.example will be added.'],
  ] as const) {
    await page.getByLabel('Domain').fill(typed);
    await page.locator('.taken', { hasText: said }).waitFor();
  }
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add website' }).click();
  await page.getByRole('heading', { name: 'müller-straße.example' }).waitFor();
  expect(await page.title()).toBe('Install · müller-straße.example · Milepost');
  await page.getByRole('link', { name: 'Milepost' }).click();
  await page.getByRole('link', { name: 'müller-straße.example', exact: true }).click();
  await page.locator('.site-name', { hasText: 'müller-straße.example' }).waitFor();
  browser.complaints.length = 0;
});

it('loads demo data in one click', async () => {
  const api = await service.anotherUser();
  const key = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data.key;
  const page = await openSignedIn('', key);
  jest.spyOn(service.app.get(DemoService), 'fillDay').mockRejectedValueOnce(new Error('the disk is full'));
  await page.getByRole('button', { name: 'Load demo data' }).click();
  await page.getByText('Not all demo data could be loaded.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Options of the demo website' }).click();
  await page.locator('.site-name', { hasText: 'demo.example' }).waitFor();
  const [{ id }] = (await api.get('/api/v1/websites')).body.data;
  await api.delete(`/api/v1/websites/${id}`);
  await page.goto(service.address);
  await page.getByRole('button', { name: 'Load demo data' }).click();
  await page.getByText(/^Loading demo data: [\d.]+%$/).waitFor();
  await page.locator('.site-name', { hasText: 'demo.example' }).waitFor();
  await page.getByText('/pricing', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: /[1-9]\d* visitors now/ }).waitFor();
});

it('adds a website by the keyboard alone', async () => {
  const page = await openSignedIn();
  await page.getByRole('link', { name: 'Add a website' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Paste any URL of your site.').waitFor();
  await page.keyboard.type('https://typed.example/');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'typed.example' }).waitFor();
  await page.getByRole('button', { name: 'Copy' }).focus();
  await page.keyboard.press('Enter');
  expect(await page.evaluate('String(getSelection())')).toContain('/tracker.js');
});

it('has guides for what a website is made with, which arrow keys reach and the address names', async () => {
  const site = await website(service.api);
  const page = await openSignedIn(`?website=${site.id}`);
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
  await page.getByLabel('Outbound links').check();
  await page.getByLabel('Pages not found').check();
  await guide.getByText('data-outbound="" data-404=""').waitFor();
  expect(new URL(page.url()).searchParams.get('guide')).toBe('next');
  await page.reload();
  await page.getByRole('tab', { name: 'Next.js', selected: true }).waitFor();
  await page.getByRole('link', { name: 'Milepost' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  browser.complaints.length = 0;
});

it('says that there is no such website, and leads back', async () => {
  const page = await openSignedIn('?website=999999');
  await page.getByText('This website doesn’t exist, or your key can’t read it.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Back to websites' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
});

const domainsOf = (page: Page) => page.locator('.domain').allInnerTexts();
const untilListed = (page: Page, domains: string[]) =>
  until(async () => (await domainsOf(page)).join() === domains.join());

it('finds, sorts and marks websites, with a search from six on', async () => {
  const api = await service.anotherUser();
  const key = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data.key;
  for (const name of ['zebra', 'lion', 'gnu', 'ibex', 'aardvark'])
    await website(api, { domain: `${name}.example` });
  const page = await openSignedIn('', key);
  await untilListed(page, [
    'aardvark.example',
    'ibex.example',
    'gnu.example',
    'lion.example',
    'zebra.example',
  ]);
  expect(await page.getByRole('searchbox').count()).toBe(0);
  await website(api, { domain: 'yak.example' });
  await page.reload();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('domain');
  await page.waitForURL(/sort=domain/);
  await until(async () => (await domainsOf(page))[0] === 'aardvark.example');
  await page.getByRole('button', { name: 'Favorite zebra.example' }).click();
  await page.getByRole('button', { name: 'Favorite zebra.example', pressed: true }).waitFor();
  await until(async () => (await domainsOf(page))[0] === 'zebra.example');
  await page.getByRole('button', { name: 'Favorites' }).click();
  await untilListed(page, ['zebra.example']);
  await page.goBack();
  await page.getByRole('searchbox').fill('aardv');
  await untilListed(page, ['aardvark.example']);
  await page.getByRole('searchbox').fill('no such');
  await page.getByText('Nothing matches.').waitFor();
  await page.getByRole('link', { name: 'Milepost' }).click();
  await page.waitForURL((url) => url.search === '');
  await untilListed(
    page,
    ['zebra', 'aardvark', 'gnu', 'ibex', 'lion', 'yak'].map((name) => `${name}.example`),
  );
  expect(await page.getByRole('combobox', { name: 'Order' }).inputValue()).toBe('domain');
});

it('shows the numbers of all websites and their total from one request, and sorts by visitors', async () => {
  const api = await service.anotherUser();
  const key = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data.key;
  const [busy, quiet, empty] = [await website(api), await website(api), await website(api)];
  await addHits(service, busy.id, [
    ...visitorsOn(TODAY, 40),
    ...visitorsOn(YESTERDAY, 30),
    ...visitorsOn(MONTH_BEFORE, 20),
    ...visitorsOn(LONG_AGO, 1),
  ]);
  await addHits(service, quiet.id, visitorsOn(TODAY, 1042));
  const requested: string[] = [];
  const page = await open();
  page.on('request', (request) => request.url().includes('/recent') && requested.push(request.url()));
  await signIn(browser, page, key);
  const row = ({ domain }: Site) => page.getByRole('listitem').filter({ hasText: domain });
  await row(busy)
    .getByRole('img', { name: `${busy.domain}: 70 visitors in the last 28 days` })
    .waitFor();
  expect((await row(busy).locator('.change').innerText()).trim()).toBe('+50%');
  expect(await row(quiet).locator('.change').innerText()).toBe('');
  expect(await row(empty).locator('.spark.is-flat').count()).toBe(1);
  const total = page.getByRole('region', { name: 'Visitors of 3 websites in the last 28 days' });
  await total.getByText('1,112', { exact: true }).waitFor();
  await untilListed(page, [empty.domain, quiet.domain, busy.domain]);
  await page.getByRole('combobox', { name: 'Order' }).selectOption('visitors');
  await untilListed(page, [quiet.domain, busy.domain, empty.domain]);
  expect(requested).toHaveLength(1);
  await watchShifts(page);
  await page.reload();
  await untilListed(page, [quiet.domain, busy.domain, empty.domain]);
  await total.getByText('1,112', { exact: true }).waitFor();
  expect(await shiftsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await row(busy).getByText('0 now').waitFor();
  await row(busy).getByText('in 28 days', { exact: true }).waitFor();
  await row(busy)
    .getByRole('link', { name: `Options of ${busy.domain}` })
    .click();
  await page.waitForURL(/view=options/);
});

it('adds up and sorts more websites than a page has', async () => {
  const api = await service.anotherUser();
  const key = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data.key;
  const sites: Site[] = [];
  for (let count = 0; count < 102; count++) sites.push(await website(api));
  const [busiest, second] = sites as [Site, Site];
  await addHits(service, busiest.id, visitorsOn(YESTERDAY, 900));
  await addHits(service, second.id, [
    ...visitorsOn(TODAY, 60),
    ...visitorsOn(MONTH_BEFORE, 450),
    ...visitorsOn(LONG_AGO, 1),
  ]);
  const page = await openSignedIn('', key);
  const total = page.getByRole('region', { name: 'Visitors of 102 websites in the last 28 days' });
  await total.getByText('960', { exact: true }).waitFor();
  await total.getByText('+100%').waitFor();
  expect(await total.locator('.dot').count()).toBe(0);
  expect(await domainsOf(page)).toHaveLength(100);
  await page.route(/recent\/total\?page=2/, (route) => route.fulfill({ status: 500, json: {} }));
  await page.reload();
  await total.getByText('The total could not be added up.').waitFor();
  expect(await total.getByText('960').count()).toBe(0);
  await page.unroute(/recent\/total\?page=2/);
  await total.getByRole('button', { name: 'Try again' }).click();
  await total.getByText('960', { exact: true }).waitFor();
  browser.complaints.length = 0;
  await page.getByRole('combobox', { name: 'Order' }).selectOption('visitors');
  await until(async () => (await domainsOf(page))[0] === busiest.domain);
  expect((await domainsOf(page)).slice(0, 3)).toEqual(
    [busiest, second, sites.at(-1)!].map(({ domain }) => domain),
  );
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await untilListed(page, [sites[3]!.domain, sites[2]!.domain]);
  await page.getByRole('searchbox').fill(second.domain.replace('.com', ''));
  await untilListed(page, [second.domain]);
});

it('adds up 1,200 websites, and says for how many it does not', async () => {
  const api = await service.anotherUser();
  const key = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data.key;
  const userId = (await api.get('/api/v1/me')).body.data.id;
  const first = await website(api);
  await addWebsites(userId, 1199);
  const ids = (await api.get('/api/v1/websites?sort=asc&per_page=100&page=12')).body.data;
  await addHits(service, first.id, [
    ...visitorsOn(TODAY, 60),
    ...visitorsOn(MONTH_BEFORE, 450),
    ...visitorsOn(LONG_AGO, 1),
  ]);
  await addHits(service, ids.at(-1).id, visitorsOn(YESTERDAY, 900));
  const page = await openSignedIn('', key);
  const total = page.getByRole('region', { name: 'Visitors of 1,200 websites in the last 28 days' });
  await total.getByText('960', { exact: true }).waitFor();
  await total.getByText('+100%').waitFor();
  expect(await page.getByRole('combobox', { name: 'Order' }).locator('option').allInnerTexts()).toEqual([
    'Newest first',
    'By name',
  ]);
  await page.route(/console\/api\/websites\?/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { meta: { total: number } };
    body.meta.total = 10_001;
    await route.fulfill({ response: answer, json: body });
  });
  await page.reload();
  await page.getByText('The total is shown for up to 10,000 websites.').waitFor();
});

it('shows who is there now, and asks again while somebody looks', async () => {
  const api = await service.anotherUser();
  const key = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data.key;
  const site = await website(api);
  await visit(api, site);
  await untilCounted(api, site.id);
  const page = await open();
  await page.clock.install();
  await signIn(browser, page, key);
  await page.getByTitle('1 visitor in the last 5 minutes').waitFor();
  await visit(api, site, { 'User-Agent': FIREFOX });
  await fastForwardUntil(page, page.getByTitle('2 visitors in the last 5 minutes'), 30_000);
});

it('shows the statistics of a private website', async () => {
  const site = await website(service.api, { privacy: 1 });
  await addHits(service, site.id, visitorsOn(TODAY, 42, { page: '/hello' }));
  const page = await openSignedIn();
  await page.getByRole('link', { name: site.domain, exact: true }).click();
  await page
    .getByRole('button', { name: /^Visitors/ })
    .getByText('42')
    .waitFor();
  await chooseRange(page, 'Today');
  await page.getByText('/hello').waitFor();
  await page.goto(`${service.address}/share/${site.domain}`);
  await page
    .getByRole('button', { name: /^Visitors/ })
    .getByText('42')
    .waitFor();
});

it('lets a key that may only read see all of it, and change nothing', async () => {
  const made = await service.api.post('/api/v1/keys', { form: { name: 'test', scope: 'read' } });
  const site = await website(service.api);
  const page = await openSignedIn('', made.body.data.key);
  await page.getByRole('link', { name: site.domain, exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Add a website' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
  await page.goto(`${service.address}/?website=${site.id}&view=options`);
  await page.getByText('Your key can read these options but not change them.').waitFor();
  const saves = await page.getByRole('button', { name: 'Save' }).all();
  expect(await Promise.all(saves.map((save) => save.isDisabled()))).toEqual([true, true]);
  expect(await page.getByRole('link', { name: 'Danger zone' }).count()).toBe(0);
  await accountMenu(page).click();
  await page.getByText('This key can only read websites and statistics.').waitFor();
});

const SECTIONS = ['sharing', 'exclusions', 'reports', 'install', 'export', 'danger'];

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
    ['?view=keys', page.getByRole('button', { name: /^Delete / }).first()],
    [`?website=${site.id}&view=options`, page.getByLabel('Additional allowed hosts')],
    ...SECTIONS.map(
      (section) =>
        [
          `?website=${site.id}&view=options&section=${section}`,
          page.locator('.options-body .card').first(),
        ] as const,
    ),
    [`?website=${site.id}&view=install`, page.getByText('Waiting for the first visit.')],
    [`?website=${site.id}`, page.getByText('Waiting for the first visit.')],
  ] as const) {
    await page.goto(`${service.address}/${query}`);
    await loaded.waitFor();
    await page.locator('h1').waitFor();
    await expectToFit(page, width);
  }
  await accountMenu(page).click();
  await expectToFit(page, width);
  await page.goto(`${service.address}/?view=keys`);
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Only some').check();
  await expectToFit(page, width);
});

/** Faster than by requests. */
async function addWebsites(userId: number, count: number): Promise<void> {
  const { database } = service;
  const [{ id: model }] = await database.query<[{ id: number }]>(
    'SELECT id FROM websites WHERE user_id = ?',
    [userId],
  );
  const columns = 'privacy, email, exclude_bots, share_filters, access_version, created_at, updated_at';
  for (let number = 0; number < count; number++)
    await database.execute(
      `INSERT INTO websites (user_id, domain, ${columns}) SELECT user_id, ?, ${columns} FROM websites WHERE id = ?`,
      [`site-${number}.user-${userId}.example`, model],
    );
}
