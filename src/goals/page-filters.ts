import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InvalidFields } from '../../engine/ground/errors';
import { HitStore } from '../../engine/port';
import { EntityDatabase } from '../database/entity-database';
import { readPageFilters } from './stored-definitions';

/** Writes out what limits shared pages, where the store does not know it yet. */
@Injectable()
export class PageFilters implements OnApplicationBootstrap {
  private readonly logger = new Logger('Shared pages');

  constructor(
    private readonly database: EntityDatabase,
    private readonly store: HitStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const websiteId of await this.store.websitesToShare())
      try {
        await this.share(websiteId);
      } catch (error) {
        if (!(error instanceof InvalidFields)) throw error;
        // The page stays without details of days until its filter is changed. No other website must wait for that.
        this.logger.warn(`the filter of the shared page of website ${websiteId} cannot be used`);
      }
  }

  private share(websiteId: number): Promise<void> {
    return this.database.write(async (manager) => {
      // Changes of the website's filters wait.
      await manager.query('UPDATE websites SET user_id = user_id WHERE id = ?', [websiteId]);
      await this.store.shareUnchanged(manager, websiteId, await readPageFilters(manager, websiteId));
    });
  }
}
