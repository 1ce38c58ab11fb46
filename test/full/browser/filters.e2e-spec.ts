import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser, untilTrue } from '../../support/browser';
import { timezoneAtNoon } from '../../support/counted';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { type Site, website } from '../../support/sending';
import {
  chips,
  chooseRange,
  figure,
  filtersIn,
  openOwn,
  panel,
  settled,
  shows,
} from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { at, sendVisits, VISITS } from '../../support/visited-website';

const HOSTILE = `/<img src=x onerror="document.title='broken'">`;

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()]);
  site = await website(service.api, { privacy: 0, share_filters: 1 });
  const more = [
    { by: 'dutch', path: HOSTILE, occurred_at: at('yesterday', -0.9) },
    { by: 'dutch', path: '/?utm_campaign=Spring', occurred_at: at('today', -0.5) },
  ] as const;
  await sendVisits(service.api, site, [...VISITS, ...more]);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

async function open(query = '?range=7d'): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${service.address}/share/${site.domain}${query}`);
  await settled(page);
  return page;
}

describe('figures', () => {
  it('tell how many came, how often, how much they saw and how long they stayed', async () => {
    const page = await open();
    await shows(page, {
      Visitors: '5',
      'Page views': '8',
      'Visits ': '6',
      'Views per visit': '1.3',
      'Bounce rate': '66.7%',
      'Visit duration': '3m 0s',
    });
  });

  it.each(['Bounce rate', 'Visit duration', 'Views per visit', 'Visits '])(
    'draw %s over time, which the address says',
    async (name) => {
      const page = await open();
      await figure(page, name).click();
      await page.getByRole('img', { name: new RegExp(`^${name.trim()} from`) }).waitFor();
      expect(new URL(page.url()).searchParams.get('metric')).toMatch(/^[a-z_]+$/);
    },
  );

  it('are drawn by the hour on a day, as a table too', async () => {
    const page = await openOwn(browser, service, `?website=${site.id}&range=yesterday&metric=pageviews`);
    await page.getByText('As a table').click();
    const rows = page.locator('details tbody tr');
    await rows.nth(23).waitFor();
    const seen = await rows.evaluateAll((all) => all.map((row) => Number(row.children[2]!.textContent)));
    expect([seen.length, seen.reduce((sum, count) => sum + count)]).toEqual([24, 6]);
    await chooseRange(page, 'Last 7 days');
    await untilTrue(page, 'document.querySelectorAll("details tbody tr").length === 7');
  });
});

describe('a click on a row', () => {
  it('filters everything by it, and back takes that off', async () => {
    const page = await open();
    await panel(page, 'Places').getByRole('link', { name: 'Filter by United States' }).click();
    await shows(page, { Visitors: '2', 'Page views': '4', 'Visits ': '3' });
    expect(filtersIn(page)).toEqual(['is:country:US']);
    expect(await chips(page).allInnerTexts()).toEqual(['Country is United States']);
    expect(await page.evaluate('document.activeElement.id')).toBe('add-filter');
    expect(await panel(page, 'Technology').getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Chrome'),
    ]);
    const again = await open(new URL(page.url()).search);
    await shows(again, { Visitors: '2' });
    await page.goBack();
    await shows(page, { Visitors: '5' });
    expect(await chips(page).count()).toBe(0);
  });

  it('on a page leaves what else its visitors saw', async () => {
    const page = await open();
    await panel(page, 'Pages').getByRole('link', { name: 'Filter by /pricing' }).click();
    await shows(page, { Visitors: '1', 'Page views': '3' });
    expect(await panel(page, 'Pages').locator('bdi').allInnerTexts()).toEqual(['/', '/Docs', '/pricing']);
    await panel(page, 'Events').getByRole('link', { name: 'Filter by signup' }).click();
    await untilTrue(page, 'document.querySelectorAll(".chip").length === 2');
    await settled(page);
    expect(filtersIn(page)).toEqual(['is:page:/pricing', 'is:event:signup']);
    await shows(page, { Visitors: '1' });
  });

  it('asks one query for all of the page but goals', async () => {
    const page = await open();
    const requested: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const isOfGoals = request.postData()?.includes('"dimensions":["goal"]');
      if (pathname.includes('/api/') && !pathname.endsWith('/live') && !isOfGoals)
        requested.push(`${request.method()} ${pathname}`);
    });
    await panel(page, 'Technology').getByRole('link', { name: 'Filter by Chrome' }).click();
    await shows(page, { Visitors: '2' });
    expect(requested).toEqual([`POST /share/${site.domain}/api/query`]);
  });

  it('keeps hostile values text', async () => {
    const page = await open();
    await panel(page, 'Pages')
      .getByRole('link', { name: `Filter by ${HOSTILE}` })
      .click();
    await shows(page, { Visitors: '1' });
    expect(await chips(page).allInnerTexts()).toEqual([`Page is ${HOSTILE}`]);
    expect(await page.locator('main img[src=x]').count()).toBe(0);
    expect(await page.title()).toBe(`Statistics of ${site.domain}`);
  });

  it('counts entry and exit pages by visits', async () => {
    const page = await open();
    await page.getByRole('tab', { name: 'Exit' }).click();
    await panel(page, 'Pages').getByRole('link', { name: 'Filter by /pricing' }).click();
    await shows(page, { 'Visits ': '1', Visitors: '1' });
    expect(await chips(page).allInnerTexts()).toEqual(['Exit page is /pricing']);
  });
});

describe('a chip', () => {
  it('is negated, and removed', async () => {
    const page = await open('?range=7d&f=is:country:US');
    await chips(page).click();
    const form = page.getByRole('dialog', { name: 'Change the filter' });
    await form.getByLabel('Condition').selectOption('is not');
    await form.getByRole('button', { name: 'Apply' }).click();
    await shows(page, { Visitors: '3' });
    expect(filtersIn(page)).toEqual(['is_not:country:US']);
    await page.getByRole('button', { name: 'Remove: Country is not United States' }).click();
    await shows(page, { Visitors: '5' });
    expect(await page.evaluate('document.activeElement.id')).toBe('add-filter');
    await page.goBack();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await shows(page, { Visitors: '5' });
    expect(new URL(page.url()).search).toBe('?range=7d');
  });

  it('is changed, with values suggested while one types', async () => {
    const page = await open('?range=7d&f=is:country:US');
    await chips(page).click();
    const form = page.getByRole('dialog', { name: 'Change the filter' });
    await form.getByLabel('Dimension').selectOption('page');
    await form.getByLabel('Condition').selectOption('contains');
    await form.getByLabel('Value').fill('PRIC');
    expect(await form.getByRole('option', { name: '/pricing' }).innerText()).toMatch(/^\/pricing\s+\d+$/);
    await form.getByRole('button', { name: 'Apply' }).click();
    await shows(page, { Visitors: '1', 'Page views': '3' });
    expect(filtersIn(page)).toEqual(['contains:page:PRIC']);
    expect(await form.count()).toBe(0);
  });

  it('is added by hand, and all are taken off', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Add a filter' }).click();
    const form = page.getByRole('dialog', { name: 'Add a filter' });
    await form.getByLabel('Dimension').selectOption('device');
    await form.getByLabel('Value').fill('mob');
    await form.getByRole('option', { name: 'Mobile' }).waitFor();
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Remove: Mobile' }).waitFor();
    await page.keyboard.press('Enter');
    await shows(page, { Visitors: '2' });
    await panel(page, 'Sources').getByRole('tab', { name: 'Campaigns' }).click();
    await panel(page, 'Sources').getByRole('link', { name: 'Filter by Spring' }).click();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await shows(page, { Visitors: '5' });
    expect(filtersIn(page)).toEqual([]);
  });

  it('has several values, each of which can be removed', async () => {
    const page = await open('?range=7d&f=is:country:US&f=or:NL');
    await shows(page, { Visitors: '4' });
    expect(await chips(page).allInnerTexts()).toEqual(['Country is United States or Netherlands']);
    await chips(page).click();
    const form = page.getByRole('dialog', { name: 'Change the filter' });
    await form.getByRole('button', { name: 'Remove: United States' }).click();
    await form.getByRole('button', { name: 'Apply' }).click();
    await shows(page, { Visitors: '2' });
    expect(filtersIn(page)).toEqual(['is:country:NL']);
    await page.goBack();
    await shows(page, { Visitors: '4' });
    expect(filtersIn(page)).toEqual(['is:country:US', 'or:NL']);
  });

  it('is the opposite by one button, and back', async () => {
    const page = await open('?range=7d&f=is:country:US&f=or:NL');
    await chips(page).click();
    await page.getByRole('button', { name: 'Exclude instead' }).click();
    await shows(page, { Visitors: '1' });
    expect(await chips(page).allInnerTexts()).toEqual(['Country is not United States or Netherlands']);
    await chips(page).click();
    await page.getByRole('button', { name: 'Include instead' }).click();
    await shows(page, { Visitors: '4' });
  });

  it('is made with the keyboard alone, of several parts of values', async () => {
    const page = await open();
    const add = page.getByRole('button', { name: 'Add a filter' });
    await add.focus();
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Add a filter' });
    const value = form.getByLabel('Value');
    await form.getByRole('option', { name: '/pricing' }).waitFor();
    expect(await value.evaluate('document.activeElement.getAttribute("role")')).toBe('combobox');
    await page.keyboard.press('Escape');
    expect(await form.count()).toBe(0);
    expect(await add.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await form.getByLabel('Condition').focus();
    await page.keyboard.type('contains');
    await page.keyboard.press('Tab');
    for (const part of ['PRIC', 'a;b']) {
      await page.keyboard.type(part);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.press('Enter');
    await shows(page, { Visitors: '2' });
    expect(filtersIn(page)).toEqual(['contains:page:PRIC', 'or:a;b']);
  });

  it('takes values by arrow keys, and gives back the last by Backspace', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Add a filter' }).click();
    const form = page.getByRole('dialog', { name: 'Add a filter' });
    await form.getByLabel('Dimension').selectOption('country');
    await form.getByRole('option', { name: 'Netherlands' }).waitFor();
    for (const key of ['ArrowDown', 'Enter', 'ArrowDown', 'ArrowDown', 'Enter', 'Backspace', 'Enter'])
      await page.keyboard.press(key);
    expect(filtersIn(page)).toEqual(['is:country:NL']);
  });

  it('closes its form when something else is used', async () => {
    const page = await open('?range=7d&f=is:country:US');
    await chips(page).click();
    await page.getByRole('heading', { name: 'Pages' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(filtersIn(page)).toEqual(['is:country:US']);
  });

  it('that nobody fits says so, and goes', async () => {
    const page = await open('?range=7d&f=is:country:XX');
    await page.getByText('No visitors match these filters').waitFor();
    expect(await page.locator('.panel, .figure, .chart').count()).toBe(0);
    expect(await page.locator('.live').innerText()).toContain('(whole website)');
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await shows(page, { Visitors: '5' });
    expect(await page.evaluate('document.activeElement.id')).toBe('add-filter');
  });
});

it('that are refused leave no numbers of what was shown before', async () => {
  const page = await openOwn(browser, service, `?website=${site.id}&range=7d`);
  await shows(page, { Visitors: '5' });
  await page.evaluate(
    `history.pushState(null, '', location.search + '&f=is:goal:nothing'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.getByText('This can’t be shown here.').waitFor();
  await shows(page, { Visitors: '–', 'Page views': '–', 'Bounce rate': '–' });
  browser.complaints.length = 0;
});

