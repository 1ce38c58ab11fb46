import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { timezoneAtNoon } from '../../support/counted';
import { expectToFit, showOn } from '../../support/faults';
import { type Site, website } from '../../support/sending';
import {
  chips,
  entriesOf,
  filtersIn,
  openOwn,
  panel,
  settled,
  shows,
  startSession,
} from '../../support/statistics-page';
import { startApp, type TestApp } from '../../support/test-app';
import { at, type Sent, sendVisits } from '../../support/visited-website';

const HOSTILE = `<img src=x onerror="document.title='broken'">`;
const sent = (by: Sent['by'], name: string, props: object, hours: number): Sent => ({
  ...{ by, path: '/', occurred_at: at('yesterday', hours), event: { name, props } },
});
const link = (by: Sent['by'], url: string, hours: number) => sent(by, 'Outbound link', { url }, hours);

const SENT: Sent[] = [
  { by: 'unknown', path: '/', occurred_at: at('yesterday', -3) },
  link('dutch', 'https://shop.example/a', -22),
  link('american', 'https://shop.example/a', -2),
  link('american', 'https://shop.example/a', -1.9),
  link('dutch', 'https://shop.example/a', -1.8),
  link('dutch', HOSTILE, -1.7),
  sent('american', 'File download', { url: 'https://shop.example/a.pdf' }, -1.6),
  sent('american', '404', { path: '/lost' }, -1.5),
  ...[100, 9, 50, 50].map((percent, index) => sent('american', 'Scroll', { percent }, -1 + index / 10)),
  sent('unknown', 'Scroll', { percent: HOSTILE }, -0.5),
  // Not the tracker's.
  sent('dutch', 'buy', { url: 'https://buy.example/' }, -0.4),
];

let service: TestApp;
let browser: TestBrowser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startApp({ TIMEZONE: timezoneAtNoon() }), openBrowser()]);
  site = await website(service.api, { privacy: 0, share_filters: 1 });
  await sendVisits(service.api, site, SENT);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));
afterEach(async () => {
  await browser.closePages();
  expect(browser.complaints.splice(0)).toEqual([]);
});

const open = (query = '', { id }: Site = site) =>
  openOwn(browser, service, `?website=${id}&range=yesterday${query}`);
/** Without the panel of goals, which comes later. */
const headings = async (page: Page) =>
  (await page.locator('.panel h2').allInnerTexts()).filter((heading) => heading !== 'Goals');
const OF_ALL = ['Pages', 'Sources', 'Places', 'Technology', 'Events', 'Event properties'];
const rowsOf = async (page: Page, name: string) =>
  (await panel(page, name).getByRole('listitem').allInnerTexts()).map((text) => text.split(/\s*\n\s*/));

it('are there for the events that there are, with their visitors', async () => {
  const page = await open();
  expect((await headings(page)).sort()).toEqual(
    [...OF_ALL, 'Outbound links', 'File downloads', 'Pages not found', 'Scroll depth'].sort(),
  );
  expect(await rowsOf(page, 'Outbound links')).toEqual([
    ['shop.example/a', '3', '2'],
    [HOSTILE, '1', '1'],
  ]);
  expect(await rowsOf(page, 'File downloads')).toEqual([['shop.example/a.pdf', '1', '1']]);
  expect(await rowsOf(page, 'Pages not found')).toEqual([['/lost', '1', '1']]);
  expect(await rowsOf(page, 'Scroll depth')).toEqual([
    ['9%', '1', '1'],
    ['50%', '2', '1'],
    ['100%', '1', '1'],
    [HOSTILE, '1', '1'],
  ]);
  const first = panel(page, 'Outbound links').locator('.value').first();
  expect(await first.getAttribute('title')).toBe('https://shop.example/a\n3');
  expect(await page.locator('main img[src=x]').count()).toBe(0);
  expect(await entriesOf(page, 'Event properties')).toEqual(['url', 'percent', 'path']);
});

