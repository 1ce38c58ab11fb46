import { inFormat } from '../http/answers/wanted-format';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Patch,
  Post,
  Put,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CallerId, CallerKey } from '../auth/bearer.guard';
import type { ApiKey } from '../auth/api-key.entity';
import { isExpectedBy, type Precondition } from '../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { FILES_NOTE, type Listing, Lists } from '../http/answers/listing';
import { Page } from '../http/answers/pagination';
import { Conditional, IfMatch, Revalidated, TagInterceptor } from '../http/answers/revalidation';
import { ApiFields, ApiOne, ETAG_HEADER, PageMetaView } from '../http/openapi/openapi';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { IdempotencyKey, Repeatable } from '../http/requests/idempotency-key';
import { NoFields } from '../validation/fields';
import {
  ApiWebhookId,
  ChangesWebhook,
  locationOf,
  taggedWithoutSecret,
  UpdatesWebhook,
  WebhookId,
  WEBHOOKS,
} from './webhook-routes';
import {
  ListWebhooks,
  StoreWebhook,
  UpdateWebhook,
  WEBHOOK_COLUMNS,
  WebhookDeletionView,
  WebhookSecretView,
  WebhookView,
} from './webhook.dto';
import { WebhooksService } from './webhooks.service';

class WebhooksQuery extends inFormat(ListWebhooks) {}

@ApiTags('Webhooks')
@Controller(WEBHOOKS)
@UseInterceptors(EnvelopeInterceptor)
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Access('read')
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: `The webhooks of the key's user, at most 20, in the order of their creation. ${FILES_NOTE}`,
  })
  @Lists(WebhookView, PageMetaView, 'A page of webhooks.')
  @ApiProblems([400, 422, 500, 503])
  list(@CallerKey() { userId: ownerId, scope }: ApiKey, @Query() query: WebhooksQuery): Listing<WebhookView> {
    return {
      name: 'webhooks',
      columns: WEBHOOK_COLUMNS,
      page: async () => new Page(await this.webhooks.page(ownerId, query, scope), query),
      version: () => this.webhooks.version(ownerId, scope),
      pieces: () => this.webhooks.pieces(ownerId, scope),
    };
  }

  @Get(':id')
  @Access('read')
  @ApiOperation({
    operationId: 'getWebhook',
    summary: 'Show a webhook',
    description: 'Without its secret, which only its creation and a new secret show.',
  })
  @ApiWebhookId()
  @Revalidated()
  @ApiOne(WebhookView, { description: 'The webhook.', headers: ETAG_HEADER })
  @ApiProblems([400, 404, 422, 500, 503])
  show(@CallerKey() { userId, scope }: ApiKey, @WebhookId() id: number, @Query() _: NoFields) {
    return this.webhooks.show(userId, id, scope);
  }

  @Post()
  @Access('full')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Events of all websites of the user are posted to its address, one at a time, and at once to two webhooks of the user. After five failures in a row it pauses, for up to an hour. A user has at most 20, and can create 40 an hour.',
  })
  @ApiFields(StoreWebhook, { url: 'https://example.com/hooks', events: ['goal.reached'] })
  @Repeatable('webhook')
  @UseInterceptors(TagInterceptor)
  @ApiOne(WebhookSecretView, {
    status: 201,
    description: 'The created webhook, with its secret.',
    headers: { ...locationOf('webhook', '/api/v1/webhooks/1'), ...ETAG_HEADER },
  })
  @ApiProblems([400, 408, 413, 415, 422, 500, 503])
  async store(
    @CallerId() ownerId: number,
    @Query() _: NoFields,
    @Body() input: StoreWebhook,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    const webhook = await this.webhooks.store(ownerId, input, key);
    response.location(`/${WEBHOOKS}/${webhook.id}`);
    return taggedWithoutSecret(webhook);
  }

  @Put(':id')
  @UpdatesWebhook(
    'putWebhook',
    'Update a webhook (PUT)',
    'The same as PATCH, for clients that send PUT: an absent field stays as it is.',
  )
  replace(
    @CallerId() ownerId: number,
    @WebhookId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateWebhook,
    @IfMatch() precondition: Precondition,
  ) {
    return this.webhooks.update(ownerId, id, input, isExpectedBy(precondition));
  }

  @Patch(':id')
  @UpdatesWebhook(
    'updateWebhook',
    'Update a webhook',
    'An absent field stays as it is. Where it is disabled, its waiting deliveries fail. Another address ends a pause, and so does enabling it again. A user can do one of the two 20 times an hour.',
  )
  update(
    @CallerId() ownerId: number,
    @WebhookId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateWebhook,
    @IfMatch() precondition: Precondition,
  ) {
    return this.webhooks.update(ownerId, id, input, isExpectedBy(precondition));
  }

  @Delete(':id')
  @Access('full')
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Its deliveries go with it. Its id is not used again.',
  })
  @ApiWebhookId()
  @Conditional()
  @ApiOne(WebhookDeletionView, { description: 'The confirmation.' })
  @ApiProblems([400, 404, 408, 413, 415, 422, 500, 503])
  delete(
    @CallerId() ownerId: number,
    @WebhookId() id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return this.webhooks.delete(ownerId, id, isExpectedBy(precondition));
  }

  @Post(':id/secret')
  @HttpCode(200)
  @ChangesWebhook(
    'renewWebhookSecret',
    'Renew the secret of a webhook',
    'The secret before ends at once: later attempts are signed with the new one.',
    WebhookSecretView,
  )
  async renewSecret(
    @CallerId() ownerId: number,
    @WebhookId() id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return taggedWithoutSecret(await this.webhooks.renewSecret(ownerId, id, isExpectedBy(precondition)));
  }
}
