import type { Page } from 'playwright-core';
import { dayText } from '../../engine/ground/time/days';
import { day } from '../../engine/ground/time/parsed';
import { openBrowser, type TestBrowser, untilTrue } from '../support/browser';
import { closeDays, timezoneAtNoon, untilCounted } from '../support/counted';
import { expectToFit, faultsOf, showOn } from '../support/faults';
import { addHits, visitorsOn } from '../support/past-days';
import { record, type Site, website } from '../support/sending';
import {
  chooseRange,
  entriesOf,
  figure,
  openMenu,
  openOwn,
  panel,
  settled,
  shows,
} from '../support/statistics-page';
import { startApp, type TestApp } from '../support/test-app';
import { at } from '../support/visited-website';

let service: TestApp;
let browser: TestBrowser;
let site: Site;
const refused: string[] = [];
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()]);
  site = await website(service.api, { privacy: 0 });
  const seen = (visitor: number, path: string, hours: number) => ({
    url: `https://${site.domain}${path}`,
    ip: `203.0.113.${visitor}`,
    occurred_at: at('today', hours),
  });
  const visitors = (count: number, path: string, hours: number) =>
    Array.from({ length: count }, (_, visitor) => seen(visitor, path, hours));
  await record(service.api, site, [
    ...visitors(4, '/quiet', -42),
    ...visitors(12, '/', -25),
    ...visitors(5, '/pricing', -24.9),
    seen(1, '/secret', -24.8),
    ...visitors(11, '/today', 0),
  ]);
  await untilCounted(service.api, site.id);
  await closeDays(service.counting, site.id);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect([...refused.splice(0), ...browser.complaints.splice(0)]).toEqual([]);
});

