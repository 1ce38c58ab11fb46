import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../engine/database/database';
import type { Lease } from '../../../engine/database/lease';
import { placeholdersFor, type Transaction } from '../../../engine/database/rows';
import { ALL_COLUMNS, MAX_ANSWERS, type WholeDelivery, wholeDeliveryOf } from '../deliveries/delivery';
import { BETWEEN_CHANGES_MS, deliverySize } from '../deliveries/delivery-size';
import type { WebhookFormat } from '../events';
import {
  endSomeOfWebsite,
  endSomeWaiting,
  isDeleted,
  type LockedWebhook,
  lockWebhook,
  noteDue,
  WEBHOOK_DISABLED,
  WEBSITE_DELETED,
} from '../deliveries/waiting-deliveries';
import { type AttemptOutcome, FAILURES_BEFORE_PAUSES, MAX_ATTEMPTS, pauseAfter } from './attempt-outcome';

/** What has to end comes before what is due. The end of the service waits for these steps. */
const MAX_STEPS = 50;

/** A delivery that this process sends, and where to, as of the claim. */
export interface Claim {
  delivery: WholeDelivery;
  userId: number;
  url: string;
  generation: number;
  standardFrom: number;
  format: WebhookFormat;
  /** Tells whether it was never called before. */
  isNew: boolean;
  isSlow: boolean;
  /** Tells whether the webhook failed many times in a row. */
  isFailing: boolean;
}

/** What became of an outcome. A delivery without a row went with its webhook. */
export type Stored = 'stored' | 'belongs to another' | 'removed';

/** The webhooks that cannot be served now. */
export interface Busy {
  webhookIds: number[];
  /** Users whose other webhooks have to wait too. */
  userIds: number[];
  /** Tells whether webhooks have to wait that are new or slow. */
  areUnproven: boolean;
  /** Tells whether slow webhooks have to wait. */
  areSlow: boolean;
  /** Tells whether those have to wait that failed many times in a row. */
  areFailing: boolean;
}

