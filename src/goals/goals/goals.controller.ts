import { Body, Controller, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CallerId, CostlyCaller } from '../../auth/bearer.guard';
import type { Caller } from '../../../engine/ground/gate';
import { isExpectedBy, type Precondition } from '../../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import type { Listing } from '../../http/answers/listing';
import { IfMatch } from '../../http/answers/revalidation';
import { ApiProblem } from '../../http/openapi/openapi-problems';
import { IdParam } from '../../http/requests/id-param';
import { IdempotencyKey } from '../../http/requests/idempotency-key';
import { NoFields } from '../../validation/fields';
import { ListResources } from '../../websites/resources/list-resources.dto';
import { OwnWebsiteId, resourcePath, ResourceRoutes } from '../../websites/resources/resource-routes';
import { GOAL_COLUMNS, GoalDeletionView, GoalView, SIGNUP, StoreGoal, UpdateGoal } from './goal.dto';
import { GoalsService } from './goals.service';

const routes = new ResourceRoutes({
  one: 'goal',
  path: 'goals',
  operation: 'Goal',
  about: 'A goal is what visitors should do: the hits that its filters select, past ones included.',
  view: GoalView,
  deletion: GoalDeletionView,
  stored: StoreGoal,
  changed: UpdateGoal,
  example: SIGNUP,
});
const GoalId = () => IdParam('id', 'Goal');

@ApiTags('Goals')
@Controller(resourcePath('goals'))
@UseInterceptors(EnvelopeInterceptor)
export class GoalsController {
  constructor(private readonly goals: GoalsService) {}

  @routes.lists()
  list(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() query: ListResources,
    @CostlyCaller() caller: Caller,
  ): Listing<GoalView> {
    return routes.listingOf(this.goals, GOAL_COLUMNS, [ownerId, websiteId, query, caller]);
  }

  @routes.shows()
  show(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @GoalId() id: number,
    @Query() _: NoFields,
  ) {
    return this.goals.show(ownerId, websiteId, id);
  }

  @routes.stores()
  async store(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() _: NoFields,
    @Body() input: StoreGoal,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return routes.created(response, websiteId, await this.goals.store(ownerId, websiteId, input, key));
  }

  @routes.replaces()
  replace(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @GoalId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateGoal,
    @IfMatch() precondition: Precondition,
  ) {
    return this.goals.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.updates()
  update(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @GoalId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateGoal,
    @IfMatch() precondition: Precondition,
  ) {
    return this.goals.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.deletes()
  @ApiProblem(409, 'in_use', 'A saved filter, a funnel or an alert refers to it.')
  delete(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @GoalId() id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return this.goals.delete(ownerId, websiteId, id, isExpectedBy(precondition));
  }
}
