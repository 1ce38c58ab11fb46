import { dayText } from '../common/days';
import type { Hit } from './hit';
import { dropLabel } from './dropped';
import { continentLabel, countryLabel, languageLabel, pathLabel } from './labels';

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
 * What one entry counts: every hit that has a value; a visitor's first hit of the day; or each visitor of the day once
 * for each value. For the last one `none` is the value of visitors whose first hit has none. Events that a rule dropped
 * leave no hit, so they are counted where they come in, and cannot be counted again.
 */
type Counting =
  | { per: 'hit'; value: (hit: Hit) => string | null }
  | { per: 'visitor'; value: (hit: Hit) => string }
  | { per: 'visitor and value'; value: (hit: Hit) => string | null; none?: string }
  | { per: 'dropped event' };

interface Wording {
  label: (value: string) => string;
  /**
   * Where a search finds the labels: stored in the dictionary, or made by this code from few values, so that a newer
   * release may word them differently.
   */
  labels: 'same as value' | 'in the dictionary' | 'in the code';
}

interface Description {
  /** Stands for the name in the tables; a code is never given to another name. */
  code: number;
  counts: CountedUnit;
  /** Its values are days. */
  days?: true;
}

export type Dimension = Description & Counting & Wording;

const plain: Wording = { label: (value) => value, labels: 'same as value' };
const stored = (label: Wording['label']): Wording => ({ label, labels: 'in the dictionary' });
const coded = (label: Wording['label']): Wording => ({ label, labels: 'in the code' });

const ofFirstHit = (value: (hit: Hit) => string) => ({ counts: 'visitors', per: 'visitor', value }) as const;
const ofVisitor = (value: (hit: Hit) => string | null) =>
  ({ counts: 'visitors', per: 'visitor and value', value }) as const;
const ofPageView = (value: (hit: Hit) => string) =>
  ({
    counts: 'pageviews',
    per: 'hit',
    value: (hit: Hit) => (hit.event === null ? value(hit) : null),
  }) as const;
const ofEvent = (value: (hit: Hit) => string | null) => ({ counts: 'events', per: 'hit', value }) as const;

/** All that is particular to a name: its code, how it is counted, of which value, and how values are worded. */
export const DIMENSIONS: Record<StatName, Dimension> = {
  pageview: { code: 1, ...ofPageView(dayOf), ...plain, days: true },
  visitor: { code: 2, ...ofFirstHit(dayOf), ...plain, days: true },
  page: { code: 3, ...ofPageView((hit) => hit.page), ...stored(pathLabel) },
  event: { code: 4, ...ofEvent((hit) => hit.event), ...plain },
  referrer: { code: 5, ...ofVisitor((hit) => hit.referrer), none: '(direct)', ...plain },
  campaign: { code: 6, ...ofVisitor((hit) => hit.campaign), ...plain },
  browser: { code: 7, ...ofFirstHit((hit) => hit.browser), ...plain },
  operating_system: { code: 8, ...ofFirstHit((hit) => hit.operatingSystem), ...plain },
  device: { code: 9, ...ofFirstHit((hit) => hit.device), ...plain },
  language: { code: 10, ...ofFirstHit((hit) => hit.language), ...coded(languageLabel) },
  screen_resolution: { code: 11, ...ofFirstHit((hit) => hit.screen), ...plain },
  continent: { code: 12, ...ofFirstHit((hit) => hit.continent), ...coded(continentLabel) },
  country: { code: 13, ...ofFirstHit((hit) => hit.country), ...coded(countryLabel) },
  city: { code: 14, ...ofFirstHit((hit) => hit.city), ...plain },
  dropped: { code: 15, counts: 'events', per: 'dropped event', ...coded(dropLabel) },
};

const NAMES = new Map(STAT_NAMES.map((name) => [DIMENSIONS[name].code, name]));

/** Whether a name, by its code, can be counted from hits. */
export function isOfHits(code: number): boolean {
  return DIMENSIONS[nameOf(code)].per !== 'dropped event';
}

export function nameOf(code: number): StatName {
  return NAMES.get(code)!;
}

let last = { day: 0, text: dayText(0) };

/** Consecutive hits are mostly of one day, so its text is made once. */
function dayOf({ day }: Hit): string {
  if (day !== last.day) last = { day, text: dayText(day) };
  return last.text;
}