describe('lists of a filtered name', () => {
  it('are searched, sorted, described by further figures, and had as a file', async () => {
    const page = await open('?range=7d&f=is:country:US&more=page');
    const dialog = page.getByRole('dialog', { name: 'Pages' });
    await dialog.getByText('1–3 of 3').waitFor();
    await dialog.getByRole('button', { name: 'Sort by Pages' }).click();
    await page.waitForURL(/sort=value/);
    await dialog.getByRole('searchbox').fill('doc');
    await dialog.getByText('1–1 of 1').waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download CSV' }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toBe(
      'value,label,count,visitors,bounce_rate,visit_duration\r\n/Docs,/Docs,1,1,1,0\r\n',
    );
    for (const heading of ['Visitors', 'Bounce rate', 'Visit duration'])
      await dialog.getByRole('columnheader', { name: heading }).waitFor();
    const cells = await dialog.getByRole('row', { name: '/Docs' }).getByRole('cell').allInnerTexts();
    expect(cells.slice(0, 4)).toEqual(['1', '1', '100.0%', '0s']);
    await dialog.getByRole('link', { name: 'Filter by /Docs' }).click();
    await shows(page, { Visitors: '1' });
    expect(filtersIn(page)).toEqual(['is:country:US', 'is:page:/Docs']);
    expect(await dialog.count()).toBe(0);
  });
});

