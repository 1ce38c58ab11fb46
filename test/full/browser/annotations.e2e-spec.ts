import type { Locator, Page } from 'playwright-core';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { dayText } from '../../../engine/ground/time/days';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { timezoneAtNoon } from '../../support/counted';
import { expectToFit, showOn } from '../../support/faults';
import { painted, watchShifts } from '../../support/layout-shifts';
import { addHits, visitorsOn } from '../../support/past-days';
import { type Site, website, WEBSITES } from '../../support/sending';
import { chooseRange, openOwn, settled, startSession } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const TIMEZONE = timezoneAtNoon();
const CLOCK = new DayClock(TIMEZONE);
const TODAY = CLOCK.dayOf(Date.now());
const daysAgo = (days: number) => dayText(TODAY - days);
/** A time of the day in that zone. */
const momentOf = (days: number, time: string) =>
  new Date(CLOCK.endOf(TODAY - days - 1) + Date.parse(`1970-01-01T${time}Z`))
    .toISOString()
    .replace('.000Z', 'Z');
const SHOWN_DAYS = 28;
const HOSTILE = `<img src=x onerror="document.title='broken'">`;

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE }), openBrowser()]);
  site = await website(service.api, { privacy: 0 });
  const days = Array.from({ length: 60 }, (_, ago) => visitorsOn(daysAgo(ago), 10));
  await addHits(service, site.id, days.flat());
});
beforeEach(async () => {
  for (const { id } of (await service.api.get(`${path()}?per_page=100`)).body.data)
    await service.api.delete(`${path()}/${id}`);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

const path = () => `${WEBSITES}/${site.id}/annotations`;
const store = (fields: object) => service.api.post(path(), { json: fields });
const stored = async () =>
  (await service.api.get(path())).body.data.map(({ at, text, public: isPublic }: Record<string, unknown>) => [
    at,
    text,
    isPublic,
  ]);
const open = (query = '') => openOwn(browser, service, `?website=${site.id}${query}`);

const slider = (page: Page) => page.getByRole('slider');
const list = (page: Page) => page.getByRole('list', { name: 'Annotations' });
const notes = async (page: Page) =>
  (await list(page).getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
const marks = (page: Page) => page.locator('.note-mark');
const form = (page: Page, name = 'Add an annotation') => page.getByRole('dialog', { name });
const focused = (page: Page) =>
  page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');

/** The middle of a point of the chart. */
async function placeOf(page: Page, index: number): Promise<[number, number]> {
  const { x, y, width, height } = (await slider(page).boundingBox())!;
  const [left, right] = [52, 14];
  return [x + left + ((width - left - right) * index) / (SHOWN_DAYS - 1), y + height / 2];
}

async function fill(dialog: Locator, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
}

describe('the owner', () => {
  it('adds one to a day, which is marked in the chart', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Add an annotation' }).click();
    const dialog = form(page);
    await fill(dialog, { Text: HOSTILE, Day: daysAgo(19) });
    await dialog.getByLabel('Show on the shared page').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await list(page).waitFor();
    expect(await stored()).toEqual([[daysAgo(19), HOSTILE, 1]]);
    expect(await notes(page)).toEqual([expect.stringMatching(/ <img .* ?public$/)]);
    expect(await marks(page).count()).toBe(1);
    await page.mouse.move(...(await placeOf(page, 8)));
    await page.locator('.tip').getByText(HOSTILE).waitFor();
    expect(await page.title()).not.toBe('broken');
    expect(new URL(page.url()).search).toBe(`?website=${site.id}`);
  });

  it('adds, changes and deletes one by the keyboard alone', async () => {
    const page = await open();
    await slider(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    await form(page).waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('text');
    await page.keyboard.press('Escape');
    await form(page).waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Visitors, point by point');
    await page.keyboard.press('+');
    await page.keyboard.type('Deployed');
    await page.keyboard.press('Enter');
    await list(page).waitFor();
    expect(await stored()).toEqual([[daysAgo(26), 'Deployed', 0]]);
    await slider(page).focus();
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key);
    const said = await slider(page).getAttribute('aria-valuetext');
    expect(said).toMatch(/Visitors 10, .*\. Deployed$/);
    await list(page).getByRole('button').focus();
    await page.keyboard.press('Enter');
    await form(page, 'Change the annotation').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Released');
    await page.keyboard.press('Enter');
    await list(page).getByText('Released').waitFor();
    await list(page).getByRole('button').focus();
    await page.keyboard.press('Enter');
    await form(page, 'Change the annotation').getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await list(page).waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Add an annotation');
    expect(await stored()).toEqual([]);
  });

  it('adds one by the button, with a time in the zone of the service, and sees what is wrong', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Add an annotation' }).click();
    const dialog = form(page);
    expect(await dialog.getByLabel('Day').inputValue()).toBe(daysAgo(0));
    await fill(dialog, { Text: 'x'.repeat(281), Day: daysAgo(1), 'Time (optional)': '13:30' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Text must have 1 to 280 characters, in one line.').waitFor();
    // The browser names the answer on its console.
    browser.complaints.length = 0;
    await fill(dialog, { Text: 'Outage' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await list(page).waitFor();
    expect(await stored()).toEqual([[momentOf(1, '13:30:00'), 'Outage', 0]]);
    await page.goto(`${service.address}/?website=${site.id}&range=yesterday&by=hour`);
    await settled(page);
    await marks(page).waitFor();
    await slider(page).focus();
    for (let hour = 23; hour > 13; hour--) await page.keyboard.press('ArrowLeft');
    expect(await slider(page).getAttribute('aria-valuetext')).toMatch(/ 1:30|1 PM.*Outage$|Outage$/);
  });

  it('adds one to each of two hours of the same time by the keyboard', async () => {
    const zoned = await startApp({ TIMEZONE: 'Europe/Berlin' });
    try {
      const ours = await website(zoned.api);
      await addHits(zoned, ours.id, visitorsOn('2025-10-26', 100));
      const page = await openOwn(
        browser,
        zoned,
        `?website=${ours.id}&range=custom&from=2025-10-26&to=2025-10-26&by=hour&compare=off`,
      );
      const path = `${WEBSITES}/${ours.id}/annotations`;
      for (const [steps, text, at, shown] of [
        [2, 'first', '2025-10-26T00:00:00Z', '02:00'],
        [3, 'second', '2025-10-26T01:00:00Z', '02:00'],
        [4, 'third', '2025-10-26T02:00:00Z', '03:00'],
      ] as const) {
        await slider(page).focus();
        await page.keyboard.press('Home');
        for (let step = 0; step < steps; step++) await page.keyboard.press('ArrowRight');
        await page.keyboard.press('+');
        expect(await form(page).getByLabel('Time (optional)').inputValue()).toBe(shown);
        await page.keyboard.type(text);
        await page.keyboard.press('Enter');
        await list(page).getByText(text).waitFor();
        const { body } = await zoned.api.get(path);
        expect(body.data[0]).toMatchObject({ at, text });
      }
    } finally {
      await zoned.stop();
    }
  });

  it('keeps the seconds of a moment whose time is not changed', async () => {
    await store({ text: 'exact', at: momentOf(2, '13:30:07') });
    const page = await open();
    await list(page).getByRole('button').click();
    const dialog = form(page, 'Change the annotation');
    expect(await dialog.getByLabel('Time (optional)').inputValue()).toBe('13:30');
    await fill(dialog, { Text: 'still exact' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await list(page).getByText('still exact').waitFor();
    expect(await stored()).toEqual([[momentOf(2, '13:30:07'), 'still exact', 0]]);
  });

  it('sees more than five folded, and those of the range alone', async () => {
    for (let day = 0; day < 6; day++) await store({ text: `Version ${day}`, at: daysAgo(day) });
    await store({ text: 'long ago', at: daysAgo(50) });
    const page = await open();
    await page.getByText('6 annotations').click();
    expect(await notes(page)).toEqual(
      [0, 1, 2, 3, 4, 5].map((day) => expect.stringContaining(`Version ${day}`)),
    );
    expect(await marks(page).count()).toBe(6);
    await page.goto(`${service.address}/?website=${site.id}&range=90d`);
    await page.getByText('7 annotations').waitFor();
  });

  it('sees none where they could not be loaded', async () => {
    await store({ text: 'Deployed', at: daysAgo(3) });
    const page = await open();
    await list(page).waitFor();
    await page.route(/annotations\?/, (route) => route.fulfill({ status: 500, json: {} }));
    await chooseRange(page, 'Last 90 days');
    await list(page).waitFor({ state: 'detached' });
    // It may be gone before the answer is there.
    await until(() => browser.complaints.splice(0).length > 0);
    expect([await list(page).count(), await marks(page).count()]).toEqual([0, 0]);
  });

  it('has figures that wait for no annotation, and a page that hardly moves for them', async () => {
    for (let day = 0; day < 5; day++) await store({ text: `Version ${day}`, at: daysAgo(day) });
    const page = await browser.newPage();
    await startSession(page, service);
    await watchShifts(page);
    const order: string[] = [];
    const about = (url: string) => /\/(summary|query|annotations)\b/.exec(url)?.[1];
    page.on('response', (response) => void order.push(`${about(response.url())} answered`));
    page.on('request', (request) => void order.push(`${about(request.url())} asked`));
    await page.goto(`${service.address}/?website=${site.id}`);
    await list(page).waitFor();
    const asked = order.indexOf('annotations asked');
    for (const figures of ['summary answered', 'query answered']) {
      expect(order.indexOf(figures)).toBeGreaterThanOrEqual(0);
      expect(order.indexOf(figures)).toBeLessThan(asked);
    }
    await painted(page);
    const shifted = await page.evaluate<number>('shifts.reduce((sum, [value]) => sum + value, 0)');
    expect(shifted).toBeLessThan(0.02);
  });
});

it('a key that may only read sees them, and adds none', async () => {
  await store({ text: 'Deployed', at: daysAgo(3) });
  const key = await service.app
    .get(ApiKeysService)
    .create(1, { name: 'reader', scope: 'read', expiresAt: null });
  const page = await browser.newPage();
  await page.request.post(`${service.address}/console/api/session`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  await page.goto(`${service.address}/?website=${site.id}`);
  await list(page).waitFor();
  expect(await list(page).getByRole('button').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Add an annotation' }).count()).toBe(0);
  await slider(page).focus();
  await page.keyboard.press('+');
  await painted(page);
  expect(await form(page).count()).toBe(0);
});

describe('a viewer', () => {
  const share = async () => {
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.goto(`${service.address}/share/${site.domain}`);
    await settled(page);
    return { page, asked: () => asked.filter((url) => url.includes('annotations')) };
  };

  it('sees the public ones, of days that are over', async () => {
    await store({ text: 'open secret', at: daysAgo(3), public: 1 });
    await store({ text: 'secret', at: daysAgo(3) });
    await store({ text: 'too early', at: daysAgo(0), public: 1 });
    const { page } = await share();
    await list(page).waitFor();
    expect(await notes(page)).toEqual([expect.stringMatching(/ open secret$/)]);
    expect(await marks(page).count()).toBe(1);
    expect(await page.content()).not.toMatch(/>secret|too early/);
    expect(await page.getByRole('button', { name: 'Add an annotation' }).count()).toBe(0);
  });

  it('has no request where there are none to see', async () => {
    await store({ text: 'secret', at: daysAgo(3) });
    const { page, asked } = await share();
    await painted(page);
    expect(asked()).toEqual([]);
  });
});

it.each([
  ['light', 1440],
  ['dark', 390],
  ['light', 320],
] as const)('fits and has no fault: %s at %i', async (scheme, width) => {
  await store({ text: `A long text ${'of many words '.repeat(18)}`, at: daysAgo(3), public: 1 });
  await store({ text: 'x'.repeat(280), at: daysAgo(2) });
  const page = await open();
  await showOn(page, scheme, width);
  await list(page).waitFor();
  await expectToFit(page, width);
  await list(page).getByRole('button').first().click();
  await form(page, 'Change the annotation').waitFor();
  await expectToFit(page, width);
  await page.keyboard.press('Escape');
  for (let day = 4; day < 9; day++) await store({ text: `Version ${day}`, at: daysAgo(day) });
  await page.reload();
  await page.getByText('7 annotations').click();
  await slider(page).focus();
  await expectToFit(page, width);
});

it('speaks German', async () => {
  await store({ text: 'Fassung 2', at: daysAgo(3), public: 1 });
  const page = await open('');
  await page.evaluate(`localStorage.setItem('milepost_language', 'de')`);
  await page.reload();
  await page.getByRole('button', { name: 'Anmerkung hinzufügen' }).click();
  await page.getByRole('dialog', { name: 'Anmerkung hinzufügen' }).getByLabel('Uhrzeit').waitFor();
  await page.getByRole('list', { name: 'Anmerkungen' }).getByText('öffentlich').waitFor();
});
