import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { leaveBrowserAt, openBrowser, type TestBrowser } from '../support/browser';
import { type EventRecorder, recordEvents, type Sent } from '../support/event-recorder';
import { until } from '../support/until';
import { ROUNDED_MS, timeOfId } from '../support/time-of-id';
import { serve, type WebServer } from '../support/web-server';

let recorder: EventRecorder;
let site: WebServer;
let browser: TestBrowser;
/** The headless shell has no back/forward cache, and does not close pages as people do. */
let wholeBrowser: TestBrowser;
/** The pages of the site. Any other page has only the snippet. */
const pages = new Map<string, string | Promise<string>>();
/** Emits the path of each request to the site. */
const requested = new EventEmitter();

beforeAll(async () => {
  recorder = await recordEvents();
  const server = await serve((request, response) => {
    requested.emit(request.url!);
    response.setHeader('Content-Type', 'text/html');
    void Promise.resolve(pages.get(request.url!) ?? snippet()).then((page) => response.end(page));
  });
  // A secure context, as with TLS, and no loopback name, on which the tracker debugs.
  site = { ...server, address: server.address.replace('127.0.0.1', 'site.localhost') };
  [browser, wholeBrowser] = await Promise.all([
    openBrowser({ args: ['--host-resolver-rules=MAP *.test 127.0.0.1'] }),
    openBrowser({ isWhole: true, ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
  ]);
});
afterAll(async () => {
  await Promise.all([browser.close(), wholeBrowser.close()]);
  recorder.close();
  site.close();
});
afterEach(async () => {
  await Promise.all([browser.closePages(), wholeBrowser.closePages()]);
  pages.clear();
  expect([...browser.complaints.splice(0), ...wholeBrowser.complaints.splice(0)]).toEqual([]);
});

const snippet = (attributes = '') =>
  `<script defer src="${recorder.address}/tracker.js" ${attributes}></script>`;
const script = (code: string) => `<script>${code}</script>`;
const STUB = script(
  'window.milepost = window.milepost || ((...call) => (milepost.q = milepost.q || []).push(call));',
);

/** The number of events that pages started and finished sending, and that the test has checked. */
const events = { begun: 0, ended: 0, seen: 0 };
const contexts = new Set<BrowserContext>();
afterEach(() => {
  contexts.clear();
  Object.assign(events, { begun: 0, ended: 0, seen: 0 });
});

async function newPage(within = browser): Promise<Page> {
  const page = await within.newPage();
  const context = page.context();
  const isEvent = (request: Request) =>
    request.method() === 'POST' && request.url().startsWith(recorder.address);
  context.on('request', (request) => isEvent(request) && events.begun++);
  const end = (request: Request) => isEvent(request) && events.ended++;
  context.on('requestfinished', end).on('requestfailed', end);
  contexts.add(context);
  return page;
}

/** Waits until pages have sent their events. */
async function upToNow(): Promise<void> {
  const open = [...contexts].flatMap((context) => context.pages());
  await Promise.all(open.map((page) => page.evaluate('0').catch(() => undefined)));
}

/** Returns the received events. Fails unless their number is `count`. */
async function received(count: number): Promise<Sent[]> {
  const sent = await recorder.received(count);
  await upToNow();
  events.seen += sent.length;
  const more = Math.max(0, events.begun - events.seen);
  events.seen += more;
  return [...sent, ...(await recorder.received(more))];
}

async function visit(path: string, markup = snippet(), prepare = '', within = browser): Promise<Page> {
  const page = await newPage(within);
  await page.addInitScript(prepare);
  pages.set(path, markup);
  await page.goto(site.address + path);
  return page;
}

const worded = ({ url, event }: Sent) => `${event?.name ?? 'view'} ${url.replace(site.address, '')}`;

/** The received events, sorted: concurrent requests may overtake each other. */
const arrived = async (count: number) => (await received(count)).map(worded).sort();

describe('a page', () => {
  it('sends what is documented, and no more', async () => {
    await visit('/a?b=%20c#d');
    expect(await received(1)).toEqual([
      {
        url: `${site.address}/a?b=%20c`,
        language: 'en-US',
        screen: '1280x720',
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      },
    ]);
  });

  it('sends ids that begin with a rounded time', async () => {
    const before = Date.now();
    const page = await visit('/');
    await page.evaluate(`for (let event = 0; event < 40; event++) milepost('event', 'same')`);
    const ids = (await received(41)).map(({ id }) => id!);
    for (const id of ids) {
      expect(timeOfId(id)).toBeGreaterThan(before - ROUNDED_MS);
      expect(timeOfId(id)).toBeLessThanOrEqual(Date.now());
    }
    // The digits for milliseconds are random.
    expect(new Set(ids.map((id) => id.slice(10, 13))).size).toBeGreaterThan(20);
  });

  it('sends what an event tells of itself', async () => {
    const page = await visit(
      '/',
      STUB + script(`milepost('event', 'early', { props: { a: 1 } })`) + snippet(),
    );
    await page.evaluate(
      `milepost('event', 'buy', { props: { plan: 'team' }, value: '-9.90', currency: 'EUR', passive: true, more: 1 })`,
    );
    await page.evaluate(`milepost('event', 'plain', null)`);
    const sent = (await received(4)).map(({ event }) => event).filter((event) => event !== undefined);
    expect(sent.sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { name: 'buy', props: { plan: 'team' }, value: '-9.90', currency: 'EUR', passive: true },
      { name: 'early', props: { a: 1 } },
      { name: 'plain' },
    ]);
  });

  it('tells where its visitor came from, and its later views do not', async () => {
    const page = await visit('/from', '<a href="/to">on</a>');
    await page.click('a');
    expect(await received(1)).toMatchObject([{ referrer: `${site.address}/from` }]);
    await page.evaluate(`history.pushState(null, '', '/second')`);
    const [second] = await received(1);
    expect([second?.url, second?.referrer]).toEqual([`${site.address}/second`, undefined]);
  });

  it('may name another website and another service', async () => {
    const elsewhere = await recordEvents();
    await visit('/', snippet(`data-domain="example.com" data-api="${elsewhere.address}/"`));
    expect(await elsewhere.received(1)).toMatchObject([{ url: `${site.address}/`, domain: 'example.com' }]);
    expect(await arrived(0)).toEqual([]);
    elsewhere.close();
  });

  it('may reach the service through a path of its own host', async () => {
    const sent = once(requested, '/stats/api/v1/events');
    await visit('/', snippet('data-api="/stats"'));
    await sent;
    expect(await arrived(0)).toEqual([]);
  });

  it('finds the service where the script is', async () => {
    const elsewhere = await recordEvents();
    await visit('/', `<script defer src="${elsewhere.address}/stats/tracker.js?v=1"></script>`);
    await elsewhere.received(1);
    expect(elsewhere.requests).toEqual(['POST /stats/api/v1/events text/plain;charset=UTF-8']);
    elsewhere.close();
  });

  it('is counted without TLS, where there is no random id', async () => {
    const address = `${site.address.replace('site.localhost', 'www.example.test')}/`;
    const page = await newPage();
    await page.goto(address);
    const [view] = await received(1);
    expect([view?.url, view?.id]).toEqual([address, undefined]);
  });

  it('is counted once, however often the script is included', async () => {
    const page = await visit('/twice', snippet() + snippet());
    await page.addScriptTag({ url: `${recorder.address}/tracker.js` });
    await page.evaluate(`history.pushState(null, '', '/next')`);
    expect(await arrived(2)).toEqual(['view /next', 'view /twice']);
  });

  it('may have the script as a module', async () => {
    await visit('/', snippet('type="module"'));
    expect(await arrived(1)).toEqual(['view /']);
  });

  it('may add the script later', async () => {
    const page = await visit('/', '');
    await page.addScriptTag({ url: `${recorder.address}/tracker.js` });
    expect(await arrived(1)).toEqual(['view /']);
  });

  it('may have an address that is too long', async () => {
    const path = `/?q=${'x'.repeat(9000)}`;
    await visit(path);
    expect(await arrived(1)).toEqual([`view ${path}`.slice(0, 'view '.length + 8192 - site.address.length)]);
  });

  it('keeps nothing in the browser', async () => {
    const page = await visit('/', '', NOTE_STORAGE);
    const before = await keptBy(page);
    expect(before).toMatchObject({ storage: [], cookie: '', databases: [] });
    await page.addScriptTag({ url: `${recorder.address}/tracker.js` });
    await page.evaluate(`milepost('event', 'look')`);
    await page.evaluate(`history.pushState(null, '', '/next')`);
    expect(await arrived(3)).toEqual(['look /', 'view /', 'view /next']);
    const after = await keptBy(page);
    const read = Array<string>(3).fill('getItem milepost_ignore');
    expect(after).toEqual({ ...before, names: [...before.names, 'milepost'].sort(), storage: read });
    expect(await page.context().storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] });
  });

  /** Records each call of a storage. */
  const NOTE_STORAGE = `
    window.storage = [];
    for (const name of ['getItem', 'setItem', 'removeItem', 'key', 'clear']) {
      const original = Storage.prototype[name];
      Storage.prototype[name] = function (...parameters) {
        storage.push([name, parameters[0]].join(' '));
        return original.apply(this, parameters);
      };
    }`;

  interface RetentionRule {
    names: string[];
    storage: string[];
  }

  /** Every place where a script could store something. */
  const keptBy = (page: Page) =>
    page.evaluate<RetentionRule>(`(async () => ({
      names: Object.getOwnPropertyNames(window).sort(),
      symbols: Object.getOwnPropertySymbols(window).length,
      storage: [...storage],
      stored: [Object.entries(localStorage), Object.entries(sessionStorage)],
      cookie: document.cookie,
      name: window.name,
      state: history.state,
      caches: await caches.keys(),
      databases: await indexedDB.databases(),
      workers: (await navigator.serviceWorker.getRegistrations()).length,
    }))()`);
});

