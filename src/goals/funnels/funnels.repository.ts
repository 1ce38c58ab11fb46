import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EntityDatabase } from '../../database/entity-database';
import { FUNNELS } from './funnels.resource';
import { ResourcesRepository } from '../../websites/resources/resources.repository';
import { readDefinitions, resolve } from '../definitions';
import { checkSizeTogether } from '../size-together';
import { Funnel } from './funnel.entity';
import { expectFewConditions, expectPossible } from './resolved-steps';

@Injectable()
export class FunnelsRepository extends ResourcesRepository<Funnel> {
  constructor(database: EntityDatabase) {
    super(database, FUNNELS);
  }

  /** Steps may contain goals and saved filters of the website. */
  protected override async beforeStore(
    manager: EntityManager,
    wanted: Funnel,
    before?: Funnel,
  ): Promise<void> {
    await super.beforeStore(manager, wanted, before);
    if (isDeepStrictEqual(wanted.steps, before?.steps)) return;
    const all = await manager.findBy(Funnel, { websiteId: wanted.websiteId });
    const others = all.filter(({ id }) => id !== before?.id).map(({ steps }) => steps);
    checkSizeTogether('funnels', 'steps', { wanted: wanted.steps, before: before?.steps, others });
    const definitions = await readDefinitions(manager, wanted.websiteId);
    const resolved = wanted.steps.map(({ filters }, index) =>
      resolve(filters, definitions, `steps.${index}.filters`),
    );
    expectPossible(resolved);
    expectFewConditions(resolved);
  }
}
