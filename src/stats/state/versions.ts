import { version as release } from '../../../package.json';
import type { Settings } from '../../config/settings';
import { comparedRange, type RangeQuery, worded } from '../range-query';
import type { DataVersion } from './state';

/** All that statistics depend on: they are the same as long as it is. */
export type StatsVersion = readonly unknown[];
export type HasVersion = (version: StatsVersion) => boolean;
export const hasNone: HasVersion = () => false;

export interface Versioned<T> {
  version: StatsVersion;
  /** Undefined where the caller has this version already, so that it was not loaded. */
  result: T | undefined;
}

/** Labels change with a release. */
export function versionOf(
  { timezone }: Settings,
  websiteId: number,
  query: RangeQuery,
  data: DataVersion,
): StatsVersion {
  return [release, timezone, websiteId, query, data];
}

/** What `meta` always says. */
export interface AsOf {
  as_of: string;
}

export function metaOf({ timezone }: Settings, websiteId: number, query: RangeQuery, asOf: Date) {
  const previous = comparedRange(query);
  return {
    website_id: websiteId,
    range: worded(query),
    ...(previous && { previous_range: worded(previous) }),
    timezone,
    as_of: asOf.toISOString(),
  };
}
