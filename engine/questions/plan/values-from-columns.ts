import { compareTexts } from '../../ground/text-order';
import { type ColumnName, COLUMNS } from '../../hits/hit-columns';
import { OTHER } from '../../hits/rules/value-limits';
import {
  campaignKind,
  channelOf,
  clickKind,
  mediumKind,
  siteOfReferrer,
  siteOfSource,
} from '../../hits/channels/channel';

type Text = string | null;

const UNKNOWN = '(unknown)';

/** Values derived from those of columns on demand. All columns are of hits, or all of visitors. */
export interface Derived {
  readonly key: string;
  readonly from: readonly Values[];
  /** Called once for each combination of their values. */
  readonly text: (...texts: Text[]) => Text;
}

/** The source of a name's values. */
export type Values = ColumnName | Derived;

export function valuesKey(values: Values): string {
  return typeof values === 'string' ? values : values.key;
}

export function sourceColumns(values: Values): ColumnName[] {
  return typeof values === 'string' ? [values] : values.from.flatMap(sourceColumns);
}

export function isOfVisitors(values: Values): boolean {
  return sourceColumns(values).every((column) => COLUMNS[column].of === 'visitor');
}

function made(key: string, from: readonly Values[], text: Derived['text']): Derived {
  return { key, from, text };
}

/** A name with its version, if known. */
const versioned = (key: string, name: ColumnName, version: ColumnName) =>
  made(key, [name, version], (own, number) => (number === null ? own : `${own} ${number}`));

export const BROWSER_VERSION = versioned('browser version', 'browser', 'browser_version');
export const SYSTEM_VERSION = versioned('system version', 'operating_system', 'operating_system_version');

/** Behind its region, a city has the code of its country. */
const OF_CITY = /^.*?, (.+, [A-Z]{2})$/s;
/** Like `Bavaria, DE`. */
export const REGION = made('region', ['city'], (city) =>
  city === null || city === OTHER ? city : (OF_CITY.exec(city)?.[1] ?? UNKNOWN),
);

/** Only the host if the page is unknown. */
export const REFERRER_PAGE = made(
  'referrer page',
  ['referrer_page', 'referrer'],
  (page, host) => page ?? host,
);

/** The kinds are few, so their combinations are too. */
export const CHANNEL = made(
  'channel',
  [
    made('site of referrer', ['referrer'], siteOfReferrer),
    made('site of source', ['source'], siteOfSource),
    made('kind of medium', ['medium'], mediumKind),
    made('kind of click', ['click_id'], clickKind),
    made('kind of campaign', ['campaign'], campaignKind),
  ],
  channelOf as Derived['text'],
);

type Properties = [name: string, text: unknown][];

/** The property names of an event. There are few lists, because an event usually has the same names. */
export const PROPERTY_NAMES = made('names of properties', ['properties'], (properties) => {
  if (properties === null || properties === OTHER) return properties;
  const names = (JSON.parse(properties) as Properties).map(([name]) => name);
  return JSON.stringify(names.sort(compareTexts));
});

/** The value of an event property. That of merged lists is unknown, so it is not missing. */
export function propertyNamed(name: string): Derived {
  const written = JSON.stringify(name);
  return made(`property ${name}`, ['properties'], (properties) => {
    if (properties === OTHER) return OTHER;
    if (!properties?.includes(written)) return null;
    const found = (JSON.parse(properties) as Properties).find(([own]) => own === name);
    return found ? String(found[1]) : null;
  });
}
