import type { Locator, Page } from 'playwright-core';
import { dayText } from '../../../engine/ground/time/days';
import { readArchivedFrom } from '../../../engine/columns/stored-days';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { CountingProcess, TODAY } from '../../support/counting';
import { change } from '../../support/database-access';
import { expectToFit, showOn } from '../../support/faults';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { figure, openOwn, panel, settled, TALL } from '../../support/statistics-page';
import { steadyHitsOn } from '../../support/steady-traffic';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const DAY_MS = 86_400_000;
const WEBSITE = 1;
const ARCHIVE_DAYS = 90;
/** The first day that was visited. */
const FIRST = 150;
/** A release of that day added a name. */
const LATE = 45;
const HITS_ON = [FIRST, 130, 110, 95, 80, 60, 50, 30, 10, 1];
const daysAgo = (days: number) => dayText(TODAY - days);

let database: FreshDatabase;
let service: TestApp;
let browser: TestBrowser;
beforeAll(async () => {
  database = await freshDatabase();
  const counting = await CountingProcess.start(database.url);
  await counting.register(WEBSITE);
  const days = HITS_ON.map((ago) => TODAY - ago);
  await counting.count(
    WEBSITE,
    days.flatMap((day) => steadyHitsOn(day)),
  );
  await counting.rollUpDays(WEBSITE, TODAY);
  const isLate = "name = 'hostname'";
  await change(database.url, sinceDaysAgo(LATE, isLate));
  await change(database.url, sinceDaysAgo(FIRST + 100, `NOT ${isLate}`));
  const settings = { DATABASE_URL: database.url, ARCHIVE_DAYS: String(ARCHIVE_DAYS) };
  [service, browser] = await Promise.all([startApp(settings), openBrowser()]);
  await until(async () => (await readArchivedFrom(counting.database, WEBSITE)) > 0);
  await counting.stop();
  const goals = `/api/v1/websites/${WEBSITE}/goals`;
  await service.api.post(goals, { json: { name: 'Signup', filters: [['is', 'event', ['signup']]] } });
  await service.api.post(`/api/v1/websites/${WEBSITE}/funnels`, {
    json: {
      name: 'Signups',
      steps: [{ filters: [['is', 'page', ['/']]] }, { filters: [['is', 'event', ['signup']]] }],
    },
  });
});
afterAll(async () => {
  await Promise.all([service.stop(), browser.close()]);
  await database.drop();
});
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

function sinceDaysAgo(days: number, where: string): string {
  return `UPDATE collected_names SET since = ${Date.now() - days * DAY_MS} WHERE ${where}`;
}

const WHOLE = `range=custom&from=${daysAgo(FIRST)}&to=${daysAgo(0)}`;
const KEPT = `range=custom&from=${daysAgo(ARCHIVE_DAYS)}&to=${daysAgo(0)}`;

const open = (query: string) => openOwn(browser, service, `?website=${WEBSITE}&${query}`, TALL);
const sums = (page: Page) => page.locator('.sum').allInnerTexts();
/** The days of the link that a part of the page has instead of numbers. */
async function linkedIn(part: Locator): Promise<[from: string | null, to: string | null]> {
  const href = await part.locator('.coverage a').getAttribute('href');
  const { searchParams } = new URL(href!, service.address);
  return [searchParams.get('from'), searchParams.get('to')];
}

/** The names of each panel: those that are kept with the statistics of a day, and those that are counted from hits. */
const PANELS = {
  pages: { title: 'Pages', kept: ['page'], ofHits: ['entry_page', 'exit_page', 'hostname'] },
  sources: {
    title: 'Sources',
    kept: ['referrer', 'campaign'],
    ofHits: ['referrer_page', 'channel', 'source', 'medium', 'term', 'content'],
  },
  places: {
    title: 'Places',
    kept: ['country', 'map', 'city', 'continent', 'language'],
    ofHits: ['region'],
  },
  technology: {
    title: 'Technology',
    kept: ['browser', 'operating_system', 'device', 'screen_resolution'],
    ofHits: ['browser_version', 'operating_system_version'],
  },
  events: { title: 'Events', kept: ['event'], ofHits: [] },
  properties: {
    title: 'Event properties',
    kept: [],
    ofHits: ['event_properties', 'currency', 'event_property:plan'],
  },
};

it('figures and the chart have no number of a part of the range', async () => {
  const page = await open(`${WHOLE}&by=month`);
  const [visitors, views, ...ofVisits] = await sums(page);
  for (const text of [visitors, views]) expect(text).toMatch(/^[\d,]+$/);
  expect(ofVisits).toEqual(['–', '–', '–', '–']);
  expect(await linkedIn(page.locator('.card').first())).toEqual([daysAgo(ARCHIVE_DAYS), daysAgo(0)]);
  await page.getByText('As a table').click();
  const first = page.locator('details tbody tr').first().getByRole('cell');
  await first.first().waitFor();
  const cells = await first.allInnerTexts();
  expect(cells.slice(0, 2)).not.toContain('–');
  expect(cells.slice(2)).toEqual(['–', '–', '–', '–']);
  for (const name of ['Visits ', 'Views per visit', 'Bounce rate', 'Visit duration']) {
    await figure(page, name).click();
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toContain('Unknown');
    await page.keyboard.press('End');
    // A month that has just begun may have no visits yet, so that its ratios are unknown.
    if (daysAgo(0).endsWith('-01')) await page.keyboard.press('ArrowLeft');
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).not.toContain('Unknown');
  }
});

