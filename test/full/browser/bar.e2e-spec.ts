import type { Page } from 'playwright-core';
import { dayText } from '../../../engine/ground/time/days';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { timezoneAtNoon } from '../../support/counted';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { addHits, hitsOn, visitorsOn } from '../../support/past-days';
import { type Site, website } from '../../support/sending';
import { chooseRange, figure, openMenu, openOwn, settled, shows } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const TIMEZONE = timezoneAtNoon();
const TODAY = Math.floor(Date.now() / 86_400_000);
const daysAgo = (days: number) => dayText(TODAY - days);
const longDay = (days: number) =>
  new Date(86_400_000 * (TODAY - days)).toLocaleDateString('en-US', { dateStyle: 'full', timeZone: 'UTC' });

let service: TestApp;
let browser: TestBrowser;
let site: Site;
/** Each day that a test asks for has as many visitors as days have passed since then, plus 100. */
const week = (ago: number) =>
  Array.from({ length: 7 }, (_, day) => visitorsOn(daysAgo(ago - day), 100 + ago - day)).flat();
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE }), openBrowser()]);
  site = await website(service.api, { privacy: 0, share_filters: 1 });
  const hits = [62, 55, 48, 41, 34, 27, 20, 13, 6, 371].flatMap(week);
  // No compared range begins before the first visit.
  hits.push(...visitorsOn(daysAgo(499), 1));
  // Three page views of each visitor.
  for (let ago = 0; ago < 31; ago++) hits.push(...hitsOn(daysAgo(ago), 2 * (100 + ago)));
  await addHits(service, site.id, hits);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

