import { Injectable } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { Database } from '../database/database';
import type { FilterJson } from '../stats/queries/parse/filter';
import { isResolved, type WebsiteDefinitions } from './resolution';
import { SavedFilter } from './saved-filters/saved-filter.entity';
import { readDefinitions } from './stored-definitions';

export {
  type GoalDefinition,
  isResolved,
  needsDefinitions,
  resolve,
  type WebsiteDefinitions,
} from './resolution';
export { readDefinitions } from './stored-definitions';

const NONE: WebsiteDefinitions = { goals: [], saved: new Map() };

/** Reads what the names in filters stand for. */
@Injectable()
export class Definitions {
  constructor(private readonly database: Database) {}

  /** All of a website, whoever owns it, at one moment. */
  read(websiteId: number): Promise<WebsiteDefinitions> {
    return this.database.readQuick((manager) => readDefinitions(manager, websiteId));
  }

  /** Whether the website's shared page is limited to a saved filter. */
  isShared(websiteId: number): Promise<boolean> {
    return this.database.readQuick((manager) => sharedIn(manager, websiteId).getExists());
  }

  /** The filters that the website's shared page is limited to. Undefined if it is not. */
  readShared(
    websiteId: number,
  ): Promise<{ filters: FilterJson[]; definitions: WebsiteDefinitions } | undefined> {
    return this.database.readQuick(async (manager) => {
      const shared = await sharedIn(manager, websiteId).getOne();
      if (!shared) return undefined;
      const { filters } = shared;
      return {
        filters,
        definitions: isResolved(filters) ? NONE : await readDefinitions(manager, websiteId),
      };
    });
  }
}

/** The saved filter that the website's shared page is limited to, if any. */
export function sharedIn(manager: EntityManager, websiteId: number): SelectQueryBuilder<SavedFilter> {
  return manager
    .createQueryBuilder(SavedFilter, 'saved')
    .where('saved.websiteId = :websiteId AND saved.shared = 1', { websiteId });
}
