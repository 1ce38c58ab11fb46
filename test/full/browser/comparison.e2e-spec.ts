import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { DAY_MS, dayText } from '../../../engine/ground/time/days';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { timezoneAtNoon } from '../../support/counted';
import { expectToFit, showOn } from '../../support/faults';
import { addHits, visitorsOn } from '../../support/past-days';
import { type Site, website } from '../../support/sending';
import { chooseRange, figure, openOwn, settled, startSession } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { at, sendVisits } from '../../support/visited-website';

const TIMEZONE = timezoneAtNoon();
const TODAY = new DayClock(TIMEZONE).dayOf(Date.now());
const daysAgo = (days: number) => dayText(TODAY - days);

/** The evening of a day, or an hour ago, in seconds. It is around noon. */
const momentOf = (ago: number) =>
  Math.floor((Date.now() - ago * DAY_MS + (ago === 0 ? -1 : 8) * 3_600_000) / 1000);

let service: TestApp;
let browser: TestBrowser;
/** It has the same number of visitors by noon of both days, and yesterday more page views in the afternoon. */
let visited: Site;
/** It has counts of two weeks. */
let counted: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE }), openBrowser()]);
  visited = await website(service.api, { privacy: 0, share_filters: 1 });
  await sendVisits(service.api, visited, [
    { by: 'unknown', path: '/a', occurred_at: at('yesterday', -20) },
    { by: 'american', path: '/a', occurred_at: at('yesterday', -2) },
    { by: 'american', path: '/a', occurred_at: at('yesterday', 2) },
    { by: 'dutch', path: '/a', occurred_at: at('yesterday', -1) },
    { by: 'dutch', path: '/b', occurred_at: at('yesterday', 1) },
    { by: 'american', path: '/a', occurred_at: at('today', -1) },
    { by: 'dutch', path: '/a', occurred_at: at('today', -0.5) },
  ]);
  counted = await website(service.api, { privacy: 0, share_filters: 1 });
  const hits = [
    [2500, 1],
    [1500, 70],
    [13, 30],
    [8, 20],
    [7, 1000],
    [1, 60],
    [0, 5],
  ].flatMap(([ago, visitors]) => visitorsOn(daysAgo(ago!), visitors!, { at: momentOf(ago!) }));
  await addHits(service, counted.id, hits);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

const open = (query: string, { id }: Site = visited) => openOwn(browser, service, `?website=${id}&${query}`);
const change = (page: Page, name: string, text: string) =>
  figure(page, name).locator('.change').getByText(text, { exact: true }).first().waitFor();

