import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../support/browser';
import { timezoneAtNoon } from '../support/counted';
import { faultsOf } from '../support/faults';
import { type Site, website } from '../support/sending';
import { chips, filtersIn, panel, settled, shows } from '../support/statistics-page';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { at, type Sent, sendVisits } from '../support/visited-website';

jest.setTimeout(120_000);

const HOSTILE = `<img src=x onerror="document.title='broken'">`;
const CAMPAIGN = `utm_source=letter&utm_medium=email&utm_campaign=Spring&utm_term=shoes&utm_content=${encodeURIComponent(HOSTILE)}`;

const SENT: Sent[] = [
  {
    by: 'american',
    path: `/?${CAMPAIGN}`,
    occurred_at: at('yesterday', -2),
    referrer: 'https://news.example/a/b',
  },
  { by: 'american', path: '/cart', occurred_at: at('yesterday', -1.9), subdomain: 'shop.' },
  { by: 'dutch', path: '/', occurred_at: at('yesterday', -1), referrer: 'https://google.com/' },
  { by: 'unknown', path: '/', occurred_at: at('yesterday', 0) },
];

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()]);
  site = await website(service.api, { privacy: 0 });
  await sendVisits(service.api, site, SENT);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

async function open(query = ''): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${service.address}/share/${site.domain}?range=7d${query}`);
  await settled(page);
  return page;
}

async function openConsole(query = ''): Promise<Page> {
  const page = await browser.newPage();
  await page.request.post(`${service.address}/console/api/session`, {
    headers: { Authorization: `Bearer ${FIRST_KEY}` },
  });
  await page.goto(`${service.address}/?website=${site.id}&range=7d${query}`);
  await settled(page);
  return page;
}

const entriesOf = async (page: Page, name: string) =>
  (await panel(page, name).getByRole('listitem').allInnerTexts()).map((text) => text.split(/\s*\n\s*/)[0]);

describe('tabs', () => {
  it.each([
    ['Pages', 'Hosts', undefined, ['{domain}', 'shop.{domain}']],
    ['Sources', 'Referrers', 'Page', ['Direct or unknown', 'google.com/', 'news.example/a/b']],
    ['Sources', 'Channels', undefined, ['Direct', 'Mail', 'Search']],
    ['Sources', 'Campaigns', undefined, ['Spring']],
    ['Sources', 'Campaigns', 'Source', ['letter']],
    ['Sources', 'Campaigns', 'Medium', ['email']],
    ['Sources', 'Campaigns', 'Term', ['shoes']],
    ['Sources', 'Campaigns', 'Content', [HOSTILE]],
    ['Technology', 'Browsers', 'Version', ['Chrome 124', 'Firefox 125', 'Safari 17']],
    ['Technology', 'Systems', 'Version', ['Linux', 'Windows 10', 'iOS 17']],
  ])('%s, %s, %s', async (where, tab, kind, expected) => {
    const page = await open();
    await panel(page, where).getByRole('tab', { name: tab }).click();
    if (kind) await panel(page, where).getByRole('button', { name: kind, exact: true }).click();
    await panel(page, where)
      .getByText(expected[0]!.replace('{domain}', site.domain), { exact: true })
      .waitFor();
    await settled(page);
    expect(await entriesOf(page, where)).toEqual(
      expected.map((text) => text.replace('{domain}', site.domain)),
    );
    const again = await open(new URL(page.url()).search.replace('?range=7d', ''));
    expect(await entriesOf(again, where)).toEqual(await entriesOf(page, where));
  });

  it('filter by what is clicked, and list all of it', async () => {
    const page = await open('&sources=content');
    await panel(page, 'Sources')
      .getByRole('link', { name: `Filter by ${HOSTILE}` })
      .click();
    await shows(page, { Visitors: '1', 'Page views': '2' });
    expect(filtersIn(page)).toEqual([`is:content:${HOSTILE}`]);
    expect(await chips(page).allInnerTexts()).toEqual([`Content is ${HOSTILE}`]);
    await panel(page, 'Sources')
      .getByRole('link', { name: /^Details/ })
      .click();
    await page.getByRole('dialog', { name: 'Contents' }).getByText('1–1 of 1').waitFor();
    expect(await page.locator('main img[src=x]').count()).toBe(0);
  });

  it('link to referring pages that are plain addresses', async () => {
    const page = await open('&sources=referrer_page');
    const links = panel(page, 'Sources').locator('.visit');
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      'https://google.com/',
      'https://news.example/a/b',
    ]);
  });

  it('of what a website earns are its owner’s', async () => {
    const page = await open('&events=currency');
    expect(await page.getByRole('tab', { name: 'Currencies' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Add a filter' }).click();
    expect(await page.getByLabel('What').locator('option[value=currency]').count()).toBe(0);
    const own = await openConsole('&events=currency');
    await own.getByRole('tab', { name: 'Currencies', selected: true }).waitFor();
  });
});

it.each([
  ['light', 1280],
  ['dark', 320],
] as const)('%s and %i wide, tabs fit, and have no fault that axe finds', async (colorScheme, width) => {
  const page = await openConsole('&sources=content&technology=browser_version');
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 800 });
  expect(await faultsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
});
