import { dropLabel } from './events/dropped-events';
import { continentLabel, countryLabel, languageLabel, pathLabel } from './labels';

/** The fourteen names that are counted from hits, and `dropped`. */
export const STAT_NAMES = [
  'browser',
  'campaign',
  'city',
  'continent',
  'country',
  'device',
  'dropped',
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
export type CountedUnit = 'pageviews' | 'visitors' | 'events';

/**
 * What an entry counts: every hit with a value; a visitor's first hit of the day; or each visitor of the day once for
 * each value. In the last case, `none` is the value of visitors whose first hit has none. Dropped events leave no hit,
 * so they are counted at acceptance.
 */
type Counting =
  | { per: 'hit' | 'visitor' | 'dropped event'; none?: undefined }
  | { per: 'visitor and value'; none?: string };

interface Wording {
  /** A value in readable words. */
  label: (value: string) => string;
}

interface Description {
  /** Identifies the name in the tables. A code is never reused. */
  code: number;
  counts: CountedUnit;
  /** Its values are days. */
  days?: true;
}

type Dimension = Description & Counting & Wording;

const plain: Wording = { label: (value) => value };
const ofPageViews = { counts: 'pageviews', per: 'hit' } as const;
const ofEvents = { counts: 'events', per: 'hit' } as const;
const ofVisitors = { counts: 'visitors', per: 'visitor' } as const;
const ofValues = { counts: 'visitors', per: 'visitor and value' } as const;

/** The properties of each name: its code, what it counts, and the wording of its values. */
export const DIMENSIONS: Record<StatName, Dimension> = {
  pageview: { code: 1, ...ofPageViews, ...plain, days: true },
  visitor: { code: 2, ...ofVisitors, ...plain, days: true },
  page: { code: 3, ...ofPageViews, label: pathLabel },
  event: { code: 4, ...ofEvents, ...plain },
  referrer: { code: 5, ...ofValues, none: '(direct)', ...plain },
  campaign: { code: 6, ...ofValues, ...plain },
  browser: { code: 7, ...ofVisitors, ...plain },
  operating_system: { code: 8, ...ofVisitors, ...plain },
  device: { code: 9, ...ofVisitors, ...plain },
  language: { code: 10, ...ofVisitors, label: languageLabel },
  screen_resolution: { code: 11, ...ofVisitors, ...plain },
  continent: { code: 12, ...ofVisitors, label: continentLabel },
  country: { code: 13, ...ofVisitors, label: countryLabel },
  city: { code: 14, ...ofVisitors, ...plain },
  dropped: { code: 15, counts: 'events', per: 'dropped event', label: dropLabel },
};

const NAMES = new Map(STAT_NAMES.map((name) => [DIMENSIONS[name].code, name]));

export function statNameWithCode(code: number): StatName {
  return NAMES.get(code)!;
}
