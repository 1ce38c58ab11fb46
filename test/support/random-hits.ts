import fc from 'fast-check';
import { DayClock } from '../../engine/ground/time/day-clock';
import type { ResolvedFilter } from '../../engine/questions/parse/filter';
import { FIXED_NAMES, type QueryName } from '../../engine/questions/parse/names';
import {
  type FieldName,
  FIELD_NAMES,
  FIELDS,
  type FieldValues,
  type Property,
} from '../../engine/hits/fields';
import type { Hit } from '../../engine/hits/hit';

type Details = Pick<Hit, 'properties' | 'value' | 'currency' | 'isPassive'>;
const NO_DETAILS: Details = { properties: null, value: null, currency: null, isPassive: false };

type TextKey = Exclude<keyof FieldValues, keyof Details>;
const ALL_KEYS = FIELD_NAMES.map((name) => FIELDS[name].key);
const TEXT_KEYS = ALL_KEYS.filter((key): key is TextKey => !Object.hasOwn(NO_DETAILS, key));

const VALUES = {
  ...(Object.fromEntries(TEXT_KEYS.map((key) => [key, [null, null, 'a', 'A', 'é']])) as unknown as {
    [K in TextKey]: readonly (string | null)[];
  }),
  page: ['/', '/a', '/A', '/blog/a', '/blog/b?c=1', '/%E4', '/🙂'],
  event: [null, null, null, 'signup', 'Signup', 'signup '],
  referrer: [null, null, 'google.com', 'Google.com', 'news.example'],
  campaign: [null, null, null, 'spring', 'Spring Sale', 'é'],
  browser: ['Chrome', 'Safari', 'Firefox'],
  operatingSystem: ['iOS', 'Linux'],
  device: ['mobile', 'desktop', 'tablet'],
  language: ['de-DE', 'en', '(unknown)'],
  screen: ['1920x1080', '390x844'],
  continent: ['EU', 'NA'],
  country: ['DE', 'FR', 'US', '(unknown)'],
  city: ['Berlin, DE', 'berlin, DE', 'Lyon, Rhone-Alpes, FR', 'Munich, Bavaria, DE', 'Ulm, Baden, South, DE'],
  source: [null, null, null, 'google', 'newsletter', 'Partner'],
  medium: [null, null, null, 'cpc', 'E-Mail', 'other'],
  term: [null, null, 'Ä', ''],
  browserVersion: [null, '141', '18'],
  operatingSystemVersion: [null, '10', '18'],
  hostname: [null, 'shop.example', 'a.shop.example'],
  referrerPage: [null, 'google.com/', 'news.example/a%20b'],
  clickId: [null, null, null, null, 'gclid', 'fbclid', 'dclid'],
} as const satisfies Partial<Record<keyof Hit, readonly (string | null)[]>>;

const property: fc.Arbitrary<Property> = fc.tuple(
  fc.constantFrom('plan', 'Plan', '__proto__', 'a;b=="c"%'),
  fc.constantFrom<Property[1]>('team', 'Team', '', 'a,b', true, false, 0, -1.5, 1e21),
);
const ofEvents: fc.Arbitrary<Details> = fc
  .tuple(
    fc.uniqueArray(property, { maxLength: 3, selector: ([name]) => name }),
    fc.constantFrom(null, ['199000', 'EUR'], ['-1', 'EUR'], ['9999999999999990000', 'USD']),
    fc.boolean(),
  )
  .map(([properties, money, isPassive]) => ({
    properties: properties.length === 0 ? null : properties,
    value: money?.[0] ?? null,
    currency: money?.[1] ?? null,
    isPassive,
  }));

