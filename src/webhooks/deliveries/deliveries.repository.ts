import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Conflict, NotFound } from '../../common/problems';
import { offsetOf, type Rows } from '../../../engine/ground/rows';
import { EntityDatabase } from '../../database/entity-database';
import { changedBy, type Queryable } from '../../../engine/database/rows';
import { Webhook } from '../webhook.entity';
import {
  ALL_COLUMNS,
  type Delivery,
  deliveryOf,
  type DeliveryState,
  LISTED_COLUMNS,
  type WholeDelivery,
  wholeDeliveryOf,
} from './delivery';
import type { ListDeliveries } from './delivery.dto';
import { NO_BODY, storedBody } from './delivery-body';
import { EXPIRE_AFTER_MS, WebhookDeliveries } from './new-deliveries';
import { deliverySize } from './delivery-size';
import { isDeleted, lockWebhook, noteDue, tooManyWaiting } from './waiting-deliveries';

/** The rows of a list that are read at once. */
const ROWS_OF_PIECE = 500;
const BEFORE_ALL = Number.MAX_SAFE_INTEGER;
const NOT_KEPT = 'The text of the delivery was not kept, because too many deliveries waited already.';

const NO_WEBSITE = 'The website of the delivery was deleted.';

/** The deliveries of a user's webhooks, the latest first. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(
    private readonly database: EntityDatabase,
    private readonly added: WebhookDeliveries,
  ) {}

  expectWebhook(ownerId: number, webhookId: number): Promise<void> {
    return this.database.readQuick((manager) => expectOwned(manager, ownerId, webhookId));
  }

  page(ownerId: number, webhookId: number, query: ListDeliveries): Promise<Rows<Delivery>> {
    return this.database.readQuick(async (manager) => {
      await expectOwned(manager, ownerId, webhookId);
      const { sql, parameters } = conditionOf(webhookId, query.state);
      const [count] = await manager.query<{ total: number | string }[]>(
        `SELECT COUNT(*) AS total FROM webhook_deliveries own WHERE ${sql}`,
        parameters,
      );
      const rows = await manager.query<Delivery[]>(
        `SELECT ${LISTED_COLUMNS} FROM webhook_deliveries own WHERE ${sql}
        ORDER BY own.id DESC LIMIT ${query.per_page} OFFSET ${offsetOf(query)}`,
        parameters,
      );
      return { rows: rows.map(deliveryOf), total: Number(count!.total) };
    });
  }

  /** Changes with any delivery of the webhook. Old ones are removed without a change of the webhook: the count tells. */
  version(ownerId: number, webhookId: number): Promise<unknown[]> {
    return this.database.readQuick(async (manager) => {
      await expectOwned(manager, ownerId, webhookId);
      const [row] = await manager.query<Record<'changes' | 'total', unknown>[]>(
        `SELECT changes, (SELECT COUNT(*) FROM webhook_deliveries WHERE webhook_id = ?) AS total
        FROM webhooks WHERE id = ?`,
        [webhookId, webhookId],
      );
      return [row?.changes, row?.total].map(String);
    });
  }

  /** All of a list, in pieces. */
  async *pieces(ownerId: number, webhookId: number, { state }: ListDeliveries): AsyncGenerator<Delivery[]> {
    const { sql, parameters } = conditionOf(webhookId, state);
    for (let before = BEFORE_ALL; ;) {
      const rows = await this.database.read(async (manager) => {
        await expectOwned(manager, ownerId, webhookId);
        return manager.query<Delivery[]>(
          `SELECT ${LISTED_COLUMNS} FROM webhook_deliveries own WHERE ${sql} AND own.id < ?
          ORDER BY own.id DESC LIMIT ${ROWS_OF_PIECE}`,
          [...parameters, before],
        );
      });
      if (rows.length === 0) return;
      const deliveries = rows.map(deliveryOf);
      yield deliveries;
      before = deliveries.at(-1)!.id;
    }
  }

  find(ownerId: number, webhookId: number, id: number): Promise<WholeDelivery | undefined> {
    return this.database.readQuick(async (manager) => {
      await expectOwned(manager, ownerId, webhookId);
      return findIn(manager, webhookId, 'own.id = ?', id);
    });
  }

  /** Adds a test, and returns it. */
  addTest(ownerId: number, webhookId: number, occasion: string, now: number): Promise<WholeDelivery> {
    return this.database.write(async (manager) => {
      await expectOwned(manager, ownerId, webhookId);
      const body = storedBody('test', null, {}, now);
      const added = { event: 'test' as const, occasion, websiteId: null, body, now };
      await expectEnabled(manager, webhookId);
      await this.expectRoom(manager, webhookId, { body, answers: [] }, true);
      await this.added.add(manager, webhookId, added);
      await noteDue(manager, webhookId);
      return (await findIn(manager, webhookId, 'own.occasion = ?', occasion))!;
    });
  }

  /** Lets an ended delivery wait again, with its attempts from the start. Undefined if there is none. */
  sendAgain(ownerId: number, webhookId: number, id: number, now: number): Promise<WholeDelivery | undefined> {
    return this.database.write(async (manager) => {
      await expectOwned(manager, ownerId, webhookId);
      const before = await findIn(manager, webhookId, 'own.id = ?', id);
      if (!before) return undefined;
      if (before.body === NO_BODY) throw new Conflict(NOT_KEPT);
      if (await isDeleted(manager, before.websiteId)) throw new Conflict(NO_WEBSITE);
      await expectEnabled(manager, webhookId);
      await this.expectRoom(manager, webhookId, before);
      const changed = await changedBy(
        manager,
        `UPDATE webhook_deliveries SET state = 'waiting', due_at = ?, expires_at = ?, asked = 1, attempts = 0,
          ended_at = NULL, last_status = NULL, last_error = NULL
        WHERE webhook_id = ? AND id = ? AND state IN ('delivered', 'failed')`,
        [now, now + EXPIRE_AFTER_MS, webhookId, id],
      );
      if (changed === 0) throw new Conflict('The delivery is under way; it can be sent again once it ended.');
      await noteDue(manager, webhookId);
      return findIn(manager, webhookId, 'own.id = ?', id);
    });
  }

  private async expectRoom(
    manager: EntityManager,
    webhookId: number,
    { body, answers }: Pick<WholeDelivery, 'body' | 'answers'>,
    isTest = false,
  ): Promise<void> {
    const bytes = deliverySize(body, JSON.stringify(answers));
    const tooMany = await tooManyWaiting(manager, this.database.dialect, webhookId, bytes, isTest);
    if (tooMany !== undefined) throw new Conflict(`The webhook has ${tooMany} already.`);
  }
}

function conditionOf(webhookId: number, state: DeliveryState | undefined) {
  return state === undefined
    ? { sql: 'own.webhook_id = ?', parameters: [webhookId] }
    : { sql: 'own.webhook_id = ? AND own.state = ?', parameters: [webhookId, state] };
}

async function expectOwned(manager: EntityManager, userId: number, id: number): Promise<void> {
  if (!(await manager.existsBy(Webhook, { userId, id }))) throw new NotFound('Webhook');
}

/** Locks the webhook. */
async function expectEnabled(manager: EntityManager, webhookId: number): Promise<void> {
  const { isEnabled } = await lockWebhook(manager, webhookId);
  if (!isEnabled) throw new Conflict('The webhook is disabled; enable it first.');
}

async function findIn(
  reader: Queryable,
  webhookId: number,
  condition: string,
  value: number | string,
): Promise<WholeDelivery | undefined> {
  const [row] = await reader.query<Parameters<typeof wholeDeliveryOf>[0][]>(
    `SELECT ${ALL_COLUMNS} FROM webhook_deliveries own WHERE own.webhook_id = ? AND ${condition}`,
    [webhookId, value],
  );
  return row && wholeDeliveryOf(row);
}
