import { Injectable } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { EntityDatabase } from '../database/entity-database';
import type { FilterJson } from '../stats/queries/parse/filter';
import { Funnel } from './funnels/funnel.entity';
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
  constructor(private readonly database: EntityDatabase) {}

  /** All of a website, whoever owns it, at one moment. */
  read(websiteId: number): Promise<WebsiteDefinitions> {
    return this.database.readQuick((manager) => readDefinitions(manager, websiteId));
  }

  /** A funnel of a website, whoever owns it, and what its steps refer to. Undefined if there is no such name. */
  readFunnel(
    websiteId: number,
    name: string,
  ): Promise<{ funnel: Funnel; definitions: WebsiteDefinitions | undefined } | undefined> {
    return this.database.readQuick(async (manager) => {
      const funnel = await manager.findOneBy(Funnel, { websiteId, name });
      // A server may ignore blanks at the end.
      if (funnel?.name !== name) return undefined;
      const areResolved = funnel.steps.every(({ filters }) => isResolved(filters));
      return {
        funnel,
        definitions: areResolved ? undefined : await readDefinitions(manager, websiteId),
      };
    });
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
