import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { type EventRecorder, recordEvents, type Sent } from '../../support/event-recorder';
import { serve, type WebServer } from '../../support/web-server';

interface SitePage {
  body: string;
  status?: number;
  headers?: Record<string, string>;
}

let recorder: EventRecorder;
let site: WebServer;
let browser: TestBrowser;
/** Any other page is empty. */
const pages = new Map<string, SitePage>();

beforeAll(async () => {
  recorder = await recordEvents();
  const server = await serve((request, response) => {
    const { body, status = 200, headers } = pages.get(request.url!) ?? { body: '' };
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body);
  });
  site = { ...server, address: server.address.replace('127.0.0.1', 'site.localhost') };
  // The headless shell has no back/forward cache.
  browser = await openBrowser({ isWhole: true, ignoreDefaultArgs: ['--disable-back-forward-cache'] });
});
afterAll(async () => {
  await browser.close();
  recorder.close();
  site.close();
});
afterEach(async () => {
  await browser.closePages();
  pages.clear();
  recorder.scripts.length = 0;
  expect(browser.complaints.splice(0)).toEqual([]);
});

const snippet = (attributes: string, path = '/tracker.js') =>
  `<script defer src="${recorder.address}${path}" ${attributes}></script>`;
const elsewhere = (path: string) => site.address.replace('site.', 'elsewhere.') + path;

/** Opens a page, and waits until the scripts of the tracker have run. */
async function open(path: string, page: SitePage): Promise<Page> {
  pages.set(path, page);
  const tab = await browser.newPage();
  await tab.goto(site.address + path, { waitUntil: 'load' });
  await tab.waitForLoadState('networkidle');
  return tab;
}

/** Opens a page without the tracker. The page that was open is left. */
const leave = (page: Page) => page.goto(`${site.address}/end`);

const worded = ({ url, event }: Sent) =>
  [
    event?.name ?? 'view',
    url.replace(site.address, ''),
    ...Object.entries(event?.props ?? {}).flat(),
    ...(event?.passive ? ['passive'] : []),
  ].join(' ');
const received = async (count: number) => (await recorder.received(count)).map(worded).sort();
/** Ends with an event of its own, so that an event that must not be sent would be there. */
async function receivedOn(page: Page, count: number): Promise<string[]> {
  await page.evaluate(`milepost('event', 'end')`);
  return (await received(count + 1)).filter((event) => !event.startsWith('end '));
}

it('sends none unless the page asks, and loads nothing for it', async () => {
  const body = `${snippet('data-debug')}<a href="${elsewhere('/a.pdf')}">a</a>`;
  const page = await open('/', { body });
  await page.click('a', { button: 'middle' });
  expect(await receivedOn(page, 1)).toEqual(['view /']);
  expect(recorder.scripts).toEqual(['/tracker.js']);
});

it('loads its script from beside the tracker, with the nonce of its element', async () => {
  const headers = { 'Content-Security-Policy': `script-src 'nonce-r4nd0m'` };
  const element = snippet('data-outbound data-domain="a.example" nonce="r4nd0m"', '/stats/tracker.js?v=1');
  const page = await open('/', { body: `${element}<a href="${elsewhere('/a')}">a</a>`, headers });
  await page.click('a');
  const sent = await recorder.received(2);
  expect(sent.map(({ domain, event }) => [domain, event?.name ?? 'view'].join(' ')).sort()).toEqual([
    'a.example Outbound link',
    'a.example view',
  ]);
  expect(recorder.scripts).toEqual(['/stats/tracker.js?v=1', '/stats/tracker-events.js']);
});

describe('links', () => {
  const links = () => `
    <a id="out" href="${elsewhere('/path?q=secret#part').replace('//', '//ann:word@')}"><b>out</b></a>
    <a id="held" href="${elsewhere('/path')}" onclick="event.preventDefault()">held</a>
    <a id="www" href="${site.address.replace('site.', 'www.site.')}">www</a>
    <a id="in" href="/in">in</a>
    <a id="mail" href="mailto:ann@mail.example">mail</a>
    <a id="file" href="/files/Report%201.PDF?key=secret">file</a>
    <a id="named" href="/files/7" download>named</a>
    <a id="page" href="/pdf.html">page</a>
    <a id="theirs" href="${elsewhere('/a.zip')}">theirs</a>`;
  const OUT = () => `Outbound link / url ${elsewhere('/path')}`;

  it.each<[string, string, () => string[]]>([
    ['data-outbound', 'out', () => [OUT()]],
    ['data-outbound', 'www', () => []],
    ['data-outbound', 'in', () => []],
    ['data-outbound', 'mail', () => []],
    ['data-outbound', 'held', () => []],
    ['data-outbound', 'file', () => []],
    ['data-outbound', 'theirs', () => [`Outbound link / url ${elsewhere('/a.zip')}`]],
    ['data-downloads', 'out', () => []],
    ['data-downloads', 'file', () => [`File download / url ${site.address}/files/Report%201.PDF`]],
    ['data-downloads', 'named', () => [`File download / url ${site.address}/files/7`]],
    ['data-downloads', 'page', () => []],
    ['data-downloads data-outbound', 'theirs', () => [`File download / url ${elsewhere('/a.zip')}`]],
  ])('with %s, of %s', async (attributes, id, events) => {
    const page = await open('/', { body: snippet(attributes) + links() });
    // After the tracker, so that the page stays.
    await page.evaluate(`addEventListener('click', (event) => event.preventDefault())`);
    await page.click(`#${id}`);
    expect(await receivedOn(page, 1 + events().length)).toEqual([...events(), 'view /'].sort());
  });

  it('are counted once by a click, in a new tab, and by the keyboard, but not for a menu', async () => {
    const twice = snippet('data-outbound');
    const page = await open('/', { body: twice + twice + links() });
    await page.click('#out', { button: 'right' });
    await page.click('#out', { button: 'middle' });
    expect(await receivedOn(page, 2)).toEqual([OUT(), 'view /']);
    await page.focus('#out');
    await page.keyboard.press('Enter');
    expect(await received(1)).toEqual([OUT()]);
  });

  it('in a component are counted', async () => {
    const code = `document.querySelector('div').attachShadow({ mode: 'open' }).innerHTML = \`${links()}\``;
    const body = `${snippet('data-outbound')}<div></div><script>${code}</script>`;
    const page = await open('/', { body });
    await page.click('#out');
    expect(await received(2)).toEqual([OUT(), 'view /']);
  });
});

