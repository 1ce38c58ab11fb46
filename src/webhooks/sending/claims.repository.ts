import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import type { Lease } from '../../database/lease';
import { changedBy, placesFor } from '../../database/rows';
import { ALL_COLUMNS, MAX_ANSWERS, type WholeDelivery, wholeDeliveryOf } from '../deliveries/delivery';
import { endWaiting, noteDue } from '../deliveries/waiting-deliveries';
import { NOBODY } from '../webhook.entity';
import { type AttemptOutcome, MAX_ATTEMPTS } from './attempt-outcome';

const AT_ONCE = 100;
const DISABLED = 'the webhook was disabled';

/** A delivery that this process sends, and where to. */
export interface Claim {
  delivery: WholeDelivery;
  userId: number;
  url: string;
  generation: number;
  isSlow: boolean;
}

/** The webhooks that cannot be served now. */
export interface Busy {
  webhookIds: number[];
  /** Users whose other webhooks have to wait too. */
  userIds: number[];
  /** Whether slow webhooks have to wait. */
  areSlow: boolean;
}

type LostClaim = Record<'id' | 'webhook_id' | 'attempts', number | string>;
type NextWebhook = Pick<Claim, 'userId' | 'url' | 'generation'> & { id: number; isSlow: number };

/**
 * Gives the deliveries of all webhooks to the process that sends them. A delivery in the state `sending` belongs to one
 * process until `due_at`. The statements that name the state and the owner are its fence.
 */
@Injectable()
export class ClaimsRepository {
  constructor(private readonly database: Database) {}

  async isAnyDue(now: number): Promise<boolean> {
    const due = await this.database.query<object[]>('SELECT 1 FROM webhooks WHERE due_at <= ? LIMIT 1', [
      now,
    ]);
    return due.length > 0;
  }

  /** Whether there is anything to send, put back or remove. */
  async hasWork(now: number): Promise<boolean> {
    const lost = await this.database.query<object[]>(
      "SELECT 1 FROM webhook_deliveries WHERE state = 'sending' AND due_at < ? LIMIT 1",
      [now],
    );
    const deleted = await this.findDeleted();
    return lost.length > 0 || deleted !== undefined || this.isAnyDue(now);
  }

  /**
   * Puts back the deliveries of processes that ended. The endpoint may have got them; they keep their ids. It was an
   * attempt, so a delivery that ends each of its processes fails too.
   */
  async endClaims(now: number): Promise<number> {
    const lost = await this.database.query<LostClaim[]>(
      `SELECT id, webhook_id, attempts FROM webhook_deliveries WHERE state = 'sending' AND due_at < ?
      ORDER BY due_at, id LIMIT ${AT_ONCE}`,
      [now],
    );
    for (const { id, webhook_id, attempts: before } of lost)
      await this.database.write(async (manager) => {
        const isEnabled = await lockWebhook(manager, Number(webhook_id));
        const attempts = Number(before) + 1;
        const [state, endedAt] = isEnabled && attempts < MAX_ATTEMPTS ? ['waiting', null] : ['failed', now];
        await manager.query(
          `UPDATE webhook_deliveries SET state = ?, attempts = ?, ended_at = ?, last_error = ?, owner = NULL, due_at = ?,
            changes = changes + 1
          WHERE id = ? AND state = 'sending' AND due_at < ?`,
          [
            state,
            attempts,
            endedAt,
            isEnabled ? 'the service ended before the answer' : DISABLED,
            now,
            id,
            now,
          ],
        );
        await noteDue(manager, Number(webhook_id));
      });
    return lost.length;
  }

  /**
   * Claims the next due delivery. The webhook whose last turn is longest ago comes first, so that one with many
   * deliveries, or with a slow endpoint, does not keep others waiting. Undefined if there is none.
   */
  async claim(
    lease: Lease,
    owner: string,
    busy: Busy,
    now: number,
    endsAt: number,
  ): Promise<Claim | undefined> {
    for (;;) {
      const webhook = await this.findNext(busy, now);
      if (!webhook) return undefined;
      const delivery = await lease.write((manager) => claimOf(manager, webhook.id, owner, now, endsAt));
      if (delivery) return { ...webhook, delivery, isSlow: webhook.isSlow === 1 };
    }
  }

