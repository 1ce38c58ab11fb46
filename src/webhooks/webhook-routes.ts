import { applyDecorators, type Type, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiParam } from '@nestjs/swagger';
import { Access } from '../auth/bearer.guard';
import { entityTagOf } from '../http/answers/entity-tags';
import { Conditional, Tagged, TagInterceptor } from '../http/answers/revalidation';
import { ApiFields, ApiOne, ETAG_HEADER } from '../http/openapi/openapi';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { IdParam } from '../http/requests/id-param';
import { UpdateWebhook, type WebhookSecretView, WebhookView } from './webhook.dto';

export const WEBHOOKS = 'api/v1/webhooks';

export const WebhookId = (name = 'id') => IdParam(name, 'Webhook');

export const ApiWebhookId = (name = 'id') =>
  ApiParam({
    name,
    schema: { type: 'integer', minimum: 1, example: 1 },
    description: 'The id of a webhook.',
  });

export const locationOf = (what: string, example: string) => ({
  Location: { description: `The path of the ${what}.`, schema: { type: 'string' as const, example } },
});

/** A route that changes a webhook. */
export const ChangesWebhook = (operationId: string, summary: string, description: string, view: Type) =>
  applyDecorators(
    Access('full'),
    ApiOperation({ operationId, summary, description }),
    ApiWebhookId(),
    Conditional(),
    UseInterceptors(TagInterceptor),
    ApiOne(view, { description: 'The updated webhook.', headers: ETAG_HEADER }),
    ApiProblems([400, 404, 408, 413, 415, 422, 500, 503]),
  );

export const UpdatesWebhook = (operationId: string, summary: string, description: string) =>
  applyDecorators(
    ChangesWebhook(operationId, summary, description, WebhookView),
    ApiFields(UpdateWebhook, { enabled: 0 }),
  );

/** The tag is that of the webhook as others see it, so that it fits If-Match. */
export function taggedWithoutSecret(webhook: WebhookSecretView): Tagged<WebhookSecretView> {
  return new Tagged(entityTagOf(withoutSecret(webhook)), webhook);
}

function withoutSecret({ secret: _, ...shown }: WebhookSecretView): WebhookView {
  return shown;
}
