/** The metric that the panels show for a name. */
export type Counted = 'visitors' | 'pageviews' | 'visits' | 'bounces' | 'seconds' | 'events';

/** The metrics from which all figures and shares are computed. */
export const PARTS = [
  'visitors',
  'pageviews',
  'visits',
  'bounces',
  'seconds',
  'events',
] as const satisfies Counted[];

interface Described {
  counts: Counted;
  /** Tells whether rollups have it. They are fast and reach further back than hits, from which other names are read. */
  isStatistic: boolean;
  /** Tells whether it belongs to single hits: a filter then selects all hits of visitors with such a hit. */
  isOfHits?: true;
  /** Tells whether a visitor has one value of it, so that no other value matches as well. */
  isSingle?: true;
  /** Tells whether only the owner may see it. */
  isOwners?: true;
  /** Tells whether it cannot be filtered by: each value stands for several others. */
  isListed?: true;
}

const ofVisitors = { counts: 'visitors', isStatistic: true } as const;
const askedOfVisitors = { counts: 'visitors', isStatistic: false } as const;
const ofEachVisitor = { ...ofVisitors, isSingle: true } as const;
const askedOfEachVisitor = { ...askedOfVisitors, isSingle: true } as const;
const ofVisits = { counts: 'visits', isStatistic: false } as const;

/** The names that are listed and filtered by. */
export const NAMES = {
  page: { counts: 'pageviews', isStatistic: true, isOfHits: true },
  entry_page: ofVisits,
  exit_page: ofVisits,
  hostname: { counts: 'pageviews', isStatistic: false },
  channel: askedOfVisitors,
  referrer: ofVisitors,
  referrer_page: askedOfVisitors,
  campaign: ofVisitors,
  source: askedOfVisitors,
  medium: askedOfVisitors,
  term: askedOfVisitors,
  content: askedOfVisitors,
  country: ofEachVisitor,
  region: askedOfEachVisitor,
  city: ofEachVisitor,
  continent: ofEachVisitor,
  language: ofEachVisitor,
  browser: ofEachVisitor,
  browser_version: askedOfEachVisitor,
  operating_system: ofEachVisitor,
  operating_system_version: askedOfEachVisitor,
  device: ofEachVisitor,
  screen_resolution: ofEachVisitor,
  event: { counts: 'events', isStatistic: true, isOfHits: true },
  currency: { counts: 'events', isStatistic: false, isOfHits: true, isOwners: true },
  event_properties: { counts: 'events', isStatistic: false, isOfHits: true, isOwners: true, isListed: true },
  goal: { counts: 'events', isStatistic: false, isOfHits: true },
  /** A filter that the owner has saved under a name. */
  saved: { counts: 'visitors', isStatistic: false, isListed: true },
} as const satisfies Record<string, Described>;

export type FixedName = keyof typeof NAMES;
export const PROPERTY = 'event_property:';
export type PropertyName = `${typeof PROPERTY}${string}`;
export type Name = FixedName | PropertyName;
const OF_PROPERTY: Described = { counts: 'events', isStatistic: false, isOfHits: true, isOwners: true };

export function described(name: Name): Described {
  return isProperty(name) ? OF_PROPERTY : NAMES[name];
}

export function isProperty(text: string | null): text is PropertyName {
  return text?.startsWith(PROPERTY) === true && text.length > PROPERTY.length;
}

export function propertyNamed(own: string): PropertyName {
  return `${PROPERTY}${own}`;
}

/** The name in the filter of an address, in which a colon ends it. */
export function nameCode(name: Name): string {
  return isProperty(name) ? PROPERTY + encodeURIComponent(name.slice(PROPERTY.length)) : name;
}

export function nameOfCode(code: string): Name | undefined {
  if (isProperty(code)) {
    try {
      return propertyNamed(decodeURIComponent(code.slice(PROPERTY.length)));
    } catch {
      return undefined;
    }
  }
  return isName(code) ? code : undefined;
}

export function isName(text: string | null): text is Name {
  return text !== null && (Object.hasOwn(NAMES, text) || isProperty(text));
}

/** The value for all values beyond the limit; it cannot be selected. */
export const isMerged = (value: string) => value === '(other)';