it.each([
  ['action="/search?q=secret"', () => `${site.address}/search`],
  ['', () => `${site.address}/form`],
  ['action="mailto:ann@mail.example"', () => 'mailto:'],
  ['action="//[" onsubmit="event.stopPropagation()"', () => ':'],
])('counts forms that are sent: %s', async (attributes, action) => {
  const form = `<form method="post" ${attributes}><input name="action" required><button>Go</button></form>`;
  const page = await open('/form', { body: snippet('data-forms') + form });
  await page.evaluate(`document.querySelector('form').addEventListener('submit', (e) => e.preventDefault())`);
  await page.click('button');
  await page.fill('input', 'secret');
  await page.click('button');
  expect(await receivedOn(page, 2)).toEqual([`Form submission /form action ${action()}`, 'view /form']);
});

describe('a page that is not there', () => {
  const META = '<meta name="milepost" content="404">';

  it.each([
    [404, '', 'data-404', true],
    [404, '', 'data-scroll', false],
    [200, META, 'data-404', true],
    [200, '<meta name="milepost" content="no">', 'data-404', false],
    [500, '', 'data-404', false],
  ])('is one with status %d and %j: with %s %s', async (status, head, attributes, isCounted) => {
    const page = await open('/away?q=secret', { body: `${head}${snippet(attributes)}`, status });
    browser.complaints.length = 0;
    const event = '404 /away?q=secret path /away passive';
    expect(await receivedOn(page, isCounted ? 2 : 1)).toEqual([
      ...(isCounted ? [event] : []),
      'view /away?q=secret',
    ]);
    await leave(page);
    if (attributes === 'data-scroll') await recorder.received(1);
  });
});

describe('how far a page was scrolled', () => {
  const BODY = '<style>body { margin: 0 } div { height: 3000px }</style><div><a href="/next">on</a></div>';
  const tall = () => ({ body: snippet('data-scroll') + BODY });
  const scrollTo = (page: Page, top: number) =>
    page.evaluate(
      `new Promise((resolve) => { addEventListener('scroll', resolve, { once: true }); scrollTo(0, ${top}); })`,
    );

  it('is sent once when the page is left, by its deepest place', async () => {
    const page = await open('/tall?a=1', tall());
    await scrollTo(page, 780);
    await scrollTo(page, 100);
    expect(await receivedOn(page, 1)).toEqual(['view /tall?a=1']);
    await leave(page);
    expect(await received(1)).toEqual(['Scroll /tall?a=1 percent 50 passive']);
  });

  it('is all of a page that fits the window', async () => {
    const page = await open('/short', { body: `<!doctype html>${snippet('data-scroll')}<p>Short</p>` });
    await leave(page);
    expect(await received(2)).toEqual(['Scroll /short percent 100 passive', 'view /short']);
  });

  it('begins again with each page view of a single-page application', async () => {
    const page = await open('/app', tall());
    await scrollTo(page, 1530);
    await page.evaluate(`history.pushState(null, '', '/app/b')`);
    expect(await received(3)).toEqual(['Scroll /app percent 75 passive', 'view /app', 'view /app/b']);
    await scrollTo(page, 0);
    await page.evaluate(`history.replaceState({ a: 1 }, '')`);
    await page.evaluate('history.back()');
    expect(await received(2)).toEqual(['Scroll /app/b percent 24 passive', 'view /app']);
    await scrollTo(page, 2280);
    await leave(page);
    expect(await received(1)).toEqual(['Scroll /app percent 100 passive']);
  });

  it('begins again with a page that comes back from the back/forward cache', async () => {
    const page = await open('/cached', tall());
    await scrollTo(page, 780);
    await scrollTo(page, 0);
    await page.evaluate('window.isTheSame = true');
    await page.click('a');
    expect(await received(2)).toEqual(['Scroll /cached percent 50 passive', 'view /cached']);
    await page.goBack({ waitUntil: 'commit' });
    expect(await received(1)).toEqual(['view /cached']);
    expect(await page.evaluate('window.isTheSame')).toBe(true);
    await leave(page);
    expect(await received(1)).toEqual(['Scroll /cached percent 24 passive']);
  });
});
