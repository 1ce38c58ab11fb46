import type { Page } from 'playwright-core';

/** Who looks at a screen: an owner of websites, somebody without any, or somebody who is not signed in. */
export type Reader = 'owner' | 'newcomer' | 'viewer';

export interface Screen {
  name: string;
  path: string;
  reader: Reader;
  /** There once the page has loaded. */
  loaded: string;
  /** Opens what the address does not name, for example a menu. */
  open?: (page: Page) => Promise<void>;
  /** There once the screen is whole. */
  shown?: string;
}

/** The websites, in the order in which they are made. */
export const VISITED = 'a-website-with-a-rather-long-name-that-does-not-end.example';
export const SHARED = 'shared.example';
export const GUARDED = 'guarded.example';
export const WAITING = 'waiting.example';

const NUMBERS = 'main[aria-busy="false"] .panel';
const DIALOG = 'dialog[open]';

type Rest = Partial<Omit<Screen, 'name' | 'path'>>;
const of =
  (reader: Reader) =>
  (name: string, path: string, loaded: string, rest: Rest = {}): Screen => ({
    ...{ name, path, reader, loaded },
    ...rest,
  });
const [owned, viewed, firstSeen] = [of('owner'), of('viewer'), of('newcomer')];
const statistics = (name: string, query: string, rest?: Rest) =>
  owned(name, `?website=1${query}`, NUMBERS, rest);
const options = (section: string, website: number, rest?: Rest, what = section) =>
  owned(
    `options: ${what} of website ${website}`,
    `?website=${website}&view=options&section=${section}`,
    '.options-body .card',
    rest,
  );
const hook = (name: string, rest: Rest) => owned(name, '?view=webhooks&webhook=1', '.delivery', rest);
const shared = (name: string, path: string, loaded = NUMBERS, rest?: Rest) =>
  viewed(name, `share/${path}`, loaded, rest);

/** Clicks on one thing after the other. */
const clicks =
  (...selectors: string[]) =>
  async (page: Page) => {
    for (const selector of selectors) await page.locator(selector).first().click();
  };

const opened = (selector: string, ...to: string[]): Rest => ({ shown: selector, open: clicks(...to) });
const menu = (kind: string, selector: string) => opened(selector, `.${kind}-menu .menu-button`);

const ADD = '.title-row .primary';
const ACT = '.webhook-title .plain';
const LONG = encodeURIComponent(`/${'long-'.repeat(40)}`);
/** What the visited website has. */
export const DEFINED = 'With a rather long name, as people write them in sentences';
const SAVED = `&f=saved:${encodeURIComponent(DEFINED)}`;
const FILTERS = `&f=is:country:US&f=or:NL&f=contains:page:${encodeURIComponent('/')}&f=is_not:page:${LONG}`;