describe('a single-page application', () => {
  let page: Page;
  beforeEach(async () => {
    page = await visit('/start');
    expect(await arrived(1)).toEqual(['view /start']);
  });

  it.each([
    [`history.pushState(null, '', '/pushed?x=1')`, 'view /pushed?x=1'],
    [`history.replaceState(null, '', '/replaced')`, 'view /replaced'],
  ])('is counted by %s', async (navigation, view) => {
    await page.evaluate(navigation);
    expect(await arrived(1)).toEqual([view]);
  });

  it('is counted on the way back and forth', async () => {
    await page.evaluate(`history.pushState(null, '', '/pushed')`);
    expect(await arrived(1)).toEqual(['view /pushed']);
    await page.evaluate('history.back()');
    expect(await arrived(1)).toEqual(['view /start']);
    await page.evaluate('history.forward()');
    expect(await arrived(1)).toEqual(['view /pushed']);
  });

  it('is not counted where nothing but the fragment or the state changes', async () => {
    await page.evaluate(`history.replaceState({ scroll: 1 }, '')`);
    await page.evaluate(`history.replaceState(null, '', '/start')`);
    await page.evaluate(`history.pushState({ tab: 2 }, '', '/start')`);
    await page.evaluate(`history.pushState(null, '', '#part')`);
    await page.evaluate(`location.hash = 'other'`);
    await page.evaluate(
      `new Promise((resolve) => { addEventListener('popstate', resolve, { once: true }); history.back(); })`,
    );
    expect(await arrived(0)).toEqual([]);
  });

  it('gets from the history what it would get without the tracker', async () => {
    await page.evaluate(`history.pushState({ a: 1 }, '', '/stated')`);
    expect(await page.evaluate('history.state')).toEqual({ a: 1 });
    expect(await arrived(1)).toEqual(['view /stated']);
    const elsewhere = page.evaluate(`history.pushState(null, '', 'https://example.com/')`);
    await expect(elsewhere).rejects.toThrow('SecurityError');
    expect(await arrived(0)).toEqual([]);
  });
});