describe('viewers of a shared page', () => {
  const THREE = 'f=is:country:US&f=is:device:desktop&f=is:browser:Chrome';

  it('combine what they like, by days', async () => {
    const page = await open(`?range=yesterday&${THREE}`);
    await panel(page, 'Pages').getByRole('link', { name: 'Filter by /pricing' }).click();
    await shows(page, { Visitors: '1', 'Page views': '3' });
    await page.getByText('As a table').click();
    await untilTrue(page, 'document.querySelectorAll("details tbody tr").length === 1');
    expect(await page.getByRole('link', { name: 'Hours' }).count()).toBe(0);
  });

  it('combine it by hours as owners, in the console and on the page', async () => {
    for (const path of [`?website=${site.id}&`, `share/${site.domain}?`]) {
      const page = await openOwn(browser, service, `${path}${THREE}&range=yesterday`);
      await shows(page, { Visitors: '1', 'Page views': '3' });
      await page.getByText('As a table').click();
      await untilTrue(page, 'document.querySelectorAll("details tbody tr").length === 24');
    }
  });
});

it.each([
  ['light', 1280],
  ['dark', 320],
] as const)('%s and %i wide, filters fit, and have no fault that axe finds', async (colorScheme, width) => {
  const page = await browser.newPage();
  await showOn(page, colorScheme, width);
  const filters = `f=is_not:country:XX&f=contains:page:${encodeURIComponent('/')}&f=is:page:${encodeURIComponent('/'.repeat(200))}`;
  await page.goto(`${service.address}/share/${site.domain}?range=7d&${filters}`);
  await settled(page);
  expect(await faultsOf(page)).toEqual([]);
  await chips(page).first().click();
  await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
  await expectToFit(page, width);
});