export const SCREENS: Screen[] = [
  statistics('statistics', ''),
  statistics('filtered', FILTERS),
  statistics('exclusions', '', { shown: '.excluded-by' }),
  statistics('the form of a filter', '', opened('.option-list [role=option]', '[aria-keyshortcuts="F"]')),
  statistics('a filter that is changed', FILTERS, opened('.popover .token', '.chip-text')),
  statistics('a filter without matches', '&f=is:country:XX', { loaded: '.notice .primary' }),
  statistics('all values', '&more=page', { shown: `${DIALOG} tbody tr` }),
  statistics('all countries, compared', '&more=country&range=yesterday', { shown: `${DIALOG} tbody tr` }),
  statistics('the map', '&places=map', { shown: '.world .shade-5' }),
  statistics('the regions of a country', '&places=map&map=US', { shown: '.regions path.shade-5' }),
  statistics('other tabs', '&pages=exit_page&sources=campaign&places=city&technology=browser_version'),
  statistics('the values of a property', '&properties=event_property:plan'),
  statistics('two metrics', '&second=visits&by=day'),
  statistics('the calendar', '', menu('range', '.calendar')),
  statistics(
    'comparisons',
    '',
    opened('.calendar', '.compare-menu .menu-button', '.compare-menu button.option'),
  ),
  statistics('the menu of websites', '', menu('site', '.site-menu a.option')),
  statistics('the menu of metrics', '', menu('second', '.second-menu a.option')),
  statistics('the live visitors', '&live=open', { shown: '.live-panel .entries li' }),
  statistics('the chart as a table', '', opened('details[open] tbody tr', '.chart summary')),
  statistics('keys', '', opened(`${DIALOG} kbd`, 'button.shortcuts')),
  statistics('a range without visits', '&range=custom&from=2020-01-01&to=2020-01-31', {
    loaded: 'main[aria-busy="false"] .notice .primary',
  }),
  statistics('goals', '&goals=goals', { shown: '.goal-rows tbody tr' }),
  statistics('all goals', '&more=goal', { shown: `${DIALOG} tbody tr` }),
  statistics('funnels', '&goals=funnels', { shown: '.steps-list .step-head' }),
  statistics('a funnel by country', '&goals=funnels&breakdown=country', { shown: '.breakdown tbody tr' }),
  statistics(
    'a changed funnel',
    '&goals=funnels',
    opened(`${DIALOG} .step-fields input`, '.view-tools .buttons .plain'),
  ),
  statistics('journeys', '&goals=journeys', { shown: '.journey-box' }),
  statistics('a journey from a page', `&goals=journeys&journey=${encodeURIComponent('page:/')}`, {
    shown: '.journey-box',
  }),
  statistics('saved filters', '', opened('.saved-list .option', '[aria-keyshortcuts="F"]', '#filter-saved')),
  statistics('a saved filter', SAVED, opened('.saved-conditions li', '.chip-text')),
  statistics(
    'a saved filter that limits the shared page',
    SAVED,
    opened('.sure', '.chip-text', '.limit', '.saved-form .text-button'),
  ),
  statistics(
    'filters to save',
    FILTERS,
    opened('.saved-form input', '.filter-bar [aria-haspopup=dialog].clear-filters'),
  ),
  statistics('annotations', '', { shown: '.note' }),
  statistics('a new annotation', '', opened('.note-form', '#annotate')),
  statistics('a changed annotation', '', opened('.note-form .text-button', 'button.note')),
  owned('a website without visits', '?website=4', '.snippet .waiting[role=status]'),
  owned('a guide', '?website=4&guide=gtm', '.snippet .guide-steps'),
  owned('a website that is not there', '?website=999', '.notice .primary'),
  owned('websites', '', '.website-row .spark'),
  firstSeen('no websites', '', '.first'),
  owned('a new website', '?view=new', '.steps', {
    open: (page) => page.locator('input[name=domain]').fill(`https://www.${VISITED}:8080/path`),
  }),
  owned('a refused website', '?view=new', '.steps', {
    open: async (page) => {
      await page.locator('input[name=domain]').fill('no_domain.example');
      await page.locator('form .primary').click();
    },
    shown: '#domain-errors',
  }),
  owned('installing', '?website=4&view=install', '.snippet .waiting[role=status]'),
  options('general', 1),
  options('sharing', 1),
  options('sharing', 3),
  options('exclusions', 1, { shown: '.excluded-visits .definitions li' }),
  options('exclusions', 4, { shown: '.excluded-visits .primary' }),
  options(
    'exclusions',
    1,
    opened(`${DIALOG} .option-list`, '.excluded-visits .primary', `${DIALOG} .bar-button`),
    'a new exclusion',
  ),
  options('exclusions', 1, opened(`${DIALOG} .chip`, '.excluded-visits .edit'), 'an exclusion'),
  options('exclusions', 1, opened(DIALOG, '.excluded-visits .remove'), 'an exclusion to remove'),
  options('exclusions', 1, opened(`${DIALOG} .typed`, '.excluded-visits .purge'), 'an exclusion to purge'),
  options('goals', 1, { shown: '.goal-list li' }),
  options('goals', 4),
  options('goals', 1, opened(`${DIALOG} #goal-text`, '.goal-list .edit'), 'a goal'),
  options('goals', 1, opened(`${DIALOG} .with-it li`, '.goal-list .remove'), 'a goal to remove'),
  options('reports', 1, { shown: '.alerts .definitions li' }),
  options('reports', 4, { shown: '.alerts .explained' }),
  options(
    'reports',
    1,
    opened(`${DIALOG} #recipients`, '.report-recipients .saving:not(h3 ~ *) .plain'),
    'recipients',
  ),
  options('reports', 1, opened('.alerts [open] p.quiet', '.alerts summary'), 'firings'),
  options('reports', 1, opened(`${DIALOG} #threshold`, '.alerts .primary'), 'a new alert'),
  options('reports', 1, opened(`${DIALOG} .recipients li`, '.alerts .definitions .edit'), 'an alert'),
  options('reports', 1, opened(DIALOG, '.alerts .definitions .remove'), 'an alert to remove'),
  options('install', 4, { shown: '.snippet .waiting[role=status]' }),
  options('export', 1, { shown: '.statements code' }),
  options('danger', 1, opened(DIALOG, '.options-body .danger')),
  owned('keys of the API', '?view=keys', '.keys tbody tr'),
  owned('a key to remove', '?view=keys', '.keys tbody tr', opened(DIALOG, '.keys .remove')),
  owned('a new key', '?view=keys', '.keys tbody tr', {
    shown: `${DIALOG} .key-websites`,
    open: clicks('.title-row .primary', `${DIALOG} [name=range] >> nth=1`),
  }),
  owned('a made key', '?view=keys', '.keys tbody tr', {
    shown: `${DIALOG} .made code`,
    open: async (page) => {
      await page.locator('.title-row .primary').click();
      await page.locator(`${DIALOG} [name=name]`).fill('made');
      await page.locator(`${DIALOG} .primary`).click();
    },
  }),
  owned('webhooks', '?view=webhooks', '.webhooks tbody tr'),
  firstSeen('no webhooks', '?view=webhooks', '.no-match'),
  owned('a new webhook', '?view=webhooks', '.webhooks tbody tr', opened(`${DIALOG} #url`, ADD)),
  owned('a made webhook', '?view=webhooks', '.webhooks tbody tr', {
    shown: `${DIALOG} .made code`,
    open: async (page) => {
      await page.locator(ADD).click();
      await page.locator('#url').fill('https://hooks.example/made');
      await page.locator(`${DIALOG} .primary`).click();
    },
  }),
  hook('a webhook', opened('.delivery-details pre', '.delivery summary')),
  hook('a changed webhook', opened(`${DIALOG} #url`, ACT)),
  hook('a new secret', opened(`${DIALOG} .made code`, `${ACT} >> nth=1`, `${DIALOG} .primary`)),
  hook('a webhook to remove', opened(DIALOG, `${ACT} >> nth=2`)),
  owned('a webhook that is not there', '?view=webhooks&webhook=999', '.notice'),
  owned('the account', '', '.website-row .spark', opened('#account-menu', '.avatar')),
  viewed('signing in', '', '.sign-in form', opened('.lost[open] code', '.lost summary')),
  viewed('a wrong key', '', '.sign-in form', {
    open: async (page) => {
      await page.locator('input[name=key]').fill('a-key-that-nobody-was-given');
      await page.locator('form .primary').click();
    },
    shown: '#key-errors',
  }),
  shared('a shared page', `${SHARED}?range=7d`),
  shared('a shared page with filters', `${VISITED}?range=7d${FILTERS}`),
  shared('all values of a shared page', `${SHARED}?range=7d&more=page`, NUMBERS, {
    shown: `${DIALOG} tbody tr`,
  }),
  shared('a part of another page', `${SHARED}?embed&range=7d`),
  shared('a password', GUARDED, 'form #password'),
  shared('a wrong password', GUARDED, 'form #password', {
    open: async (page) => {
      await page.locator('#password').fill('not it');
      await page.locator('form .primary').click();
    },
    shown: '#complaint',
  }),
  shared('a private website', WAITING, '.sheet h1'),
  viewed('an unknown address', 'nowhere/at/all', '.sheet .primary'),
  viewed('a link of a report that is not valid', 'unsubscribe/none', 'h1'),
];
