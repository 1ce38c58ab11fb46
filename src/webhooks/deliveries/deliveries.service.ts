import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { version as release } from '../../../package.json';
import { NotFound } from '../../common/problems';
import type { Rows } from '../../../engine/ground/rows';
import { Database } from '../../../engine/database/database';
import { Limits } from '../../limits/limits';
import { WebhookDeliveriesRepository } from './deliveries.repository';
import type { WholeDelivery } from './delivery';
import { DeliveryView, type ListDeliveries, WholeDeliveryView } from './delivery.dto';

/** The deliveries of a user's webhooks, for management by that user. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly database: Database,
    private readonly limits: Limits,
  ) {}

  async page(ownerId: number, webhookId: number, query: ListDeliveries): Promise<Rows<DeliveryView>> {
    const { rows, total } = await this.deliveries.page(ownerId, webhookId, query);
    return { rows: rows.map(DeliveryView.of), total };
  }

  async version(ownerId: number, webhookId: number, query: ListDeliveries): Promise<unknown[]> {
    const shown = await this.deliveries.version(ownerId, webhookId);
    return [release, 'deliveries', webhookId, query.state, shown];
  }

  async *pieces(ownerId: number, webhookId: number, query: ListDeliveries): AsyncGenerator<DeliveryView[]> {
    for await (const some of this.deliveries.pieces(ownerId, webhookId, query))
      yield some.map(DeliveryView.of);
  }

  async show(ownerId: number, webhookId: number, id: number): Promise<WholeDeliveryView> {
    return shown(await this.deliveries.find(ownerId, webhookId, id));
  }

  /** Adds a delivery without contents. Another user's webhook costs nothing of the budget. */
  async test(ownerId: number, webhookId: number): Promise<WholeDeliveryView> {
    await this.deliveries.expectWebhook(ownerId, webhookId);
    const { refusal } = this.limits.take('test-deliveries', { user: ownerId });
    if (refusal) throw refusal;
    const now = await this.database.now();
    return shown(await this.deliveries.addTest(ownerId, webhookId, `test ${randomUUID()}`, now));
  }

  async sendAgain(ownerId: number, webhookId: number, id: number): Promise<WholeDeliveryView> {
    await this.deliveries.expectWebhook(ownerId, webhookId);
    const { refusal } = this.limits.take('repeated-deliveries', { user: ownerId });
    if (refusal) throw refusal;
    const now = await this.database.now();
    return shown(await this.deliveries.sendAgain(ownerId, webhookId, id, now));
  }
}

function shown(delivery: WholeDelivery | undefined): WholeDeliveryView {
  if (!delivery) throw new NotFound('Delivery');
  return WholeDeliveryView.ofWhole(delivery);
}
