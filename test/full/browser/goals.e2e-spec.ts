import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { signedIn } from '../../support/console-page';
import { timezoneAtNoon } from '../../support/counted';
import { define, definedNames, PRICING, SIGNUP } from '../../support/definitions';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { painted, shiftsOf, watchShifts } from '../../support/layout-shifts';
import { type Site, website } from '../../support/sending';
import {
  chips,
  chooseRange,
  filtersIn,
  openOwn,
  panel,
  settled,
  shows,
  startSession,
  TALL,
} from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
import { at, sendVisits, VISITS, visitedWebsite } from '../../support/visited-website';

const HOSTILE = `<img src=x onerror="document.title='broken'">`;

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
  openOwn(browser, service, `?website=${id}&range=7d&compare=off${query}`, TALL);
const goals = (page: Page) => panel(page, 'Goals');
/** The texts of the cells of each row. */
const rowsOf = (page: Page) =>
  goals(page)
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => Array.from(row.children, (cell) => (cell as HTMLElement).innerText.trim()).join(' ')),
    );

async function shared(fields: object): Promise<Site> {
  const site = await website(service.api, { privacy: 0, ...fields });
  await sendVisits(service.api, site, VISITS);
  await define(service.api, site, 'goals', SIGNUP);
  return site;
}

