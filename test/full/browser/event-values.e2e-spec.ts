import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { timezoneAtNoon } from '../../support/counted';
import { expectToFit, faultsOf, showOn } from '../../support/faults';
import { type Site, website } from '../../support/sending';
import { entriesOf, filtersIn, openOwn, panel, settled, shows } from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { at, type Sent, sendVisits } from '../../support/visited-website';

const PLAYED: Sent = { by: 'unknown', path: '/', occurred_at: at('yesterday', 0), event: { name: 'play' } };
/** One event in two currencies, with a negative value, and another with more digits than a number holds. */
const SOLD: Sent[] = [
  ['buy', '19.90', 'EUR'],
  ['buy', '0.10', 'EUR'],
  ['buy', '-5', 'USD'],
  ['renew', '999999999999999', 'JPY'],
  ['renew', '0.0049', 'JPY'],
].map(([name, value, currency], index) => ({
  by: index === 0 ? 'dutch' : 'american',
  path: '/',
  occurred_at: at('yesterday', -1 + index / 100),
  event: { name: name!, value: value!, currency: currency! },
}));

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()]);
  site = await website(service.api, { privacy: 0, share_filters: 1 });
  await sendVisits(service.api, site, [PLAYED, ...SOLD]);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

const open = (query = '', locale?: string) =>
  openOwn(browser, service, `?website=${site.id}&range=7d${query}`, { locale });

describe('the value of events', () => {
  const sumsOf = (page: Page, name: string) => panel(page, name).locator('.sums').allInnerTexts();

  it('stands beside their number, by currency and never added up', async () => {
    const page = await open();
    expect(await entriesOf(page, 'Events')).toEqual(['buy', 'renew', 'play']);
    expect(await sumsOf(page, 'Events')).toEqual(['€20.00 · -$5.00', '¥1000.0T', '']);
    expect(await panel(page, 'Events').locator('.value').nth(1).getAttribute('title')).toBe(
      'renew\n2\n¥999,999,999,999,999.0049',
    );
    await panel(page, 'Event properties').getByRole('tab', { name: 'Currencies' }).click();
    await panel(page, 'Event properties').getByTitle('€20.00').waitFor();
    expect(await sumsOf(page, 'Event properties')).toEqual(['€20.00', '¥1000.0T', '-$5.00']);
  });

  it('is that of what is filtered', async () => {
    const page = await open();
    await panel(page, 'Events').getByRole('link', { name: 'Filter by renew' }).click();
    await shows(page, { Visitors: '1' });
    await settled(page);
    expect(await sumsOf(page, 'Events')).toEqual(['€0.10 · -$5.00', '¥1000.0T']);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await sumsOf(page, 'Events')).toEqual(['€0.10 + 1 currency', '¥1000.0T']);
  });

  it.each(['.sums', '.count', '.part'])('filters where the %s of a row is clicked', async (place) => {
    const page = await open();
    await panel(page, 'Events').locator(place).first().click({ force: true });
    await shows(page, { Visitors: '2' });
    expect(filtersIn(page)).toEqual(['is:event:buy']);
  });

  it('is written as the reader has numbers', async () => {
    const page = await open('', 'de-DE');
    expect(await sumsOf(page, 'Ereignisse')).toEqual([
      '20,00\u00a0€ · -5,00\u00a0$',
      '1000,0\u00a0Bio.\u00a0¥',
      '',
    ]);
  });

  it('is in the list of all and in its file', async () => {
    const page = await open('&more=event');
    const dialog = page.getByRole('dialog', { name: 'Events' });
    await dialog.getByText('€20.00 · -$5.00').waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split(/\r?\n/);
    expect(lines).toEqual([
      'value,label,count,visitors,value_EUR,value_JPY,value_USD',
      'buy,buy,3,2,20,,-5',
      'renew,renew,2,1,,999999999999999.0049,',
      'play,play,1,1,,,',
    ]);
    expect(await faultsOf(page)).toEqual([]);
  });

  it('is not asked for, nor shown, on a shared page', async () => {
    const page = await browser.newPage();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.postData() ?? ''));
    await page.goto(`${service.address}/share/${site.domain}?range=7d`);
    await settled(page);
    expect(await entriesOf(page, 'Events')).toEqual(['buy', 'renew', 'play']);
    expect(await sumsOf(page, 'Events')).toEqual([]);
    expect(requested.filter((body) => /value|currency/.test(body))).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('%s and %i wide, it fits', async (colorScheme, width) => {
    const page = await open('&properties=currency');
    await showOn(page, colorScheme, width);
    await expectToFit(page, width);
  });
});
