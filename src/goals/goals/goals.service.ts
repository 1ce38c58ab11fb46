import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../../../engine/ground/errors';
import { ReadMemory } from '../../../engine/database/connections/read-memory';
import { ResourcesService } from '../../websites/resources/resources.service';
import { StoreRequests } from '../../websites/store-requests';
import { GoalView, type StoreGoal, type UpdateGoal } from './goal.dto';
import type { Goal } from './goal.entity';
import { GoalsRepository } from './goals.repository';

@Injectable()
export class GoalsService extends ResourcesService<Goal, GoalView, 'goal'> {
  constructor(goals: GoalsRepository, requests: StoreRequests, memory: ReadMemory) {
    super(goals, requests, memory, { what: 'Goal', object: 'goal', viewOf: GoalView.of });
  }

  async store(
    ownerId: number,
    websiteId: number,
    { name, filters, value = null, currency = null }: StoreGoal,
    idempotencyKey?: string,
  ): Promise<GoalView> {
    const goal = withMoney({ name, filters, value, currency });
    return this.insert(ownerId, websiteId, goal, idempotencyKey);
  }

  update(
    ownerId: number,
    websiteId: number,
    id: number,
    sent: UpdateGoal,
    isExpected?: (current: GoalView) => boolean,
  ): Promise<GoalView> {
    const changed = (goal: Goal) =>
      withMoney({
        ...goal,
        name: sent.name ?? goal.name,
        filters: sent.filters ?? goal.filters,
        value: sent.value === undefined ? goal.value : sent.value,
        currency: sent.currency === undefined ? goal.currency : sent.currency,
      });
    return this.change(ownerId, websiteId, id, changed, isExpected);
  }
}

function withMoney<G extends Pick<Goal, 'value' | 'currency'>>(goal: G): G {
  if (goal.value === null && goal.currency !== null)
    throw new InvalidFields({ currency: ['needs a value with it'] });
  if (goal.value !== null && goal.currency === null)
    throw new InvalidFields({ value: ['needs a currency with it, such as EUR'] });
  return goal;
}