describe('the panel', () => {
  it('has the numbers of each goal, also of those that nobody reached', async () => {
    const site = await visitedWebsite(service.api);
    await define(service.api, site, 'goals', SIGNUP);
    await define(service.api, site, 'goals', PRICING);
    await define(service.api, site, 'goals', { name: 'Never', filters: [['is', 'page', ['/never']]] });
    const page = await open(site);
    await goals(page).getByRole('row', { name: 'Never' }).waitFor();
    expect(await rowsOf(page)).toEqual(['Pricing 1 1 25.0%', 'Signup 1 1 25.0%', 'Never 0 0 –']);
  });

  it('is suggested for filters by its name, also with a value', async () => {
    const site = await visitedWebsite(service.api);
    await define(service.api, site, 'goals', { ...SIGNUP, value: '49.00', currency: 'EUR' });
    const page = await open(site);
    await page.getByRole('button', { name: 'Add a filter' }).click();
    const form = page.getByRole('dialog', { name: 'Add a filter' });
    await form.getByLabel('Dimension').selectOption('goal');
    await form.getByRole('option', { name: SIGNUP.name }).click();
    await form.getByRole('button', { name: 'Apply' }).click();
    await shows(page, { Visitors: '1' });
    expect(filtersIn(page)).toEqual([`is:goal:${SIGNUP.name}`]);
  });

  it('filters everything by a goal that is clicked, which the address says', async () => {
    const site = await visitedWebsite(service.api);
    await define(service.api, site, 'goals', SIGNUP);
    const page = await open(site);
    await goals(page).getByRole('link', { name: 'Filter by Signup' }).click();
    await shows(page, { Visitors: '1', 'Page views': '3' });
    expect(filtersIn(page)).toEqual(['is:goal:Signup']);
    expect(await chips(page).allInnerTexts()).toEqual(['Goal is Signup']);
    await page
      .getByRole('row', { name: /Signup/ })
      .getByText('100.0%')
      .waitFor();
    await page.goBack();
    await shows(page, { Visitors: '4' });
  });

  it('has what goals are worth, and their change', async () => {
    const site = await visitedWebsite(service.api);
    await sendVisits(service.api, site, [
      { by: 'dutch', path: '/pricing', occurred_at: at('today', -0.5) },
      { by: 'dutch', path: '/pricing', occurred_at: at('today', -0.4) },
      {
        ...{ by: 'dutch', path: '/pricing', occurred_at: at('today', -0.3) },
        event: { name: 'signup', value: '7.5', currency: 'USD' },
      },
    ]);
    await define(service.api, site, 'goals', { ...PRICING, value: '10', currency: 'EUR' });
    await define(service.api, site, 'goals', SIGNUP);
    const page = await openOwn(browser, service, `?website=${site.id}&range=today&compare=previous`, TALL);
    await goals(page)
      .getByRole('row', { name: /Signup/ })
      .waitFor();
    expect(await rowsOf(page)).toEqual(['Pricing 2 1 50.0% €20.00 +100%', 'Signup 1 1 50.0% $7.50 0%']);
    await chooseRange(page, 'Yesterday');
    await goals(page).locator('td').getByText('€10.00').waitFor();
  });

  it('lists the first ten, and all of them with a search and as a file', async () => {
    const site = await visitedWebsite(service.api);
    await define(service.api, site, 'goals', { ...SIGNUP, name: HOSTILE });
    for (let number = 0; number < 10; number++)
      await define(service.api, site, 'goals', { ...PRICING, name: `Price ${number}` });
    const page = await open(site);
    await goals(page).getByRole('link', { name: 'Show all (11)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Goals' });
    await dialog.getByRole('row').nth(11).waitFor();
    expect(new URL(page.url()).searchParams.get('more')).toBe('goal');
    await dialog.getByRole('searchbox').fill('IMG');
    await page.waitForURL(/search=IMG/);
    expect(await dialog.locator('tbody').getByRole('row').count()).toBe(1);
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download CSV' }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toContain(
      'goal,conversions,converters,conversion_rate\r\n',
    );
    expect(await page.locator('img[src=x]').count()).toBe(0);
    await dialog.getByRole('link', { name: `Filter by ${HOSTILE}` }).click();
    await shows(page, { Visitors: '1' });
    expect(await chips(page).allInnerTexts()).toEqual([`Goal is ${HOSTILE}`]);
    expect(await dialog.count()).toBe(0);
  });

  it('asks for goals after the figures, and not at all where there are none', async () => {
    const site = await visitedWebsite(service.api);
    const requested: string[] = [];
    const page = await browser.newPage(TALL);
    page.on('request', (request) => requested.push(request.postData() ?? request.url()));
    await startSession(page, service);
    await page.goto(`${service.address}/?website=${site.id}`);
    await goals(page).getByText('A goal is a page or an event').waitFor();
    expect(requested.filter((text) => text.includes('"goal"'))).toEqual([]);
    const isList = (text: string) => text.includes(`/websites/${site.id}/goals`);
    expect(requested.findIndex(isList)).toBeGreaterThan(
      requested.findIndex((text) => text.includes('"queries"')),
    );
  });

  it('is loaded where it is nearly seen, and moves nothing that is seen', async () => {
    const site = await visitedWebsite(service.api);
    await define(service.api, site, 'goals', SIGNUP);
    const low = { viewport: { width: 1280, height: 500 } };
    const page = await openOwn(browser, service, `?website=${site.id}&range=7d&compare=off`, low);
    await watchShifts(page);
    const row = goals(page).getByRole('row', { name: /Signup/ });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.reload();
    await settled(page);
    await page.locator('.goals-place').waitFor({ state: 'attached' });
    await painted(page);
    expect(requested.filter((url) => url.includes('/goals'))).toEqual([]);
    const { y } = (await page.locator('.goals-place').boundingBox())!;
    await page.evaluate(`scrollTo(0, ${y} - 1.3 * innerHeight)`);
    await row.waitFor();
    expect(await shiftsOf(page)).toEqual([]);
  });

  it('is in the language of the page', async () => {
    const site = await visitedWebsite(service.api);
    await define(service.api, site, 'goals', SIGNUP);
    const query = `?website=${site.id}&range=7d`;
    const page = await openOwn(browser, service, query, { ...TALL, locale: 'de' });
    await panel(page, 'Ziele').getByRole('link', { name: 'Nach Signup filtern' }).waitFor();
    expect(await panel(page, 'Ziele').getByRole('tab').allInnerTexts()).toEqual([
      'Ziele',
      'Trichter',
      'Besucherpfade',
    ]);
    expect(await faultsOf(page)).toEqual([]);
  });
});

