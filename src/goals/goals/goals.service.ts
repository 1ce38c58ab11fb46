import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../../../engine/ground/errors';
import { ReadMemory } from '../../../engine/ground/memory/read-memory';
import { ResourcesService } from '../../websites/resources/resources.service';
import { StoreRequests } from '../../websites/store-requests';
import type { GoalView, StoreGoal, UpdateGoal } from './goal.dto';
import type { Goal } from './goal.entity';
import { GoalsRepository } from './goals.repository';
import { GOALS } from './goals.resource';

@Injectable()
export class GoalsService extends ResourcesService<Goal, GoalView, StoreGoal, UpdateGoal> {
  constructor(goals: GoalsRepository, requests: StoreRequests, memory: ReadMemory) {
    super(GOALS, goals, requests, memory);
  }

  protected override newOf(sent: StoreGoal) {
    return withMoney(super.newOf(sent));
  }

  protected override changedBy(before: Goal, sent: UpdateGoal): Goal {
    return withMoney(super.changedBy(before, sent));
  }
}

function withMoney<G extends Pick<Goal, 'value' | 'currency'>>(goal: G): G {
  if (goal.value === null && goal.currency !== null)
    throw new InvalidFields({ currency: ['needs a value with it'] });
  if (goal.value !== null && goal.currency === null)
    throw new InvalidFields({ value: ['needs a currency with it, such as EUR'] });
  return goal;
}