describe('a range that is not over', () => {
  it('is compared with the one before up to the same time, and says so', async () => {
    const page = await open('range=today&compare=previous');
    for (const name of ['Visitors 2', 'Page views 2', 'Visits 2']) {
      await change(page, name, 'vs 2');
      expect(await figure(page, name).locator('.change-text').count()).toBe(0);
    }
    const said = /, up to 1[12]:\d\d [AP]M$/;
    expect(await page.locator('.compared').innerText()).toMatch(said);
    expect(await page.locator('.figures').getAttribute('title')).toMatch(said);
  });

  it('is so with any other period, without a request for that', async () => {
    const page = await browser.newPage();
    const requested: string[] = [];
    page.on('request', (request) => {
      if (/\/(query|summary)/.test(request.url())) requested.push(request.url().replace(/.*\/|\?.*/g, ''));
    });
    await startSession(page, service);
    const range = `range=custom&from=${daysAgo(1)}&to=${daysAgo(0)}&by=day`;
    await page.goto(`${service.address}/?website=${visited.id}&${range}&compare=custom&since=${daysAgo(2)}`);
    await change(page, 'Visitors 4', 'vs 3');
    await change(page, 'Page views 6', 'vs 3');
    // Figures, lists, and the part of a day: its moment is only known from the figures.
    expect(requested.sort()).toEqual(['query', 'query', 'query', 'summary']);
    expect(await page.locator('.compared').innerText()).toMatch(/, up to 1[12]:\d\d [AP]M$/);
  });

  it('is so by the hours of the last day, and so are its lists', async () => {
    const page = await open('range=24h&more=page&compare=previous');
    const dialog = page.getByRole('dialog', { name: 'Pages' });
    await dialog.getByRole('row', { name: '/b' }).getByText('25.0%', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await change(page, 'Visitors 4', 'vs 3');
    await change(page, 'Page views 4', 'vs 3');
    await page.getByText('As a table').click();
    const rows = page.locator('details tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(24);
    expect(await page.locator('details thead').innerText()).toMatch(/Current\s+Previous/);
    expect(await page.getByRole('button', { name: 'One period back' }).isDisabled()).toBe(true);
  });

  it('is so with filters, and in its lists', async () => {
    const page = await open('range=today&compare=previous&f=is:country:US&more=page');
    await change(page, 'Page views 1', 'vs 1');
    const dialog = page.getByRole('dialog', { name: 'Pages' });
    await dialog.getByRole('row', { name: '/a' }).getByText('0%', { exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download CSV' }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toMatch(
      /^value,label,count,visitors,bounce_rate,visit_duration,previous_count\r\n\/a,\/a,1,1,[01],\d+,1\r\n$/,
    );
  });

  it('takes no more of the last day before than its part', async () => {
    const page = await open('range=7d', counted);
    await change(page, 'Visitors 65', 'vs 50');
    await change(page, 'Visitors 65', '+30%');
  });

  it('is compared in whole days for those who may not ask for parts of one', async () => {
    const page = await browser.newPage();
    await page.goto(`${service.address}/share/${counted.domain}?range=7d`);
    await settled(page);
    await change(page, 'Visitors 65', '+20%');
    await change(page, 'Visitors 65', 'in whole days');
    expect(await page.locator('.compared').innerText()).toMatch(/, in whole days$/);
    expect(await page.locator('.figures').getAttribute('title')).toMatch(/^Compared in whole days: /);
  });

  it('ends in a dashed line, which one that is over does not', async () => {
    const page = await open('range=7d', counted);
    await page.locator('polyline.part').waitFor();
    await chooseRange(page, 'Yesterday');
    await page.locator('polyline.part').waitFor({ state: 'detached' });
    const without = await open(`range=custom&from=${daysAgo(13)}&to=${daysAgo(13)}`, counted);
    await without.getByTitle('No earlier data').waitFor();
  });
});

describe('a website that is younger than the compared range', () => {
  it('says since when it has visitors, in the place of a change', async () => {
    const young = await website(service.api);
    await addHits(service, young.id, [...visitorsOn(daysAgo(40), 5), ...visitorsOn(daysAgo(1), 60)]);
    const page = await open('', young);
    const day = String(Number(daysAgo(40).slice(8)));
    const since = new RegExp(`^since [A-Z][a-z]{2}\\s${day}\\b`);
    await figure(page, 'Visitors').getByText(since).waitFor();
    expect(await page.locator('.change-text').count()).toBe(0);
    await page.goto(`${service.address}/`);
    const row = page.getByRole('listitem').filter({ hasText: young.domain });
    await row.getByText(since).waitFor();
  });
});

describe('the list of all', () => {
  const changeOf = (page: Page, row: string) =>
    page.getByRole('dialog').getByRole('row', { name: row }).getByRole('cell').last();
  const YESTERDAY = 'range=yesterday&more=page';

  it.each([
    [
      'any other period',
      `range=custom&from=${daysAgo(0)}&to=${daysAgo(0)}&more=page&compare=custom&since=${daysAgo(1)}`,
    ],
    ['the hours before', 'range=24h&more=page&compare=previous'],
  ])('is compared with %s', async (_, query) => {
    const page = await open(query);
    await page.getByRole('dialog').getByRole('button', { name: 'Sort by Views' }).waitFor();
    await changeOf(page, '/a').getByText(/%$/).waitFor();
  });

  it('is compared with a whole period that is over', async () => {
    const page = await open(`${YESTERDAY}&compare=custom&since=${daysAgo(2)}`);
    await changeOf(page, '/a').getByText('+200%').waitFor();
    await changeOf(page, '/b').getByText('–').waitFor();
  });

  it('is so for viewers who may filter', async () => {
    const page = await browser.newPage();
    const query = `${YESTERDAY}&compare=custom&since=${daysAgo(2)}`;
    await page.goto(`${service.address}/share/${visited.domain}?${query}`);
    await changeOf(page, '/a').getByText('+200%').waitFor();
  });

  it('has no change without a comparison', async () => {
    const page = await open(`${YESTERDAY}&compare=off`);
    await page.getByRole('dialog').getByRole('row', { name: '/b' }).waitFor();
    expect(await page.getByRole('dialog').getByText('Change').count()).toBe(0);
  });
});

it('says with which days a month of more than 1,000 days is compared', async () => {
  // Not the last day of a month, which is no range.
  const length = [1200, 1205].find((days) => Number(daysAgo(2 * days).slice(8)) < 25)!;
  const page = await open(`range=custom&from=${daysAgo(length)}&to=${daysAgo(1)}`, counted);
  await change(page, 'Visitors 1,110', 'vs 70');
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  const first = new Date(`${daysAgo(2 * length)}T00:00:00Z`);
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0));
  const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
  const text = (await page.getByRole('slider').getAttribute('aria-valuetext'))!;
  expect(text.replace(/\s/g, ' ')).toContain(`, ${days.formatRange(first, last)} 0`.replace(/\s/g, ' '));
});

it('names the months of a year with their years', async () => {
  const page = await open('range=12m', counted);
  await page.locator('.ticks text').first().waitFor();
  for (const text of await page.locator('.ticks text').allTextContents())
    expect(text).toMatch(/^[A-Z][a-z]{2} 20\d\d$/);
});

it.each([
  ['light', 1280],
  ['dark', 320],
] as const)('%s and %i wide, what is compared fits', async (colorScheme, width) => {
  const page = await open('range=7d', counted);
  await showOn(page, colorScheme, width);
  await page.locator('.compared').waitFor();
  await expectToFit(page, width);
});
