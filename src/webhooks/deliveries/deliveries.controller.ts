import { inFormat } from '../../http/answers/wanted-format';
import { Body, Controller, Get, HttpCode, Post, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CallerId } from '../../auth/bearer.guard';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { FILES_NOTE, type Listing, Lists } from '../../http/answers/listing';
import { Page } from '../../http/answers/pagination';
import { Revalidated } from '../../http/answers/revalidation';
import { ApiOne, ETAG_HEADER, PageMetaView } from '../../http/openapi/openapi';
import { ApiProblems } from '../../http/openapi/openapi-problems';
import { IdParam } from '../../http/requests/id-param';
import { NoFields } from '../../validation/fields';
import { ApiWebhookId, locationOf, WebhookId, WEBHOOKS } from '../webhook-routes';
import { DeliveriesService } from './deliveries.service';
import { DELIVERY_COLUMNS, DeliveryView, ListDeliveries, WholeDeliveryView } from './delivery.dto';

const DeliveryId = () => IdParam('delivery_id', 'Delivery');
const ApiDeliveryId = () =>
  ApiParam({
    name: 'delivery_id',
    schema: { type: 'integer', minimum: 1, example: 12 },
    description: 'The id of a delivery.',
  });

class DeliveriesQuery extends inFormat(ListDeliveries) {}

@ApiTags('Webhooks')
@Controller(`${WEBHOOKS}/:id`)
@UseInterceptors(EnvelopeInterceptor)
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get('deliveries')
  @Access('read')
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'List deliveries',
    description: `What was posted to a webhook, or waits, the latest first. A delivery goes 30 days after it ended, and of a webhook only the latest 2,000 that ended are kept. At most 1,000 wait, and up to ten tests beyond; more fail at once. ${FILES_NOTE}`,
  })
  @ApiWebhookId()
  @Lists(DeliveryView, PageMetaView, 'A page of deliveries.')
  @ApiProblems([400, 404, 422, 500, 503])
  list(
    @CallerId() ownerId: number,
    @WebhookId() webhookId: number,
    @Query() query: DeliveriesQuery,
  ): Listing<DeliveryView> {
    return {
      name: 'deliveries',
      columns: DELIVERY_COLUMNS,
      page: async () => new Page(await this.deliveries.page(ownerId, webhookId, query), query),
      version: () => this.deliveries.version(ownerId, webhookId, query),
      pieces: () => this.deliveries.pieces(ownerId, webhookId, query),
    };
  }

  @Get('deliveries/:delivery_id')
  @Access('read')
  @ApiOperation({
    operationId: 'getDelivery',
    summary: 'Show a delivery',
    description:
      'With the text that is posted, of up to 64 KiB, and the last 20 answers, of up to 1,000 bytes each. An answer is waited for during 10 seconds. A delivery has up to 8 attempts within a day.',
  })
  @ApiWebhookId()
  @ApiDeliveryId()
  @Revalidated()
  @ApiOne(WholeDeliveryView, { description: 'The delivery.', headers: ETAG_HEADER })
  @ApiProblems([400, 404, 422, 500, 503])
  show(
    @CallerId() ownerId: number,
    @WebhookId() webhookId: number,
    @DeliveryId() id: number,
    @Query() _: NoFields,
  ) {
    return this.deliveries.show(ownerId, webhookId, id);
  }

  @Post('deliveries/:delivery_id/send')
  @HttpCode(200)
  @Access('full')
  @ApiOperation({
    operationId: 'sendDelivery',
    summary: 'Send a delivery again',
    description:
      'The same text under the same id, with its attempts from the start. It is tried at once even while the webhook pauses. If that fails, the pause goes on. A user can do this 60 times an hour. It must have ended, its website must not have been deleted, and fewer than 1,000 deliveries of the webhook must wait, with less than 16 MiB.',
  })
  @ApiWebhookId()
  @ApiDeliveryId()
  @ApiOne(WholeDeliveryView, { description: 'The delivery, which waits again.' })
  @ApiProblems([400, 404, 409, 408, 413, 415, 422, 500, 503])
  sendAgain(
    @CallerId() ownerId: number,
    @WebhookId() webhookId: number,
    @DeliveryId() id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
  ) {
    return this.deliveries.sendAgain(ownerId, webhookId, id);
  }

  @Post('test')
  @Access('full')
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Test a webhook',
    description:
      'Adds a delivery of the event `test`, which is tried at once even while the webhook pauses. If it fails, the pause goes on. A user can do this 10 times an hour. Up to ten tests of a webhook may wait beyond the limits for its deliveries.',
  })
  @ApiWebhookId()
  @ApiOne(WholeDeliveryView, {
    status: 201,
    description: 'The delivery, which waits.',
    headers: locationOf('delivery', '/api/v1/webhooks/1/deliveries/12'),
  })
  @ApiProblems([400, 404, 409, 408, 413, 415, 422, 500, 503])
  async test(
    @CallerId() ownerId: number,
    @WebhookId() webhookId: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @Res({ passthrough: true }) response: Response,
  ) {
    const delivery = await this.deliveries.test(ownerId, webhookId);
    response.location(`/${WEBHOOKS}/${webhookId}/deliveries/${delivery.id}`);
    return delivery;
  }
}
