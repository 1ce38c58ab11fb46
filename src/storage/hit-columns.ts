import type { Hit } from './hit';

interface Column {
  /** What has one value: each hit, or each visitor of a day, by the first hit that was accepted. */
  of: 'hit' | 'visitor';
  value: (hit: Hit) => string | null;
}

type TextField = { [F in keyof Hit]: Hit[F] extends string | null ? F : never }[keyof Hit];

const ofHit = (field: TextField): Column => ({ of: 'hit', value: (hit) => hit[field] });
const ofVisitor = (field: TextField): Column => ({ of: 'visitor', value: (hit) => hit[field] });

/** All that is kept of a hit, besides its moment and its visitor. */
const ALL = {
  page: ofHit('page'),
  event: ofHit('event'),
  referrer: ofHit('referrer'),
  campaign: ofHit('campaign'),
  browser: ofVisitor('browser'),
  operating_system: ofVisitor('operatingSystem'),
  device: ofVisitor('device'),
  language: ofVisitor('language'),
  screen_resolution: ofVisitor('screen'),
  continent: ofVisitor('continent'),
  country: ofVisitor('country'),
  city: ofVisitor('city'),
  hostname: ofHit('hostname'),
  referrer_page: ofHit('referrerPage'),
  source: ofHit('source'),
  medium: ofHit('medium'),
  term: ofHit('term'),
  content: ofHit('content'),
  click_id: ofHit('clickId'),
  browser_version: ofVisitor('browserVersion'),
  operating_system_version: ofVisitor('operatingSystemVersion'),
  /** The list of them as JSON. */
  properties: { of: 'hit', value: ({ properties }) => properties && JSON.stringify(properties) },
  /** The digits of an integer of 1/10,000. */
  value: ofHit('value'),
  currency: ofHit('currency'),
} satisfies Record<string, Column>;

export type ColumnName = keyof typeof ALL;
export const COLUMNS: Record<ColumnName, Column> = ALL;
export const COLUMN_NAMES = Object.keys(ALL) as ColumnName[];
