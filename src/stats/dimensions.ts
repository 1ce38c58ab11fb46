import { continentLabel, countryLabel, languageLabel, pathLabel } from './labels';

export const STAT_NAMES = [
  'browser',
  'campaign',
  'city',
  'continent',
  'country',
  'device',
  'event',
  'language',
  'operating_system',
  'page',
  'pageview',
  'referrer',
  'screen_resolution',
  'visitor',
] as const;

export type StatName = (typeof STAT_NAMES)[number];
export type Counted = 'pageviews' | 'visitors' | 'events';

interface Dimension {
  /** How the tables call it; a code is never given to another name. */
  code: number;
  counts: Counted;
  label: (value: string) => string;
  /**
   * Where a search finds the labels: kept folded in the dictionary, or made here from few coded values, so that
   * a newer release may word them differently.
   */
  labels: 'same as value' | 'in the dictionary' | 'in the code';
  /** Its values are days. */
  days?: true;
}

const plain = { label: (value: string) => value, labels: 'same as value' } as const;
const coded = (label: Dimension['label']) => ({ label, labels: 'in the code' }) as const;

/** What each name counts and how its values read. A new name is a row here. */
export const DIMENSIONS: Record<StatName, Dimension> = {
  pageview: { code: 1, counts: 'pageviews', ...plain, days: true },
  visitor: { code: 2, counts: 'visitors', ...plain, days: true },
  page: { code: 3, counts: 'pageviews', label: pathLabel, labels: 'in the dictionary' },
  event: { code: 4, counts: 'events', ...plain },
  referrer: { code: 5, counts: 'visitors', ...plain },
  campaign: { code: 6, counts: 'visitors', ...plain },
  browser: { code: 7, counts: 'visitors', ...plain },
  operating_system: { code: 8, counts: 'visitors', ...plain },
  device: { code: 9, counts: 'visitors', ...plain },
  language: { code: 10, counts: 'visitors', ...coded(languageLabel) },
  screen_resolution: { code: 11, counts: 'visitors', ...plain },
  continent: { code: 12, counts: 'visitors', ...coded(continentLabel) },
  country: { code: 13, counts: 'visitors', ...coded(countryLabel) },
  city: { code: 14, counts: 'visitors', ...plain },
};

const NAMES = new Map(STAT_NAMES.map((name) => [DIMENSIONS[name].code, name]));

export function nameOf(code: number): StatName {
  return NAMES.get(code)!;
}
