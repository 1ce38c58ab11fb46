import { type CountedUnit, DIMENSIONS, type StatName } from '../../hits/stat-names';
import { pathLabel } from '../../hits/labels';
import { DIRECT } from '../../hits/channels/channel';
import type { BucketName } from '../plan/buckets';
import {
  BROWSER_VERSION,
  CHANNEL,
  PROPERTY_NAMES,
  propertyNamed,
  REFERRER_PAGE,
  REGION,
  SYSTEM_VERSION,
  type Values,
} from '../plan/derived';

/** The rows that have values of a name, and the source of the values. */
type OfHits =
  | { level: 'hit'; values: Values }
  | { level: 'visitor'; values: Values }
  /** The values that a visitor brings in a day, each of its hits one or none; `none` stands for a first hit without one. */
  | { level: 'acquisition'; values: Values; none?: string }
  /** The first or the last page that is viewed in a visit. */
  | { level: 'visit'; values: Values; which: 'first' | 'last' };
type OfMoments = { level: 'moment'; bucket: BucketName };

export type EntryUnit = CountedUnit | 'visits';

/** The unit of an entry's count, and the wording of values. */
export interface Wording {
  counts: EntryUnit;
  label: (value: string) => string;
}

type Origin = (OfHits & Wording) | OfMoments;

const plain = (value: string) => value;
const hit = (values: Values): OfHits => ({ level: 'hit', values });
const visitor = (values: Values): OfHits => ({ level: 'visitor', values });
const acquisition = (values: Values, none?: string): OfHits =>
  none === undefined ? { level: 'acquisition', values } : { level: 'acquisition', values, none };
const viewed = (which: 'first' | 'last'): OfHits => ({ level: 'visit', values: 'page', which });
const of = (counts: EntryUnit, origin: OfHits, label = plain): Origin => ({ ...origin, counts, label });
const moment = (bucket: BucketName): OfMoments => ({ level: 'moment', bucket });

const DIRECT_VISIT = '(direct)';

/** The plain names except those of days, which are `day` here. */
const COUNTED = {
  browser: visitor('browser'),
  campaign: acquisition('campaign'),
  city: visitor('city'),
  continent: visitor('continent'),
  country: visitor('country'),
  device: visitor('device'),
  event: hit('event'),
  language: visitor('language'),
  operating_system: visitor('operating_system'),
  page: hit('page'),
  referrer: acquisition('referrer', DIRECT_VISIT),
  screen_resolution: visitor('screen_resolution'),
} satisfies Record<Exclude<StatName, 'dropped' | 'pageview' | 'visitor'>, OfHits>;

const OF_COUNTERS = Object.fromEntries(
  Object.entries(COUNTED).map(([name, origin]) => {
    const { counts, label } = DIMENSIONS[name as keyof typeof COUNTED];
    return [name, of(counts, origin, label)];
  }),
) as Record<keyof typeof COUNTED, Origin>;

const OF_HITS = {
  hostname: of('pageviews', hit('hostname')),
  source: of('visitors', acquisition('source')),
  medium: of('visitors', acquisition('medium')),
  term: of('visitors', acquisition('term')),
  content: of('visitors', acquisition('content')),
  channel: of('visitors', acquisition(CHANNEL, DIRECT)),
  referrer_page: of('visitors', acquisition(REFERRER_PAGE, DIRECT_VISIT), pathLabel),
  entry_page: of('visits', viewed('first'), pathLabel),
  exit_page: of('visits', viewed('last'), pathLabel),
  browser_version: of('visitors', visitor(BROWSER_VERSION)),
  operating_system_version: of('visitors', visitor(SYSTEM_VERSION)),
  region: of('visitors', visitor(REGION)),
  currency: of('events', hit('currency')),
  event_properties: of('events', hit(PROPERTY_NAMES)),
} satisfies Record<string, Origin>;

const OF_MOMENTS = {
  hour: moment('hour'),
  day: moment('day'),
  week: moment('week'),
  month: moment('month'),
  weekday: moment('weekday'),
  hour_of_day: moment('hour_of_day'),
} satisfies Record<BucketName, Origin>;

const ALL = { ...OF_COUNTERS, ...OF_HITS, ...OF_MOMENTS };

type FixedName = keyof typeof ALL;
const PROPERTY = 'event_property:';
const MAX_PROPERTY_LENGTH = 64;

/** A name that hits can be filtered and grouped by. */
export type QueryName = FixedName | `${typeof PROPERTY}${string}`;
/** The names that every website has. */
export const FIXED_NAMES = Object.keys(ALL) as FixedName[];
/** Stands for the properties of events in lists of names. */
export const PROPERTY_NAME = `${PROPERTY}NAME` as const;
/** All names, as errors list them. */
export const QUERY_NAMES = [...FIXED_NAMES, PROPERTY_NAME].sort();

export function isQueryName(name: unknown): name is QueryName {
  return typeof name === 'string' && (Object.hasOwn(ALL, name) || isPropertyName(name));
}

export function originOf(name: QueryName): Origin {
  if (!isPropertyName(name)) return ALL[name];
  return of('events', hit(propertyNamed(name.slice(PROPERTY.length))));
}

/** The unit and wording of a name's entries. Undefined if its values are moments. */
export function wordingOf(name: QueryName): Wording | undefined {
  const origin = originOf(name);
  return origin.level === 'moment' ? undefined : origin;
}

/** Whether a dimension is a series: its values have an order, and empty values are shown. */
export function isMoment(name: QueryName): boolean {
  return originOf(name).level === 'moment';
}

/** Like `event_property:plan`, with a name of 1 to 64 characters. */
export function isPropertyName(name: string): name is `${typeof PROPERTY}${string}` {
  if (!name.startsWith(PROPERTY) || !name.isWellFormed()) return false;
  const own = name.slice(PROPERTY.length);
  return own !== '' && own.length <= 2 * MAX_PROPERTY_LENGTH && [...own].length <= MAX_PROPERTY_LENGTH;
}
