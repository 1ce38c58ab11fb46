import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { version as release } from '../../package.json';
import { InvalidFields } from '../../engine/ground/errors';
import { NotFound, PreconditionFailed } from '../common/problems';
import type { Scope } from '../auth/api-key.entity';
import type { Rows } from '../../engine/ground/rows';
import { Settings } from '../config/settings';
import { Limits } from '../limits/limits';
import type { RateLimitResult } from '../limits/rate-limit';
import type { Deletion } from '../websites/resources/resource.view';
import { StoreRequests } from '../websites/store-requests';
import { AllowedAddresses } from './sending/allowed-addresses';
import { WebhookSecrets } from './webhook-secrets';
import {
  type ListWebhooks,
  type StoreWebhook,
  type UpdateWebhook,
  type WebhookSecretView,
  WebhookView,
} from './webhook.dto';
import { FIRST_GENERATION, type Webhook } from './webhook.entity';
import { isTriedAnew, WebhooksRepository } from './webhooks.repository';

type IsExpected = (current: WebhookView) => boolean;
const anyVersion: IsExpected = () => true;

const LOCAL_NAME = /^(.*\.)?localhost$/;
const NOT_ALLOWED = 'must be on the internet, or be allowed by the setting WEBHOOK_ALLOW';

/** The webhooks of a user, for management by that user. */
@Injectable()
export class WebhooksService {
  private readonly allowed: AllowedAddresses;

  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly requests: StoreRequests,
    private readonly secrets: WebhookSecrets,
    private readonly limits: Limits,
    { webhookAllow }: Settings,
  ) {
    this.allowed = new AllowedAddresses(webhookAllow);
  }

  async page(ownerId: number, query: ListWebhooks, scope: Scope): Promise<Rows<WebhookView>> {
    const { rows, total } = await this.webhooks.page(ownerId, query);
    return { rows: rows.map((row) => WebhookView.of(row, scope)), total };
  }

  async version(ownerId: number, scope: Scope): Promise<unknown[]> {
    const all = await this.webhooks.all(ownerId);
    return [
      release,
      'webhook',
      ownerId,
      scope,
      all.map(({ id, updatedAt, pausedUntil }) => [id, updatedAt, pausedUntil]),
    ];
  }

  /** The whole list, as one piece. */
  async *pieces(ownerId: number, scope: Scope): AsyncGenerator<WebhookView[]> {
    yield (await this.webhooks.all(ownerId)).map((one) => WebhookView.of(one, scope));
  }

  async show(ownerId: number, id: number, scope: Scope): Promise<WebhookView> {
    return WebhookView.of(found(await this.webhooks.find(ownerId, id)), scope);
  }

  /**
   * With an idempotency key, repeated requests create one webhook. Each gets the secret that it was created with, also if
   * this was renewed since: a new one has one answer.
   */
  async store(ownerId: number, input: StoreWebhook, idempotencyKey?: string): Promise<WebhookSecretView> {
    const { url, events, enabled = 1, format = 'milepost' } = input;
    this.expectAllowed(url);
    const options = { url, events, enabled };
    const chosen = format === 'milepost' ? options : { ...options, format };
    const request =
      idempotencyKey === undefined
        ? undefined
        : this.requests.of(ownerId, idempotencyKey, chosen, 'webhook ');
    const count = counter(() => this.limits.take('new-webhooks', { user: ownerId }));
    const webhook = await this.webhooks.insert(ownerId, { ...options, format }, count, request);
    return this.withSecret({ ...webhook, generation: FIRST_GENERATION });
  }

  /** Where its deliveries are tried at once afterwards, it costs a part of a budget. */
  async update(
    ownerId: number,
    id: number,
    { url, events, enabled, format }: UpdateWebhook,
    isExpected = anyVersion,
  ): Promise<WebhookView> {
    const count = counter(() => this.limits.take('webhook-changes', { user: ownerId }));
    const changed = (webhook: Webhook): Webhook => {
      if (url !== undefined && url !== webhook.url) this.expectAllowed(url);
      const wanted = {
        ...webhook,
        ...(url !== undefined && { url }),
        ...(events !== undefined && { events }),
        ...(enabled !== undefined && { enabled }),
        ...(format !== undefined && { format }),
      };
      if (isTriedAnew(webhook, wanted)) count();
      return wanted;
    };
    return WebhookView.of(await this.change(ownerId, id, isExpected, changed));
  }

  /** The secret before ends at once. */
  async renewSecret(ownerId: number, id: number, isExpected = anyVersion): Promise<WebhookSecretView> {
    const renewed = (webhook: Webhook): Webhook => ({ ...webhook, generation: webhook.generation + 1 });
    return this.withSecret(await this.change(ownerId, id, isExpected, renewed));
  }

  async delete(ownerId: number, id: number, isExpected = anyVersion): Promise<Deletion> {
    const isDeleted = await this.webhooks.delete(ownerId, id, (webhook) => expect(isExpected, webhook));
    if (!isDeleted) throw new NotFound('Webhook');
    return { id, object: 'webhook', deleted: true };
  }

  private async change(
    ownerId: number,
    id: number,
    isExpected: IsExpected,
    changed: (webhook: Webhook) => Webhook,
  ): Promise<Webhook> {
    const webhook = await this.webhooks.change(ownerId, id, (before) => {
      expect(isExpected, before);
      return changed(before);
    });
    return found(webhook);
  }

  /** Refuses an address that no delivery would reach. Where a name leads to, only its deliveries know. */
  private expectAllowed(url: string): void {
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
    const address = LOCAL_NAME.test(host) ? '127.0.0.1' : host;
    if (isIP(address) !== 0 && this.allowed.among([{ address }]).length === 0)
      throw new InvalidFields({ url: [NOT_ALLOWED] });
  }

  private withSecret(webhook: Webhook): WebhookSecretView {
    return { ...WebhookView.of(webhook), secret: this.secrets.of(webhook) };
  }
}

/** Takes from a budget once, though the transaction that does it may run again. */
function counter(take: () => RateLimitResult): () => void {
  let isCounted = false;
  return () => {
    if (isCounted) return;
    const { refusal } = take();
    if (refusal) throw refusal;
    isCounted = true;
  };
}

function found(webhook: Webhook | null): Webhook {
  if (!webhook) throw new NotFound('Webhook');
  return webhook;
}

function expect(isExpected: IsExpected, webhook: Webhook): void {
  if (!isExpected(WebhookView.of(webhook))) throw new PreconditionFailed();
}