  /** Stores the outcome of an attempt, unless another process has taken the delivery over. */
  async settle(
    { id, webhookId }: WholeDelivery,
    owner: string,
    outcome: AttemptOutcome,
    now: number,
  ): Promise<void> {
    await this.database.write(async (manager) => {
      const isEnabled = await lockWebhook(manager, webhookId);
      const [before] = await manager.query<{ answers: string }[]>(
        "SELECT answers FROM webhook_deliveries WHERE id = ? AND state = 'sending' AND owner = ?",
        [id, owner],
      );
      if (!before) return;
      const { state, attempts, dueAt, lastStatus, lastError, answer, isSlow, isGone } = outcome;
      const isEnded = state !== 'waiting' || !isEnabled;
      const answers = [...(JSON.parse(before.answers) as unknown[]), answer].slice(-MAX_ANSWERS);
      await manager.query(
        `UPDATE webhook_deliveries SET state = ?, attempts = ?, due_at = ?, last_status = ?, last_error = ?,
          ended_at = ?, answers = ?, owner = NULL, changes = changes + 1 WHERE id = ?`,
        [
          ...[isEnded && state === 'waiting' ? 'failed' : state, attempts, dueAt, lastStatus, lastError],
          ...[isEnded ? now : null, JSON.stringify(answers), id],
        ],
      );
      await manager.query('UPDATE webhooks SET is_slow = ? WHERE id = ?', [Number(isSlow), webhookId]);
      if (isGone) await disable(manager, webhookId, now);
      else await noteDue(manager, webhookId);
    });
  }

  /** Lets a delivery wait again whose attempt was broken off by this process. */
  async putBack({ id, webhookId }: WholeDelivery, owner: string, now: number): Promise<void> {
    await this.database.write(async (manager) => {
      await lockWebhook(manager, webhookId);
      await manager.query(
        `UPDATE webhook_deliveries SET state = 'waiting', due_at = ?, owner = NULL, changes = changes + 1
        WHERE id = ? AND state = 'sending' AND owner = ?`,
        [now, id, owner],
      );
      await noteDue(manager, webhookId);
    });
  }

  /** Removes some deliveries of a deleted webhook, and then the webhook. False if there is none. */
  async removeSomeDeleted(lease: Lease): Promise<boolean> {
    const deleted = await this.findDeleted();
    if (deleted === undefined) return false;
    const { dialect } = this.database;
    await lease.write(async (manager) => {
      const statement = dialect.deleteSome('webhook_deliveries', 'id', 'webhook_id = ?', AT_ONCE);
      const removed = await changedBy(manager, statement, [deleted]);
      if (removed === 0) await manager.query('DELETE FROM webhooks WHERE id = ?', [deleted]);
    });
    return true;
  }

  private async findDeleted(): Promise<number | undefined> {
    const [row] = await this.database.query<{ id: number | string }[]>(
      'SELECT id FROM webhooks WHERE user_id = ? ORDER BY id LIMIT 1',
      [NOBODY],
    );
    return row && Number(row.id);
  }

  private async findNext(
    { webhookIds, userIds, areSlow }: Busy,
    now: number,
  ): Promise<NextWebhook | undefined> {
    const [row] = await this.database.query<NextWebhook[]>(
      `SELECT id, user_id AS userId, url, generation, is_slow AS isSlow FROM webhooks
      WHERE due_at <= ? AND id NOT IN ${placesFor([0, ...webhookIds])} AND user_id NOT IN ${placesFor([0, ...userIds])}
        ${areSlow ? 'AND is_slow = 0' : ''}
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries own WHERE own.webhook_id = webhooks.id AND own.state = 'sending')
      ORDER BY served_at, id LIMIT 1`,
      [now, 0, ...webhookIds, 0, ...userIds],
    );
    return row && { ...row, id: Number(row.id), userId: Number(row.userId) };
  }
}

/** Undefined if nothing is due any more. */
async function claimOf(
  manager: EntityManager,
  webhookId: number,
  owner: string,
  now: number,
  endsAt: number,
): Promise<WholeDelivery | undefined> {
  await manager.query('UPDATE webhooks SET served_at = ? WHERE id = ?', [now, webhookId]);
  const [row] = await manager.query<Parameters<typeof wholeDeliveryOf>[0][]>(
    `SELECT ${ALL_COLUMNS} FROM webhook_deliveries own
    WHERE own.webhook_id = ? AND own.state = 'waiting' AND own.due_at <= ? ORDER BY own.due_at, own.id LIMIT 1`,
    [webhookId, now],
  );
  if (row)
    await manager.query(
      `UPDATE webhook_deliveries SET state = 'sending', owner = ?, due_at = ?, changes = changes + 1 WHERE id = ?`,
      [owner, endsAt, row.id],
    );
  await noteDue(manager, webhookId);
  return row && wholeDeliveryOf(row);
}

/** Whether it is enabled. */
async function lockWebhook(manager: EntityManager, webhookId: number): Promise<boolean> {
  await manager.query('UPDATE webhooks SET served_at = served_at WHERE id = ?', [webhookId]);
  const [row] = await manager.query<{ enabled: number }[]>('SELECT enabled FROM webhooks WHERE id = ?', [
    webhookId,
  ]);
  return row?.enabled === 1;
}

async function disable(manager: EntityManager, webhookId: number, now: number): Promise<void> {
  await manager.query(
    'UPDATE webhooks SET enabled = 0, updated_at = CASE WHEN updated_at < ? THEN ? ELSE updated_at + 1 END WHERE id = ?',
    [now, now, webhookId],
  );
  await endWaiting(manager, webhookId, 'the endpoint is gone (410)', now);
}
