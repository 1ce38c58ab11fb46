import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser, untilTrue } from '../../support/browser';
import { timezoneAtNoon } from '../../support/counted';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { type Site, website } from '../../support/sending';
import { chips, entriesOf, filtersIn, openOwn, panel, settled, shows } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { at, type Sent, sendVisits } from '../../support/visited-website';

const from = (referrer: string, by: Sent['by'], hours: number): Sent => ({
  ...{ by, path: '/', occurred_at: at('yesterday', hours), referrer },
});
const SENT: Sent[] = [
  from('android-app://com.slack/', 'american', -2),
  from('https://google.co.uk/', 'dutch', -1),
  from('https://news.example/', 'unknown', 0),
  from('android-app://com.example.unknown/', 'unknown', 0.1),
];

let service: TestApp;
let browser: TestBrowser;
let site: Site;
const elsewhere: string[] = [];
const requested: string[] = [];
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()]);
  site = await website(service.api, { privacy: 0, share_filters: 1 });
  await sendVisits(service.api, site, SENT);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
beforeEach(() => void (requested.length = 0));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
  expect(elsewhere.splice(0)).toEqual([]);
});

async function open(query = '', of: Site = site): Promise<Page> {
  const page = await browser.newPage();
  page.on('request', (request) => {
    const url = request.url();
    requested.push(url);
    if (!url.startsWith(service.address)) elsewhere.push(url);
  });
  await page.goto(`${service.address}/share/${of.domain}?range=7d${query}`);
  await settled(page);
  return page;
}

const places = (page: Page) => panel(page, 'Places');

describe('icons', () => {
  it('stand before countries and brands, and come from the service itself', async () => {
    const page = await open();
    const shown = page.locator('.panels img');
    for (const image of await shown.all()) await image.scrollIntoViewIfNeeded();
    await untilTrue(
      page,
      `[...document.querySelectorAll('.panels img')].every((image) => image.complete && image.naturalWidth > 0)`,
    );
    const files = await shown.evaluateAll((images) =>
      images.map((image) => /([a-z]+-[\w-]+)-[0-9a-f]{8}\.svg$/.exec(image.getAttribute('src')!)?.[1]),
    );
    expect(files).toEqual(
      expect.arrayContaining(['mark-google-icon', 'mark-slack-icon', 'mark-chrome', 'flag-US', 'flag-NL']),
    );
    // Apple’s is black, so that it takes the colour of the text.
    await page.getByRole('tab', { name: 'Systems' }).click();
    await panel(page, 'Technology').locator('.dark-mark').waitFor();
  });

  it('are letters for what has none', async () => {
    const page = await open();
    const row = panel(page, 'Sources').getByRole('listitem').filter({ hasText: 'news.example' });
    expect(await row.locator('.letter').getAttribute('data-letter')).toBe('N');
    await places(page).getByRole('listitem').filter({ hasText: 'Unknown' }).locator('.letter').waitFor();
  });

  it('stand in filters, and in the list of all', async () => {
    const page = await open('&f=is:country:NL&more=browser');
    await page.locator('.chip .flag img').waitFor();
    await page.getByRole('dialog').locator('tbody .value-icon img').first().waitFor();
  });
});

describe('values', () => {
  it('are as short as they can be, and whole in the tooltip, the filter and the file', async () => {
    const page = await open('&places=city&technology=screen_resolution');
    expect(await entriesOf(page, 'Technology')).toEqual(expect.arrayContaining(['1920×1080', '390×844']));
    const dutch = places(page)
      .getByRole('listitem')
      .filter({ has: page.locator('.flag img[src*="flag-NL"]') });
    const title = (await dutch.locator('.value').getAttribute('title'))!;
    const [, whole, city] = /^(([^,]+), .+, NL)\n1$/.exec(title)!;
    await dutch.getByRole('link', { name: `Filter by ${whole}` }).click();
    await shows(page, { Visitors: '1' });
    expect(filtersIn(page)).toEqual([`is:city:${whole}`]);
    expect(await chips(page).allInnerTexts()).toEqual([`City is ${city}`]);
  });

  it('that are apps have their names, and no address', async () => {
    const page = await open();
    expect(await entriesOf(page, 'Sources')).toEqual(
      expect.arrayContaining(['Slack', 'com.example.unknown', 'google.co.uk', 'news.example']),
    );
    const links = panel(page, 'Sources').locator('.visit');
    expect((await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).sort()).toEqual([
      'https://google.co.uk/',
      'https://news.example/',
    ]);
    await panel(page, 'Sources').getByRole('link', { name: 'Filter by Slack (com.slack)' }).click();
    await shows(page, { Visitors: '1' });
    expect(filtersIn(page)).toEqual(['is:referrer:com.slack']);
  });
});

