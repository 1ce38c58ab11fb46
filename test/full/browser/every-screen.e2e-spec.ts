import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { timezoneAtNoon, untilCounted } from '../../support/counted';
import { define, SIGNUP } from '../../support/definitions';
import {
  DEFINED,
  GUARDED,
  type Reader,
  type Screen,
  SCREENS,
  SHARED,
  VISITED,
  WAITING,
} from '../../support/every-screen';
import { expectWidth, faultsOf, partsBeside, showOn } from '../../support/faults';
import { shiftsOf, watchShifts } from '../../support/layout-shifts';
import { hasNewContrasts, looksNew } from '../../support/looks';
import { record, type Site, website } from '../../support/sending';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { at, type Sent, sendVisits, VISITS } from '../../support/visited-website';

const WIDTHS = [390, 768, 1024, 1440];
const MAX_SHIFT = 0.02;
/** Themes differ in colours alone. */
const THEMES = [
  ['light', looksNew, undefined],
  ['dark', hasNewContrasts, ['color-contrast']],
] as [scheme: 'light' | 'dark', isNew: (page: Page) => Promise<boolean>, rules: string[] | undefined][];
type Locale = 'en-US' | 'de-DE';

/** Texts that are wider than usual ones, and one that is written from right to left. */
const WIDE: Sent[] = [
  { by: 'dutch', path: `/${'long-'.repeat(40)}`, occurred_at: at('yesterday', -0.8) },
  { by: 'american', path: '/مرحبا/بكم', occurred_at: at('yesterday', -1.7) },
  {
    by: 'american',
    path: '/pricing',
    occurred_at: at('yesterday', -1.6),
    event: {
      name: 'An event with a rather long name, as people write them in sentences',
      props: { plan: 'The largest plan that there is, paid by the year', [`p${'roperty'.repeat(8)}`]: true },
      value: '123456789.99',
      currency: 'EUR',
    },
  },
  {
    by: 'dutch',
    path: '/?utm_campaign=A+campaign+with+a+rather+long+name+for+the+spring+of+next+year',
    occurred_at: at('yesterday', -0.7),
    referrer: `https://${'a-host-with-a-long-name.'.repeat(4)}example/`,
  },
];

const PLAN = [...SIGNUP.filters, ['is', 'event_property:plan', ['team']]];

/** Something of each kind that an owner can define. */
async function defineAll(site: Site): Promise<void> {
  const { api } = service;
  const name = DEFINED;
  await define(api, site, 'goals', { name, filters: SIGNUP.filters, value: '49.90', currency: 'EUR' });
  await define(api, site, 'goals', { name: 'Z team', filters: PLAN });
  await define(api, site, 'saved-filters', { name, filters: [['is', 'country', ['US', 'NL', 'DE']]] });
  const steps = [{ filters: [['starts', 'page', ['/']]] }, { filters: [['is', 'goal', [name]]] }];
  await define(api, site, 'funnels', { name, steps });
  await define(api, site, 'annotations', { text: `${name}. `.repeat(4), public: 1 });
  await define(api, site, 'annotations', { text: 'x'.repeat(280), at: at('yesterday', 0).slice(0, 10) });
  await define(api, site, 'alerts', {
    ...{ name, metric: 'conversions', condition: 'rises', threshold: 200, within: 'hour' },
    filters: [['is', 'goal', [name]]],
    recipients: [`${'somebody.'.repeat(6)}a@team.example`, 'b@team.example'],
  });
  await define(api, site, 'exclusions', {
    ...{ name, reason: `${name}. `.repeat(4), to: '2099-12-31' },
    filters: [
      ['is', 'referrer', ['spam.example', 'more-spam.example']],
      ['has_done', ['contains', 'page', ['long-'.repeat(20)]]],
    ],
  });
  await define(api, site, 'alerts', { name: 'Zero', condition: 'silent', enabled: 0 });
}

/** A webhook that nobody answers, with a delivery. */
async function addWebhook(): Promise<void> {
  const url = `http://127.0.0.1:9/${'hooks-'.repeat(30)}`;
  const { body } = await service.api.post('/api/v1/webhooks', { json: { url, events: ['alert', 'report'] } });
  await service.api.post(`/api/v1/webhooks/${body.data.id}/test`);
}

