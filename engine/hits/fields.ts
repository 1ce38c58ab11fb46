import { continentLabel, countryLabel, languageLabel, pathLabel } from './readable-labels';

/** What an entry of a name counts. */
export type CountedUnit = 'pageviews' | 'visitors' | 'events';

/** A property of an event. An event has each name once. */
export type Property = readonly [name: string, value: string | number | boolean];

/**
 * Each hit has a value of its own, or a visitor has that of the first accepted hit of the day, or a visitor brings
 * values in a day, each of its hits one or none.
 */
type Level = 'hit' | 'visitor' | 'acquisition';

interface Field<V> {
  /** The property of a `Hit`. */
  key: string;
  level: Level;
  /** The place in rows of the inbox. A new field takes the next one, and is missing in older rows. */
  place: number;
  /** The number of the column in the tables. It is never reused. */
  code: number;
  /** What it is read from, as documents say it. */
  from: string;
  /** The value if there is none. */
  none: V;
}

/** A field whose values are counted and filtered by under its name. */
interface Counted {
  counts: CountedUnit;
  explanation: string;
  /** A value in readable words. */
  label?: (value: string) => string;
  /** The number of the name in rollups, which only the fourteen names have. It is never reused. */
  rollup?: number;
  /** The value of visitors whose first hit has none. */
  ofDirect?: string;
}

/** A field that a parameter of the page's address brings. */
interface OfParameter {
  parameter: string;
}

type Own<K, L> = { key: K; level: L };

function text<K extends string, L extends Level>(
  key: K,
  level: L,
  place: number,
  code: number,
  from: string,
) {
  return { key, level, place, code, from, none: '' } satisfies Field<string> & Own<K, L>;
}

function textOrNull<K extends string, L extends Level>(
  key: K,
  level: L,
  place: number,
  code: number,
  from: string,
) {
  const field = { key, level, place, code, from, none: null as string | null };
  return field satisfies Field<string | null> & Own<K, L>;
}

const OF_FIRST_HIT = 'by their first hit of the day';
export const ofFirstHit = (what: string) => `Visitors of the day ${what}, ${OF_FIRST_HIT}.`;
const visitorsWith = (what: string) => ({ counts: 'visitors', explanation: ofFirstHit(what) }) as const;

/** A field of acquisition whose values a parameter of the page's address brings. */
function ofParameter<K extends string>(parameter: `utm_${string}`, key: K, place: number, code: number) {
  const field = {
    ...textOrNull(key, 'acquisition', place, code, `\`${parameter}\` of the page's address`),
    parameter,
    counts: 'visitors',
    explanation: `Visitors of the day who came with a ${parameter}, once for each.`,
  } as const;
  return field satisfies Field<string | null> & Counted & OfParameter;
}

const AGENT = 'the user agent';
const ADDRESS = "the client's address, which is not stored";
const DETAILS = 'events that bring it, from pages and servers';