it('counts a page that comes back from the back/forward cache', async () => {
  const page = await visit('/cached', `${snippet()}<a href="/next">on</a>`, '', wholeBrowser);
  await page.evaluate('window.isTheSame = true');
  await page.click('a');
  expect(await arrived(2)).toEqual(['view /cached', 'view /next']);
  await page.goBack({ waitUntil: 'commit' });
  expect(await arrived(1)).toEqual(['view /cached']);
  expect(await page.evaluate('window.isTheSame')).toBe(true);
});

it('counts a prerendered page when it is shown', async () => {
  let show!: (page: string) => void;
  pages.set('/show', new Promise((resolve) => (show = resolve)));
  const rules = '{ "prerender": [{ "urls": ["/next"], "eagerness": "immediate" }] }';
  pages.set(
    '/list',
    `<script type="speculationrules">${rules}</script>` +
      script(`fetch('/show').then(() => { location.href = '/next' })`),
  );
  pages.set(
    '/next',
    STUB +
      script(`milepost('event', 'look'); onload = () => fetch('/loaded/' + document.prerendering)`) +
      snippet(),
  );
  const loaded = once(requested, '/loaded/true');
  const close = leaveBrowserAt(`${site.address}/list`);
  try {
    await loaded;
    expect(await arrived(0)).toEqual([]);
    show('');
    expect(await arrived(2)).toEqual(['look /next', 'view /next']);
  } finally {
    await close();
  }
});

