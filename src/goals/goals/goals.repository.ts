import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EntityDatabase } from '../../database/entity-database';
import { GOALS } from './goals.resource';
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
import { followWithGoal } from '../wanted-websites';
import { Goal } from './goal.entity';
import { HitStore } from '../../../engine/port';

@Injectable()
export class GoalsRepository extends DefinitionsRepository<Goal> {
  constructor(database: EntityDatabase, store: HitStore) {
    super(database, store, GOALS);
  }

  /**
   * Saved filters, funnels and alerts may contain the goal, also by a pattern of its name. Its conversions count from
   * now on.
   */
  protected override async beforeStore(manager: EntityManager, wanted: Goal, before?: Goal): Promise<void> {
    await super.beforeStore(manager, wanted, before);
    const { websiteId, name, filters } = wanted;
    if (before && before.name !== name) await refuseNameIfUsed(manager, websiteId, { goal: before.name });
    if (before?.name === name && isDeepStrictEqual(before.filters, filters)) return;
    const definitions = await readDefinitions(manager, websiteId);
    const others = definitions.goals.filter((goal) => goal.name !== before?.name);
    const goals = [...others, wanted];
    const sizes = { wanted: filters, before: before?.filters, others: others.map((goal) => goal.filters) };
    checkSizeTogether('goals', 'filters', sizes);
    checkSavedFilters({ ...definitions, goals });
    await checkFunnels(manager, websiteId, { ...definitions, goals }, definitions);
    await checkAlerts(manager, websiteId, { ...definitions, goals }, definitions);
    if (!before)
      await followWithGoal(manager, { store: this.store, dialect: this.database.dialect }, websiteId);
  }

  protected override beforeDelete(manager: EntityManager, { websiteId, name }: Goal): Promise<void> {
    return refuseDeletionIfUsed(manager, websiteId, { goal: name });
  }
}
