import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { dayText } from '../../engine/ground/time/days';
import { openBrowser, type TestBrowser, untilTrue } from '../support/browser';
import { timezoneAtNoon } from '../support/counted';
import { expectToFit, faultsOf, showOn } from '../support/faults';
import { painted, shiftsOf, watchShifts } from '../support/layout-shifts';
import { addHits, hitsOn, visitorsOn } from '../support/past-days';
import { type Site, website } from '../support/sending';
import { chooseRange, figure, openMenu, panel, fastForwardUntil, settled } from '../support/statistics-page';
import { startApp, type TestApp } from '../support/test-app';
import { serve } from '../support/web-server';

const HOSTILE = '<img src=x onerror="document.title=\'broken\'">';
const TIMEZONE = timezoneAtNoon();
const TODAY = Math.floor(Date.now() / 86_400_000);
const daysAgo = (days: number) => dayText(TODAY - days);

let service: TestApp;
let browser: TestBrowser;
let site: Site;
const elsewhere: string[] = [];
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE }), openBrowser()]);
  site = await website(service.api, { privacy: 0, share_filters: 1 });
  await fill(site);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
  expect(elsewhere.splice(0)).toEqual([]);
});

/** Two months of traffic. Values that visitors choose are hostile. */
async function fill({ id }: Site): Promise<void> {
  const page = `/${HOSTILE}`;
  const places = {
    page,
    continent: '(unknown)',
    country: '(unknown)',
    city: '(unknown)',
    language: '(unknown)',
  };
  const german = { page, country: 'DE', city: 'Berlin, Berlin, DE', language: 'pt-BR' };
  const days = Array.from({ length: 60 }, (_, ago) => [
    ...visitorsOn(daysAgo(ago), ago === 2 ? 28 : 100 - ago, places),
    ...hitsOn(daysAgo(ago), 200 - ago, { page }),
  ]);
  const pages = Array.from({ length: 40 }, (_, index) =>
    hitsOn(daysAgo(1), 100 - index, { page: `/page-${index + 10}` }),
  );
  await addHits(service, id, [
    ...days.flat(),
    ...pages.flat(),
    ...hitsOn(daysAgo(1), 602, { page }),
    ...hitsOn(daysAgo(1), 800, { page: '//evil.example/' }),
    ...hitsOn(daysAgo(1), 700, { page: '/\u202Egnp.exe' }),
    ...visitorsOn(daysAgo(2), 35, { ...german, referrer: 'news.example' }),
    ...visitorsOn(daysAgo(2), 30, { ...german, referrer: 'javascript:alert(1)' }),
    ...visitorsOn(daysAgo(2), 5, { ...german, campaign: HOSTILE }),
    ...hitsOn(daysAgo(2), 5, { event: 'javascript:alert(1)' }),
  ]);
}

async function newPage(options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(service.address) && !/^(data|blob):/.test(url)) elsewhere.push(url);
  });
  return page;
}

async function open(query = '', of: Site = site, options?: BrowserContextOptions): Promise<Page> {
  const page = await newPage(options);
  await page.goto(`${service.address}/share/${of.domain}${query}`);
  return page;
}

const loaded = (page: Page) => page.locator('main[aria-busy="false"] .sum').first().waitFor();

