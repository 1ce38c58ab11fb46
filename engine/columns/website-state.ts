import { NotSeen } from '../ground/errors';
import type { Reader } from '../database/database';
import type { Queryable } from '../database/rows';
import type { Dialect } from '../database/dialect';
import type { Span } from '../hits/calendar';
import type { SeenIf } from '../hits/seen-if';
import type { Asker } from '../questions/asker';
import { type DataVersion } from '../questions/asker';
import type { Exclusion } from '../questions/exclusions';
import { exclusionsIn } from './left-out';

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
  /** What is left out of its answers. */
  exclusions: readonly Exclusion[];
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
  { seenIf, pageFilters }: Asker,
  websiteId: number,
): Promise<WebsiteState> {
  const requested = clockBefore(dialect);
  const [row] = await reader.query<Record<string, unknown>[]>(
    `SELECT counting.folds, counting.archived_from,
      closed.closed_before, closed.version, closed.rollups, closed.epoch, left_out.exclusions,
      (SELECT MIN(waiting.accepted_at) FROM (
        SELECT accepted_at FROM inbox WHERE website_id = ? ORDER BY id LIMIT ${MAX_OUT_OF_ORDER}
      ) waiting) AS oldest_waiting, ${dialect.now} AS moment
    FROM websites website
    LEFT JOIN counting ON counting.website_id = website.id
    LEFT JOIN closed_days closed ON closed.website_id = website.id
    LEFT JOIN left_out ON left_out.website_id = website.id
    WHERE website.id = ? AND ${seenIf.sql}`,
    [websiteId, websiteId, ...seenIf.parameters],
  );
  if (!row) throw new NotSeen();
  const { version, closed_before, oldest_waiting } = row;
  const state = {
    folds: Number(row.folds),
    version: Number(version),
    rollups: Number(row.rollups),
    epoch: Number(row.epoch),
    closedBefore: Number(closed_before),
    archivedFrom: Number(row.archived_from),
    exclusions: exclusionsIn(row.exclusions as string | null),
  };
  // The oldest waiting event is not counted, and others may have the same moment. If a clock was set back, later
  // moments are left behind.
  const now = (requested ?? Number(row.moment)) - (pageFilters ? HIDES_WAITING_MS : 0);
  const asOf = oldest_waiting === null ? now : Math.min(now, Number(oldest_waiting) - 1);
  return { state, asOf: new Date(asOf) };
}

/** Reads the moment of a snapshot, which must begin with this read. */
export async function readMoment(
  { dialect }: Pick<Reader, 'dialect'>,
  reader: Queryable,
  { sql, parameters }: SeenIf,
  websiteId: number,
): Promise<number> {
  const requested = clockBefore(dialect);
  const [row] = await reader.query<{ moment: number | string }[]>(
    `SELECT ${dialect.now} AS moment FROM websites website WHERE website.id = ? AND ${sql}`,
    [websiteId, ...parameters],
  );
  if (!row) throw new NotSeen();
  return requested ?? Number(row.moment);
}

/** A server reads its clock before a statement sees a table. SQLite reads it later, but its clock is the machine's. */
function clockBefore({ oneConnection }: Dialect): number | undefined {
  return oneConnection ? Date.now() : undefined;
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
  return [version, last >= closedBefore ? folds : '', isCut ? statsFrom : ''].join();
}

/** Stored hits may expire without a change of the counts. */
export function versionOfHits(state: WebsiteVersions, ranges: Span[], statsFrom: number): DataVersion {
  return `${versionOfDays(state, ranges, statsFrom)},${Math.max(statsFrom, state.archivedFrom)}`;
}
