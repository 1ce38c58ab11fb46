import { compareTexts } from '../../../common/text';
import { type ColumnName, COLUMNS } from '../../../storage/hit-columns';
import {
  campaignKind,
  channelOf,
  clickKind,
  mediumKind,
  siteOfReferrer,
  siteOfSource,
} from '../../channels/channel';

type Text = string | null;

/** Values that are made of those of columns, all of hits or all of visitors, when they are asked for. */
export interface Derived {
  readonly key: string;
  readonly from: readonly Values[];
  /** Is called once for each combination of their values. */
  readonly text: (...texts: Text[]) => Text;
}

/** Where the values of a name stand. */
export type Values = ColumnName | Derived;

export function keyOf(values: Values): string {
  return typeof values === 'string' ? values : values.key;
}

export function columnsOf(values: Values): ColumnName[] {
  return typeof values === 'string' ? [values] : values.from.flatMap(columnsOf);
}

export function isOfVisitors(values: Values): boolean {
  return columnsOf(values).every((column) => COLUMNS[column].of === 'visitor');
}

function made(key: string, from: readonly Values[], text: Derived['text']): Derived {
  return { key, from, text };
}

/** A name with its version, as far as it is known. */
const versioned = (key: string, name: ColumnName, version: ColumnName) =>
  made(key, [name, version], (own, number) => (number === null ? own : `${own} ${number}`));

export const BROWSER_VERSION = versioned('browser version', 'browser', 'browser_version');
export const SYSTEM_VERSION = versioned('system version', 'operating_system', 'operating_system_version');

/** The host alone where the page is not known. */
export const REFERRER_PAGE = made(
  'referrer page',
  ['referrer_page', 'referrer'],
  (page, host) => page ?? host,
);

/** The kinds are few, so that their combinations are. */
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

/** Which properties an event has: few lists, since one event is sent with the same ones again. */
export const PROPERTY_NAMES = made('names of properties', ['properties'], (properties) => {
  if (properties === null) return null;
  const names = (JSON.parse(properties) as Properties).map(([name]) => name);
  return JSON.stringify(names.sort(compareTexts));
});

/** The text of a property of events. */
export function propertyNamed(name: string): Derived {
  const written = JSON.stringify(name);
  return made(`property ${name}`, ['properties'], (properties) => {
    if (!properties?.includes(written)) return null;
    const found = (JSON.parse(properties) as Properties).find(([own]) => own === name);
    return found ? String(found[1]) : null;
  });
}