describe('a website without goals', () => {
  it('explains them, and creates one', async () => {
    const site = await visitedWebsite(service.api);
    const page = await open(site);
    await goals(page).getByText('A goal is a page or an event').waitFor();
    await goals(page).getByRole('button', { name: 'Create a goal' }).click();
    const form = page.getByRole('dialog', { name: 'Create a goal' });
    await form.getByLabel('Name').fill('Signup');
    await form.getByRole('radio', { name: 'Send an event' }).check({ force: true });
    await form.getByLabel('Event', { exact: true }).fill('signup');
    await form.getByRole('button', { name: 'Save goal' }).click();
    await goals(page)
      .getByRole('row', { name: /Signup/ })
      .waitFor();
    expect(await rowsOf(page)).toEqual(['Signup 1 1 25.0%']);
    expect(await definedNames(service.api, site, 'goals')).toEqual(['Signup']);
  });

  it('of the demonstration has an example by one click', async () => {
    const site = await website(service.api, { domain: 'demo.example' });
    await sendVisits(service.api, site, VISITS);
    const page = await open(site);
    await goals(page).getByRole('button', { name: 'Create an example' }).click();
    await goals(page)
      .getByRole('row', { name: /Signup/ })
      .waitFor();
    expect(await rowsOf(page)).toEqual(['Signup 1 1 25.0%']);
  });

  it('has nothing to create for a key that may only read', async () => {
    const site = await visitedWebsite(service.api);
    const { body } = await service.api.post('/api/v1/keys', { form: { name: 'test', scope: 'read' } });
    const page = await signedIn(browser, service, `?website=${site.id}&range=7d&goals=goals`, body.data.key);
    await goals(page).getByText('A goal is a page or an event').waitFor();
    expect(await goals(page).getByRole('button').count()).toBe(0);
    await page.goto(`${service.address}/?website=${site.id}&view=options&section=goals`);
    await page.getByText('Your key can read these options').waitFor();
    expect(await page.getByRole('button', { name: 'Create a goal' }).count()).toBe(0);
  });
});

describe('viewers of a shared page', () => {
  const openShared = async ({ domain }: Site, query = '') => {
    const page = await browser.newPage(TALL);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') asked.push(`${request.url()} ${request.postData()}`);
    });
    await page.goto(`${service.address}/share/${domain}?range=7d${query}`);
    await settled(page);
    return { page, asked };
  };

  it('see the goals that were reached, if they may filter', async () => {
    const site = await shared({ share_filters: 1 });
    const { page } = await openShared(site);
    await goals(page).getByRole('link', { name: 'Filter by Signup' }).click();
    await shows(page, { Visitors: '1' });
    expect(await page.getByRole('tab', { name: 'Funnels' }).count()).toBe(0);
    expect(await goals(page).getByRole('link', { name: 'Edit goals' }).count()).toBe(0);
    await chips(page).click();
    await page.getByRole('dialog', { name: 'Change the filter' }).getByText('Signup').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it('see that goals could not be loaded, rather than those of another range', async () => {
    const { page } = await openShared(await shared({ share_filters: 1 }));
    const link = goals(page).getByRole('link', { name: 'Filter by Signup' });
    await link.waitFor();
    await page.route(
      (url) => url.pathname.endsWith('/query'),
      (route) =>
        route.request().postData()?.includes('"conversions"')
          ? route.fulfill({ status: 500, json: {} })
          : route.fallback(),
    );
    await chooseRange(page, 'Yesterday');
    await goals(page).getByRole('alert').waitFor();
    expect(await link.count()).toBe(0);
    browser.complaints.length = 0;
  });

  it('see none, if they may not', async () => {
    const site = await shared({ share_filters: 0 });
    const { page, asked } = await openShared(site, '&f=is:goal:Signup&goals=funnels');
    await page.getByText('A day is shown once it is over.').waitFor();
    await painted(page);
    expect([await goals(page).count(), await chips(page).count()]).toEqual([0, 0]);
    expect(asked).not.toEqual([]);
    expect(asked.filter((text) => /goal|funnel/.test(text))).toEqual([]);
  });
});