async function open(query = '?range=7d'): Promise<Page> {
  const page = await browser.newPage();
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${service.address}/share/${site.domain}${query}`);
  await settled(page);
  return page;
}

it('shows small numbers together, and leads to the days with all details', async () => {
  const page = await open();
  await page.getByText('A day is shown once it is over.').waitFor();
  await shows(page, { Visitors: '16', 'Page views': '22', 'Visits ': '–', 'Views per visit': '–' });
  expect(await entriesOf(page, 'Pages')).toEqual(['/', '/pricing', 'Others']);
  expect(await panel(page, 'Pages').locator('.entries .bar').count()).toBe(2);
  await page.locator('.live').getByText('10', { exact: true }).waitFor();
  expect(await page.getByText('/secret').count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await page
    .getByRole('link', { name: /^Show / })
    .first()
    .click();
  await shows(page, { Visitors: '12', 'Visits ': '12', 'Views per visit': '1.5' });
  expect(await page.getByText('Some details need more days.').count()).toBe(0);
});

it('begins with the longest range of the last days that hides nothing', async () => {
  for (const query of ['', '?embed']) {
    const page = await open(query);
    await shows(page, { Visitors: '12', 'Page views': '18', 'Visits ': '12' });
    expect(new URL(page.url()).searchParams.has('range')).toBe(false);
  }
});

it('says when the first visit and when details appear', async () => {
  const { id, domain } = await website(service.api, { privacy: 0 });
  const first = await browser.newPage();
  await first.goto(`${service.address}/share/${domain}`);
  await first.getByText('Today’s visits will appear here tomorrow.').waitFor();
  await first.getByRole('link', { name: 'Show all days' }).click();
  await first.getByText('Nobody visited in this range. Today’s visits will appear here tomorrow.').waitFor();
  await record(service.api, { id, domain }, [{ occurred_at: at('yesterday', 0) }]);
  await untilCounted(service.api, id);
  await closeDays(service.counting, id);
  const page = await browser.newPage();
  await page.goto(`${service.address}/share/${domain}`);
  await page.getByText('Details appear once ten visitors have come.').waitFor();
  await shows(page, { Visitors: '1', 'Visits ': '–' });
});

it('shows a week whose days make a block together, and leads there from one of them, unless the page is limited', async () => {
  const site = await website(service.api, { privacy: 0 });
  const today = day(at('today', 0).slice(0, 10));
  const monday = today - ((today + 3) % 7) - 14;
  const visitors = (index: number, count: number) => visitorsOn(dayText(monday + index), count);
  await addHits(service, site.id, [visitors(0, 5), visitors(1, 5), visitors(7, 3)].flat());
  const page = await browser.newPage();
  const range = `from=${dayText(monday)}&to=${dayText(monday + 13)}`;
  await page.goto(`${service.address}/share/${site.domain}?range=custom&${range}&by=week`);
  await page.getByText('As a table').click();
  const visits = `[...document.querySelectorAll('details tbody tr')].map((row) => row.cells[3].innerText).join()`;
  await untilTrue(page, `${visits} === '10,–'`);
  const first = dayText(monday);
  await page.goto(`${service.address}/share/${site.domain}?range=custom&from=${first}&to=${first}`);
  await shows(page, { Visitors: '5', 'Visits ': '–' });
  await page.getByRole('link', { name: /^Show / }).click();
  await shows(page, { Visitors: '10', 'Visits ': '10' });
  const json = { name: 'All', filters: [['is_not', 'page', ['/secret']]], shared: 1 };
  await service.api.post(`/api/v1/websites/${site.id}/saved-filters`, { json });
  await closeDays(service.counting, site.id);
  await page.goto(`${service.address}/share/${site.domain}?range=custom&from=${first}&to=${first}`);
  await page.getByText('Details of these days can’t be shown. Choose a longer range').waitFor();
});

it('offers nothing that would be refused', async () => {
  const page = await open('?range=7d&f=is:page:/secret&by=hour');
  await shows(page, { Visitors: '16' });
  expect(await page.getByRole('region', { name: 'Filters' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: /^Filter by/ }).count()).toBe(0);
  const ranges = await openMenu(page, 'range');
  expect(await ranges.getByRole('link', { name: 'Yesterday', exact: true }).count()).toBe(1);
  expect(await ranges.getByRole('link', { name: 'Today' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('link', { name: 'Hours' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /visitors? now/ }).count()).toBe(0);
  await page.keyboard.press('t');
  expect(new URL(page.url()).searchParams.get('range')).toBe('7d');
});

it('asks for every tab, list and range what it may ask', async () => {
  const page = await open();
  for (const tabs of await page.getByRole('tablist').all())
    for (const tab of await tabs.getByRole('tab').all()) {
      await tab.click();
      await settled(page);
    }
  await panel(page, 'Pages').getByRole('tab', { name: 'Entry' }).click();
  await panel(page, 'Pages')
    .getByRole('link', { name: /^Details/ })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1–2 of 2').waitFor();
  await dialog.getByLabel('Search').fill('quiet');
  await dialog.getByText('Nothing matches.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  for (const name of [
    'Yesterday',
    '28 days to yesterday',
    '12 months to yesterday',
    'All days to yesterday',
  ]) {
    await chooseRange(page, name);
    await settled(page);
  }
  await shows(page, { Visitors: '16' });
});

it('draws one day as a day, and ends an own range before today', async () => {
  const page = await open('?range=yesterday');
  await page.getByText('As a table').click();
  await untilTrue(page, 'document.querySelectorAll("details tbody tr").length === 1');
  await figure(page, 'Bounce rate').click();
  await page.getByRole('img', { name: /^Bounce rate from/ }).waitFor();
  const [from, to] = [at('today', -48), at('today', 24)].map((moment) => moment.slice(0, 10));
  const own = await open(`?range=custom&from=${from}&to=${to}`);
  await shows(own, { Visitors: '16' });
});

it('shows the owner everything', async () => {
  const page = await openOwn(browser, service, `share/${site.domain}?range=7d`);
  await shows(page, { Visitors: '27' });
  expect(await entriesOf(page, 'Pages')).toContain('/secret');
  expect(await page.getByText('A day is shown once it is over.').count()).toBe(0);
  const notice = 'You are signed in as the owner, so you see more here than other viewers.';
  await page.getByText(notice).waitFor();
  expect(await (await open()).getByText(notice).count()).toBe(0);
});

it('shows what a saved filter selects, where the page is limited to one, and no live visitors', async () => {
  const list = `/api/v1/websites/${site.id}/saved-filters`;
  const json = { name: 'Home', filters: [['is', 'page', ['/']]], shared: 1 };
  const { id } = (await service.api.post(list, { json })).body.data;
  await closeDays(service.counting, site.id);
  const page = await open();
  await shows(page, { Visitors: '12', 'Page views': '12' });
  expect(await entriesOf(page, 'Pages')).toEqual(['/']);
  expect(await page.locator('.live').count()).toBe(0);
  await service.api.patch(`${list}/${id}`, { json: { shared: 0 } });
  await service.api.delete(`${list}/${id}`);
  await page.reload();
  await shows(page, { Visitors: '16' });
  await page.locator('.live').waitFor();
});

it('lets viewers filter where the website does, from the next look on', async () => {
  await service.api.patch(`/api/v1/websites/${site.id}`, { form: { share_filters: 1 } });
  const page = await open();
  await panel(page, 'Pages').getByRole('link', { name: 'Filter by /secret' }).click();
  await shows(page, { Visitors: '1' });
  await page.getByRole('button', { name: 'Add a filter' }).waitFor();
  await service.api.patch(`/api/v1/websites/${site.id}`, { form: { share_filters: 0 } });
  await page.reload();
  await shows(page, { Visitors: '16' });
});

it.each([
  ['light', 1280],
  ['dark', 320],
] as const)('%s and %i wide, it fits', async (colorScheme, width) => {
  const page = await open();
  await showOn(page, colorScheme, width);
  await expectToFit(page, width);
});
