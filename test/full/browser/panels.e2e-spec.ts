import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { timezoneAtNoon } from '../../support/counted';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { type Site, website } from '../../support/sending';
import { chips, entriesOf, filtersIn, openOwn, panel, settled, shows } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { at, type Sent, sendVisits } from '../../support/visited-website';

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
  {
    by: 'dutch',
    path: '/cart',
    occurred_at: at('yesterday', -0.9),
    event: { name: 'buy', props: { plan: 'team', [HOSTILE]: HOSTILE }, value: '19.90', currency: 'EUR' },
  },
  {
    by: 'american',
    path: '/cart',
    occurred_at: at('yesterday', -1.8),
    event: { name: 'buy', props: { plan: 'solo' } },
  },
  {
    by: 'unknown',
    path: '/',
    occurred_at: at('yesterday', 0.1),
    event: { name: 'play', props: { muted: true } },
  },
];

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()]);
  site = await website(service.api, { privacy: 0, share_filters: 1 });
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

const openConsole = (query = '') => openOwn(browser, service, `?website=${site.id}&range=7d${query}`);

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
    await page.getByRole('dialog', { name: 'Content' }).getByText('1–1 of 1').waitFor();
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
    const page = await open('&properties=currency&f=is:currency:EUR');
    expect(await chips(page).allInnerTexts()).toEqual(['Currency is EUR']);
    await page.getByText('This can’t be shown here.').waitFor();
    expect(browser.complaints.splice(0)).toEqual([expect.stringContaining('422')]);
    expect(await panel(page, 'Event properties').count()).toBe(0);
    await page.getByRole('button', { name: 'Add a filter' }).click();
    expect(await page.getByLabel('Dimension').locator('option[value=currency]').count()).toBe(0);
    await chips(page).click();
    const form = page.getByRole('dialog', { name: 'Change the filter' });
    await form.getByLabel('Value').fill('/cart');
    await form.getByRole('option', { name: '/cart', exact: true }).waitFor();
    await form.getByRole('button', { name: 'Apply' }).click();
    await shows(page, { Visitors: '2' });
    const own = await openConsole('&properties=currency');
    await panel(own, 'Event properties').getByRole('link', { name: 'Filter by EUR' }).click();
    await shows(own, { Visitors: '1' });
  });
});

describe('properties of events', () => {
  const properties = (page: Page) => panel(page, 'Event properties');
  const rows = (page: Page) => entriesOf(page, 'Event properties');

  it('are listed of all events, and of one that is picked, with their values', async () => {
    const page = await openConsole();
    expect(await rows(page)).toEqual(['plan', HOSTILE, 'muted']);
    await panel(page, 'Events').getByRole('link', { name: 'Filter by buy' }).click();
    await shows(page, { Visitors: '2' });
    await settled(page);
    expect(await rows(page)).toEqual(['plan', HOSTILE]);
    await properties(page).getByRole('link', { name: 'Values of plan' }).click();
    await properties(page).getByText('team').waitFor();
    expect(await rows(page)).toEqual(['solo', 'team']);
    const again = await openConsole(new URL(page.url()).search.replace(/^\?website=\d+&range=7d/, ''));
    expect(await rows(again)).toEqual(['solo', 'team']);
    await again.getByRole('button', { name: '‹ All' }).click();
    await properties(again).getByRole('link', { name: 'Values of plan' }).waitFor();
  });

  it('are filtered by, with what else their visitors did', async () => {
    const page = await openConsole('&properties=event_property:plan');
    await properties(page).getByRole('link', { name: 'Filter by team' }).click();
    await shows(page, { Visitors: '1', 'Page views': '1' });
    expect(filtersIn(page)).toEqual(['is:event_property:plan:team']);
    expect(await chips(page).allInnerTexts()).toEqual(['plan is team']);
    await chips(page).click();
    const form = page.getByRole('dialog', { name: 'Change the filter' });
    await form.getByRole('button', { name: 'Remove: team' }).click();
    await form.getByLabel('Value').fill('solo');
    await form.getByRole('button', { name: 'Apply' }).click();
    await shows(page, { Visitors: '1', 'Page views': '2' });
    await properties(page)
      .getByRole('link', { name: /^Details/ })
      .click();
    await page.getByRole('dialog', { name: 'plan' }).getByText('1–1 of 1').waitFor();
  });

  it('stay text where they are hostile', async () => {
    const page = await openConsole();
    await properties(page)
      .getByRole('link', { name: `Values of ${HOSTILE}` })
      .click();
    await properties(page)
      .getByRole('link', { name: `Filter by ${HOSTILE}` })
      .click();
    await shows(page, { Visitors: '1', 'Page views': '1' });
    expect(await chips(page).allInnerTexts()).toEqual([`${HOSTILE} is ${HOSTILE}`]);
    expect(await page.locator('main img[src=x]').count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
  });
});

it.each([
  ['light', 1280],
  ['dark', 320],
] as const)('%s and %i wide, tabs fit, and have no fault that axe finds', async (colorScheme, width) => {
  const page = await openConsole('&sources=content&technology=browser_version');
  await showOn(page, colorScheme, width);
  await expectToFit(page, width);
});
