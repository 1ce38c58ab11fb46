import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HitStore } from '../../engine/port';
import { EntityDatabase } from '../database/entity-database';
import { readPageFilters } from './stored-definitions';

/** Writes out what limits shared pages, where the store does not know it yet. */
@Injectable()
export class PageFilters implements OnApplicationBootstrap {
  constructor(
    private readonly database: EntityDatabase,
    private readonly store: HitStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const websiteId of await this.store.unnoted())
      await this.database.write(async (manager) => {
        // Changes of the website's filters wait.
        await manager.query('UPDATE websites SET user_id = user_id WHERE id = ?', [websiteId]);
        await this.store.share(manager, websiteId, await readPageFilters(manager, websiteId));
      });
  }
}