describe('the map', () => {
  const map = (page: Page) => page.getByRole('img', { name: /^Map of visitors/ });
  const country = (page: Page, code: string) => map(page).locator(`[data-code=${code}]`);
  /** The box of the United States is as wide as the map, so that its middle is elsewhere. */
  const inAmerica = async (page: Page) => {
    const { width, height } = (await map(page).boundingBox())!;
    return { position: { x: 0.2 * width, y: 0.29 * height } };
  };
  const isLoaded = () => requested.some((url) => url.includes('/drawings-'));

  it('is loaded when its tab is opened, and says how many came from a country', async () => {
    const page = await open();
    expect(isLoaded()).toBe(false);
    await page.getByRole('tab', { name: 'Map' }).click();
    await map(page).waitFor();
    expect(isLoaded()).toBe(true);
    await page.locator('.world .shade-5[data-code=US]').waitFor();
    expect(await country(page, 'BR').getAttribute('class')).toContain('shade-0');
    await map(page).hover(await inAmerica(page));
    const tip = page.locator('.map-tip');
    expect((await tip.innerText()).split(/\s*\n\s*/)).toEqual(['United States', '1 visitor, 33.3%']);
    await country(page, 'BR').hover();
    await tip.getByText('No visitors').waitFor();
    expect((await entriesOf(page, 'Places')).sort()).toEqual(['Netherlands', 'United States', 'Unknown']);
  });

  it('filters by countries without regions that are clicked, and lists the cities of one', async () => {
    const page = await open('&places=map&f=is:country:US');
    await places(page).getByText('Cities', { exact: true }).last().waitFor();
    expect(await places(page).getByRole('listitem').count()).toBe(1);
    await page.locator('path.picked[data-code=US]').waitFor();
    await country(page, 'EH').dispatchEvent('click');
    await untilTrue(page, `location.search.includes('or%3AEH')`);
    expect(await chips(page).allInnerTexts()).toEqual(['Country is United States or Western Sahara']);
    await page.goBack();
    await shows(page, { Visitors: '1' });
  });

  it('shows the regions of a country that is clicked, and filters by one of them', async () => {
    const page = await open('&places=map');
    await page.locator('.world .shade-5[data-code=US]').waitFor();
    await map(page).click(await inAmerica(page));
    await page.getByRole('img', { name: /^Map of visitors by region of United States/ }).waitFor();
    await page.locator('.regions path.shade-5').waitFor();
    expect(new URL(page.url()).searchParams.get('map')).toBe('US');
    expect(filtersIn(page)).toEqual([]);
    expect(requested.filter((url) => url.includes('/regions-')).map((url) => url.split('/').at(-1))).toEqual([
      expect.stringMatching(/^regions-US-[0-9a-f]{8}\.json$/),
    ]);
    expect(await places(page).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^California\s+1\s+33.3%$/),
    ]);
    await page.locator('.regions path.shade-5').click();
    await shows(page, { Visitors: '1' });
    expect(filtersIn(page)).toEqual(['is:region:California, US']);
    await page.locator('.regions path.picked').waitFor();
    expect(await chips(page).allInnerTexts()).toEqual(['Region is California']);
    await page.goBack();
    await page.getByRole('button', { name: 'Back to the map of the world' }).click();
    await country(page, 'US').waitFor();
    expect(new URL(page.url()).searchParams.has('map')).toBe(false);
    await page.goBack();
    await page.getByRole('link', { name: 'Filter by United States' }).click();
    await shows(page, { Visitors: '1' });
    expect(filtersIn(page)).toEqual(['is:country:US']);
  });

  it('leads the keyboard to regions and back', async () => {
    const page = await open('&places=map');
    await page.locator('.world .shade-5[data-code=US]').waitFor();
    const focused = () => page.evaluate(`document.activeElement.getAttribute('aria-label')`);
    await page.getByRole('tab', { name: 'Map' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const regions = page.getByRole('listbox', { name: /^Regions of Netherlands on the map/ });
    await regions.waitFor();
    expect(await focused()).toMatch(/^Regions of Netherlands/);
    await page.locator('.map-tip').getByText('North Holland').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('listbox', { name: /^Countries on the map/ }).waitFor();
    expect(await focused()).toMatch(/^Countries on the map/);
    await page.keyboard.press('Enter');
    await regions.waitFor();
    await page.keyboard.press('Enter');
    await shows(page, { Visitors: '1' });
    expect(filtersIn(page)).toEqual(['is:region:North Holland, NL']);
  });

  it('lists regions whose shapes cannot be loaded', async () => {
    const page = await browser.newPage({ locale: 'de-DE' });
    await page.route('**/regions-*', (route) => route.abort());
    await page.goto(`${service.address}/share/${site.domain}?range=7d&places=map&map=NL`);
    await page.getByText('Die Karte konnte nicht geladen werden.').waitFor();
    const rows = page.locator('.places').getByRole('listitem');
    await rows.getByText('North Holland').waitFor();
    await page.unroute('**/regions-*');
    await page.reload();
    await rows.getByText('Noord-Holland').waitFor();
    await page.goto(`${service.address}/share/${site.domain}?range=7d&places=map&map=XX`);
    await rows.getByText('Niederlande').waitFor();
    browser.complaints.length = 0;
  });

  it('is one stop of the keyboard, where arrow keys go through its countries', async () => {
    const page = await open('&places=map');
    await page.locator('.world .shade-5[data-code=US]').waitFor();
    const [tab, tip] = [page.getByRole('tab', { name: 'Map' }), page.locator('.map-tip')];
    await tab.focus();
    await page.keyboard.press('Tab');
    const countries = page.getByRole('listbox', { name: /^Countries on the map/ });
    expect(await countries.evaluate((list) => list === document.activeElement)).toBe(true);
    const read = () =>
      page.evaluate(
        `document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent`,
      );
    await tip.getByText('Netherlands').waitFor();
    expect(await read()).toBe('Netherlands: 1 visitor, 33.3%');
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('ArrowRight');
    await tip.getByText('United States').waitFor();
    // The country is wider than its largest part, whose middle is meant.
    const [place, shape] = [(await tip.boundingBox())!, (await map(page).boundingBox())!];
    expect((place.x - shape.x) / shape.width).toBeLessThan(0.35);
    await page.keyboard.press('ArrowRight');
    expect(await read()).toBe('United States: 1 visitor, 33.3%');
    await page.keyboard.press('Home');
    expect(await read()).toBe('Netherlands: 1 visitor, 33.3%');
    await page.keyboard.press('End');
    expect(await read()).toBe('United States: 1 visitor, 33.3%');
    await page.keyboard.press('Escape');
    expect(await tab.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await tip.count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('range')).toBe('7d');
  });

  it('filters nothing for viewers who may not', async () => {
    const closed = await website(service.api, { privacy: 0 });
    const many = Array.from({ length: 12 }, (_, index) =>
      from('https://news.example/', 'american', -index / 10),
    );
    await sendVisits(service.api, closed, many);
    const viewer = await open('&places=map&f=is:country:US', closed);
    await country(viewer, 'EH').dispatchEvent('click');
    expect(filtersIn(viewer)).toEqual(['is:country:US']);
    expect(await chips(viewer).count()).toBe(0);
    // Of the tab alone: a filter that is not theirs lists no cities.
    expect(await places(viewer).getByText('Cities', { exact: true }).count()).toBe(1);
    await map(viewer).click(await inAmerica(viewer));
    await viewer.getByRole('img', { name: /by region of United States/ }).waitFor();
    await places(viewer).getByText('No data for this period.').waitFor();
    expect(await places(viewer).getByRole('link').count()).toBe(0);
    expect(filtersIn(viewer)).toEqual(['is:country:US']);
  });

  it('that cannot be loaded leaves the list', async () => {
    const page = await browser.newPage();
    await page.route('**/drawings-*', (route) => route.abort());
    await page.goto(`${service.address}/share/${site.domain}?range=7d&places=map`);
    await page.getByText('The map could not be loaded.').waitFor();
    expect(await places(page).getByRole('listitem').count()).toBe(3);
    browser.complaints.length = 0;
  });

  it.each([
    ['light', 1280, ''],
    ['dark', 320, ''],
    ['light', 320, '&map=NL'],
    ['dark', 1280, '&map=NL'],
  ] as const)(
    '%s and %i wide%s, it fits, and has no fault that axe finds',
    async (colorScheme, width, of) => {
      const page = await open(`&places=map${of}`);
      await map(page).waitFor();
      await showOn(page, colorScheme, width);
      await expectToFit(page, width);
    },
  );
});

