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
import { AlertDeletionView, MANY_VISITORS, StoreAlert, UpdateAlert } from './alert.dto';
import { ALERT_COLUMNS, AlertView } from './alert.view';
import { AlertsService } from './alerts.service';

const routes = new ResourceRoutes({
  one: 'alert',
  path: 'alerts',
  operation: 'Alert',
  about:
    'An alert says what its owner watches for in the numbers of a website, and is sent by mail and to webhooks. A website has at most 20. At most 200 mails about firings of a user are sent in a day. Its view changes when it fires, and so does updated_at.',
  view: AlertView,
  deletion: AlertDeletionView,
  stored: StoreAlert,
  changed: UpdateAlert,
  example: MANY_VISITORS,
});
const AlertId = () => IdParam('id', 'Alert');

@ApiTags('Alerts')
@Controller(resourcePath('alerts'))
@UseInterceptors(EnvelopeInterceptor)
export class AlertsController {
  constructor(private readonly alerts: AlertsService) {}

  @routes.lists()
  list(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() query: ListResources,
    @CostlyCaller() caller: Caller,
  ): Listing<AlertView> {
    return routes.listingOf(this.alerts, ALERT_COLUMNS, [ownerId, websiteId, query, caller]);
  }

  @routes.shows()
  show(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @AlertId() id: number,
    @Query() _: NoFields,
  ) {
    return this.alerts.show(ownerId, websiteId, id);
  }

  @routes.stores()
  async store(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() _: NoFields,
    @Body() input: StoreAlert,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return routes.created(response, websiteId, await this.alerts.store(ownerId, websiteId, input, key));
  }

  @routes.replaces()
  replace(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @AlertId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateAlert,
    @IfMatch() precondition: Precondition,
  ) {
    return this.alerts.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.updates()
  update(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @AlertId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateAlert,
    @IfMatch() precondition: Precondition,
  ) {
    return this.alerts.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.deletes()
  delete(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @AlertId() id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return this.alerts.delete(ownerId, websiteId, id, isExpectedBy(precondition));
  }
}