describe('the page', () => {
  it('shows the figures of 28 days beside those of the days before', async () => {
    const page = await open();
    await figure(page, 'Visitors').getByText('2,422').waitFor();
    await figure(page, 'Visitors').getByText('+48%').waitFor();
    await figure(page, 'Visitors').getByTitle('One browser on one day.').waitFor();
    expect(await figure(page, 'Visitors').innerText()).toContain('in whole days');
    expect(await figure(page, 'Page views').innerText()).toContain('13.0K');
    await page.getByRole('img', { name: /^Visitors from/ }).waitFor();
    expect(await page.locator('polyline:not(.part)').count()).toBe(2);
  });

  it('draws the figure that is pressed, which its address names', async () => {
    const page = await open();
    await figure(page, 'Page views').click();
    await page.getByRole('img', { name: /^Page views from/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?metric=pageviews');
    await page.goBack();
    await page.getByRole('img', { name: /^Visitors from/ }).waitFor();
  });

  it('has a link for each range, which shows the same elsewhere and to which back leads', async () => {
    const page = await open();
    await chooseRange(page, 'Last 7 days');
    await figure(page, 'Visitors').getByText('679').waitFor();
    const again = await newPage();
    await again.goto(page.url());
    await figure(again, 'Visitors').getByText('679').waitFor();
    await chooseRange(page, 'All time');
    await figure(page, 'Visitors').getByText('4,230').waitFor();
    await page.goBack();
    await figure(page, 'Visitors').getByText('679').waitFor();
  });

  it('shows each range', async () => {
    const page = await open();
    for (const [range, visitors] of [
      ['Today', '100'],
      ['Last 90 days', '4,230'],
      ['Yesterday', '99'],
      ['Last 12 months', '4,230'],
    ] as const) {
      await chooseRange(page, range);
      await figure(page, 'Visitors').getByText(visitors, { exact: true }).waitFor();
    }
  });

  it('has a letter for each range, which can be switched off', async () => {
    const page = await open();
    await loaded(page);
    await page.keyboard.press('w');
    await figure(page, 'Visitors').getByText('679').waitFor();
    await page.keyboard.press('Control+t');
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.waitFor();
    await page.keyboard.press('t');
    expect(await faultsOf(page)).toEqual([]);
    await list.getByLabel('Enable letter shortcuts').uncheck();
    await list.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('t');
    expect(new URL(page.url()).search).toBe('?range=7d&keys=off');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await list.getByLabel('Enable letter shortcuts').check();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await page.keyboard.press('T');
    await figure(page, 'Visitors').getByText('100', { exact: true }).waitFor();
  });

  it('shows a range that is dragged over', async () => {
    const page = await open();
    await figure(page, 'Visitors').getByText('2,422').waitFor();
    const { x, y, width } = (await page.locator('.lines').boundingBox())!;
    await page.mouse.move(x + 44, y + 100);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 100);
    await page.mouse.up();
    await page.waitForURL(/range=custom/);
    expect(new URL(page.url()).searchParams.get('from')).toBe(daysAgo(27));
  });

  it('says what an address asks for in vain', async () => {
    const range = expect.stringMatching(/^That period isn’t available here/) as string;
    const filter = expect.stringMatching(/^A filter in the address doesn’t exist/) as string;
    for (const [query, ...said] of [
      ['?range=foo', range],
      ['?range=custom&from=2026-13-40&to=2026-13-41&f=zzz', range, filter],
      ['?range=7d'],
    ] as const) {
      const page = await open(query);
      await settled(page);
      expect(await page.locator('.warnings li').allInnerTexts()).toEqual(said);
      expect(await faultsOf(page)).toEqual([]);
    }
  });

  it('shows a day that is clicked, and by hours nothing else', async () => {
    const page = await open();
    await figure(page, 'Visitors').getByText('2,422').waitFor();
    const { x, y } = (await page.locator('.lines').boundingBox())!;
    await page.mouse.click(x + 60, y + 100);
    await page.waitForURL(/range=custom/);
    const { from, to } = Object.fromEntries(new URL(page.url()).searchParams);
    expect([from, to]).toEqual([daysAgo(27), daysAgo(27)]);
    await page.getByRole('img', { name: /^Visitors from/ }).waitFor();
    await settled(page);
    const address = () => page.evaluate<string>('location.href');
    const before = await address();
    await page.mouse.click(x + 60, y + 100);
    expect(await address()).toBe(before);
    await chooseRange(page, 'Last 28 days');
    await page.waitForURL((url) => !url.searchParams.has('range'));
    await openMenu(page, 'range');
    await painted(page);
    await page.mouse.click(x + 60, y + 100);
    await page.locator('.range-menu .menu-panel').waitFor({ state: 'detached' });
    expect(new URL(await address()).searchParams.has('range')).toBe(false);
  });

  it('drags beyond its edge, unless Escape drops it', async () => {
    const page = await open();
    await figure(page, 'Visitors').getByText('2,422').waitFor();
    const { x, y, width, height } = (await page.locator('.lines').boundingBox())!;
    const drag = async (release: () => Promise<void>) => {
      await page.mouse.move(x + width / 2, y + 100);
      await page.mouse.down();
      await page.mouse.move(x + width + 15, y + height + 30, { steps: 3 });
      await release();
      await page.mouse.up();
    };
    await drag(() => page.keyboard.press('Escape'));
    await painted(page);
    expect(await page.evaluate('location.search')).toBe('');
    await drag(async () => {});
    await page.waitForURL(/range=custom/);
    expect(new URL(page.url()).searchParams.get('to')).toBe(daysAgo(0));
  });

  it('shows a day that is tapped twice', async () => {
    const page = await open('', site, { hasTouch: true });
    await figure(page, 'Visitors').getByText('2,422').waitFor();
    const { x, y } = (await page.locator('.lines').boundingBox())!;
    await page.touchscreen.tap(x + 60, y + 100);
    await page.locator('.tip').waitFor();
    await painted(page);
    expect(await page.evaluate('location.search')).toBe('');
    await page.touchscreen.tap(x + 60, y + 100);
    await page.waitForURL(/range=custom/);
  });

  it('keeps the focus on a point that the keyboard picks', async () => {
    const page = await open();
    await figure(page, 'Visitors').getByText('2,422').waitFor();
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL(/range=custom/);
    await page.getByRole('slider').and(page.locator(':focus')).waitFor();
  });

  it('adds days up to weeks and months', async () => {
    const page = await open('?range=90d');
    await page.getByRole('link', { name: 'Months', exact: true }).click();
    await page.getByText('As a table').click();
    const rows = page.locator('details tbody tr');
    await rows.first().waitFor();
    expect([3, 4]).toContain(await rows.count());
    await page.getByRole('link', { name: 'Days', exact: true }).click();
    await untilTrue(page, 'document.querySelectorAll("details tbody tr").length === 90');
  });

  it('has tabs for the other names, which arrow keys reach', async () => {
    const page = await open();
    await panel(page, 'Places').getByText('Germany').waitFor();
    const heightOf = async () => (await panel(page, 'Places').boundingBox())!.height;
    const height = await heightOf();
    await page.getByRole('tab', { name: 'Countries' }).focus();
    for (const tab of ['Map', 'Cities']) {
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
    }
    await panel(page, 'Places').getByText('Berlin', { exact: true }).waitFor();
    expect(
      await page.getByRole('tab', { name: 'Cities' }).evaluate('document.activeElement.textContent'),
    ).toBe('Cities');
    await page.getByRole('tab', { name: 'Map' }).click();
    await page.locator('.world .shade-5[data-code=DE]').waitFor();
    expect(await heightOf()).toBe(height);
    await page.getByRole('tab', { name: 'Languages' }).click();
    await panel(page, 'Places').getByText('Portuguese (Brazil)').waitFor();
    expect(new URL(page.url()).search).toBe('?places=language');
    const portuguese = panel(page, 'Places').getByRole('listitem').filter({ hasText: 'Portuguese' });
    expect(await portuguese.innerText()).toContain('2.9%');
    expect(await heightOf()).toBe(height);
  });

  it('names where the places come from', async () => {
    const page = await open();
    const link = page.getByRole('link', { name: 'IP Geolocation by DB-IP' });
    expect(await link.getAttribute('href')).toBe('https://db-ip.com');
  });
});

describe('values that visitors choose', () => {
  it('stay text, and are links only where they are plain addresses', async () => {
    const page = await open('?sources=referrer');
    await panel(page, 'Sources').getByText('javascript:alert(1)').waitFor();
    const links = await page
      .locator('.visit')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toContain('https://news.example/');
    expect(links.filter((href) => !/^https:\/\/[\w.-]+\/[^<>"]*$/.test(href!))).toEqual([]);
    expect(new Set(links.map((href) => new URL(href!).host))).toEqual(new Set([site.domain, 'news.example']));
    expect(await panel(page, 'Pages').innerText()).toContain(HOSTILE);
    expect(await panel(page, 'Pages').innerText()).toContain('/\uFFFDgnp.exe');
    await page.getByRole('tab', { name: 'Campaigns' }).click();
    await panel(page, 'Sources').getByText(HOSTILE).waitFor();
    expect(await page.title()).toBe(`Statistics of ${site.domain}`);
    expect(await page.locator('.panels img:not([src^="http"])').count()).toBe(0);
  });
});

describe('all entries of a name', () => {
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Pages' });

  it('are shown in pages, found by typing, and sorted; the address says how', async () => {
    const page = await open();
    await panel(page, 'Pages').getByRole('link', { name: 'Show all (43)' }).click();
    await dialog(page).getByText('1–25 of 43').waitFor();
    await dialog(page).getByRole('button', { name: 'Next' }).click();
    await dialog(page).getByText('26–43 of 43').waitFor();
    await page.goBack();
    await dialog(page).getByText('1–25 of 43').waitFor();
    await dialog(page).getByRole('searchbox').pressSequentially('PAGE-1');
    await dialog(page).getByText('1–10 of 10').waitFor();
    await dialog(page).getByRole('button', { name: 'Sort by Pages' }).click();
    await page.waitForURL(/sort=value/);
    expect(new URL(page.url()).search).toBe('?more=page&search=PAGE-1&sort=value');
    const again = await newPage();
    await again.goto(page.url());
    await dialog(again).getByText('1–10 of 10').waitFor();
    expect(await dialog(again).getByRole('rowheader').first().innerText()).toBe('/page-10');
    await dialog(again).getByRole('searchbox').fill('nothing like it');
    await dialog(again).getByText('Nothing matches.').waitFor();
    // The first empties the search.
    for (let press = 0; press < 2; press++) await again.keyboard.press('Escape');
    await again.waitForURL((url) => !url.search.includes('more'));
    expect(await dialog(again).count()).toBe(0);
  });

  it('open with the focus in the search, and have bars and changes, also on a phone', async () => {
    const page = await open('?range=yesterday');
    await showOn(page, 'light', 390);
    await panel(page, 'Pages')
      .getByRole('link', { name: /^Show all/ })
      .click();
    await dialog(page).getByText('1–25 of 43').waitFor();
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await dialog(page).getByRole('columnheader', { name: 'Change' }).waitFor();
    const widths = await dialog(page)
      .locator('tbody .bar')
      .evaluateAll((bars) => bars.slice(0, 2).map((bar) => bar.getBoundingClientRect().width));
    expect(widths[1]! / widths[0]!).toBeCloseTo(800 / 900, 1);
    await expectToFit(page, 390);
    const colorOf = (element: string) => page.evaluate(`getComputedStyle(${element}).backgroundColor`);
    const root = () => colorOf('document.documentElement');
    expect(await root()).not.toBe(await colorOf('document.body'));
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await root()).toBe(await colorOf('document.body'));
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Show all (43) Pages');
  });

  it('can be had as a file, as they are shown', async () => {
    const page = await open('?more=page&search=page-1');
    await dialog(page).getByText('1–10 of 10').waitFor();
    const download = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Download CSV' }).click();
    const file = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect([file.length, file[1]]).toEqual([11, expect.stringMatching(/^\/page-10,\/page-10,100\b/)]);
  });
});

describe('what goes wrong', () => {
  it('is said, with what helps', async () => {
    const page = await newPage();
    await page.clock.install();
    let answers = 0;
    await page.route('**/api/summary*', (route) =>
      answers++ < 3 ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
    );
    await page.goto(`${service.address}/share/${site.domain}`);
    await fastForwardUntil(page, page.getByText('The server is busy.'));
    await page.getByRole('button', { name: 'Try again' }).click();
    await figure(page, 'Visitors').getByText('2,422').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(browser.complaints.splice(0)).toEqual(Array(3).fill(expect.stringContaining('503')));
  });

  it('is asked again where the service is busy for a moment, and is said to take long', async () => {
    const page = await newPage();
    await page.clock.install();
    await watchShifts(page);
    let answers = 0;
    let answer!: () => void;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/query', async (route) => {
      await held;
      return answers++ < 2 ? route.fulfill({ status: 503, body: '{}' }) : route.continue();
    });
    await page.goto(`${service.address}/share/${site.domain}`);
    await figure(page, 'Visitors').getByText('2,422').waitFor();
    await fastForwardUntil(page, page.getByRole('status').getByText('Still loading.'));
    expect(await faultsOf(page)).toEqual([]);
    answer();
    await fastForwardUntil(page, page.locator('main[aria-busy="false"] .sum').first());
    expect(await page.getByText('Still loading.').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await shiftsOf(page)).toEqual([]);
    expect(browser.complaints.splice(0)).toEqual(Array(2).fill(expect.stringContaining('503')));
  });

  it('says that nobody came, and where to look', async () => {
    const quiet = await website(service.api, { privacy: 0 });
    const page = await open('?range=today', quiet);
    await page.getByText('Nobody visited in this range').waitFor();
    expect(await page.locator('.panel').count()).toBe(0);
    await page.getByRole('link', { name: 'Show all days' }).click();
    await page.waitForURL(/range=all/);
    expect(await faultsOf(page)).toEqual([]);
  });

  it('asks for the password again once it was changed', async () => {
    const guarded = await website(service.api, { privacy: 2, password: 'one' });
    const page = await open('?range=7d', guarded);
    await page.getByLabel('Password').fill('two');
    await page.getByRole('button', { name: 'View statistics' }).click();
    await page.getByText('Wrong password.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel('Password').fill('one');
    await page.getByRole('button', { name: 'View statistics' }).click();
    await loaded(page);
    expect(new URL(page.url()).search).toBe('?range=7d');
    await service.api.patch(`/api/v1/websites/${guarded.id}`, { form: { password: 'three' } });
    await chooseRange(page, '28 days to yesterday');
    await page.getByText('Enter the password again.').waitFor();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('heading', { name: 'Protected statistics' }).waitFor();
    // A wrong password, and all requests of the page at that time.
    expect(new Set(browser.complaints.splice(0))).toEqual(new Set([expect.stringContaining('403')]));
  });
});

describe('for everyone', () => {
  it.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('%s and %i wide, it fits, and has no fault that axe finds', async (colorScheme, width) => {
    const page = await newPage();
    await showOn(page, colorScheme, width);
    await page.goto(`${service.address}/share/${site.domain}`);
    await loaded(page);
    await page.getByText('As a table').click();
    await expectToFit(page, width);
    await chooseRange(page, 'Today');
    await figure(page, 'Visitors').getByText('100', { exact: true }).waitFor();
    await loaded(page);
    await expectToFit(page, width);
    await page.goto(`${service.address}/share/${site.domain}?more=page`);
    await page.getByRole('dialog').getByText('1–25 of 43').waitFor();
    await loaded(page);
    await expectToFit(page, width);
  });

  it('shows its frame before any number has come, and moves nothing when they do', async () => {
    const page = await newPage();
    await watchShifts(page);
    let answer!: () => void;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/summary*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${service.address}/share/${site.domain}`);
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
    await painted(page);
    answer();
    await loaded(page);
    expect(await shiftsOf(page)).toEqual([]);
  });

  it('writes numbers and days as the reader’s language does', async () => {
    const page = await newPage();
    await page.addInitScript(`Object.defineProperty(navigator, 'languages', { value: ['de-DE'] })`);
    await page.goto(`${service.address}/share/${site.domain}`);
    await figure(page, 'Besucher').getByText('2.422').waitFor();
  });

  it('can be a part of another page', async () => {
    const page = await newPage();
    const blog = await serve((_, response) =>
      response
        .setHeader('Content-Type', 'text/html')
        .end(`<iframe title="statistics" src="${service.address}/share/${site.domain}?embed"></iframe>`),
    );
    await page.goto(blog.address);
    const frame = page.frameLocator('iframe');
    const visitors = frame.getByRole('button', { name: /^Visitors/ });
    await visitors.getByText('2,422').waitFor();
    await chooseRange(frame, 'Last 7 days');
    await visitors.getByText('679').waitFor();
    expect(page.frames()[1]!.url()).toMatch(/\?embed&range=7d$/);
    blog.close();
    expect(elsewhere.splice(0).every((url) => url.startsWith(blog.address))).toBe(true);
  });
});