/** Hits of some visitors around a moment, in the order of acceptance; some are too late for a visitor. */
export function randomHits(timezone: string, around: string): fc.Arbitrary<Hit[]> {
  const clock = new DayClock(timezone);
  const begin = Date.parse(around) / 1000;
  const minutes = fc.oneof(
    fc.integer({ min: -2 * 1440, max: 2 * 1440 }),
    // Includes the pauses between visits and the bounds of hours.
    fc.integer({ min: -96, max: 96 }).map((half) => 30 * half),
  );
  const at = fc
    .tuple(minutes, fc.constantFrom(0, 0, 0, 1, -1, 17))
    .map(([minute, more]) => begin + 60 * minute + more);
  const visitor = fc
    .constantFrom(...'abcdefgh', '')
    .map((letter) => (letter === '' ? '' : Buffer.alloc(8, letter).toString('base64url')));
  const values = Object.fromEntries(
    Object.entries(VALUES).map(([field, own]) => [field, fc.constantFrom<string | null>(...own)]),
  ) as { [F in keyof typeof VALUES]: fc.Arbitrary<Hit[F]> };
  const hit = fc.record({ at, visitor, ...values, details: ofEvents }).map(({ details, ...fields }): Hit => {
    const day = clock.dayOf(1000 * fields.at);
    const referrerPage = fields.referrer === null ? null : fields.referrerPage;
    return { ...fields, ...(fields.event === null ? NO_DETAILS : details), referrerPage, day };
  });
  return fc.array(hit, { minLength: 1, maxLength: 120, size: 'max' });
}

const MOMENTS: readonly QueryName[] = ['hour', 'day', 'week', 'month', 'weekday', 'hour_of_day'];
const MADE: Partial<Record<QueryName, readonly string[]>> = {
  channel: ['Direct', 'Search', 'Paid Search', 'Mail', 'Referral', 'Campaign'],
  browser_version: ['Chrome 141', 'Safari 18', 'Safari'],
  operating_system_version: ['iOS 18', 'Linux'],
  region: ['Bavaria, DE', 'Rhone-Alpes, FR', '(unknown)'],
  currency: ['EUR', 'USD'],
  event_properties: ['["plan"]', '["__proto__","plan"]'],
};
const PROPERTIES: readonly QueryName[] = [
  'event_property:plan',
  'event_property:__proto__',
  'event_property:a;b=="c"%',
  'event_property:unheard of',
];

function valuesOf(name: QueryName): fc.Arbitrary<string | null> {
  if (MOMENTS.includes(name)) return fc.constantFrom('2026-10-25', '2026-W43', '7', '23', '2026-10', 'none');
  if (PROPERTIES.includes(name)) return fc.constantFrom('team', 'true', '-1.5', '', 'none', null);
  const field = name === 'entry_page' || name === 'exit_page' ? 'page' : (name as FieldName);
  const known: readonly (string | null)[] = MADE[name] ?? VALUES[FIELDS[field].key as TextKey];
  return fc.constantFrom<string | null>(...known, '(direct)', 'unheard of', null);
}

const name = fc.constantFrom<QueryName[]>(...FIXED_NAMES, ...PROPERTIES);

const condition: fc.Arbitrary<ResolvedFilter> = name.chain((requested) =>
  fc.oneof(
    fc.tuple(
      fc.constantFrom('is' as const, 'is_not' as const),
      fc.constant(requested),
      fc.array(valuesOf(requested), { minLength: 1, maxLength: 3 }),
    ),
    fc.tuple(
      fc.constantFrom('contains' as const, 'contains_not' as const, 'starts' as const, 'ends' as const),
      fc.constant(requested),
      fc.array(fc.constantFrom('a', 'A', '/b', 'e', 'D', 'é', '2', '🙂'), { minLength: 1, maxLength: 2 }),
    ),
  ),
);

export const randomFilter = fc.letrec<{ filter: ResolvedFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('filter'), { maxLength: 3 })),
    fc.tuple(fc.constantFrom('not' as const, 'has_done' as const, 'has_not_done' as const), tie('filter')),
  ),
})).filter;

export const randomDimensions = fc.uniqueArray(name, { maxLength: 3 });
