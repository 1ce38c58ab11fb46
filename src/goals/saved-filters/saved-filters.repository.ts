import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { LimitsSharedPage } from '../../common/problems';
import { HitStore } from '../../../engine/port';
import { EntityDatabase } from '../../database/entity-database';
import { SAVED_FILTERS } from './saved-filters.resource';
import { Privacy } from '../../websites/privacy/privacy';
import { Website } from '../../websites/website.entity';
import {
  checkAlerts,
  checkFunnels,
  checkSavedFilters,
  refuseDeletionIfUsed,
  refuseNameIfUsed,
} from '../definition-rules';
import { readDefinitions } from '../definitions';
import { DefinitionsRepository } from '../definitions.repository';
import { checkSizeTogether } from '../size-together';
import { SavedFilter } from './saved-filter.entity';

@Injectable()
export class SavedFiltersRepository extends DefinitionsRepository<SavedFilter> {
  constructor(database: EntityDatabase, store: HitStore) {
    super(database, store, SAVED_FILTERS);
  }

  /** Of a website one filter at most is shared. */
  protected override async beforeStore(
    manager: EntityManager,
    wanted: SavedFilter,
    before?: SavedFilter,
  ): Promise<void> {
    await super.beforeStore(manager, wanted, before);
    const { websiteId, name, filters } = wanted;
    if (before && before.name !== name) await refuseNameIfUsed(manager, websiteId, { saved: before.name });
    const definitions = await readDefinitions(manager, websiteId);
    const others = [...definitions.saved.keys()].filter((other) => other !== before?.name);
    const saved = new Map(others.map((other) => [other, definitions.saved.get(other)!]));
    const sizes = { wanted: filters, before: before?.filters, others: [...saved.values()] };
    checkSizeTogether('saved filters', 'filters', sizes);
    saved.set(name, filters);
    checkSavedFilters({ ...definitions, saved }, name);
    await checkFunnels(manager, websiteId, { ...definitions, saved }, definitions);
    await checkAlerts(manager, websiteId, { ...definitions, saved }, definitions);
    if (wanted.shared === 1 && before?.shared !== 1) await this.unshare(manager, websiteId);
  }

  /** A deletion never opens a page that viewers see. */
  protected override async beforeDelete(manager: EntityManager, saved: SavedFilter): Promise<void> {
    const { websiteId, name, shared } = saved;
    await refuseDeletionIfUsed(manager, websiteId, { saved: name });
    const isPrivate = { id: websiteId, privacy: Privacy.Private };
    if (shared === 1 && !(await manager.existsBy(Website, isPrivate))) throw new LimitsSharedPage();
  }

  private async unshare(manager: EntityManager, websiteId: number): Promise<void> {
    const shared = manager
      .createQueryBuilder(SavedFilter, 'saved')
      .where('saved.websiteId = :websiteId AND saved.shared = 1', { websiteId });
    for (const { id, updatedAt } of await shared.getMany())
      await manager.update(SavedFilter, id, {
        shared: 0,
        updatedAt: new Date(Math.max(Date.now(), updatedAt.getTime() + 1)),
      });
  }
}
