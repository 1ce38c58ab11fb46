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
const options = (section: string, website: number, rest?: Rest) =>
  owned(
    `options: ${section} of website ${website}`,
    `?website=${website}&view=options&section=${section}`,
    '.options-body .card',
    rest,
  );
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

const LONG = encodeURIComponent(`/${'long-'.repeat(40)}`);
const FILTERS = `&f=is:country:US&f=or:NL&f=contains:page:${encodeURIComponent('/')}&f=is_not:page:${LONG}`;

export const SCREENS: Screen[] = [
  statistics('statistics', ''),
  statistics('filtered', FILTERS),
  statistics('the form of a filter', '', opened('.option-list [role=option]', '[aria-keyshortcuts="F"]')),
  statistics('a filter that is changed', FILTERS, opened('.popover .token', '.chip-text')),
  statistics('a filter without matches', '&f=is:country:XX', { loaded: '.notice .primary' }),
  statistics('all values', '&more=page', { shown: `${DIALOG} tbody tr` }),
  statistics('all countries, compared', '&more=country&range=yesterday', { shown: `${DIALOG} tbody tr` }),
  statistics('the map', '&places=map', { shown: '.world .shade-5' }),
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
  options('exclusions', 1),
  options('reports', 1),
  options('install', 4, { shown: '.snippet .waiting[role=status]' }),
  options('export', 1),
  options('danger', 1, opened(DIALOG, '.options-body .danger')),
  owned('keys of the API', '?view=keys', '.keys tbody tr'),
  owned('a key to remove', '?view=keys', '.keys tbody tr', opened(DIALOG, '.remove-key')),
  owned('a new key', '?view=keys', '.keys tbody tr', {
    shown: `${DIALOG} .key-websites`,
    open: clicks('.title-row .primary', `${DIALOG} [name=range] >> nth=1`),
  }),
  owned('a made key', '?view=keys', '.keys tbody tr', {
    shown: `${DIALOG} .made code`,
    open: clicks('.title-row .primary', `${DIALOG} .primary`),
  }),
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
