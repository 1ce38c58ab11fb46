import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { insertRows } from '../../../engine/database/rows';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { CountingProcess } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { expectPicture } from '../../support/pictures';
import { settled } from '../../support/statistics-page';
import { steadyHitsOn } from '../../support/steady-traffic';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';

const FOLDER = join(__dirname, 'screens');
/** Noon of the last day with hits, for the browser and so for the ranges that pages choose. */
const NOW = new Date('2026-03-15T12:00:00Z');
const LAST_DAY = Math.floor(NOW.getTime() / 86_400_000);
const DAYS = 62;
const MAX_FOLD = 2000;

let database: FreshDatabase;
let service: TestApp;
let browser: TestBrowser;
beforeAll(async () => {
  database = await freshDatabase();
  [service, browser] = await Promise.all([
    startApp({ DATABASE_URL: database.url, BASE_URL: 'http://stats.example' }),
    openBrowser(),
  ]);
  for (const domain of ['example.com', 'shop.example', 'docs.example', 'waiting.example'])
    await service.api.post('/api/v1/websites', {
      form: { domain, privacy: domain === 'example.com' ? 0 : 1 },
    });
  await service.api.post('/api/v1/keys', { form: { name: 'dashboard', scope: 'read' } });
  await service.api.patch('/api/v1/websites/3', { form: { privacy: 2, password: 'secret' } });
  await service.database.write((manager) =>
    manager.query('UPDATE websites SET created_at = ?', [Date.parse('2026-01-10T09:00:00Z')]),
  );
  await sendHits();
});
afterAll(async () => {
  await Promise.all([service.stop(), browser.close()]);
  await database.drop();
});
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

async function sendHits(): Promise<void> {
  const counting = await CountingProcess.start(database.url);
  const days = Array.from({ length: DAYS }, (_, index) => LAST_DAY - DAYS + 1 + index);
  for (const [website, every] of [
    [1, 1],
    [2, 3],
    [3, 5],
  ] as const) {
    const hits = days.flatMap((day) => steadyHitsOn(day).filter((_, index) => index % every === 0));
    for (let from = 0; from < hits.length; from += MAX_FOLD)
      await counting.accept(website, ...hits.slice(from, from + MAX_FOLD));
    await counting.count(website, []);
  }
  await counting.stop();
  await divide(1, days);
}

/** Makes each day a block of its own, as if it were sealed. */
async function divide(website: number, days: number[]): Promise<void> {
  const rows = days.map((day) => [website, day, day, 100]);
  await service.database.write((manager) =>
    insertRows(manager, 'day_blocks', ['website_id', 'day', 'block', 'visitors'], rows),
  );
}

interface Screen {
  scheme?: 'light' | 'dark';
  width?: number;
  height?: number;
  isSignedIn?: boolean;
}

/** The fonts of the machine are replaced by one that Debian's browser brings along. */
async function open(
  path: string,
  { scheme = 'light', width = 1280, height = 900, isSignedIn = true }: Screen = {},
): Promise<Page> {
  const page = await browser.newPage({
    colorScheme: scheme,
    viewport: { width, height },
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    bypassCSP: true,
  });
  await page.clock.setFixedTime(NOW);
  if (isSignedIn)
    await page.request.post(`${service.address}/console/api/session`, {
      headers: { Authorization: `Bearer ${FIRST_KEY}` },
    });
  await page.goto(`${service.address}/${path}`);
  await page.addStyleTag({ content: `* { font-family: 'DejaVu Sans' !important; }` });
  return page;
}

const picture = (name: string) => join(FOLDER, `${name}.png`);

describe('statistics', () => {
  it.each([
    ['statistics', {}],
    ['statistics-dark', { scheme: 'dark' }],
    ['statistics-phone', { width: 390, height: 844 }],
  ] as const)('%s', async (name, screen) => {
    const page = await open('?website=1', screen);
    await settled(page);
    await expectPicture(page, picture(name));
  });

  it('panels, below a filter', async () => {
    const page = await open('?website=1&f=is:device:desktop', { height: 1500 });
    await settled(page);
    await expectPicture(page, picture('panels-filtered'));
  });

  it('the calendar', async () => {
    const page = await open('?website=1');
    await settled(page);
    await page.getByRole('button', { name: /Last 28 days/ }).click();
    await page.getByRole('grid').first().waitFor();
    await expectPicture(page, picture('calendar'));
  });

  it('all values of a name', async () => {
    const page = await open('?website=1&more=country', { scheme: 'dark' });
    await page.locator('.of-details', { hasText: '%' }).first().waitFor();
    await page.getByRole('cell', { name: '+7%' }).waitFor();
    await settled(page);
    await expectPicture(page, picture('all-countries-dark'));
  });

  it('for anyone', async () => {
    const page = await open('share/example.com', { width: 1024, isSignedIn: false });
    await settled(page);
    await expectPicture(page, picture('shared'));
  });
});

describe('the console', () => {
  it('websites', async () => {
    const page = await open('');
    await page.locator('.total').getByText('0 now').waitFor();
    await expectPicture(page, picture('websites'));
  });

  it('a website without visits', async () => {
    const page = await open('?website=4');
    await page.getByText('Waiting for the first visit').waitFor();
    await expectPicture(page, picture('waiting'));
  });

  it('options, on a phone', async () => {
    const page = await open('?website=1&view=options&section=sharing', { width: 390, height: 844 });
    await page.getByText('Copy link').waitFor();
    await expectPicture(page, picture('sharing-phone'));
  });

  it('a new key', async () => {
    const page = await open('?view=keys', { scheme: 'dark' });
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByText('Only some').waitFor();
    await expectPicture(page, picture('new-key-dark'));
  });
});

it('the password of a shared page', async () => {
  const page = await open('share/docs.example', { isSignedIn: false });
  await page.getByLabel('Password').waitFor();
  await expectPicture(page, picture('password'));
});

it('signing in, on a phone', async () => {
  const page = await open('', { isSignedIn: false, width: 390, height: 844 });
  await page.getByText('Sign in to Milepost').waitFor();
  await expectPicture(page, picture('sign-in-phone'));
  // The browser reports that nobody is signed in.
  browser.complaints.length = 0;
});
