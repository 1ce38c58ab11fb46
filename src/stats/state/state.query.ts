import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { Website } from '../../websites/website.entity';
import { seenBy, type Viewer } from '../viewers/viewer';

/** The oldest row of an inbox is among this number of first ids: ids are not committed in the order of their moments. */
const MAX_OUT_OF_ORDER = 1000;

/** The state that statistics depend on: versions, closed days, and the oldest event that is not counted yet. */
export function stateQuery(
  manager: EntityManager,
  viewer: Viewer,
  websiteId: number,
): SelectQueryBuilder<Website> {
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
