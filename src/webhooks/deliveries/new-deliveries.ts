import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../engine/ground/time/days';
import { Database } from '../../../engine/database/database';
import { changedBy, type Transaction } from '../../../engine/database/rows';
import type { DeliveryEvent, WebhookEvent } from '../events';
import { type AboutWebsite, NO_BODY, storedBody } from './delivery-body';
import { removeOldestEnded } from './ended-deliveries';
import { deliverySize } from './delivery-size';
import { makeDue, tooManyWaiting } from './waiting-deliveries';

const NO_ANSWERS = '[]';

/** A delivery waits no longer for a webhook that fails again and again. */
export const EXPIRE_AFTER_MS = DAY_MS;

interface NewDelivery {
  event: DeliveryEvent;
  occasion: string;
  websiteId: number | null;
  body: string;
  now: number;
}

/** Adds deliveries to the webhooks of a user, in the transaction of what they are about. */
@Injectable()
export class WebhookDeliveries {
  constructor(private readonly database: Database) {}

  /**
   * Returns the number of added deliveries. A webhook gets one delivery of an occasion (at most 190 characters), even
   * if this is called again.
   */
  async addFor(
    manager: Transaction,
    userId: number,
    event: WebhookEvent,
    occasion: string,
    website: AboutWebsite,
    content: object,
    now: number,
  ): Promise<number> {
    const webhookIds = await findSubscribed(manager, userId, event);
    if (webhookIds.length === 0) return 0;
    const body = storedBody(event, website, content, now);
    let added = 0;
    for (const webhookId of webhookIds)
      if (await this.add(manager, webhookId, { event, occasion, websiteId: website.id, body, now })) added++;
    return added;
  }

  /** Tells whether it was added: not to a disabled webhook, and not twice for one occasion. */
  async add(manager: Transaction, webhookId: number, delivery: NewDelivery): Promise<boolean> {
    const { event, occasion, websiteId, body, now } = delivery;
    if (!(await makeDue(manager, webhookId, now))) return false;
    const { dialect } = this.database;
    const isTest = event === 'test';
    const bytes = deliverySize(body, NO_ANSWERS);
    const tooMany = await tooManyWaiting(manager, dialect, webhookId, bytes, isTest);
    const [state, stored] = tooMany === undefined ? ['waiting', body] : ['failed', NO_BODY];
    const added = await changedBy(
      manager,
      `${dialect.insertIfMissing} webhook_deliveries (webhook_id, occasion, event, website_id, state,
        due_at, expires_at, attempts, last_error, created_at, ended_at, answers, body, size_bytes, asked)
      VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[webhookId, occasion, event, websiteId, state, now, now + EXPIRE_AFTER_MS],
        ...(tooMany === undefined ? [null, now, null] : [`there were ${tooMany} already`, now, now]),
        ...[NO_ANSWERS, stored, deliverySize(stored, NO_ANSWERS), Number(isTest)],
      ],
    );
    if (added === 1) await removeOldestEnded(manager, dialect, webhookId);
    return added === 1;
  }
}

/** In the order of their ids, so that two transactions lock them in the same one. */
async function findSubscribed(manager: Transaction, userId: number, event: WebhookEvent): Promise<number[]> {
  const rows = await manager.query<{ id: number | string; events: string }[]>(
    'SELECT id, events FROM webhooks WHERE user_id = ? AND enabled = 1 ORDER BY id',
    [userId],
  );
  return rows.filter(({ events }) => events.split(',').includes(event)).map(({ id }) => Number(id));
}
