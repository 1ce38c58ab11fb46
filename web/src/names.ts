import { countryLabel, continentLabel, languageLabel, pathLabel } from '../../src/storage/labels';
import { texts } from './texts';

/** What the panels list of a name. */
export type Counted = 'visitors' | 'pageviews' | 'visits' | 'bounces' | 'seconds' | 'events';

interface Described {
  counts: Counted;
  /** Whether counters know it, which are quick and older than the hits that are kept; otherwise hits are asked. */
  isStatistic: boolean;
  /** Whether it belongs to single hits: a filter then takes all hits of those who did such a thing. */
  isOfHits?: true;
  /** Whether the owner alone may see it. */
  isOwners?: true;
  label?: (value: string) => string;
}

const ofVisitors = { counts: 'visitors', isStatistic: true } as const;
const askedOfVisitors = { counts: 'visitors', isStatistic: false } as const;
const ofVisits = { counts: 'visits', isStatistic: false, label: pathLabel } as const;

/** The names that are listed and filtered by. */
export const NAMES = {
  page: { counts: 'pageviews', isStatistic: true, isOfHits: true, label: pathLabel },
  entry_page: ofVisits,
  exit_page: ofVisits,
  hostname: { counts: 'pageviews', isStatistic: false },
  channel: askedOfVisitors,
  referrer: ofVisitors,
  referrer_page: { ...askedOfVisitors, label: pathLabel },
  campaign: ofVisitors,
  source: askedOfVisitors,
  medium: askedOfVisitors,
  term: askedOfVisitors,
  content: askedOfVisitors,
  country: { ...ofVisitors, label: countryLabel },
  city: ofVisitors,
  continent: { ...ofVisitors, label: continentLabel },
  language: { ...ofVisitors, label: languageLabel },
  browser: ofVisitors,
  browser_version: askedOfVisitors,
  operating_system: ofVisitors,
  operating_system_version: askedOfVisitors,
  device: ofVisitors,
  screen_resolution: ofVisitors,
  event: { counts: 'events', isStatistic: true, isOfHits: true },
  currency: { counts: 'events', isStatistic: false, isOfHits: true, isOwners: true },
} as const satisfies Record<string, Described>;

export type Name = keyof typeof NAMES;
export const describe: Record<Name, Described> = NAMES;

export function isName(text: string | null): text is Name {
  return text !== null && Object.hasOwn(NAMES, text);
}

const SPECIAL: Record<string, string> = {
  '(direct)': texts.direct,
  '(unknown)': texts.unknown,
  '(other)': texts.merged,
};
/** Controls, and marks that turn the direction of what follows. */
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

/** A value in words; visitors choose what values are. */
export function wordsOf(name: Name, value: string): string {
  const label = describe[name].label?.(value) ?? value;
  return SPECIAL[value] ?? label.replace(UNREADABLE, '\uFFFD');
}

/** Values beyond those that are kept apart, which nobody can select. */
export const isMerged = (value: string) => value === '(other)';