it('filter by the event and its value, and stay while they have entries', async () => {
  const page = await open();
  await panel(page, 'Scroll depth').getByRole('link', { name: 'Filter by 50%' }).click();
  await shows(page, { Visitors: '1' });
  await settled(page);
  expect(filtersIn(page)).toEqual(['is:event:Scroll', 'is:event_property:percent:50']);
  expect(await chips(page).allInnerTexts()).toEqual(['Event is Scroll', 'percent is 50']);
  expect((await rowsOf(page, 'Scroll depth')).map(([percent]) => percent)).toEqual(['9%', '50%', '100%']);
  // What these visitors did besides.
  expect(await rowsOf(page, 'Outbound links')).toEqual([['shop.example/a', '2', '1']]);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await panel(page, 'Outbound links')
    .getByRole('link', { name: `Filter by ${HOSTILE}` })
    .click();
  await shows(page, { Visitors: '1' });
  await panel(page, 'Scroll depth').waitFor({ state: 'detached' });
  expect(await page.locator('main img[src=x]').count()).toBe(0);
});

it('show all of an event alone, with changes, a search and a file', async () => {
  const page = await open('&compare=previous');
  await panel(page, 'Outbound links').getByRole('link', { name: 'Details Outbound links' }).click();
  const dialog = page.getByRole('dialog', { name: 'Outbound links' });
  await dialog.getByText('1–2 of 2').waitFor();
  const first = dialog.getByRole('row', { name: 'shop.example' });
  await first.getByText('+200%').waitFor();
  await first.getByRole('cell', { name: '2', exact: true }).waitFor();
  expect((await first.getByRole('cell').allInnerTexts()).slice(0, 2)).toEqual(['3', '2']);
  await dialog.getByLabel('Search').fill('shop');
  await dialog.getByText('1–1 of 1').waitFor();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/-outbound-/);
  expect(readFileSync(await file.path(), 'utf8')).toBe(
    'value,label,count,visitors,previous_count\r\nhttps://shop.example/a,https://shop.example/a,3,2,1\r\n',
  );
  await first.getByRole('link', { name: /^Filter by/ }).click();
  await shows(page, { Visitors: '2' });
  expect(filtersIn(page)).toEqual(['is:event:Outbound link', 'is:event_property:url:https://shop.example/a']);
  const again = await open('&more=outbound');
  await again.getByRole('dialog', { name: 'Outbound links' }).getByText('1–2 of 2').waitFor();
});

it('list all values of a property by their numbers, over several pages', async () => {
  const page = await open('&more=scroll&sort=value');
  const dialog = page.getByRole('dialog', { name: 'Scroll depth' });
  await dialog.getByText('1–4 of 4').waitFor();
  expect(await dialog.getByRole('rowheader').allInnerTexts()).toEqual(['9%', '50%', '100%', HOSTILE]);

  const many = await website(service.api);
  const percents = Array.from({ length: 60 }, (_, percent) => percent);
  await sendVisits(
    service.api,
    many,
    percents.map((percent) => sent('dutch', 'Scroll', { percent }, percent / 100)),
  );
  const other = await open('&more=scroll&sort=value', many);
  const list = other.getByRole('dialog', { name: 'Scroll depth' });
  await list.getByText('1–25 of 60').waitFor();
  const shown = async () => (await list.getByRole('rowheader').allInnerTexts()).map(parseFloat);
  expect(await shown()).toEqual(percents.slice(0, 25));
  for (const [text, from] of [
    ['26–50 of 60', 25],
    ['51–60 of 60', 50],
  ] as const) {
    await list.getByRole('button', { name: 'Next', exact: true }).click();
    await list.getByText(text).waitFor();
    expect(await shown()).toEqual(percents.slice(from, from + 25));
  }
  await list.getByLabel('Search').fill('1');
  await list.getByText('of 15').waitFor();
  expect((await shown()).slice(0, 4)).toEqual([1, 10, 11, 12]);
});

