import type { Hit } from './hit';

interface Column {
  /** What has one value: each hit, or each visitor of a day, by the first hit that was accepted. */
  of: 'hit' | 'visitor';
  value: (hit: Hit) => string | null;
}

const ofHit = (value: Column['value']): Column => ({ of: 'hit', value });
const ofVisitor = (value: Column['value']): Column => ({ of: 'visitor', value });

/** What questions can be asked about. */
const ALL = {
  page: ofHit((hit) => hit.page),
  event: ofHit((hit) => hit.event),
  referrer: ofHit((hit) => hit.referrer),
  campaign: ofHit((hit) => hit.campaign),
  browser: ofVisitor((hit) => hit.browser),
  operating_system: ofVisitor((hit) => hit.operatingSystem),
  device: ofVisitor((hit) => hit.device),
  language: ofVisitor((hit) => hit.language),
  screen_resolution: ofVisitor((hit) => hit.screen),
  continent: ofVisitor((hit) => hit.continent),
  country: ofVisitor((hit) => hit.country),
  city: ofVisitor((hit) => hit.city),
} satisfies Record<string, Column>;

export type ColumnName = keyof typeof ALL;
export const COLUMNS: Record<ColumnName, Column> = ALL;
export const COLUMN_NAMES = Object.keys(ALL) as ColumnName[];