describe.each(Object.entries(PANELS))('the panel of %s', (id, { title, kept, ofHits }) => {
  it('has entries, or since when they are complete', async () => {
    const page = await open(WHOLE);
    const shown = panel(page, title);
    const show = async (name: string) => {
      await page.goto(`${service.address}/?website=${WEBSITE}&${WHOLE}&${id}=${name}`);
      await settled(page);
    };
    for (const name of kept) {
      await show(name);
      await shown.getByRole('listitem').first().waitFor();
      expect([name, await shown.locator('.coverage').count()]).toEqual([name, 0]);
    }
    for (const name of ofHits) {
      await show(name);
      await shown.locator('.coverage').waitFor();
      const from = daysAgo(name === 'hostname' ? LATE : ARCHIVE_DAYS);
      expect([name, await linkedIn(shown), await shown.getByRole('listitem').count()]).toEqual([
        ...[name, [from, daysAgo(0)], 0],
      ]);
    }
  });
});

it('a range that is kept has all numbers but those of the name that was added within it', async () => {
  const page = await open(`${KEPT}&pages=hostname`);
  expect((await sums(page)).filter((text) => text === '–')).toEqual([]);
  expect(await linkedIn(panel(page, 'Pages'))).toEqual([daysAgo(LATE), daysAgo(0)]);
  expect(await page.locator('.coverage').count()).toBe(1);
  await panel(page, 'Pages').locator('.coverage a').click();
  await panel(page, 'Pages').getByText('example.com', { exact: true }).waitFor();
  expect(await page.locator('.coverage').count()).toBe(0);
});

it('filtered numbers, lists and the regions of a country are complete since a day, too', async () => {
  const page = await open(`${WHOLE}&f=is:country:DE&by=day`);
  expect(await sums(page)).toEqual(Array(6).fill('–'));
  for (const { title } of [PANELS.pages, PANELS.sources, PANELS.places, PANELS.technology])
    expect(await linkedIn(panel(page, title))).toEqual([daysAgo(ARCHIVE_DAYS), daysAgo(0)]);
  await page.goto(`${service.address}/?website=${WEBSITE}&${KEPT}&f=is:hostname:example.com`);
  await settled(page);
  expect(await sums(page)).toEqual(Array(6).fill('–'));
  await page.goto(`${service.address}/?website=${WEBSITE}&${WHOLE}&places=map&map=DE`);
  await panel(page, 'Places').locator('.coverage').waitFor();
  await page.goto(`${service.address}/?website=${WEBSITE}&${WHOLE}&more=entry_page`);
  const dialog = page.getByRole('dialog', { name: 'Entry pages' });
  expect(await linkedIn(dialog)).toEqual([daysAgo(ARCHIVE_DAYS), daysAgo(0)]);
  expect(await dialog.getByRole('row').count()).toBe(0);
});

it('goals, funnels and journeys are complete since a day, too', async () => {
  const page = await open(WHOLE);
  for (const tab of ['goals', 'funnels', 'journeys']) {
    await page.goto(`${service.address}/?website=${WEBSITE}&${WHOLE}&goals=${tab}&funnel=1`);
    const part = page.locator('.goals');
    await part.locator('.coverage').waitFor();
    expect([tab, await linkedIn(part)]).toEqual([tab, [daysAgo(ARCHIVE_DAYS), daysAgo(0)]]);
    expect(await part.getByRole('row').count()).toBe(0);
  }
  await page.goto(`${service.address}/?website=${WEBSITE}&${KEPT}`);
  await page.locator('.goals').getByRole('cell').first().waitFor();
});

it('nothing is compared with days that are kept in part', async () => {
  const page = await open(`range=custom&from=${daysAgo(59)}&to=${daysAgo(1)}`);
  await figure(page, 'Visitors').locator('.change-text').waitFor();
  for (const name of ['Visits ', 'Views per visit', 'Bounce rate', 'Visit duration'])
    expect(await figure(page, name).locator('.change').innerText()).toBe('');
  await page.goto(
    `${service.address}/?website=${WEBSITE}&range=custom&from=${daysAgo(59)}&to=${daysAgo(1)}&more=entry_page`,
  );
  const row = page.getByRole('dialog').getByRole('row').nth(1);
  await row.getByRole('cell').last().getByText('–').waitFor();
});

it.each([
  ['light', 1440],
  ['dark', 390],
] as const)('%s and %i wide, it fits', async (colorScheme, width) => {
  const page = await open(`${WHOLE}&pages=entry_page`);
  await showOn(page, colorScheme, width);
  await expectToFit(page, width);
});