it('are there for each event that the documentation of the tracker names', async () => {
  const lines = readFileSync(join(__dirname, '../../../docs/tracker.md'), 'utf8').split('\n');
  const rows = lines.filter((line) => /^\| `data-(?!domain|api|hash|debug|titles)/.test(line));
  const named = rows.map((row) => [...row.matchAll(/`([^`]+)`/g)].slice(1, 3).map(([, text]) => text!));
  expect(named).toHaveLength(5);
  const automatic = await website(service.api);
  await sendVisits(
    service.api,
    automatic,
    named.map(([name, property], index) => sent('dutch', name!, { [property!]: `of ${name}` }, index / 10)),
  );
  const page = await open('', automatic);
  const titles = ['Outbound links', 'File downloads', 'Pages not found', 'Form submissions', 'Scroll depth'];
  expect((await headings(page)).sort()).toEqual([...OF_ALL, ...titles].sort());
  for (const [index, title] of titles.entries())
    expect(await rowsOf(page, title)).toEqual([[`of ${named[index]![0]}`, '1', '1']]);
});

it('are found below many other events', async () => {
  const busy = await website(service.api);
  const names = Array.from({ length: 11 }, (_, index) => `event ${index}`);
  const often = [...names, ...names].map((name, index) => sent('american', name, {}, -2 + index / 100));
  await sendVisits(service.api, busy, [...often, sent('dutch', '404', { path: '/lost' }, 0)]);
  const page = await open('', busy);
  expect(await entriesOf(page, 'Events')).not.toContain('404');
  expect(await rowsOf(page, 'Pages not found')).toEqual([['/lost', '1', '1']]);
  expect(await headings(page)).toHaveLength(OF_ALL.length + 1);
});

it('cost one request more, and none where there are no such events', async () => {
  const plain = await website(service.api);
  await sendVisits(service.api, plain, [sent('dutch', 'buy', {}, 0)]);
  const queriesOn = async ({ id }: Site) => {
    const page = await browser.newPage();
    const bodies: string[] = [];
    page.on('request', (request) => request.url().endsWith('/query') && bodies.push(request.postData()!));
    await startSession(page, service);
    await page.goto(`${service.address}/?website=${id}&range=yesterday`);
    await settled(page);
    return bodies.map((body) => (JSON.parse(body) as { queries: { filters: unknown[] }[] }).queries);
  };
  // Behind those of the figures and of the lists.
  const [, , automatic, ...others] = await queriesOn(site);
  expect(others).toEqual([]);
  expect(automatic!.map(({ filters }) => filters)).toEqual(
    ['Outbound link', 'File download', '404', 'Scroll'].map((name) => [['is', 'event', [name]]]),
  );
  expect(await queriesOn(plain)).toHaveLength(2);
});

it.each([0, 1])('are not those of viewers, with share_filters %i', async (share_filters) => {
  await service.api.patch(`/api/v1/websites/${site.id}`, { form: { share_filters } });
  const page = await browser.newPage();
  const bodies: string[] = [];
  page.on('request', (request) => bodies.push(request.postData() ?? ''));
  await page.goto(`${service.address}/share/${site.domain}?range=yesterday&more=outbound`);
  await settled(page);
  expect(await headings(page)).toEqual(expect.not.arrayContaining(['Outbound links', 'Event properties']));
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(bodies.filter((body) => body.includes('event_property'))).toEqual([]);
});

it.each([
  ['light', 1440],
  ['dark', 320],
] as const)('%s and %i wide, they fit', async (colorScheme, width) => {
  const page = await open();
  await showOn(page, colorScheme, width);
  await panel(page, 'Scroll depth').waitFor();
  await expectToFit(page, width);
  await page.goto(`${page.url()}&more=outbound`);
  await page.getByRole('dialog').getByText('1–2 of 2').waitFor();
  await expectToFit(page, width);
});
