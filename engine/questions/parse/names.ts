import {
  COUNTED_FIELDS,
  type CountedField,
  countedField,
  type CountedUnit,
  FIELDS,
  ofFirstHit,
} from '../../hits/fields';
import { pathLabel } from '../../hits/readable-labels';
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
} from '../plan/values-from-columns';

/** The rows that have values of a name, and the source of the values. */
type OfHits =
  | { level: 'hit'; values: Values }
  | { level: 'visitor'; values: Values }
  /** The values that a visitor brings in a day, each of its hits one or none; `none` stands for a first hit without one. */
  | { level: 'acquisition'; values: Values; none?: string }
  /** The first or the last page that is viewed in a visit. */
  | { level: 'visit'; values: Values; which: 'first' | 'last' };
type OfMoments = { level: 'moment'; bucket: BucketName; explanation: string };

export type EntryUnit = CountedUnit | 'visits';

/** The unit of an entry's count, and the wording of values. */
export interface Wording {
  counts: EntryUnit;
  label: (value: string) => string;
}

type Origin = (OfHits & Wording & { explanation: string }) | OfMoments;

const plain = (value: string) => value;
const of = (counts: EntryUnit, origin: OfHits, explanation: string, label = plain): Origin => ({
  ...origin,
  counts,
  label,
  explanation,
});
const visitor = (values: Values): OfHits => ({ level: 'visitor', values });
const acquisition = (values: Values, none: string): OfHits => ({ level: 'acquisition', values, none });
const viewed = (which: 'first' | 'last'): OfHits => ({ level: 'visit', values: 'page', which });
const moment = (bucket: BucketName, explanation: string): OfMoments => ({
  level: 'moment',
  bucket,
  explanation,
});

function ofField(name: CountedField): Origin {
  const { level, counts, ofDirect: none, label, explanation } = countedField(name);
  const origin: OfHits =
    level === 'acquisition' && none !== undefined ? { level, values: name, none } : { level, values: name };
  return of(counts, origin, explanation, label);
}

const OF_FIELDS = Object.fromEntries(COUNTED_FIELDS.map((name) => [name, ofField(name)])) as Record<
  CountedField,
  Origin
>;

/** Names whose values are derived from fields. */
const DERIVED = {
  channel: of(
    'visitors',
    acquisition(CHANNEL, DIRECT),
    'Visitors of the day who came through a channel (Search, Mail, Paid Search, …), once for each; Direct where their first hit brings nothing.',
  ),
  referrer_page: of(
    'visitors',
    acquisition(REFERRER_PAGE, FIELDS.referrer.ofDirect),
    'Visitors of the day who came from a page (host and path), counted as referrer; only the host if the path is unknown.',
    pathLabel,
  ),
  entry_page: of(
    'visits',
    viewed('first'),
    'Visits, by the first page that is viewed; a visit without a page view has none.',
    pathLabel,
  ),
  exit_page: of(
    'visits',
    viewed('last'),
    'Visits, by the last page that is viewed; a visit without a page view has none.',
    pathLabel,
  ),
  browser_version: of(
    'visitors',
    visitor(BROWSER_VERSION),
    ofFirstHit('with a browser and its major version, if known (as "Chrome 141")'),
  ),
  operating_system_version: of(
    'visitors',
    visitor(SYSTEM_VERSION),
    ofFirstHit('with an operating system and its major version, if known (as "Windows 10")'),
  ),
  region: of('visitors', visitor(REGION), ofFirstHit('in a region (as "Region, CC")')),
  event_properties: of(
    'events',
    { level: 'hit', values: PROPERTY_NAMES },
    'Events with these properties: a JSON list of their names, in order.',
  ),
} satisfies Record<string, Origin>;

const OF_MOMENTS = {
  hour: moment('hour', 'The hour of a hit, like 2026-10-25T02:00+02:00, in the zone of the service.'),
  day: moment('day', 'The day of a hit.'),
  week: moment('week', 'The ISO week of a hit, like 2026-W43.'),
  month: moment('month', 'The month of a hit, like 2026-10.'),
  weekday: moment('weekday', 'The day of the week of a hit, from 1 (Monday) to 7.'),
  hour_of_day: moment('hour_of_day', 'The hour of the day of a hit, from 0 to 23.'),
} satisfies Record<BucketName, Origin>;

const ALL = { ...OF_FIELDS, ...DERIVED, ...OF_MOMENTS };

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
  return of(
    'events',
    { level: 'hit', values: propertyNamed(name.slice(PROPERTY.length)) },
    'Events with a property of this name, by its text.',
  );
}

/** The unit and wording of a name's entries. Undefined if its values are moments. */
export function wordingOf(name: QueryName): Wording | undefined {
  const origin = originOf(name);
  return origin.level === 'moment' ? undefined : origin;
}

/** Tells whether a dimension is a series: its values have an order, and empty values are shown. */
export function isMoment(name: QueryName): boolean {
  return originOf(name).level === 'moment';
}

/** Like `event_property:plan`, with a name of 1 to 64 characters. */
export function isPropertyName(name: string): name is `${typeof PROPERTY}${string}` {
  if (!name.startsWith(PROPERTY) || !name.isWellFormed()) return false;
  const own = name.slice(PROPERTY.length);
  return own !== '' && own.length <= 2 * MAX_PROPERTY_LENGTH && [...own].length <= MAX_PROPERTY_LENGTH;
}
