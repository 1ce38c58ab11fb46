import { DeliveriesService } from '../../webhooks/deliveries/deliveries.service';
import { WebhooksService } from '../../webhooks/webhooks.service';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Page } from '../../http/answers/pagination';
import { PageMetaView } from '../../http/openapi/openapi';
import { NoFields } from '../../validation/fields';
import { IsPositiveInteger, Required } from '../../validation/rules';
import { DeliveryView, ListDeliveries, WholeDeliveryView } from '../../webhooks/deliveries/delivery.dto';
import {
  ListWebhooks,
  StoreWebhook,
  UpdateWebhook,
  WebhookDeletionView,
  WebhookSecretView,
  WebhookView,
} from '../../webhooks/webhook.dto';
import { useCase } from '../use-case';

const OF_USER = { budget: 'management', keepsToWebsites: false } as const;
const READ = { ...OF_USER, scope: 'read' } as const;
const CHANGE = { ...OF_USER, scope: 'full' } as const;
const WEBHOOK = { resource: 'Webhook' } as const;
const DELIVERY = { resource: 'Delivery' } as const;

const IsWebhookId = () =>
  applyDecorators(
    Required(),
    IsPositiveInteger(),
    ApiProperty({ type: 'integer', minimum: 1, example: 1, description: 'The id of a webhook.' }),
  );

class DeliveryOfWebhook {
  @IsWebhookId()
  webhook_id!: number;
}

class ListDeliveriesOfWebhook extends ListDeliveries {
  @IsWebhookId()
  webhook_id!: number;
}

export const WEBHOOK_USE_CASES = {
  'webhooks.list': useCase(WebhooksService, {
    ...READ,
    summary: 'List webhooks',
    fields: ListWebhooks,
    data: [WebhookView],
    meta: PageMetaView,
    pathOf: () => '/api/v1/webhooks',
    answer: async (webhooks, { key, fields }) =>
      new Page(await webhooks.page(key.userId, fields, key.scope), fields),
  }),
  'webhooks.show': useCase(WebhooksService, {
    ...READ,
    ...WEBHOOK,
    summary: 'Show a webhook',
    fields: NoFields,
    data: WebhookView,
    answer: (webhooks, { key, resourceId }) => webhooks.show(key.userId, resourceId, key.scope),
  }),
  'webhooks.store': useCase(WebhooksService, {
    ...CHANGE,
    summary: 'Create a webhook',
    fields: StoreWebhook,
    data: WebhookSecretView,
    answer: (webhooks, { key, fields }) => webhooks.store(key.userId, fields),
  }),
  'webhooks.update': useCase(WebhooksService, {
    ...CHANGE,
    ...WEBHOOK,
    summary: 'Update a webhook',
    fields: UpdateWebhook,
    data: WebhookView,
    answer: (webhooks, { key, resourceId, fields }) => webhooks.update(key.userId, resourceId, fields),
  }),
  'webhooks.delete': useCase(WebhooksService, {
    ...CHANGE,
    ...WEBHOOK,
    summary: 'Delete a webhook',
    fields: NoFields,
    data: WebhookDeletionView,
    answer: (webhooks, { key, resourceId }) => webhooks.delete(key.userId, resourceId),
  }),
  'webhooks.secret': useCase(WebhooksService, {
    ...CHANGE,
    ...WEBHOOK,
    summary: 'Renew the secret of a webhook',
    fields: NoFields,
    data: WebhookSecretView,
    answer: (webhooks, { key, resourceId }) => webhooks.renewSecret(key.userId, resourceId),
  }),
  'webhooks.test': useCase(DeliveriesService, {
    ...CHANGE,
    ...WEBHOOK,
    summary: 'Test a webhook',
    fields: NoFields,
    data: WholeDeliveryView,
    answer: (deliveries, { key, resourceId }) => deliveries.test(key.userId, resourceId),
  }),
  'deliveries.list': useCase(DeliveriesService, {
    ...READ,
    summary: 'List deliveries of a webhook',
    fields: ListDeliveriesOfWebhook,
    data: [DeliveryView],
    meta: PageMetaView,
    pathOf: () => '/api/v1/webhooks',
    answer: async (deliveries, { key, fields }) =>
      new Page(await deliveries.page(key.userId, fields.webhook_id, fields), fields),
  }),
  'deliveries.show': useCase(DeliveriesService, {
    ...READ,
    ...DELIVERY,
    summary: 'Show a delivery',
    fields: DeliveryOfWebhook,
    data: WholeDeliveryView,
    answer: (deliveries, { key, resourceId, fields }) =>
      deliveries.show(key.userId, fields.webhook_id, resourceId),
  }),
  'deliveries.send': useCase(DeliveriesService, {
    ...CHANGE,
    ...DELIVERY,
    summary: 'Send a delivery again',
    fields: DeliveryOfWebhook,
    data: WholeDeliveryView,
    answer: (deliveries, { key, resourceId, fields }) =>
      deliveries.sendAgain(key.userId, fields.webhook_id, resourceId),
  }),
};