interface ServedWebhook {
  userId: number | string;
  url: string;
  generation: number;
  standardFrom: number;
  format: WebhookFormat;
  enabled: number;
  isSlow: number;
  failures: number;
  pausedUntil: number | string | null;
  servedAt: number | string;
}

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

  /**
   * Claims the next due delivery. The user whose last turn is longest ago comes first, and of the user the webhook, so
   * that one with many deliveries, or with slow endpoints, does not keep others waiting. Undefined if there is none.
   */
  async claim(
    lease: Lease,
    owner: string,
    busy: Busy,
    now: number,
    endsAt: number,
  ): Promise<Claim | undefined> {
    for (let step = 0; step < MAX_STEPS; step++) {
      const webhookId = await this.findNext(busy, now);
      if (webhookId === undefined) return undefined;
      const claim = await lease.write((manager) => claimOf(manager, webhookId, { owner, now, endsAt }));
      if (claim) return claim;
      await sleep(BETWEEN_CHANGES_MS);
    }
    return undefined;
  }

  /** Stores the outcome of an attempt, unless another process has taken the delivery over. */
  settle({ delivery, url }: Claim, owner: string, outcome: AttemptOutcome, now: number): Promise<Stored> {
    const { id, webhookId, websiteId } = delivery;
    return this.database.write<Stored>(async (manager) => {
      const webhook = await lockWebhook(manager, webhookId);
      const before = await findOwn(manager, id, owner);
      if (typeof before === 'string') return before;
      const isOfAnother = webhook.url !== url;
      const { state, attempts, dueAt, lastStatus, lastError, answer, isGone } = isOfAnother
        ? atAnotherAddress(outcome, now)
        : outcome;
      const isWaiting = state === 'waiting';
      const isOfDeleted = isWaiting && (await isDeleted(manager, websiteId));
      const isEnded = !isWaiting || !webhook.isEnabled || isOfDeleted;
      const answers = JSON.stringify(
        [...(JSON.parse(before.answers) as unknown[]), answer].slice(-MAX_ANSWERS),
      );
      await manager.query(
        `UPDATE webhook_deliveries SET state = ?, attempts = ?, due_at = ?, last_status = ?, last_error = ?,
          ended_at = ?, answers = ?, size_bytes = ?, asked = 0, owner = NULL WHERE id = ?`,
        [
          ...[isEnded && isWaiting ? 'failed' : state, attempts, dueAt, lastStatus],
          ...[isOfDeleted ? WEBSITE_DELETED : lastError, isEnded ? now : null],
          ...[answers, deliverySize(delivery.body, answers), id],
        ],
      );
      if (!isOfAnother) await noteOutcome(manager, webhookId, webhook, outcome, now);
      if (isGone) await disable(manager, webhookId, now);
      else await noteDue(manager, webhookId);
      return 'stored';
    });
  }

  /** Lets a delivery wait again whose attempt was broken off by this process. */
  putBack(delivery: WholeDelivery, owner: string, now: number): Promise<Stored> {
    return this.database.write<Stored>(async (manager) => {
      await putBackOne(manager, delivery, owner, now);
      return 'stored';
    });
  }

  /**
   * Lets deliveries wait again that this process claimed without knowing it, because the answer to the commit was lost.
   * The lease orders this after that commit.
   */
  async putBackUnknown(lease: Lease, owner: string, known: number[], now: number): Promise<void> {
    await lease.write(async (manager) => {
      const rows = await manager.query<Record<'id' | 'webhookId', number | string>[]>(
        `SELECT id, webhook_id AS webhookId FROM webhook_deliveries
        WHERE state = 'sending' AND owner = ? AND id NOT IN ${placeholdersFor([0, ...known])} ORDER BY webhook_id, id`,
        [owner, 0, ...known],
      );
      for (const { id, webhookId } of rows)
        await putBackOne(manager, { id: Number(id), webhookId: Number(webhookId) }, owner, now);
    });
  }

  private async findNext(
    { webhookIds, userIds, areUnproven, areSlow, areFailing }: Busy,
    now: number,
  ): Promise<number | undefined> {
    const [row] = await this.database.query<{ id: number | string }[]>(
      `SELECT hook.id AS id FROM webhooks hook JOIN (
        SELECT user_id, MAX(served_at) AS served_at FROM webhooks
        WHERE user_id IN (SELECT user_id FROM webhooks WHERE due_at <= ?) GROUP BY user_id
      ) turn ON turn.user_id = hook.user_id
      WHERE hook.due_at <= ? AND hook.id NOT IN ${placeholdersFor([0, ...webhookIds])}
        AND hook.user_id NOT IN ${placeholdersFor([0, ...userIds])}
        ${areUnproven || areSlow ? 'AND hook.is_slow = 0' : ''} ${areUnproven ? 'AND hook.served_at > 0' : ''}
        ${areFailing ? `AND hook.failures < ${FAILURES_BEFORE_PAUSES}` : ''}
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries own WHERE own.webhook_id = hook.id AND own.state = 'sending')
      ORDER BY turn.served_at, hook.served_at, hook.id LIMIT 1`,
      [now, now, 0, ...webhookIds, 0, ...userIds],
    );
    return row && Number(row.id);
  }
}

/** What is stored of a delivery that this process sends. */
async function findOwn(
  manager: Transaction,
  id: number,
  owner: string,
): Promise<{ answers: string } | Exclude<Stored, 'stored'>> {
  const [row] = await manager.query<{ answers: string; state: string; owner: string | null }[]>(
    'SELECT answers, state, owner FROM webhook_deliveries WHERE id = ?',
    [id],
  );
  if (!row) return 'removed';
  return row.state === 'sending' && row.owner === owner ? row : 'belongs to another';
}

async function putBackOne(
  manager: Transaction,
  { id, webhookId }: Pick<WholeDelivery, 'id' | 'webhookId'>,
  owner: string,
  now: number,
): Promise<void> {
  await lockWebhook(manager, webhookId);
  await manager.query(
    `UPDATE webhook_deliveries SET state = 'waiting', due_at = ?, owner = NULL
    WHERE id = ? AND state = 'sending' AND owner = ?`,
    [now, id, owner],
  );
  await noteDue(manager, webhookId);
}

interface Claiming {
  owner: string;
  now: number;
  endsAt: number;
}

/**
 * Undefined if nothing is due any more, or only what has to end. The address and the secret are read behind the
 * lock, so that a change which was answered before holds for the attempt.
 */
