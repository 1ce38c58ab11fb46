import type { EntityManager } from 'typeorm';
import type { Resource } from '../websites/resources/resource.entity';
import { ResourcesRepository, type StoredKind } from '../websites/resources/resources.repository';
import { readPageFilters } from './stored-definitions';
import { type HitStore } from '../../engine/port';
import { type EntityDatabase } from '../database/entity-database';

/** Goals or saved filters of a website. The filter that limits its shared page may contain them. */
export abstract class DefinitionsRepository<E extends Resource> extends ResourcesRepository<E> {
  constructor(
    database: EntityDatabase,
    protected readonly store: HitStore,
    kind: StoredKind<E>,
  ) {
    super(database, kind);
  }

  /** The store divides the days of the shared page by what limits it. */
  protected override changing<T>(
    ownerId: number,
    websiteId: number,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return super.changing(ownerId, websiteId, async (manager) => {
      const result = await work(manager);
      await this.store.share(manager, websiteId, await readPageFilters(manager, websiteId));
      return result;
    });
  }
}