const open = (query = '', { id }: Site = site) => openOwn(browser, service, `?website=${id}${query}`);
const parameters = (page: Page) => {
  const { searchParams } = new URL(page.url());
  searchParams.delete('website');
  return Object.fromEntries(searchParams);
};
const focused = (page: Page) =>
  page.evaluate(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`);

describe('the range', () => {
  it('is chosen in a calendar with the pointer, in either order', async () => {
    const page = await open();
    const menu = await openMenu(page, 'range');
    expect(await menu.getByRole('grid').count()).toBe(2);
    expect(await faultsOf(page)).toEqual([]);
    await menu.getByRole('button', { name: longDay(3) }).click();
    await menu.getByText('Choose the last day').waitFor();
    await menu.getByRole('button', { name: longDay(5) }).click();
    expect(parameters(page)).toEqual({ range: 'custom', from: daysAgo(5), to: daysAgo(3) });
    await shows(page, { Visitors: '312' });
    expect(await menu.count()).toBe(0);
    await page.goBack();
    await page.getByRole('button', { name: 'Last 28 days' }).waitFor();
  });

  it('is chosen in a calendar with the keyboard', async () => {
    const page = await open('&range=yesterday');
    await page.keyboard.press('c');
    await page.locator('.calendar [tabindex="0"]').focus();
    expect(await focused(page)).toBe(longDay(1));
    for (const key of ['PageUp', 'PageDown', 'ArrowUp', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    const first = daysFromMonths(1) + 8;
    for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    expect(parameters(page)).toEqual({ range: 'custom', from: daysAgo(first), to: daysAgo(first - 8) });
    expect(await focused(page)).toMatch(/\w/);
    await page.keyboard.press('Enter');
    await page.locator('.calendar').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toContain('Today');
    await page.keyboard.press('Escape');
    expect(await page.locator('.calendar').count()).toBe(0);
    expect(await page.locator('.range-menu .menu-button').evaluate('document.activeElement.className')).toBe(
      'menu-button',
    );
  });

  it('ends today at the latest, and its menu closes on a click elsewhere', async () => {
    const page = await open();
    const menu = await openMenu(page, 'range');
    expect(await menu.getByRole('button', { name: 'Next month' }).isDisabled()).toBe(true);
    await menu.getByRole('button', { name: 'Previous month' }).click();
    expect(await menu.getByRole('button', { name: 'Next month' }).isDisabled()).toBe(false);
    await page.mouse.click(5, 400);
    await menu.waitFor({ state: 'detached' });
  });

  it('moves to the periods before and after, by buttons and arrow keys', async () => {
    const page = await open('&range=7d');
    expect(await page.getByRole('button', { name: 'One period forward' }).isDisabled()).toBe(true);
    const compared = page.getByRole('button', { name: /previous period/i });
    expect([await compared.count(), await compared.innerText()]).toEqual([1, 'vs previous period']);
    await page.getByRole('button', { name: 'One period back' }).click();
    expect(parameters(page)).toEqual({ range: 'custom', from: daysAgo(13), to: daysAgo(7) });
    await page.keyboard.press('ArrowLeft');
    expect(parameters(page)).toMatchObject({ from: daysAgo(20), to: daysAgo(14) });
    for (let press = 0; press < 2; press++) await page.keyboard.press('ArrowRight');
    expect(parameters(page)).toEqual({ range: '7d' });
    await page.getByRole('tab', { name: 'Countries' }).focus();
    await page.keyboard.press('ArrowLeft');
    expect(parameters(page)).not.toHaveProperty('from');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('ArrowRight');
    expect(parameters(page)).not.toHaveProperty('from');
  });
});

/** How many days ago the day is that a month back and forth leads to from yesterday. */
function daysFromMonths(ago: number): number {
  const day = new Date(86_400_000 * (TODAY - ago));
  const lastOfBefore = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 0)).getUTCDate();
  return ago + Math.max(0, day.getUTCDate() - lastOfBefore);
}

describe('the comparison', () => {
  const visitors = (page: Page, text: string) =>
    figure(page, 'Visitors').getByText(text, { exact: true }).waitFor();
  const RANGE = `&range=custom&from=${daysAgo(7)}&to=${daysAgo(1)}`;

  it('is with the same weekdays of a year ago, with as many days from one of one’s own, or with none', async () => {
    const page = await open(RANGE);
    await visitors(page, 'vs 777');
    const menu = await openMenu(page, 'compare');
    await menu.getByRole('link', { name: 'Same period last year' }).click();
    await visitors(page, 'vs 3,276');
    expect(parameters(page)).toMatchObject({ compare: 'year' });
    await page.locator('polyline.earlier').waitFor();
    await openMenu(page, 'compare');
    await menu.getByRole('button', { name: 'Custom period' }).click();
    await menu.getByRole('button', { name: 'Previous month' }).click();
    const chosen = await menu.locator('[data-day]').first().getAttribute('data-day');
    expect(await faultsOf(page)).toEqual([]);
    const ago = TODAY - Date.parse(chosen!) / 86_400_000;
    await addHits(service, site.id, week(ago));
    await menu.locator('[data-day]').first().click();
    expect(parameters(page)).toMatchObject({ compare: 'custom', since: chosen });
    await visitors(page, `vs ${(7 * (100 + ago - 3)).toLocaleString('en')}`);
    await page.reload();
    await visitors(page, `vs ${(7 * (100 + ago - 3)).toLocaleString('en')}`);
    await openMenu(page, 'compare');
    await menu.getByRole('link', { name: 'No comparison' }).click();
    await page.locator('polyline.earlier').waitFor({ state: 'detached' });
    expect(await page.locator('.change').allInnerTexts()).toEqual(Array(6).fill(''));
  });

  it('of a day is with the same weekday of the week before, and has a color only then', async () => {
    const page = await open('&range=yesterday');
    await visitors(page, 'vs 108');
    await figure(page, 'Visitors').locator('.change-text.worse').waitFor();
    const menu = await openMenu(page, 'compare');
    await menu.getByRole('link', { name: 'Previous period' }).click();
    await visitors(page, 'vs 102');
    await figure(page, 'Visitors').locator('.change-text.same').waitFor();
    expect(parameters(page)).toEqual({ range: 'yesterday', compare: 'previous' });
    await openMenu(page, 'compare');
    await menu.getByRole('link', { name: 'A week earlier' }).click();
    await visitors(page, 'vs 108');
    expect(parameters(page)).toEqual({ range: 'yesterday' });
  });

  it('of a viewer who may not filter is the same', async () => {
    await service.api.patch(`/api/v1/websites/${site.id}`, { form: { share_filters: 0 } });
    const page = await browser.newPage();
    await page.goto(`${service.address}/share/${site.domain}?compare=year${RANGE}`);
    await visitors(page, 'vs 3,276');
    await service.api.patch(`/api/v1/websites/${site.id}`, { form: { share_filters: 1 } });
  });

  it('is not offered for all days', async () => {
    const page = await open('&range=all');
    await settled(page);
    expect(await page.locator('.compare-menu').count()).toBe(0);
  });
});

describe('the chart', () => {
  it('is read point by point with the keyboard, with both dates and the change', async () => {
    const page = await open(
      '&range=custom&from=2026-03-02&to=2026-03-05&metric=pageviews'
        .replace(/2026-03-02/, daysAgo(4))
        .replace(/2026-03-05/, daysAgo(1)),
    );
    const points = page.getByRole('slider', { name: 'Page views, point by point' });
    await points.press('Home');
    await page.locator('.tip').waitFor();
    const text = await points.getAttribute('aria-valuetext');
    expect(text).toContain('Page views 312');
    expect(text).toContain(' 324, −4%');
    await points.press('ArrowRight');
    expect(await points.getAttribute('aria-valuetext')).toContain('Page views 309');
    await points.press('Enter');
    expect(parameters(page)).toMatchObject({ range: 'custom', from: daysAgo(3), to: daysAgo(3) });
  });

  it('shows the point that a finger touched, until another place is touched', async () => {
    const page = await openOwn(browser, service, `?website=${site.id}&range=7d`, {
      hasTouch: true,
      viewport: { width: 390, height: 844 },
    });
    await settled(page);
    await page.locator('.lines .points').tap();
    const tip = page.locator('.tip');
    await tip.waitFor();
    const first = await tip.innerText();
    await page.locator('.lines .points').tap({ position: { x: 60, y: 100 } });
    await until(async () => (await tip.innerText()) !== first);
    await page.locator('.places h2').tap();
    await tip.waitFor({ state: 'detached' });
  });

  it('has a second metric with a scale of its own, which the address names', async () => {
    const page = await open('&range=7d');
    const menu = await openMenu(page, 'second');
    await menu.getByRole('link', { name: 'Page views' }).click();
    await page.locator('polyline.second').first().waitFor();
    expect(parameters(page)).toEqual({ range: '7d', second: 'pageviews' });
    const axis = await page.locator('.second-axis text').allTextContents();
    expect(axis.length).toBe(await page.locator('.grid text').count());
    expect(await faultsOf(page)).toEqual([]);
    await figure(page, 'Page views').click();
    await page.locator('polyline.second').first().waitFor({ state: 'detached' });
    expect(parameters(page)).toEqual({ range: '7d', metric: 'pageviews' });
  });

  it('names both ends of its axis', async () => {
    const page = await open();
    await page.locator('.ticks text').first().waitFor();
    const ticks = await page.locator('.ticks text').allTextContents();
    const short = (ago: number) =>
      new Date(86_400_000 * (TODAY - ago)).toLocaleDateString('en-US', {
        day: 'numeric',
        month: 'short',
        timeZone: 'UTC',
      });
    expect([ticks[0], ticks.at(-1)]).toEqual([short(27), short(0)]);
  });
});

describe('the website', () => {
  it('can be switched for another one, with the same range', async () => {
    const other = await website(service.api, { domain: 'aaa-other.example' });
    const page = await open('&range=7d&f=is:country:DE');
    await page.keyboard.press('/');
    const menu = page.locator('.site-menu .menu-panel');
    const isFocused = () => until(() => page.evaluate(`document.activeElement.matches('.site-menu > *')`));
    await menu.getByRole('link', { name: other.domain }).waitFor();
    expect(await menu.getByRole('searchbox').count()).toBe(0);
    for (let more = 0; more < 4; more++) await website(service.api);
    await page.reload();
    await openMenu(page, 'site');
    await menu.getByRole('searchbox').fill('aaa-ot');
    await until(async () => (await menu.locator('.options a').count()) === 1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: other.domain }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      website: String(other.id),
      range: '7d',
    });
    await isFocused();
    await page.keyboard.press('Enter');
    await menu.getByRole('link', { name: other.domain }).click();
    await menu.waitFor({ state: 'detached' });
    await isFocused();
  });

  it('of a shared page is a name, without a menu', async () => {
    const page = await browser.newPage();
    await page.goto(`${service.address}/share/${site.domain}`);
    await settled(page);
    expect(await page.locator('.site-menu').count()).toBe(0);
    await page.getByRole('heading', { level: 1, name: site.domain }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('One period forward').waitFor();
    expect(await list.getByText('Switch website').count()).toBe(0);
  });
});

it('opens the filter by its letter', async () => {
  const page = await open();
  await page.keyboard.press('f');
  await page.getByRole('dialog', { name: 'Add a filter' }).waitFor();
});

it('writes large numbers short, and exactly on hover', async () => {
  const page = await open('&range=30d');
  await shows(page, { 'Page views': '10.3K' });
  expect(await figure(page, 'Page views').locator('.sum').getAttribute('title')).toBe('10,305');
});

it('shows the first figure high up on a wide screen, and the chart on a phone without scrolling', async () => {
  const plain = await website(service.api, { privacy: 0, share_filters: 1 });
  await addHits(service, plain.id, visitorsOn(daysAgo(1), 5));
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${service.address}/share/${plain.domain}`);
  await settled(page);
  const bottomOf = async (selector: string) => {
    const { y, height } = (await page.locator(selector).first().boundingBox())!;
    return y + height;
  };
  expect(await bottomOf('.sum')).toBeLessThan(160);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await bottomOf('.plot')).toBeLessThan(844);
});

it.each([
  ['light', 1280],
  ['dark', 768],
  ['dark', 320],
] as const)('%s and %i wide, its menus fit', async (colorScheme, width) => {
  const page = await open('&second=visits');
  await showOn(page, colorScheme, width);
  for (const kind of ['range', 'compare', 'site', 'second'] as const) {
    const menu = await openMenu(page, kind);
    if (kind === 'compare') await menu.getByRole('button', { name: 'Custom period' }).click();
    await expectToFit(page, width);
    const { x, width: wide } = (await menu.boundingBox())!;
    expect([x >= 0, x + wide <= width]).toEqual([true, true]);
    await page.keyboard.press('Escape');
  }
  await chooseRange(page, 'Yesterday');
  await settled(page);
  await expectToFit(page, width);
});