describe('the options', () => {
  const options = ({ id }: Site) => signedIn(browser, service, `?website=${id}&view=options&section=goals`);

  it('create goals by type, and change them', async () => {
    const site = await website(service.api);
    const page = await options(site);
    const create = page.getByRole('button', { name: 'Create a goal' });
    const form = page.getByRole('dialog');
    await create.click();
    await form.getByLabel('Name').fill('Downloads');
    await form.getByRole('radio', { name: 'View similar pages' }).check({ force: true });
    await form.getByLabel('Which part').selectOption('ends with');
    await form.getByLabel('Part of the path').fill('.pdf');
    await form.getByRole('button', { name: 'Save goal' }).click();
    await page.getByText('Page ends with .pdf').waitFor();
    await create.click();
    await form.getByLabel('Name').fill('Team');
    await form.getByRole('radio', { name: 'Send an event' }).check({ force: true });
    await form.getByLabel('Event', { exact: true }).fill('signup');
    await form.getByLabel('Property (optional)').fill('plan');
    await form.getByLabel('Property value').fill('team');
    await form.getByLabel('Value per conversion').fill('1,000');
    await form.getByLabel('Currency').fill('eur');
    await form.getByRole('button', { name: 'Save goal' }).click();
    await form.getByText('Write thousands without a separator').waitFor();
    await form.getByLabel('Value per conversion').fill('49,90');
    await form.getByRole('button', { name: 'Save goal' }).click();
    await page.getByText('Event is signup, plan is team').waitFor();
    await page.getByText('€49.90').waitFor();
    await page.getByRole('button', { name: 'Edit Team' }).click();
    await form.getByLabel('Name').fill('Downloads');
    await form.getByRole('button', { name: 'Save goal' }).click();
    await form.locator('#name-errors').waitFor();
    browser.complaints.length = 0;
    await form.getByLabel('Name').fill('Teams');
    await form.getByLabel('Value per conversion').fill('');
    await form.getByLabel('Currency').fill('');
    await form.getByRole('button', { name: 'Save goal' }).click();
    await page.getByText('Teams', { exact: true }).waitFor();
    const { body } = await service.api.get(`/api/v1/websites/${site.id}/goals`);
    expect(body.data).toMatchObject([
      {
        name: 'Downloads',
        filters: [
          ['ends', 'page', ['.pdf']],
          ['is', 'event', [null]],
        ],
      },
      {
        ...{ name: 'Teams', value: null, currency: null },
        filters: [
          ['is', 'event', ['signup']],
          ['is', 'event_property:plan', ['team']],
        ],
      },
    ]);
  });

  it('delete a goal with all that refers to it, which is listed', async () => {
    const site = await website(service.api);
    await define(service.api, site, 'goals', SIGNUP);
    await define(service.api, site, 'goals', PRICING);
    const done = ['has_done', ['is', 'goal', ['Signup']]];
    await define(service.api, site, 'saved-filters', { name: 'Signed up', filters: [done] });
    await define(service.api, site, 'saved-filters', { name: 'Again', filters: [['saved', 'Signed up']] });
    const steps = [{ filters: [['is', 'page', ['/']]] }, { filters: [['saved', 'Again']] }];
    await define(service.api, site, 'funnels', { name: 'To it', steps });
    const limit = { metric: 'visitors', condition: 'above', threshold: 9, within: 'day' };
    await define(service.api, site, 'alerts', { name: 'Many', ...limit, filters: [['saved', 'Again']] });
    const page = await options(site);
    await page.getByRole('button', { name: 'Delete Signup' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This also deletes everything that uses the goal').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      'Alert: Many',
      'Funnel: To it',
      'Saved filters: Again',
      'Saved filters: Signed up',
    ]);
    await dialog.getByRole('button', { name: 'Delete all of these' }).click();
    await page.getByRole('status').getByText('Goal deleted').waitFor();
    await page.getByText('Signup', { exact: true }).waitFor({ state: 'detached' });
    for (const [kind, names] of [
      ['goals', ['Pricing']],
      ['saved-filters', []],
      ['funnels', []],
      ['alerts', []],
    ] as const)
      expect(await definedNames(service.api, site, kind)).toEqual(names);
  });

  it('delete no goal whose saved filter limits the shared page', async () => {
    const site = await website(service.api, { privacy: 0 });
    await define(service.api, site, 'goals', SIGNUP);
    const done = ['has_done', ['is', 'goal', ['Signup']]];
    await define(service.api, site, 'saved-filters', { name: 'Signed up', filters: [done], shared: 1 });
    const page = await options(site);
    await page.getByRole('button', { name: 'Delete Signup' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('“Signed up” limits the shared page').waitFor();
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Cancel']);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await definedNames(service.api, site, 'saved-filters')).toEqual(['Signed up']);
  });

  it('delete no goal while it is not known what refers to it', async () => {
    const site = await website(service.api);
    await define(service.api, site, 'goals', SIGNUP);
    await define(service.api, site, 'saved-filters', { name: 'Done', filters: [['is', 'goal', ['Signup']]] });
    const page = await options(site);
    await page.getByRole('button', { name: 'Delete Signup' }).waitFor();
    await page.route(/\/(saved-filters|funnels)\?/, (route) => route.fulfill({ status: 500, json: {} }));
    await page.getByRole('button', { name: 'Delete Signup' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Try again', 'Cancel']);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await until(() => browser.complaints.length === 4);
    browser.complaints.length = 0;
    await page.unroute(/\/(saved-filters|funnels)\?/);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('Saved filters: Done').waitFor();
    expect(await definedNames(service.api, site, 'goals')).toEqual(['Signup']);
    await dialog.getByRole('button', { name: 'Delete all of these' }).click();
    await page.getByRole('status').getByText('Goal deleted').waitFor();
    expect(await definedNames(service.api, site, 'saved-filters')).toEqual([]);
  });

  it('keep conditions that were set through the API', async () => {
    const site = await website(service.api);
    const filters = [
      [
        'or',
        [
          ['is', 'page', ['/a']],
          ['is', 'country', ['DE']],
        ],
      ],
    ];
    await define(service.api, site, 'goals', { name: 'Either', filters });
    const page = await options(site);
    await page.getByRole('button', { name: 'Edit Either' }).click();
    const form = page.getByRole('dialog');
    await form.getByText('were set through the API').waitFor();
    await form.getByLabel('Name').fill('Both');
    await form.getByRole('button', { name: 'Save goal' }).click();
    await page.getByText('Both', { exact: true }).waitFor();
    const { body } = await service.api.get(`/api/v1/websites/${site.id}/goals`);
    expect(body.data).toMatchObject([{ name: 'Both', filters }]);
  });

  it.each([
    ['light', 1440],
    ['dark', 320],
  ] as const)('%s and %i wide, fit, and have no fault that axe finds', async (colorScheme, width) => {
    const site = await website(service.api);
    await define(service.api, site, 'goals', {
      ...SIGNUP,
      name: 'W'.repeat(100),
      value: '5',
      currency: 'EUR',
    });
    const page = await options(site);
    await showOn(page, colorScheme, width);
    await page.getByText('W'.repeat(100)).waitFor();
    await expectToFit(page, width);
    await page.getByRole('button', { name: /^Edit W/ }).click();
    await page.getByRole('dialog').getByLabel('Event', { exact: true }).waitFor();
    await expectToFit(page, width);
  });
});

it('is used by the keyboard alone', async () => {
  const site = await visitedWebsite(service.api);
  const page = await open(site);
  await goals(page).getByRole('button', { name: 'Create a goal' }).focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Create a goal' });
  await form.waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('t');
  expect(page.url()).toContain('range=7d');
  await form.getByLabel('Name').focus();
  for (const keys of ['Signup', 'Tab', 'ArrowRight', 'ArrowRight', 'Tab', 'signup', 'Enter'])
    await (['Tab', 'ArrowRight', 'Enter'].includes(keys)
      ? page.keyboard.press(keys)
      : page.keyboard.type(keys));
  await goals(page).getByRole('link', { name: 'Filter by Signup' }).focus();
  await page.keyboard.press('Enter');
  await shows(page, { Visitors: '1' });
});

it.each([
  ['light', 1440],
  ['dark', 768],
  ['light', 320],
] as const)('%s and %i wide, goals fit, and have no fault that axe finds', async (colorScheme, width) => {
  const site = await visitedWebsite(service.api);
  await define(service.api, site, 'goals', {
    ...SIGNUP,
    name: 'W'.repeat(100),
    value: '12345.6789',
    currency: 'EUR',
  });
  const page = await openOwn(browser, service, `?website=${site.id}&range=7d&goals=goals`);
  await showOn(page, colorScheme, width);
  await goals(page).getByRole('row', { name: /W/ }).waitFor();
  await expectToFit(page, width);
});