describe('without a database of places', () => {
  let without: TestApp;
  let visited: Site;
  beforeAll(async () => {
    without = await startApp({ TIMEZONE: timezoneAtNoon(), GEO_DB: 'off' });
    visited = await website(without.api, { privacy: 0, share_filters: 1 });
    await sendVisits(without.api, visited, SENT);
  });
  afterAll(() => without.stop());

  it.each([
    ['en', 'The service has no database of places,', 'Unknown', 'Languages'],
    ['de', 'Der Dienst hat keine Ortsdatenbank,', 'Unbekannt', 'Sprachen'],
  ])('the console says so beside each list of places: %s', async (locale, text, unknown, languages) => {
    const page = await openOwn(browser, without, `?website=${visited.id}&range=7d`, { locale });
    const [shown, said] = [page.locator('.places'), page.locator('.places').getByText(text)];
    await shown.getByRole('listitem').getByText(unknown).waitFor();
    for (const kind of ['country', 'map', 'city', 'continent']) {
      await page.locator(`#places-${kind}`).click();
      await said.waitFor();
    }
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('tab', { name: languages }).click();
    await said.waitFor({ state: 'detached' });
    await page.locator('#places-country').click();
    const address = (await shown.getByRole('link').first().getAttribute('href'))!;
    await page.goto(`${without.address}/${address}`);
    await page.locator(`#${address.split('#')[1]}`).waitFor();
  });

  it('a shared page does not', async () => {
    const page = await browser.newPage();
    await page.goto(`${without.address}/share/${visited.domain}?range=7d`);
    await places(page).getByRole('listitem').getByText('Unknown').waitFor();
    expect(await page.locator('.no-places').count()).toBe(0);
  });
});

