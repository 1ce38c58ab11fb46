import { version as release } from '../../package.json';
import type { Settings } from '../config/settings';
import { comparedRange, type RangeQuery, worded } from '../../engine/questions/range-query';
import type { DataVersion } from '../../engine/questions/asker';

/** Statistics are the same while it is. */
export type StatsVersion = readonly unknown[];
export type HasVersion = (version: StatsVersion) => boolean;
export const hasNone: HasVersion = () => false;

export interface Versioned<T> {
  version: StatsVersion;
  /** Undefined if the caller has this version. Then nothing was loaded. */
  result: T | undefined;
}

/** A file whose version is read before its entries. Both are of one moment where hits are counted. */
export interface StatsFile<T> {
  /** Nothing is loaded if the caller has the version. */
  version(has: HasVersion): Promise<StatsVersion>;
  /** The entries, in pieces. */
  pieces(): AsyncGenerator<T[]>;
}

/** The release is included because labels change with it, and the limit because values beyond it are merged. */
export function versionOf(
  { timezone, newValuesPerDay }: Settings,
  websiteId: number,
  query: RangeQuery,
  data: DataVersion,
): StatsVersion {
  return [release, timezone, newValuesPerDay, websiteId, query, data];
}

/** Present in every `meta`. */
export interface AsOf {
  as_of: string;
}

/** For viewers who do not see every hit: the version of what they see, as the website's would tell of each hit. */
export function versionedByContent<T extends { meta: AsOf }>(result: T, has: HasVersion): Versioned<T> {
  const version = [release, { ...result, meta: { ...result.meta, as_of: undefined } }];
  return { version, result: has(version) ? undefined : result };
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
