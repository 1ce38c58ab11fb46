import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { NotFound } from '../common/problem';
import type { Reader } from '../database/database';
import type { Span } from '../storage/calendar';
import { seenBy, type Viewer } from './viewers/viewer';
import { Website } from '../websites/website.entity';
import { version as release } from '../../package.json';
import type { Settings } from '../config/settings';
import { comparedRange, type RangeQuery, worded } from './range-query';

/** How a website stands at the moment of a snapshot. */
export interface State {
  /** Raised by each fold. */
  folds: number;
  /** Raised by whatever changes what a day before `closedBefore` counts. */
  version: number;
  /** Raised by whatever changes which rollups there are. */
  rollups: number;
  /** The generation of the texts that rollups have codes of. */
  epoch: number;
  closedBefore: number;
  /** The first day that may lie wholly in the archive. */
  archivedFrom: number;
}

interface WebsiteState {
  state: State;
  /** Every event that was acknowledged by then is counted. */
  asOf: Date;
}

/** How a website stands; to be asked before anything else in a snapshot. */
export async function readState(
  { dialect }: Pick<Reader, 'dialect'>,
  manager: EntityManager,
  viewer: Viewer,
  websiteId: number,
): Promise<WebsiteState> {
  // A server reads its clock before a statement sees any table. SQLite does so after, but has this machine's clock.
  const requested = dialect.oneConnection ? Date.now() : undefined;
  const query = stateQuery(manager, viewer, websiteId).addSelect(dialect.now, 'now');
  const row = await query.getRawOne<Record<string, unknown>>();
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
  // The oldest waiting event is not in the numbers, and others may have the same stamp. A clock that was set back has
  // left later stamps behind.
  const now = requested ?? Number(row.now);
  const asOf = oldest_waiting === null ? now : Math.min(now, Number(oldest_waiting) - 1);
  return { state, asOf: new Date(asOf) };
}

/** What statistics of some days depend on: they are the same as long as it is. */
export interface DataVersion {
  closed: number;
  folds?: number;
  statsFrom?: number;
}

/** Counts of closed days change with their version, others with each fold too. Days before `keptFrom` count nothing. */
export function versionOfDays(
  { version, folds, closedBefore }: State,
  ranges: Span[],
  statsFrom: number,
): DataVersion {
  const last = Math.max(...ranges.map(({ to }) => to));
  const isCut = ranges.some(({ from }) => from < statsFrom);
  return { closed: version, ...(last >= closedBefore && { folds }), ...(isCut && { statsFrom }) };
}

/** The oldest row of an inbox is among this number of first ids: ids are not committed in the order of their moments. */
const MAX_OUT_OF_ORDER = 1000;

/** The state that statistics depend on: versions, closed days, and the oldest event that is not counted yet. */
function stateQuery(manager: EntityManager, viewer: Viewer, websiteId: number): SelectQueryBuilder<Website> {
  const oldestWaiting = manager
    .createQueryBuilder()
    .select('MIN(waiting.accepted_at)')
    .from(
      (first) =>
        first
          .select('accepted_at')
          .from('inbox', 'inbox')
          .where('website_id = :websiteId')
          .orderBy('id')
          .limit(MAX_OUT_OF_ORDER),
      'waiting',
    );
  const state = manager
    .createQueryBuilder()
    .select('counting.folds', 'folds')
    .addSelect('counting.archived_from', 'archived_from')
    .addSelect('closed.closed_before', 'closed_before')
    .addSelect('closed.version', 'version')
    .addSelect('closed.rollups', 'rollups')
    .addSelect('closed.epoch', 'epoch')
    .addSelect(`(${oldestWaiting.getQuery()})`, 'oldest_waiting')
    .from(Website, 'website')
    .leftJoin('counting', 'counting', 'counting.website_id = website.id')
    .leftJoin('closed_days', 'closed', 'closed.website_id = website.id')
    .where('website.id = :websiteId', { websiteId });
  return seenBy(state, viewer);
}

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