describe('panels', () => {
  /** Between rows. */
  const GAP = 3;
  const rowsOf = async (page: Page, name: string) => {
    const list = (await panel(page, name).getByRole('list').boundingBox())!.height;
    const row = (await panel(page, name).getByRole('listitem').first().boundingBox())!.height;
    return Math.round((list + GAP) / (row + GAP));
  };

  it('are as high as their rows, and on a phone at least as three', async () => {
    const pages = Array.from({ length: 12 }, (_, index): Sent => ({
      ...{ by: 'american', path: `/page-${index}`, occurred_at: at('yesterday', -index / 10) },
    }));
    const busy = await website(service.api, { privacy: 0, share_filters: 1 });
    await sendVisits(service.api, busy, pages);
    const page = await open('', busy);
    expect([await rowsOf(page, 'Pages'), await rowsOf(page, 'Places')]).toEqual([10, 1]);
    await showOn(page, 'light', 390);
    await untilTrue(page, 'document.querySelectorAll(".panel-column").length === 1');
    expect(await rowsOf(page, 'Places')).toBe(3);
    await panel(page, 'Places').getByRole('link', { name: 'Details Countries' }).click();
    await page.getByRole('dialog', { name: 'Countries' }).getByText('1–1 of 1').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it('stand below each other on a phone', async () => {
    const page = await open();
    await showOn(page, 'light', 390);
    await untilTrue(page, 'document.querySelectorAll(".panel-column").length === 1');
    expect(await page.locator('.panel h2').allInnerTexts()).toEqual([
      ...['Pages', 'Sources', 'Places', 'Technology', 'Events'],
    ]);
  });
});
