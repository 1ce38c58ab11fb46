import { readFileSync } from 'node:fs';
import type { Locator, Page, Response, Route } from 'playwright-core';
import { DeliveriesRepository } from '../../../src/reports/deliveries.repository';
import { openBrowser, type TestBrowser, untilTrue } from '../../support/browser';
import { accountMenu, signedIn } from '../../support/console-page';
import { untilCounted } from '../../support/counted';
import { painted, shiftsOf, watchShifts } from '../../support/layout-shifts';
import { type Site, visit, website } from '../../support/sending';
import { openMenu } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
import { ROW_STATEMENTS } from '../../../web/src/console/website/options/row-statements';

let service: TestApp;
let browser: TestBrowser;
beforeAll(async () => void ([service, browser] = await Promise.all([startApp(), openBrowser()])));
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(() => browser.closePages());

async function options({ id }: Site, section: string, from = service): Promise<Page> {
  return signedIn(browser, from, `?website=${id}&view=options&section=${section}`);
}

const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
const saved = (page: Page) => page.getByRole('status').getByText('Saved').waitFor();
const stored = async ({ id }: Site) => (await service.api.get(`/api/v1/websites/${id}`)).body.data;
/** The switch itself is drawn by its label. */
const toggle = (page: Page, name: string) => page.getByRole('switch', { name }).click({ force: true });

async function expectDescribed(input: Locator, text: string): Promise<void> {
  const id = await input.getAttribute('aria-describedby');
  expect(await input.page().locator(`#${id}`).innerText()).toBe(text);
}

it('leads to each section by its address, and back', async () => {
  const site = await website(service.api);
  const page = await options(site, '');
  await page.getByRole('heading', { name: site.domain }).waitFor();
  expect(await page.title()).toBe(`Options · ${site.domain} · Milepost`);
  for (const [name, section] of [
    ['Sharing', 'sharing'],
    ['Exclusions', 'exclusions'],
    ['Reports and alerts', 'reports'],
    ['Install', 'install'],
    ['Export', 'export'],
    ['Danger zone', 'danger'],
  ] as const) {
    await page.getByRole('link', { name }).click();
    await page.locator('.options-body .card').first().waitFor();
    expect(await page.title()).toBe(`${name} · ${site.domain} · Milepost`);
    expect(new URL(page.url()).searchParams.get('section')).toBe(section);
    expect(await page.getByRole('link', { name }).getAttribute('aria-current')).toBe('page');
  }
  await page.goBack();
  await page.getByRole('link', { name: 'Download NDJSON' }).waitFor();
});

