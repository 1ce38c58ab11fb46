import type { EntityManager } from 'typeorm';
import { NotFound } from '../common/problem';
import type { Reader } from '../database/database';
import type { Span } from '../storage/calendar';
import { stateQuery } from './counters.query';
import type { Viewer } from './viewer';

/** How a website stands at the moment of a snapshot. */
export interface State {
  /** Raised by whatever changes a counter. */
  folds: number;
  /** Raised by whatever changes a counter of a day before `closedBefore`. */
  version: number;
  /** The version at which closed days had no rows. */
  packedVersion: number;
  /** Raised by whatever changes a segment of an open day. */
  openVersion: number;
  /** Raised when numbers of the dictionary are freed. */
  epoch: number;
  closedBefore: number;
  /** The months before it have their sums packed. */
  mergedBefore: number;
  /** The first day that may lie wholly in the archive. */
  archivedFrom: number;
}

export interface Standing {
  state: State;
  /** Every event that was acknowledged by then is counted. */
  asOf: Date;
}

/** How a website stands; to be asked before anything else in a snapshot. */
export async function standing(
  { dialect }: Pick<Reader, 'dialect'>,
  manager: EntityManager,
  viewer: Viewer,
  websiteId: number,
): Promise<Standing> {
  // A server reads its clock before a statement sees any table. SQLite does so after, but has this machine's clock.
  const asked = dialect.oneConnection ? Date.now() : undefined;
  const query = stateQuery(manager, viewer, websiteId).addSelect(dialect.now, 'now');
  const row = await query.getRawOne<Record<string, unknown>>();
  if (!row) throw new NotFound('Website');
  const { version, packed_version, open_version, closed_before, merged_before, oldest_waiting } = row;
  const state = {
    folds: Number(row.folds),
    version: Number(version),
    packedVersion: Number(packed_version),
    openVersion: Number(open_version),
    epoch: Number(row.epoch),
    closedBefore: Number(closed_before),
    mergedBefore: Number(merged_before),
    archivedFrom: Number(row.archived_from),
  };
  // The oldest waiting event is not in the numbers, and others may have the same stamp. A clock that was set back has
  // left later stamps behind.
  const now = asked ?? Number(row.now);
  const asOf = oldest_waiting === null ? now : Math.min(now, Number(oldest_waiting) - 1);
  return { state, asOf: new Date(asOf) };
}

/** What statistics of some days depend on: they are the same as long as it is. */
export type DataVersion = { closed: number; epoch: number } | { folds: number; epoch: number };

/** Counts of closed days change with their version, others with each fold. */
export function versionOfDays({ version, folds, closedBefore, epoch }: State, ranges: Span[]): DataVersion {
  const last = Math.max(...ranges.map(({ to }) => to));
  return last < closedBefore ? { closed: version, epoch } : { folds, epoch };
}
