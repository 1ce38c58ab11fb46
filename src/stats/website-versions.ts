import type { Queryable } from '../database/rows';
import { NotFound } from '../common/problem';
import type { Reader } from '../database/database';
import type { Span } from '../storage/calendar';
import type { Asker } from './asker';
import { version as release } from '../../package.json';
import type { Settings } from '../config/settings';
import { comparedRange, type RangeQuery, worded } from './range-query';

/** A website's state at the moment of a snapshot. */
export interface WebsiteVersions {
  /** Raised by each fold. */
  folds: number;
  /** Raised by each change of a count of a day before `closedBefore`. */
  version: number;
  /** Raised by each change of rollups. */
  rollups: number;
  /** The generation of the text tables. */
  epoch: number;
  closedBefore: number;
  /** The first day that may have all of its hits. */
  archivedFrom: number;
}

interface WebsiteState {
  state: WebsiteVersions;
  /** Every event that was acknowledged by then is counted. */
  asOf: Date;
}

/** Ids are not committed in the order of their moments. The oldest row is among this number of first ids. */
const MAX_OUT_OF_ORDER = 1000;

/** Events rarely wait that long, so no moment tells viewers of a hit that the filter of their page leaves out. */
const HIDES_WAITING_MS = 60_000;

/** Reads the website's state. A snapshot must begin with this read. */
export async function readState(
  { dialect }: Pick<Reader, 'dialect'>,
  reader: Queryable,
  { seenIf, hidesWaiting }: Asker,
  websiteId: number,
): Promise<WebsiteState> {
  // A server reads its clock before a statement sees a table. SQLite reads it later, but its clock is the machine's.
  const requested = dialect.oneConnection ? Date.now() : undefined;
  const [row] = await reader.query<Record<string, unknown>[]>(
    `SELECT counting.folds, counting.archived_from,
      closed.closed_before, closed.version, closed.rollups, closed.epoch,
      (SELECT MIN(waiting.accepted_at) FROM (
        SELECT accepted_at FROM inbox WHERE website_id = ? ORDER BY id LIMIT ${MAX_OUT_OF_ORDER}
      ) waiting) AS oldest_waiting, ${dialect.now} AS moment
    FROM websites website
    LEFT JOIN counting ON counting.website_id = website.id
    LEFT JOIN closed_days closed ON closed.website_id = website.id
    WHERE website.id = ? AND ${seenIf.sql}`,
    [websiteId, websiteId, ...seenIf.parameters],
  );
  if (!row) throw new NotFound('Website');
  const { version, closed_before, oldest_waiting } = row;
  const state = {
    folds: Number(row.folds),
    version: Number(version),
    rollups: Number(row.rollups),
    epoch: Number(row.epoch),
    closedBefore: Number(closed_before),
    archivedFrom: Number(row.archived_from),
  };
  // The oldest waiting event is not counted, and others may have the same moment. If a clock was set back, later
  // moments are left behind.
  const now = (requested ?? Number(row.moment)) - (hidesWaiting ? HIDES_WAITING_MS : 0);
  const asOf = oldest_waiting === null ? now : Math.min(now, Number(oldest_waiting) - 1);
  return { state, asOf: new Date(asOf) };
}

/** The state that the statistics of some days depend on. */
export interface DataVersion {
  closed: number;
  folds?: number;
  statsFrom?: number;
}

/**
 * The counts of closed days change with their version, other counts also with each fold. Days before `statsFrom` have
 * none.
 */
export function versionOfDays(
  { version, folds, closedBefore }: WebsiteVersions,
  ranges: Span[],
  statsFrom: number,
): DataVersion {
  const last = Math.max(...ranges.map(({ to }) => to));
  const isCut = ranges.some(({ from }) => from < statsFrom);
  return { closed: version, ...(last >= closedBefore && { folds }), ...(isCut && { statsFrom }) };
}

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
