import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from './api-client';
import { timezoneAtNoon } from './counted';
import { type DrivenPage, untilSo } from './driven-page';
import { type Site, website } from './sending';
import { startApp, type TestApp } from './test-app';
import { until } from './until';
import { visitedWebsite } from './visited-website';
import { serve, type WebServer } from './web-server';

/** A browser that is driven by WebDriver, and how it differs from others. */
export interface Engine {
  open: () => Promise<{
    newPage(): Promise<DrivenPage>;
    closePages(): Promise<void>;
    close(): Promise<void>;
  }>;
  /** As it is counted. */
  name: string;
  /** Tells whether scripts learn the status of their page. */
  tellsStatus: boolean;
}

/** As it is counted. */
const SYSTEM = { darwin: 'macOS', win32: 'Windows' }[process.platform as string] ?? 'Linux';

let service: TestApp;
let pages: WebServer;
/** By path. Any other page has only the snippet. */
const markups = new Map<string, string>();
beforeAll(async () => {
  service = await startApp({ TIMEZONE: timezoneAtNoon() });
  pages = await serve((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    const isFile = pathname.startsWith('/files/');
    response.writeHead(pathname.startsWith('/away') ? 404 : 200, {
      'Content-Type': isFile ? 'application/pdf' : 'text/html; charset=utf-8',
      ...(isFile && { 'Content-Disposition': 'attachment' }),
    });
    response.end(`<!doctype html><title>Site</title>${markups.get(pathname) ?? snippet()}`);
  });
});
afterAll(async () => {
  pages.close();
  await service.stop();
});
afterEach(() => markups.clear());

const snippet = (attributes = '') =>
  `<script defer src="${service.address}/tracker.js" ${attributes}></script>`;
const script = (code: string) => `<script>${code}</script>`;

/** Waits until it is so. Fails with what it is instead. */
async function becomes(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  try {
    await until(async () => isDeepStrictEqual(await read().catch(() => undefined), expected));
  } catch {
    expect(await read()).toEqual(expected);
  }
}