async function claimOf(
  manager: Transaction,
  webhookId: number,
  { owner, now, endsAt }: Claiming,
): Promise<Claim | undefined> {
  const webhook = await lockServed(manager, webhookId, now);
  if (!webhook) {
    await endSomeWaiting(manager, webhookId, { reason: WEBHOOK_DISABLED, now });
    return undefined;
  }
  const isPaused = webhook.pausedUntil !== null && Number(webhook.pausedUntil) > now;
  const delivery =
    (await findDue(manager, webhookId, 'asked', now)) ??
    (isPaused ? undefined : await findDue(manager, webhookId, 'as it came', now));
  if (delivery && (await isDeleted(manager, delivery.websiteId))) {
    await endSomeOfWebsite(manager, webhookId, delivery.websiteId!, now);
    return undefined;
  }
  if (delivery)
    await manager.query(
      `UPDATE webhook_deliveries SET state = 'sending', owner = ?, due_at = ? WHERE id = ?`,
      [owner, endsAt, delivery.id],
    );
  await noteDue(manager, webhookId);
  const { userId, url, generation, standardFrom, format, servedAt, isSlow, failures } = webhook;
  const isFailing = failures >= FAILURES_BEFORE_PAUSES;
  const kind = { isNew: Number(servedAt) === 0, isSlow: isSlow === 1, isFailing };
  return delivery && { delivery, userId: Number(userId), url, generation, standardFrom, format, ...kind };
}

/** The waiting delivery of a webhook that has been due for the longest time. */
async function findDue(
  manager: Transaction,
  webhookId: number,
  kind: 'asked' | 'as it came',
  now: number,
): Promise<WholeDelivery | undefined> {
  const [row] = await manager.query<Parameters<typeof wholeDeliveryOf>[0][]>(
    `SELECT ${ALL_COLUMNS} FROM webhook_deliveries own
    WHERE own.webhook_id = ? AND own.state = 'waiting' AND own.asked = ? AND own.due_at <= ?
    ORDER BY own.due_at, own.id LIMIT 1`,
    [webhookId, Number(kind === 'asked'), now],
  );
  return row && wholeDeliveryOf(row);
}

/** Locks a webhook and notes its turn. As it was before. Undefined if it is disabled or deleted. */
async function lockServed(
  manager: Transaction,
  webhookId: number,
  now: number,
): Promise<ServedWebhook | undefined> {
  await manager.query('UPDATE webhooks SET served_at = served_at WHERE id = ?', [webhookId]);
  const [webhook] = await manager.query<ServedWebhook[]>(
    `SELECT user_id AS userId, url, generation, standard_from AS standardFrom, format, enabled, is_slow AS isSlow, failures, paused_until AS pausedUntil,
      served_at AS servedAt FROM webhooks WHERE id = ?`,
    [webhookId],
  );
  await manager.query('UPDATE webhooks SET served_at = ? WHERE id = ?', [now, webhookId]);
  return webhook?.enabled === 1 ? webhook : undefined;
}

/** That an address is gone is nothing to the one that its owner has chosen meanwhile. */
function atAnotherAddress(outcome: AttemptOutcome, now: number): AttemptOutcome {
  const isWaiting = outcome.isGone && outcome.attempts < MAX_ATTEMPTS;
  return { ...outcome, isGone: false, ...(isWaiting && { state: 'waiting', dueAt: now }) };
}

/**
 * After many failures a webhook pauses. A success ends that, and sends what waits soon. Only what the owner asked for is
 * tried in a pause: its failure changes nothing, or an owner who looks for the fault would put off all that waits.
 */
async function noteOutcome(
  manager: Transaction,
  webhookId: number,
  before: LockedWebhook,
  { state, isSlow }: AttemptOutcome,
  now: number,
): Promise<void> {
  const { failures, pausedUntil } = state === 'delivered' ? NO_FAILURES : afterFailure(before, now);
  await manager.query('UPDATE webhooks SET is_slow = ?, failures = ?, paused_until = ? WHERE id = ?', [
    ...[Number(isSlow), failures, pausedUntil, webhookId],
  ]);
  if (failures === 0 && before.failures >= FAILURES_BEFORE_PAUSES)
    await manager.query(
      "UPDATE webhook_deliveries SET due_at = ? WHERE webhook_id = ? AND state = 'waiting' AND due_at > ?",
      [now, webhookId, now],
    );
}

type Pause = Pick<LockedWebhook, 'failures' | 'pausedUntil'>;
const NO_FAILURES: Pause = { failures: 0, pausedUntil: null };

function afterFailure({ failures, pausedUntil }: LockedWebhook, now: number): Pause {
  if (pausedUntil !== null && pausedUntil > now) return { failures, pausedUntil };
  return { failures: failures + 1, pausedUntil: pauseAfter(failures + 1, now) };
}

async function disable(manager: Transaction, webhookId: number, now: number): Promise<void> {
  await manager.query(
    'UPDATE webhooks SET enabled = 0, updated_at = CASE WHEN updated_at < ? THEN ? ELSE updated_at + 1 END WHERE id = ?',
    [now, now, webhookId],
  );
  await endSomeWaiting(manager, webhookId, { reason: 'the endpoint is gone (410)', now });
}