it('keeps what the statistics show on the way to the options and back, and changes websites', async () => {
  const [site, other] = [await website(service.api), await website(service.api)];
  await visit(service.api, site);
  await untilCounted(service.api, site.id);
  const page = await signedIn(browser, service, `?website=${site.id}&range=7d&f=is:page:/&compare=off`);
  const shown = () => [...new URL(page.url()).searchParams];
  const before = shown();
  const places = page.getByRole('navigation', { name: 'Milepost' });
  const ofAccount = async () => {
    const links = ['Websites', 'Keys', 'Webhooks'].map((name) => places.getByRole('link', { name }));
    return Promise.all(links.map((link) => link.boundingBox()));
  };
  const onWebsite = await ofAccount();
  await places.getByRole('link', { name: 'Options' }).click();
  await page.getByRole('link', { name: 'Exclusions' }).click();
  await page.getByLabel('Excluded IP addresses').waitFor();
  await places.getByRole('link', { name: 'Statistics' }).click();
  await page.getByRole('button', { name: 'Remove: Page is /' }).waitFor();
  expect(shown()).toEqual(before);
  await page.goBack();
  await (await openMenu(page, 'site')).getByRole('link', { name: other.domain }).click();
  await page.waitForURL((url) => url.searchParams.get('website') === String(other.id));
  await page.getByRole('link', { name: 'Exclusions' }).and(page.locator('[aria-current=page]')).waitFor();
  await untilTrue(page, `document.activeElement.textContent.includes('${other.domain}')`);
  await page.getByRole('navigation').getByRole('link', { name: 'Websites' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(await ofAccount()).toEqual(onWebsite);
});

it('asks before edits are lost that are not saved', async () => {
  const site = await website(service.api);
  const page = await options(site, 'exclusions');
  const asked: string[] = [];
  let leaves = false;
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void (leaves ? dialog.accept() : dialog.dismiss());
  });
  const general = page.getByRole('link', { name: 'General' });
  const field = page.getByLabel('Excluded IP addresses');
  await general.click();
  await page.getByLabel('Additional allowed hosts').waitFor();
  await page.goBack();
  await field.fill('203.0.113.8');
  await page.getByText('Not saved yet').waitFor();
  await general.click();
  await page.evaluate('history.forward()');
  await until(() => asked.length === 2);
  expect(await field.inputValue()).toBe('203.0.113.8');
  expect(new URL(page.url()).searchParams.get('section')).toBe('exclusions');
  await field.fill('');
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  await field.fill('203.0.113.9');
  await save(page);
  await saved(page);
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  await toggle(page, 'Exclude known bots');
  await page.getByText('Not saved yet').waitFor();
  await page.getByRole('link', { name: 'Exclusions' }).click();
  await accountMenu(page).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await until(() => asked.length === 3);
  leaves = true;
  await general.click();
  await page.getByLabel('Additional allowed hosts').fill('shop.example.net');
  await page.getByText('Not saved yet').waitFor();
  const isTabAsked = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`;
  expect(await page.evaluate(isTabAsked)).toBe(true);
  await page.getByLabel('Additional allowed hosts').fill('');
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect(await page.evaluate(isTabAsked)).toBe(false);
  expect(asked).toEqual(['confirm', 'confirm', 'confirm', 'confirm']);
  expect(await stored(site)).toMatchObject({ exclude_ips: '203.0.113.9', exclude_bots: 1 });
});

it('does not take for saved what is typed while it saves', async () => {
  const site = await website(service.api);
  const page = await options(site, 'exclusions');
  let answer!: () => void;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`**/websites/${site.id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held;
    await route.continue();
  });
  const field = page.getByLabel('Excluded IP addresses');
  await field.fill('203.0.113.8');
  await save(page);
  await field.fill('203.0.113.9');
  answer();
  await saved(page);
  await painted(page);
  await page.getByText('Not saved yet').waitFor();
  await save(page);
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect((await stored(site)).exclude_ips).toBe('203.0.113.9');
});

it('sends the changed fields alone, so that what was changed elsewhere stays', async () => {
  const site = await website(service.api, { exclude_ips: '203.0.113.7' });
  const page = await options(site, 'exclusions');
  await page.getByLabel('Excluded URL parameters').fill('session');
  const elsewhere = { exclude_ips: '203.0.113.8', exclude_bots: 0 };
  await service.api.patch(`/api/v1/websites/${site.id}`, { form: elsewhere });
  await save(page);
  await saved(page);
  expect(await stored(site)).toMatchObject({ ...elsewhere, exclude_params: 'session' });
  await page.getByLabel('Excluded URL parameters').fill('');
  await page.getByText('Not saved yet').waitFor();
  await save(page);
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect(await stored(site)).toMatchObject({ ...elsewhere, exclude_params: null });
});

it('saves each section for itself, and moves nothing', async () => {
  const site = await website(service.api, { privacy: 0, exclude_ips: '203.0.113.7' });
  const page = await options(site, 'exclusions');
  await watchShifts(page);
  await page.reload();
  await page.getByLabel('Excluded IP addresses').fill('203.0.113.7\nnonsense');
  await save(page);
  await page.getByText(/^Excluded IP addresses .*nonsense/).waitFor();
  await page.getByLabel('Excluded IP addresses').fill('203.0.113.8');
  await page.getByLabel('Excluded URL parameters').fill('session\nref_*');
  await toggle(page, 'Exclude known bots');
  const [request] = await Promise.all([page.waitForRequest((sent) => sent.method() === 'PATCH'), save(page)]);
  await saved(page);
  expect(Object.keys(request.postDataJSON() as object).sort()).toEqual([
    'exclude_bots',
    'exclude_ips',
    'exclude_params',
  ]);
  expect(await stored(site)).toMatchObject({
    exclude_bots: 0,
    exclude_ips: '203.0.113.8',
    exclude_params: 'session\nref_*',
  });
  expect(await shiftsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'General' }).click();
  await page.getByLabel('Additional allowed hosts').fill('shop.example.net');
  // The word that it is saved may still be that of the section before.
  const isChange = (answer: Response) => answer.request().method() === 'PATCH';
  const saveIn = (name: string) =>
    Promise.all([
      page.waitForResponse(isChange),
      page.getByRole('group', { name }).getByRole('button', { name: 'Save' }).click(),
    ]);
  await saveIn('Hosts');
  expect(await stored(site)).toMatchObject({ allowed_origins: 'shop.example.net', titles: 0 });
  await toggle(page, 'Keep the titles of pages');
  await saveIn('Titles');
  expect(await stored(site)).toMatchObject({ allowed_origins: 'shop.example.net', titles: 1 });
});