describe('an event', () => {
  it('is sent with its name', async () => {
    const page = await visit('/shop');
    await page.evaluate(`milepost('event', 'order ✓')`);
    expect(await arrived(2)).toEqual(['order ✓ /shop', 'view /shop']);
  });

  it('waits for the script', async () => {
    await visit('/', STUB + script(`milepost('event', 'early'); milepost('event', 'bird')`) + snippet());
    expect(await arrived(3)).toEqual(['bird /', 'early /', 'view /']);
  });

  it('reaches the script through a stub that was kept', async () => {
    const page = await visit('/', STUB + script('const kept = milepost') + snippet());
    await page.evaluate(`kept('event', 'late')`);
    expect(await arrived(2)).toEqual(['late /', 'view /']);
  });

  it('needs a name', async () => {
    const page = await visit('/');
    for (const call of [
      `milepost()`,
      `milepost('event')`,
      `milepost('event', '')`,
      `milepost('other', 'name')`,
    ])
      await page.evaluate(call);
    expect(await arrived(1)).toEqual(['view /']);
  });

  it.each([
    ['closes', 'close()'],
    ['goes elsewhere', `location.href = 'about:blank'`],
  ])('arrives from a page that %s at once', async (_, leave) => {
    pages.set('/left', snippet() + script(`onload = () => { milepost('event', 'bye'); ${leave} }`));
    const opener = await visit('/opener', '');
    await opener.evaluate(`open('/left') && null`);
    expect(await arrived(2)).toEqual(['bye /left', 'view /left']);
  });

  it('arrives from a page that is being closed', async () => {
    const markup = snippet() + script(`onpagehide = () => milepost('event', 'bye')`);
    const page = await visit('/', markup, '', wholeBrowser);
    expect(await arrived(1)).toEqual(['view /']);
    await page.close({ runBeforeUnload: true });
    expect(await arrived(1)).toEqual(['bye /']);
  });
});

describe('a visitor', () => {
  it('may leave own visits out', async () => {
    const page = await visit('/', snippet(), `localStorage.milepost_ignore = '1'`);
    await page.evaluate(`milepost('event', 'look')`);
    expect(await arrived(0)).toEqual([]);
  });

  it('is counted where storage throws', async () => {
    const prepare = `Object.defineProperty(window, 'localStorage', { get() { throw new Error() } })`;
    await visit('/', snippet(), prepare);
    expect(await arrived(1)).toEqual(['view /']);
  });
});

describe('with data-hash', () => {
  it.each([
    ['/app?a=1#/list?b=2', '/app%23/list?a=1&b=2'],
    ['/app#!/list?b=2', '/app%23!/list?b=2'],
    ['/app?a=1#part', '/app?a=1'],
  ])('%s is the page %s', async (path, view) => {
    pages.set(path.split('#')[0]!, snippet('data-hash'));
    await (await newPage()).goto(site.address + path);
    expect(await arrived(1)).toEqual([`view ${view}`]);
  });

  it('a change of the route is a page view', async () => {
    const page = await visit('/', snippet('data-hash'));
    await page.evaluate(`location.hash = '/list'`);
    await page.evaluate(`location.hash = '/list'`);
    expect(await arrived(2)).toEqual(['view /', 'view /%23/list']);
  });
});

