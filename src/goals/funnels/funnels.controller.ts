import { Body, Controller, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CallerId, CostlyCaller } from '../../auth/bearer.guard';
import type { Caller } from '../../../engine/ground/gate';
import { isExpectedBy, type Precondition } from '../../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import type { Listing } from '../../http/answers/listing';
import { IfMatch } from '../../http/answers/revalidation';
import { IdParam } from '../../http/requests/id-param';
import { IdempotencyKey } from '../../http/requests/idempotency-key';
import { NoFields } from '../../validation/fields';
import { ListResources } from '../../websites/resources/list-resources.dto';
import { OwnWebsiteId, resourcePath, ResourceRoutes } from '../../websites/resources/resource-routes';
import {
  FUNNEL_COLUMNS,
  FunnelDeletionView,
  FunnelView,
  SIGNUPS,
  StoreFunnel,
  UpdateFunnel,
} from './funnel.dto';
import { FunnelsService } from './funnels.service';

const routes = new ResourceRoutes({
  one: 'funnel',
  path: 'funnels',
  operation: 'Funnel',
  about: 'A funnel is the steps that visitors should take, one after the other.',
  view: FunnelView,
  deletion: FunnelDeletionView,
  stored: StoreFunnel,
  changed: UpdateFunnel,
  example: SIGNUPS,
});
const FunnelId = () => IdParam('id', 'Funnel');

@ApiTags('Funnels')
@Controller(resourcePath('funnels'))
@UseInterceptors(EnvelopeInterceptor)
export class FunnelsController {
  constructor(private readonly funnels: FunnelsService) {}

  @routes.lists()
  list(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() query: ListResources,
    @CostlyCaller() caller: Caller,
  ): Listing<FunnelView> {
    return routes.listingOf(this.funnels, FUNNEL_COLUMNS, [ownerId, websiteId, query, caller]);
  }

  @routes.shows()
  show(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @FunnelId() id: number,
    @Query() _: NoFields,
  ) {
    return this.funnels.show(ownerId, websiteId, id);
  }

  @routes.stores()
  async store(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() _: NoFields,
    @Body() input: StoreFunnel,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return routes.created(response, websiteId, await this.funnels.store(ownerId, websiteId, input, key));
  }

  @routes.replaces()
  replace(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @FunnelId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateFunnel,
    @IfMatch() precondition: Precondition,
  ) {
    return this.funnels.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.updates()
  update(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @FunnelId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateFunnel,
    @IfMatch() precondition: Precondition,
  ) {
    return this.funnels.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.deletes()
  delete(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @FunnelId() id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return this.funnels.delete(ownerId, websiteId, id, isExpectedBy(precondition));
  }
}