let service: TestApp;
let browser: TestBrowser;
const keys: Partial<Record<Reader, string>> = { owner: FIRST_KEY };
const pages = new Map<string, Page>();
beforeAll(async () => {
  [service, browser] = await Promise.all([
    startApp({ TIMEZONE: timezoneAtNoon(), WEBHOOK_ALLOW: '127.0.0.1', HITS_URL: 'rows' }),
    openBrowser(),
  ]);
  const { api } = service;
  const visited = await website(api, { domain: VISITED, privacy: 0, share_filters: 1 });
  const shared = await website(api, { domain: SHARED, privacy: 0 });
  await website(api, { domain: GUARDED, privacy: 2, password: 'secret' });
  await website(api, { domain: WAITING, privacy: 1 });
  await api.post('/api/v1/keys', {
    form: { name: 'A key with a long name, for the dashboard', scope: 'read' },
  });
  await api.post('/api/v1/keys', {
    form: { name: 'test', scope: 'events', websites: '1', expires_at: '2031-02-03T00:00:00Z' },
  });
  keys.newcomer = (
    await (await service.anotherUser()).post('/api/v1/keys', { form: { name: 'test', scope: 'full' } })
  ).body.data.key;
  const now = { url: `https://${VISITED}/pricing`, ip: '8.8.8.8', referrer: 'https://news.example/' };
  await record(api, visited, [now]);
  await sendVisits(api, visited, [...VISITS, ...WIDE]);
  const visitors = Array.from({ length: 12 }, (_, visitor) => `203.0.113.${visitor}`);
  await record(
    api,
    shared,
    visitors.map((ip) => ({ url: `https://${SHARED}/`, ip, occurred_at: at('yesterday', -1) })),
  );
  await untilCounted(api, shared.id);
  await defineAll(visited);
  await addWebhook();
});
afterAll(async () => {
  await browser.closePages();
  await Promise.all([service.stop(), browser.close()]);
});

/** One page for each reader and language, whose files stay cached. */
async function pageOf(reader: Reader, locale: Locale): Promise<Page> {
  const known = pages.get(`${reader} ${locale}`);
  if (known) return known;
  const page = await browser.newPage({ locale });
  await watchShifts(page);
  const key = keys[reader];
  if (key)
    await page.request.post(`${service.address}/console/api/session`, {
      headers: { Authorization: `Bearer ${key}` },
    });
  pages.set(`${reader} ${locale}`, page);
  return page;
}

/** Loads a screen once, and expects that nothing moves meanwhile. */
async function load(
  { reader, path, loaded, open, shown }: Screen,
  locale: Locale,
  width: number,
): Promise<Page> {
  const page = await pageOf(reader, locale);
  await showOn(page, 'light', width);
  await page.goto(`${service.address}/${path}`);
  await page.locator(loaded).first().waitFor();
  await expectNothingMoved(page, width);
  await open?.(page);
  if (shown) await page.locator(shown).first().waitFor();
  return page;
}

async function expectNothingMoved(page: Page, width: number): Promise<void> {
  const shifts = (await shiftsOf(page)) as [number, ...string[]][];
  const sum = shifts.reduce((all, [value]) => all + value, 0);
  expect([width, sum < MAX_SHIFT ? [] : shifts]).toEqual([width, []]);
}

async function expectItFits(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  await expectWidth(page, width);
  expect([width, await partsBeside(page)]).toEqual([width, []]);
}

it.each(SCREENS.map((screen) => [screen.name, screen] as const))(
  '%s: fits every width, moves nothing, and has no fault that axe finds',
  async (_, screen) => {
    const page = await load(screen, 'en-US', WIDTHS.at(-1)!);
    for (const width of WIDTHS) {
      await expectItFits(page, width);
      for (const [colorScheme, isNew, rules] of THEMES) {
        await showOn(page, colorScheme, width);
        if (!(await isNew(page))) continue;
        expect([width, colorScheme, await faultsOf(page, rules)]).toEqual([width, colorScheme, []]);
      }
    }
    const german = await load(screen, 'de-DE', WIDTHS[0]!);
    for (const width of WIDTHS) await expectItFits(german, width);
  },
);

it('moves nothing either where the first day with visitors is answered last', async () => {
  const [{ path, loaded }] = SCREENS.filter(({ name }) => name === 'a filter without matches') as [Screen];
  const page = await pageOf('owner', 'en-US');
  await showOn(page, 'light', WIDTHS.at(-1)!);
  const ofFirstDay = (url: URL) =>
    /\/stats\/\d+$/.test(url.pathname) && url.searchParams.get('name') === 'visitor';
  await page.route(ofFirstDay, async (route) => {
    await sleep(1000);
    await route.continue();
  });
  await page.goto(`${service.address}/${path}`);
  await page.locator(loaded).first().waitFor();
  await page.unroute(ofFirstDay);
  await expectNothingMoved(page, WIDTHS.at(-1)!);
});