describe('the console', () => {
  const DROPPED = { status: 202, headers: { 'Milepost-Dropped': 'origin' } };

  async function warnings(address: string, markup: string, prepare = ''): Promise<string[]> {
    const page = await newPage();
    const texts: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'warning') texts.push(message.text());
    });
    await page.addInitScript(prepare);
    pages.set('/console', markup);
    await page.goto(`${address}/console`);
    await page.evaluate(`milepost('event', 'look')`);
    await received(prepare ? 0 : 2);
    await until(() => events.ended === events.begun);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    browser.complaints.length = 0;
    return texts;
  }
  const loopback = () => site.address.replace('site.localhost', '127.0.0.1');

  it('says once why an event was dropped, on loopback and with data-debug', async () => {
    for (const [address, attribute] of [
      [loopback(), ''],
      [site.address, 'data-debug'],
    ] as const) {
      recorder.answers.push(DROPPED, DROPPED);
      expect(await warnings(address, snippet(attribute))).toEqual(['milepost: not counted: origin']);
    }
  });

  it('names a website that is not registered', async () => {
    recorder.answers.push({ status: 404, headers: {} });
    const markup = snippet('data-domain="example.com"');
    expect(await warnings(loopback(), markup)).toEqual([
      'milepost: not counted: example.com is not registered',
    ]);
  });

  it('names the flag of the visitor', async () => {
    expect(await warnings(loopback(), snippet(), `localStorage.milepost_ignore = '1'`)).toEqual([
      'milepost: not counted: milepost_ignore',
    ]);
  });

  it('says that a page which is opened as a file is not counted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-page-'));
    writeFileSync(join(folder, 'page.html'), snippet());
    const page = await newPage();
    const warned = page.waitForEvent('console', (message) => message.type() === 'warning');
    await page.goto(pathToFileURL(join(folder, 'page.html')).href);
    expect((await warned).text()).toBe('milepost: not counted: file: is no website');
    expect(await received(0)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('is quiet otherwise', async () => {
    expect(await warnings(loopback(), snippet())).toEqual([]);
    recorder.answers.push(DROPPED, DROPPED);
    expect(await warnings(site.address, snippet())).toEqual([]);
  });
});

describe('without a beacon', () => {
  it.each([
    ['is not there', 'delete Navigator.prototype.sendBeacon'],
    ['takes nothing', 'Navigator.prototype.sendBeacon = () => false'],
  ])('that %s, all is sent another way', async (_, prepare) => {
    const page = await visit('/', snippet(), prepare);
    await page.evaluate(`milepost('event', 'look')`);
    expect(await arrived(2)).toEqual(['look /', 'view /']);
  });

  it('and without any other way, the page goes on', async () => {
    const page = await visit('/', snippet(), 'delete Navigator.prototype.sendBeacon; delete window.fetch');
    await page.evaluate(`milepost('event', 'look')`);
    expect(await arrived(0)).toEqual([]);
  });
});

describe('a service that is down', () => {
  it.each(['', 'delete Navigator.prototype.sendBeacon'])(
    'is no matter for the page (%s)',
    async (prepare) => {
      const gone = await recordEvents();
      gone.close();
      const page = await visit('/', snippet(`data-api="${gone.address}"`), prepare);
      await page.evaluate(`milepost('event', 'look')`);
      await page.evaluate(`history.pushState(null, '', '/next')`);
      expect(await arrived(0)).toEqual([]);
      // The browser itself reports failed requests; a script cannot prevent that.
      await until(() => browser.complaints.length === 3);
      const note = 'Failed to load resource: net::ERR_CONNECTION_REFUSED';
      expect(browser.complaints.splice(0)).toEqual([note, note, note]);
    },
  );
});

it('sends what needs no preflight', () => {
  expect(new Set(recorder.requests)).toEqual(new Set(['POST /api/v1/events text/plain;charset=UTF-8']));
});
