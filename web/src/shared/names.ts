import { COUNTED_FIELDS, type CountedField, countedField } from '../../../engine/hits/fields';

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

const ofVisitors = { counts: 'visitors', isStatistic: false } as const;
const ofEachVisitor = { ...ofVisitors, isSingle: true } as const;
const ofVisits = { counts: 'visits', isStatistic: false } as const;
const ofHits = { isStatistic: false, isOfHits: true } as const;

function ofField(name: CountedField): Described {
  const { counts, level, rollup } = countedField(name);
  return {
    counts,
    isStatistic: rollup !== undefined,
    ...(level === 'hit' && name !== 'hostname' && { isOfHits: true }),
    ...(level === 'visitor' && { isSingle: true }),
    ...(name === 'currency' && { isOwners: true }),
  };
}

const OF_FIELDS = Object.fromEntries(COUNTED_FIELDS.map((name) => [name, ofField(name)])) as Record<
  CountedField,
  Described
>;

/** The names that are listed and filtered by. */
export const NAMES = {
  ...OF_FIELDS,
  entry_page: ofVisits,
  exit_page: ofVisits,
  channel: ofVisitors,
  referrer_page: ofVisitors,
  region: ofEachVisitor,
  browser_version: ofEachVisitor,
  operating_system_version: ofEachVisitor,
  event_properties: { ...ofHits, counts: 'events', isOwners: true, isListed: true },
  goal: { ...ofHits, counts: 'events' },
  /** A filter that the owner has saved under a name. */
  saved: { ...ofVisitors, isListed: true },
} as const satisfies Record<string, Described>;

export type FixedName = keyof typeof NAMES;
export const PROPERTY = 'event_property:';
export type PropertyName = `${typeof PROPERTY}${string}`;
export type Name = FixedName | PropertyName;
const OF_PROPERTY: Described = { ...ofHits, counts: 'events', isOwners: true };

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