it('excludes the address that the reader has', async () => {
  const site = await website(service.api, { exclude_ips: '203.0.113.7' });
  const page = await options(site, 'exclusions');
  await page.getByRole('button', { name: 'Exclude my current address (127.0.0.1)' }).click();
  await page.getByText('Not saved yet').waitFor();
  await save(page);
  await page.getByText('Your current address, 127.0.0.1, is excluded.').waitFor();
  expect(await stored(site)).toMatchObject({ exclude_ips: '203.0.113.7\n127.0.0.1' });
});

it('asks for a password where it applies alone, and can forget it', async () => {
  const site = await website(service.api);
  const page = await options(site, 'sharing');
  const password = page.getByLabel('Password of the statistics');
  const choose = (name: string) => page.getByRole('radio', { name }).check({ force: true });
  expect([await password.count(), await page.getByRole('switch').count()]).toEqual([0, 0]);
  expect(await page.getByText('/share/').count()).toBe(0);
  await choose('Password');
  await save(page);
  expect(await page.evaluate('document.activeElement.validity.valueMissing')).toBe(true);
  await password.fill('hush');
  const risk = 'Viewers may then be able to single out individual (anonymous) visits.';
  await expectDescribed(page.getByRole('switch', { name: /Let viewers/ }), risk);
  await toggle(page, 'Let viewers of the shared statistics filter and combine');
  await save(page);
  await page.getByRole('link', { name: `/share/${site.domain}` }).waitFor();
  expect(await page.getByText('<iframe').count()).toBe(0);
  expect(await stored(site)).toMatchObject({ privacy: 2, has_password: true, share_filters: 1 });
  await choose('Private');
  await toggle(page, 'Forget the stored password');
  await save(page);
  await page.getByRole('switch', { name: 'Forget the stored password' }).waitFor({ state: 'detached' });
  expect(await stored(site)).toMatchObject({ privacy: 1, has_password: false, share_filters: 1 });
});

it('has the link and the code to embed of a public website', async () => {
  const site = await website(service.api, { privacy: 0 });
  const page = await options(site, 'sharing');
  const link = `${service.address}/share/${site.domain}`;
  await page.getByRole('button', { name: 'Copy link' }).click();
  expect(await page.evaluate('String(getSelection())')).toBe(link);
  await page.getByText(`<iframe src="${link}?embed"`).waitFor();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  expect(await page.evaluate('String(getSelection())')).toContain('</iframe>');
});

it('offers no reports without a mail server', async () => {
  const page = await options(await website(service.api), 'reports');
  await page.getByText('Email isn’t set up. On the server, set SMTP_URL').waitFor();
  expect(await page.getByRole('switch').isDisabled()).toBe(true);
});

it('says when reports are sent, to whom, and what became of the last', async () => {
  const mailing = await startApp({
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'stats@example.com',
    TIMEZONE: 'UTC',
  });
  try {
    const site = await website(mailing.api);
    const page = await options(site, 'reports', mailing);
    await page.getByText('A summary of each week, Monday to Sunday').waitFor();
    await page.getByText(/^Mon, .* if reports are on$/).waitFor();
    await page.getByText('admin@localhost', { exact: true }).waitFor();
    await page.getByText('None so far').waitFor();
    await toggle(page, 'Send reports by email');
    await save(page);
    await saved(page);
    await page.getByText(/^Mon, [^,]* \d+, \d{4}$/).waitFor();
    expect((await mailing.api.get(`/api/v1/websites/${site.id}`)).body.data.email).toBe(1);
    await settle(mailing, site);
    await page.reload();
    await page.getByText('Failed on Thu, Jan 15, 2026: the mailbox is full').waitFor();
  } finally {
    await mailing.stop();
  }
});