/** The walks with the tracker and through the console, which are tests of the file that calls this. */
export function walk({ open, name, tellsStatus }: Engine): void {
  let browser: Awaited<ReturnType<Engine['open']>>;
  beforeAll(async () => void (browser = await open()));
  afterAll(() => browser.close());
  afterEach(() => browser.closePages());

  describe('the tracker counts', () => {
    let page: DrivenPage;
    let site: Site;
    let walks = 0;
    beforeEach(async () => {
      const domain = `walk${++walks}.${name.toLowerCase()}.localhost`;
      site = await website(service.api, { domain, exclude_bots: 0 });
      page = await browser.newPage();
    });

    const addressOf = (path: string, host = site.domain) =>
      `http://${host}:${new URL(pages.address).port}${path}`;
    const visit = (path: string) => page.goto(addressOf(path));
    const isAt = (path: string) => becomes(() => page.evaluate('location.pathname'), path);

    async function countsOf(stat: string): Promise<Record<string, number>> {
      const range = 'from=2020-01-01&to=2999-12-31';
      const { body } = await service.api.get(`/api/v1/stats/${site.id}?name=${stat}&${range}`);
      return Object.fromEntries(
        body.data.map(({ value, count }: { value: string; count: number }) => [value, count]),
      );
    }

    /** Ends on a page of its own, so that what must not be counted would be there. */
    async function expectCounted(viewed: Record<string, number>, event: Record<string, number> = {}) {
      await visit('/end');
      await becomes(async () => ({ page: await countsOf('page'), event: await countsOf('event') }), {
        page: { ...viewed, '/end': 1 },
        event,
      });
    }

    async function propertiesOf(event: string, property: string) {
      const filters = [['is', 'event', [event]]];
      const json = { range: '7d', metrics: ['events'], dimensions: [`event_property:${property}`], filters };
      const { body } = await service.api.post(`/api/v1/stats/${site.id}/query`, { json });
      return body.data.map((row: Record<string, unknown>) => row[`event_property:${property}`]);
    }

    it('page views, and who sees them', async () => {
      markups.set('/start', `${snippet()}<a href="/next">on</a>`);
      await visit('/start?utm_campaign=launch&color=red#part');
      await page.click('a');
      await isAt('/next');
      await expectCounted({ '/start?color=red': 1, '/next': 1 });
      expect(await countsOf('campaign')).toEqual({ launch: 1 });
      expect(await countsOf('referrer')).toEqual({ '(direct)': 1 });
      expect(await countsOf('browser')).toEqual({ [name]: 1 });
      expect(await countsOf('operating_system')).toEqual({ [SYSTEM]: 1 });
      expect(await countsOf('device')).toEqual({ desktop: 1 });
      const [language, screen] = (await page.evaluate(
        '[navigator.language, `${screen.width}x${screen.height}`]',
      )) as [string, string];
      expect(await countsOf('language')).toEqual({ [language]: 1 });
      expect(await countsOf('screen_resolution')).toEqual({ [screen]: 1 });
    });

    it('the steps of a single-page application', async () => {
      await visit('/start');
      await page.evaluate(`history.pushState(null, '', '/pushed?x=1')`);
      await page.evaluate(`history.replaceState(null, '', '/replaced')`);
      await page.evaluate('history.back()');
      await isAt('/start');
      await page.evaluate('history.forward()');
      await isAt('/replaced');
      await page.evaluate(`history.replaceState({ scroll: 1 }, '')`);
      await page.evaluate(`history.pushState(null, '', '#part')`);
      await expectCounted({ '/start': 2, '/pushed?x=1': 1, '/replaced': 2 });
    });

    it('a page that comes back from the back/forward cache', async () => {
      markups.set('/cached', `${snippet()}<a href="/next">on</a>`);
      await visit('/cached');
      await page.evaluate('window.isTheSame = true');
      await page.click('a');
      await isAt('/next');
      await page.evaluate('history.back()');
      await isAt('/cached');
      expect(await page.evaluate('window.isTheSame')).toBe(true);
      await expectCounted({ '/cached': 2, '/next': 1 });
    });

    it('events, with what they tell of themselves', async () => {
      const stub =
        'window.milepost = window.milepost || ((...call) => (milepost.q = milepost.q || []).push(call))';
      markups.set('/shop', script(`${stub}; milepost('event', 'early ✓')`) + snippet());
      await visit('/shop');
      await page.evaluate(
        `milepost('event', 'buy', { props: { plan: 'team' }, value: '-9.90', currency: 'EUR' })`,
      );
      await expectCounted({ '/shop': 1 }, { 'early ✓': 1, buy: 1 });
      expect(await propertiesOf('buy', 'plan')).toEqual(['team']);
    });

    it('outbound links', async () => {
      const other = addressOf('/there', 'elsewhere.localhost');
      markups.set('/links', `${snippet('data-outbound')}<a href="${other}?q=secret#part">out</a>`);
      markups.set('/there', '');
      await visit('/links');
      await page.click('a');
      await isAt('/there');
      await expectCounted({ '/links': 1 }, { 'Outbound link': 1 });
      expect(await propertiesOf('Outbound link', 'url')).toEqual([other]);
    });

    it('downloads', async () => {
      markups.set('/list', `${snippet('data-downloads')}<a href="/files/report.pdf?key=secret">report</a>`);
      await visit('/list');
      await page.click('a');
      await expectCounted({ '/list': 1 }, { 'File download': 1 });
      expect(await propertiesOf('File download', 'url')).toEqual([addressOf('/files/report.pdf')]);
    });

    it('forms that are filled in', async () => {
      const form =
        '<form method="post" action="/sent"><input name="text" required><button>Go</button></form>';
      markups.set('/form', snippet('data-forms') + form);
      await visit('/form');
      await page.click('button');
      await page.fill('input', 'secret');
      await page.click('button');
      await isAt('/sent');
      await expectCounted({ '/form': 1, '/sent': 1 }, { 'Form submission': 1 });
      expect(await propertiesOf('Form submission', 'action')).toEqual([addressOf('/sent')]);
    });

    it('how far a page was scrolled', async () => {
      const body = '<style>body { margin: 0 } div { height: 4000px }</style><div></div>';
      markups.set('/tall', snippet('data-scroll') + body);
      await visit('/tall');
      for (const top of ['2000 - innerHeight', '0'])
        await page.evaluate(
          `new Promise((resolve) => { addEventListener('scroll', resolve, { once: true }); scrollTo(0, ${top}); }).then(() => 0)`,
        );
      await expectCounted({ '/tall': 1 }, { Scroll: 1 });
      expect(await propertiesOf('Scroll', 'percent')).toEqual(['50']);
    });

    it('what a page sends when it is left, and when it closes at once', async () => {
      markups.set('/left', snippet() + script(`onpagehide = () => milepost('event', 'bye')`));
      markups.set('/closed', snippet() + script(`onload = () => { milepost('event', 'closed'); close() }`));
      markups.set('/opener', `<button onclick="window.open('/closed')">open</button>`);
      await visit('/left');
      await visit('/opener');
      await page.click('button');
      await becomes(() => countsOf('event'), { bye: 1, closed: 1 });
      await expectCounted({ '/left': 1, '/closed': 1 }, { bye: 1, closed: 1 });
    });

    it('pages that are not there', async () => {
      markups.set('/away', snippet('data-404'));
      markups.set('/told', `<meta name="milepost" content="404">${snippet('data-404')}`);
      await visit('/away');
      await visit('/told');
      await expectCounted({ '/away': 1, '/told': 1 }, { '404': tellsStatus ? 2 : 1 });
      expect((await propertiesOf('404', 'path')).sort()).toEqual([
        ...(tellsStatus ? ['/away'] : []),
        '/told',
      ]);
    });
  });

  describe('the console', () => {
    let api: ApiClient;
    let key: string;
    let site: Site;
    let page: DrivenPage;
    beforeAll(async () => {
      api = await service.anotherUser();
      key = (await api.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data.key;
      site = await visitedWebsite(api);
    });
    beforeEach(async () => void (page = await browser.newPage()));

    const named = (element: string, text: string) =>
      `//${element}[normalize-space()="${text}" or @aria-label="${text}"]`;
    const button = (text: string) => named('button', text);
    const link = (text: string) => named('a', text);
    const heading = (text: string) => `//*[self::h1 or self::h2][normalize-space()="${text}"]`;
    const saying = (text: string) => `//*[text()[contains(., "${text}")]]`;
    const seen = (selector: string) => untilSo(`${selector} is seen`, () => page.isVisible(selector));
    const gone = (selector: string) =>
      untilSo(`${selector} is gone`, async () => !(await page.isVisible(selector)));
    const textsOf = (selector: string) =>
      page.evaluate(
        `[...document.querySelectorAll('${selector}')].map(({ innerText }) => innerText.trim().split(/\\s*\\n\\s*/)[0])`,
      );
    const become = (selector: string, texts: string[]) => becomes(() => textsOf(selector), texts);
    const figures = (visitors: string, pageviews: string) =>
      become('.figure:nth-child(-n + 2) .sum', [visitors, pageviews]);
    const choose = async (menu: string, option: string) => {
      await page.click(`.${menu}-menu .menu-button`);
      await page.click(
        `//*[contains(@class, "${menu}-menu")]//*[@class="option"][starts-with(normalize-space(), "${option}")]`,
      );
    };

    async function open(query = '', by = key): Promise<void> {
      await page.goto(`${service.address}/${query}`);
      await page.fill('#key', by);
      await page.click(button('Sign in'));
      await seen('.account .avatar');
    }
    const openStatistics = (query = '') => open(`?website=${site.id}&range=7d&compare=off${query}`);

    it('signs in and out', async () => {
      await page.goto(service.address);
      await page.fill('#key', 'wrong-key-wrong-key-wrong-key');
      await page.press('#key', 'Enter');
      await seen(saying('This key is not valid.'));
      await page.fill('#key', key);
      await page.press('#key', 'Enter');
      await seen(heading('Websites'));
      await page.goto(service.address);
      await seen(heading('Websites'));
      await page.click('.account .avatar');
      await page.click(button('Sign out'));
      await seen('#key');
    });

    it('lists websites, and finds and orders them', async () => {
      const others = await service.anotherUser();
      const theirs = (await others.post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })).body.data
        .key;
      for (const animal of ['zebra', 'lion', 'gnu', 'ibex', 'yak', 'aardvark'])
        await website(others, { domain: `${animal}.${name}.example` });
      const list = (...animals: string[]) =>
        become(
          '.domain',
          animals.map((animal) => `${animal}.${name.toLowerCase()}.example`),
        );
      await open('', theirs);
      await list('aardvark', 'yak', 'ibex', 'gnu', 'lion', 'zebra');
      await page.press('select', 'B');
      await list('aardvark', 'gnu', 'ibex', 'lion', 'yak', 'zebra');
      await page.click(`//li[contains(., "yak")]//button`);
      await seen('.star.on');
      await page.click('.list-tools button[aria-pressed]');
      await list('yak');
      await page.evaluate('history.back()');
      await page.fill('input[type=search]', 'aard');
      await list('aardvark');
    });

    it('shows statistics of a range, by days and by hours', async () => {
      await openStatistics();
      await figures('4', '6');
      await seen('.lines polyline');
      await choose('range', 'Yesterday');
      await figures('3', '5');
      await page.click('summary');
      await becomes(() => page.evaluate(`document.querySelectorAll('details tbody tr').length`), 24);
      await page.evaluate('history.back()');
      await figures('4', '6');
    });

    it('filters by what is clicked', async () => {
      await openStatistics();
      await page.click(link('Filter by United States'));
      await become('.chip-text', ['Country is United States']);
      await figures('2', '4');
      await page.click('.chip-act');
      await figures('4', '6');
    });

    it('compares with what is chosen', async () => {
      const compared = '.figure .change .quiet';
      await open(`?website=${site.id}&range=today&compare=previous`);
      await seen(compared);
      await choose('compare', 'No comparison');
      await gone(compared);
    });

    it('shows all of a list, and searches in it', async () => {
      await openStatistics();
      await page.click('.panel.pages .show-all');
      await seen('dialog[open]');
      await page.fill('dialog input[type=search]', 'pric');
      await become('dialog tbody bdi', ['/pricing']);
      await page.press('dialog input[type=search]', 'Escape');
      await page.press('dialog input[type=search]', 'Escape');
      await gone('dialog[open]');
    });

    it('saves options', async () => {
      await open(`?website=${site.id}&view=options&section=exclusions`);
      await page.fill('#exclude_ips', '203.0.113.8');
      await page.click('//label[contains(., "Exclude known bots")]');
      await page.click(button('Save'));
      await seen(saying('Saved'));
      const { body } = await api.get(`/api/v1/websites/${site.id}`);
      expect(body.data).toMatchObject({ exclude_ips: '203.0.113.8', exclude_bots: 0 });
    });

    it('creates a goal, and shows what reached it', async () => {
      await open(`?website=${site.id}&view=options&section=goals`);
      await page.click(button('Create a goal'));
      await page.fill('dialog #name', 'Signup');
      await page.click('//dialog//label[contains(., "Send an event")]');
      await page.fill('dialog #goal-text', 'signup');
      await page.click(button('Save goal'));
      await seen(saying('Event is signup'));
      await page.goto(`${service.address}/?website=${site.id}&range=7d&compare=off`);
      await untilSo('the goal is seen', async () => {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        return page.isVisible('//tr[contains(., "Signup")]');
      });
    });

    it('asks viewers of a shared page for its password', async () => {
      const guarded = await website(api, { privacy: 2, password: 'one' });
      await page.goto(`${service.address}/share/${guarded.domain}?range=7d`);
      await page.fill('input[type=password]', 'two');
      await page.click(button('View statistics'));
      await seen(saying('Wrong password.'));
      await page.fill('input[type=password]', 'one');
      await page.click(button('View statistics'));
      await seen('main[aria-busy="false"]');
    });

    it('fits a phone in the dark', async () => {
      await openStatistics();
      await page.setViewportSize({ width: 390, height: 800 });
      await page.click('.account .avatar');
      await page.click('//fieldset[@class="themes"]//label[normalize-space()="Dark"]');
      await becomes(() => page.evaluate('document.documentElement.dataset.theme'), 'dark');
      const channels = `getComputedStyle(document.body).backgroundColor.match(/\\d+/g)`;
      expect(await page.evaluate(`${channels}.every((channel) => channel < 60)`)).toBe(true);
      await becomes(
        () => page.evaluate('[innerWidth < 500, document.documentElement.scrollWidth <= innerWidth]'),
        [true, true],
      );
    });
  });
}
