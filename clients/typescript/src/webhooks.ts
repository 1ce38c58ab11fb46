import type { Answer, Query, Schemas, Webhook } from './operations.ts';
import type { CallOptions } from './request.ts';
import type { IfMatch, Service } from './resources.ts';
import { uuid } from './uuid.ts';

const WEBHOOKS = '/api/v1/webhooks';

/** The addresses that events of your websites are posted to. */
export class Webhooks {
  private readonly service: Service;

  constructor(service: Service) {
    this.service = service;
  }

  list(query: Query<'listWebhooks'> = {}, options?: CallOptions) {
    return this.service.send<Answer<'listWebhooks'>>(WEBHOOKS, { query, ...options });
  }

  /** All of them, page by page. */
  all(options?: CallOptions): AsyncGenerator<Webhook> {
    return this.service.pages(WEBHOOKS, {}, options);
  }

  get(id: number, options?: CallOptions) {
    return this.service.send<Answer<'getWebhook'>>(`${WEBHOOKS}/${id}`, options);
  }

  /** The answer has the secret. Retries do not create a second webhook. */
  create(
    body: Schemas['StoreWebhook'],
    { idempotencyKey = uuid(), signal }: CallOptions & { idempotencyKey?: string } = {},
  ) {
    return this.service.send<Answer<'createWebhook'>>(WEBHOOKS, {
      method: 'POST',
      body,
      headers: { 'Idempotency-Key': idempotencyKey },
      ...(signal && { signal }),
    });
  }

  update(id: number, body: Schemas['UpdateWebhook'], options?: IfMatch) {
    return this.change<Answer<'updateWebhook'>>('PATCH', `${id}`, { body, ...options });
  }

  delete(id: number, options?: IfMatch) {
    return this.change<Answer<'deleteWebhook'>>('DELETE', `${id}`, options);
  }

  /** The answer has the new secret; the old one ends at once. It is not retried after a 503. */
  renewSecret(id: number, options?: IfMatch) {
    return this.change<Answer<'renewWebhookSecret'>>('POST', `${id}/secret`, {
      ...options,
      isRepeatable: false,
    });
  }

  /** Adds a delivery without contents. */
  test(id: number, options?: CallOptions) {
    return this.change<Answer<'testWebhook'>>('POST', `${id}/test`, { ...options, isRepeatable: false });
  }

  /** The latest first. */
  deliveries(id: number, query: Query<'listDeliveries'> = {}, options?: CallOptions) {
    return this.service.send<Answer<'listDeliveries'>>(`${WEBHOOKS}/${id}/deliveries`, { query, ...options });
  }

  /** With its text and the answers to it. */
  delivery(id: number, deliveryId: string | number, options?: CallOptions) {
    return this.service.send<Answer<'getDelivery'>>(`${WEBHOOKS}/${id}/deliveries/${deliveryId}`, options);
  }

  /** It is not retried after a 503, because it may be sent again already. */
  sendAgain(id: number, deliveryId: string | number, options?: CallOptions) {
    return this.change<Answer<'sendDelivery'>>('POST', `${id}/deliveries/${deliveryId}/send`, {
      ...options,
      isRepeatable: false,
    });
  }

  private change<T>(
    method: string,
    path: string,
    { ifMatch, ...sent }: IfMatch & { body?: object; isRepeatable?: boolean } = {},
  ) {
    return this.service.send<T>(`${WEBHOOKS}/${path}`, {
      method,
      headers: { 'If-Match': ifMatch },
      ...sent,
    });
  }
}