/** Stores a report that failed. */
async function settle({ app, database }: TestApp, { id }: Site): Promise<void> {
  const key = { websiteId: id, every: 'weekly', firstDay: 20_000 } as const;
  const at = Date.parse('2026-01-15T12:00:00Z');
  const deliveries = app.get(DeliveriesRepository, { strict: false });
  await deliveries.seize(key, 'test', await database.now(), Date.now() + 60_000);
  const failed = { state: 'failed', reason: 'the mailbox is full', attempts: 1, dueAt: at } as const;
  await deliveries.settle(key, 'test', failed, at);
}

it('excludes a browser where the website has the address of the console, and elsewhere says how', async () => {
  const away = await website(service.api);
  const page = await options(away, 'exclusions');
  await page.getByText("localStorage.milepost_ignore = '1'").waitFor();
  expect(await page.getByRole('switch', { name: 'Exclude this browser' }).count()).toBe(0);
  const here = await website(service.api, { domain: 'same.example' });
  const answer = async (route: Route) => {
    const url = route.request().url().replace('http://same.example', service.address);
    const headers = { ...route.request().headers(), host: 'same.example' };
    await route.fulfill({ response: await route.fetch({ url, headers }) });
  };
  // Requests of a page that is left are not answered.
  await page.route('http://same.example/**', (route) => answer(route).catch(() => undefined));
  const { cookies } = await page.context().storageState();
  await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, domain: 'same.example' })));
  await page.goto(`http://same.example/?website=${here.id}&view=options&section=exclusions`);
  await toggle(page, 'Exclude this browser');
  expect(await page.evaluate('localStorage.milepost_ignore')).toBe('1');
  await page.reload();
  await page.getByRole('switch', { name: 'Exclude this browser', checked: true }).click({ force: true });
  expect(await page.evaluate('localStorage.milepost_ignore')).toBeUndefined();
});

it('exports everything, or the hits of a range of days', async () => {
  const site = await website(service.api);
  await visit(service.api, site);
  await untilCounted(service.api, site.id);
  const page = await options(site, 'export');
  const download = async (control: Locator) => {
    const [file] = await Promise.all([page.waitForEvent('download'), control.click()]);
    return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')] as const;
  };
  const [csvName, csv] = await download(page.getByRole('button', { name: 'Download CSV' }));
  expect(csvName).toBe(`${site.domain}.csv`);
  expect(csv.trim().split('\n')).toHaveLength(2);
  expect(csv).toMatch(/^occurred_at,/);
  const [, ndjson] = await download(page.getByRole('link', { name: 'Download NDJSON' }));
  expect(await page.getByRole('link', { name: 'Download NDJSON' }).getAttribute('href')).toContain(
    'from=1970-01-01',
  );
  expect(JSON.parse(ndjson)).toMatchObject({ page: '/' });
  await page.getByLabel('Date range').selectOption('Custom range');
  await page.getByLabel('Last day').fill('2020-01-01');
  await page.getByText('The first day must not be after the last.').waitFor();
  expect(await page.getByRole('button', { name: 'Download CSV' }).isDisabled()).toBe(true);
});

it('shows how SQL reads the hits, where they are rows', async () => {
  const site = await website(service.api);
  const page = await options(site, 'export');
  await page.getByRole('heading', { name: 'Export all hits' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Read hits with SQL' }).count()).toBe(0);
  const withRows = await startApp({ HITS_URL: 'rows' });
  const own = await website(withRows.api);
  const shown = await options(own, 'export', withRows);
  await shown.getByRole('heading', { name: 'Read hits with SQL' }).waitFor();
  expect(await shown.locator('.statements code').allInnerTexts()).toEqual(
    Object.values(ROW_STATEMENTS).map((statement) => statement(own.id)),
  );
  await withRows.stop();
});

it('deletes a website once its domain is typed', async () => {
  const site = await website(service.api);
  const page = await options(site, 'danger');
  const ask = () => page.getByRole('button', { name: 'Delete this website' }).click();
  await ask();
  const dialog = page.getByRole('dialog', { name: `Delete ${site.domain}?` });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await ask();
  const confirm = dialog.getByRole('button', { name: `Delete ${site.domain}` });
  await dialog.getByRole('textbox').fill(`${site.domain}x`);
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill(site.domain);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  expect((await service.api.get(`/api/v1/websites/${site.id}`)).status).toBe(404);
});
