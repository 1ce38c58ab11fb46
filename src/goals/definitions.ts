import { Injectable } from '@nestjs/common';
import { EntityDatabase } from '../database/entity-database';
import type { ResolvedFilter } from '../../engine/questions/parse/filter';
import { Funnel } from './funnels/funnel.entity';
import { isResolved, type WebsiteDefinitions } from './resolution';
import { readDefinitions, readPageFilters, readShared } from './stored-definitions';

export {
  type GoalDefinition,
  isResolved,
  needsDefinitions,
  resolve,
  type WebsiteDefinitions,
} from './resolution';
export { readDefinitions } from './stored-definitions';

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

  /** Tells whether the website's shared page is limited to a saved filter. */
  isPageLimited(websiteId: number): Promise<boolean> {
    return this.database.readQuick(async (manager) => (await readShared(manager, websiteId)) !== undefined);
  }

  /** The filters that the website's shared page is limited to. Undefined if it is not. */
  readPageFilters(websiteId: number): Promise<ResolvedFilter[] | undefined> {
    return this.database.readQuick((manager) => readPageFilters(manager, websiteId));
  }
}
