import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { shiftsOf, watchShifts } from '../../support/layout-shifts';
import { fastForwardUntil } from '../../support/statistics-page';
import { record, type Site, website, WEBSITES } from '../../support/sending';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const HOSTILE = `/<img src=x onerror="document.title='broken'">`;
const POLL_MS = 5000;

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp(), openBrowser()]);
});
beforeEach(async () => void (site = await website(service.api, { privacy: 0, share_filters: 1 })));
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

interface Visit {
  visitor: number;
  minutesAgo?: number;
  path?: string;
  referrer?: string;
}

function comes(...visits: Visit[]): Promise<void> {
  const events = visits.map(({ visitor, minutesAgo = 0, path = '/', ...event }) => ({
    url: `https://${site.domain}${path}`,
    ip: `8.8.8.${visitor}`,
    occurred_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    ...event,
  }));
  return record(service.api, site, events);
}

/** Counts a page's requests for live visitors. The test controls the page's clock. */
async function newPage() {
  const page = await browser.newPage();
  await page.clock.install();
  const requested = { times: 0 };
  page.on('request', (request) => void (/\/live$/.test(request.url()) && requested.times++));
  return { page, requested };
}

const now = (page: Page) => page.locator('.live');
const shows = (page: Page, visitors: string) => now(page).getByText(visitors, { exact: true }).waitFor();

async function open() {
  const opened = await newPage();
  await opened.page.goto(`${service.address}/share/${site.domain}`);
  return opened;
}

async function openConsole(query = ''): Promise<Page> {
  const { page } = await newPage();
  await page.request.post(`${service.address}/console/api/session`, {
    headers: { Authorization: `Bearer ${FIRST_KEY}` },
  });
  await page.goto(`${service.address}/?website=${site.id}${query}`);
  return page;
}

const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
  );

describe('visitors now', () => {
  it('are shown within seconds, as a number alone on a shared page', async () => {
    await comes({ visitor: 1 }, { visitor: 2, minutesAgo: 20 });
    const { page } = await open();
    await shows(page, '1');
    await page.getByTitle('2 in the last 30 minutes').waitFor();
    await comes({ visitor: 3 });
    await fastForwardUntil(page, now(page).getByText('2', { exact: true }), POLL_MS);
    expect(await page.getByRole('button', { name: /visitors? now/ }).count()).toBe(0);
  });

  it('are asked for while somebody looks, and at once when somebody does again', async () => {
    const { page, requested } = await open();
    await shows(page, '0');
    await setHidden(page, true);
    await page.clock.fastForward(20 * POLL_MS);
    expect(requested.times).toBe(1);
    await comes({ visitor: 1 });
    await setHidden(page, false);
    await until(() => requested.times === 2);
    await fastForwardUntil(page, now(page).getByText('1', { exact: true }), POLL_MS);
  });

  it('that cannot be read leave the page whole, and are asked for again, ever less often', async () => {
    const { page, requested } = await newPage();
    await page.route('**/api/live', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.goto(`${service.address}/share/${site.domain}`);
    await shows(page, 'Not available right now');
    await page.getByText('Nobody visited in this range').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.clock.fastForward(POLL_MS);
    expect(requested.times).toBe(1);
    await page.unroute('**/api/live');
    await comes({ visitor: 1 });
    await fastForwardUntil(page, now(page).getByText('1', { exact: true }), POLL_MS);
    expect(browser.complaints.splice(0)).toEqual([expect.stringContaining('503')]);
  });

  it('are not asked for any more once nobody may see them', async () => {
    const { page, requested } = await open();
    await shows(page, '0');
    await page.locator('main[aria-busy="false"]').waitFor();
    await service.api.patch(`${WEBSITES}/${site.id}`, { form: { privacy: 1 } });
    await page.clock.fastForward(POLL_MS);
    await shows(page, 'Not available right now');
    await page.clock.fastForward(100 * POLL_MS);
    expect(requested.times).toBe(2);
    expect(browser.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  });
});

describe('the last 30 minutes in the console', () => {
  const panel = (page: Page) => page.getByRole('region', { name: 'The last 30 minutes' });

  it('show who came when, to which pages, from where; the address says that they are open', async () => {
    await comes(
      { visitor: 1, path: '/pricing', referrer: 'https://news.example/x' },
      { visitor: 2, path: '/pricing', minutesAgo: 12 },
      { visitor: 3, path: HOSTILE },
    );
    const page = await openConsole();
    await page.getByRole('button', { name: '2 visitors now' }).click();
    await panel(page).getByText('news.example').waitFor();
    const lists = await panel(page).locator('.entries').allInnerTexts();
    expect(lists.map((text) => text.split(/\s*\n\s*/))).toEqual([
      ['/pricing', '2', HOSTILE, '1'],
      ['news.example', '1'],
      ['United States', '3'],
    ]);
    const minutes = await panel(page).locator('.minutes li').allTextContents();
    expect(minutes).toHaveLength(30);
    expect(minutes.filter((text) => !text.endsWith(': 0'))).toHaveLength(2);
    expect(await page.locator('main img[src=x]').count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    const again = await openConsole(new URL(page.url()).search.replace(/^\?website=\d+/, ''));
    await panel(again).getByRole('link', { name: 'Filter by /pricing' }).click();
    await again.getByRole('button', { name: 'Remove: Page is /pricing' }).waitFor();
    await again.getByRole('button', { name: /visitors now/ }).click();
    expect(await panel(again).count()).toBe(0);
    expect(new URL(again.url()).searchParams.has('live')).toBe(false);
  });

  it('are one line while there are none', async () => {
    await comes({ visitor: 1, minutesAgo: 40 });
    const page = await openConsole();
    await page.getByRole('button', { name: '0 visitors now' }).click();
    await panel(page).getByText('No visitors in the last 30 minutes.').waitFor();
    expect((await panel(page).boundingBox())!.height).toBeLessThan(60);
    expect(await faultsOf(page)).toEqual([]);
  });

  it('move nothing when they come', async () => {
    await comes({ visitor: 1 });
    const page = await openConsole();
    await watchShifts(page);
    let answer!: () => void;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/live', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${service.address}/?website=${site.id}&live=open`);
    await panel(page).waitFor();
    await page.locator('main[aria-busy="false"] .entries').first().waitFor();
    answer();
    await panel(page).getByRole('listitem').nth(30).waitFor();
    expect(await shiftsOf(page)).toEqual([]);
  });
});

it.each([
  ['light', 1280],
  ['dark', 900],
  ['dark', 320],
] as const)('%s and %i wide, it fits, and has no fault that axe finds', async (colorScheme, width) => {
  await comes({ visitor: 1, path: `/${'x'.repeat(300)}`, referrer: 'https://news.example/x' });
  const page = await openConsole('&live=open');
  await showOn(page, colorScheme, width);
  await page.getByRole('region', { name: 'The last 30 minutes' }).getByText('news.example').waitFor();
  await expectToFit(page, width);
});