/** Everything that is stored of a hit besides its moment, day and visitor, in the order of exported lines. */
export const FIELDS = {
  event: {
    ...textOrNull('event', 'hit', 3, 12, 'the name of an event; page views have none'),
    counts: 'events',
    rollup: 4,
    explanation: 'How often a custom event of this name was sent.',
  },
  /** The host of the page. Null in hits of versions that did not store it. */
  hostname: {
    ...textOrNull('hostname', 'hit', 21, 23, "the page's address, without `www.`"),
    counts: 'pageviews',
    explanation: 'Page views on a host, without www.',
  },
  page: {
    ...text('page', 'hit', 4, 11, "the page's address: the path with what remains of its query"),
    counts: 'pageviews',
    rollup: 3,
    label: pathLabel,
    explanation: 'Page views of a path with what remains of its query.',
  },
  title: {
    ...textOrNull('title', 'hit', 29, 37, "the page's title, if the website keeps titles"),
    counts: 'pageviews',
    explanation: "Page views of pages with a title, if the website's option titles is 1.",
  },
  referrer: {
    ...textOrNull('referrer', 'acquisition', 5, 13, "the referrer's host, without `www.`"),
    counts: 'visitors',
    rollup: 5,
    ofDirect: '(direct)',
    explanation:
      'Visitors of the day who came from a host, once for each; (direct) if their first hit has no referrer.',
  },
  /** The page of the referrer, as host and path. Its name is derived, because the host replaces an unknown page. */
  referrer_page: textOrNull('referrerPage', 'hit', 22, 24, 'the referrer, as host and path; never its query'),
  campaign: { ...ofParameter('utm_campaign', 'campaign', 6, 14), rollup: 6 },
  source: ofParameter('utm_source', 'source', 15, 25),
  medium: ofParameter('utm_medium', 'medium', 16, 26),
  term: ofParameter('utm_term', 'term', 17, 27),
  content: ofParameter('utm_content', 'content', 18, 28),
  campaign_id: ofParameter('utm_id', 'campaignId', 28, 36),
  click_id: textOrNull(
    'clickId',
    'hit',
    23,
    29,
    "the kind of click id in the page's address: `gclid`, `fbclid`, `msclkid`, …; never its value",
  ),
  browser: { ...text('browser', 'visitor', 7, 15, AGENT), ...visitorsWith('with a browser'), rollup: 7 },
  browser_version: textOrNull('browserVersion', 'visitor', 19, 30, `${AGENT}; only the major one`),
  operating_system: {
    ...text('operatingSystem', 'visitor', 8, 16, AGENT),
    ...visitorsWith('with an operating system'),
    rollup: 8,
  },
  operating_system_version: textOrNull(
    'operatingSystemVersion',
    'visitor',
    20,
    31,
    `${AGENT}; only the major one`,
  ),
  device: {
    ...text('device', 'visitor', 9, 17, AGENT),
    ...visitorsWith('with a kind of device (desktop, mobile, tablet, …)'),
    rollup: 9,
  },
  language: {
    ...text('language', 'visitor', 10, 18, 'the browser, or the header `Accept-Language`'),
    ...visitorsWith('with a language (BCP 47)'),
    rollup: 10,
    label: languageLabel,
  },
  screen_resolution: {
    ...text('screen', 'visitor', 11, 19, 'the browser'),
    ...visitorsWith('with a screen of this size'),
    rollup: 11,
  },
  continent: {
    ...text('continent', 'visitor', 12, 20, ADDRESS),
    ...visitorsWith('on a continent (two letters)'),
    rollup: 12,
    label: continentLabel,
  },
  country: {
    ...text('country', 'visitor', 13, 21, ADDRESS),
    ...visitorsWith('in a country (ISO 3166-1)'),
    rollup: 13,
    label: countryLabel,
  },
  city: {
    ...text('city', 'visitor', 14, 22, ADDRESS),
    ...visitorsWith('in a city (as "City, Region, CC")'),
    rollup: 14,
  },
  properties: {
    key: 'properties',
    level: 'hit',
    place: 24,
    code: 34,
    from: DETAILS,
    none: null as Property[] | null,
  },
  /** An integer of 1/10,000 of the currency, as digits: the largest values exceed a number. */
  value: textOrNull('value', 'hit', 25, 32, `${DETAILS}, in steps of 1/10,000`),
  currency: {
    ...textOrNull('currency', 'hit', 26, 33, DETAILS),
    counts: 'events',
    explanation: 'Events with a value in a currency (ISO 4217).',
  },
  /** Tells whether the event neither ends a bounce nor lengthens a visit. Page views are not passive. */
  passive: {
    key: 'isPassive',
    level: 'hit',
    place: 27,
    code: 35,
    from: 'events that say so',
    none: false,
  },
} as const satisfies Record<string, Field<unknown> & Partial<Counted & OfParameter>>;

type Fields = typeof FIELDS;
export type FieldName = keyof Fields;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** The fields that are names of their own. */
export type CountedField = { [N in FieldName]: Fields[N] extends Counted ? N : never }[FieldName];
/** The keys of the fields that parameters of the page's address bring. */
export type ParameterKey = Extract<Fields[FieldName], OfParameter>['key'];
/** The counted fields with rollups, by their level. */
export type RollupField<L extends Level = Level> = {
  [N in FieldName]: Fields[N] extends { rollup: number; level: L } ? N : never;
}[FieldName];

export const COUNTED_FIELDS = FIELD_NAMES.filter((name): name is CountedField => 'counts' in FIELDS[name]);
export const ROLLUP_FIELDS = FIELD_NAMES.filter((name): name is RollupField => 'rollup' in FIELDS[name]);

export const PARAMETER_KEYS: ReadonlyMap<string, ParameterKey> = new Map(
  FIELD_NAMES.flatMap((name) => {
    const field = FIELDS[name];
    return 'parameter' in field ? [[field.parameter, field.key] as const] : [];
  }),
);

export function countedField(name: CountedField): Pick<Field<unknown>, 'level'> & Counted {
  return FIELDS[name];
}

export type FieldValue<N extends FieldName> = Fields[N]['none'] extends false ? boolean : Fields[N]['none'];

/** The values of the fields of a hit, by their keys. */
export type FieldValues = { [N in FieldName as Fields[N]['key']]: FieldValue<N> };
