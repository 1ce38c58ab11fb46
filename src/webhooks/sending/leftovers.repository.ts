import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Work } from '../../../engine/database/connections/connections';
import { Database } from '../../../engine/database/database';
import { LONGEST_PAUSE_MS } from '../../common/retry-pauses';
import { latestEnd } from '../../../engine/ground/time/clock-from';
import type { Lease } from '../../../engine/database/lease';
import { changedBy, placeholdersFor, type Transaction } from '../../../engine/database/rows';
import { BETWEEN_CHANGES_MS, findSome } from '../deliveries/delivery-size';
import {
  endSomeOfWebsite,
  endSomeWaiting,
  lockWebhook,
  noteDue,
  WEBHOOK_DISABLED,
} from '../deliveries/waiting-deliveries';
import { EXPIRE_AFTER_MS } from '../deliveries/new-deliveries';
import { NOBODY } from '../webhook.entity';
import { FAILURES_BEFORE_PAUSES, LONGEST_PAUSE_OF_WEBHOOK_MS, MAX_ATTEMPTS } from './attempt-outcome';

/** Longer than an attempt, and than it takes to store its outcome. */
export const CLAIM_MS = 60_000;
/** A claim that ended. An end too far ahead dates from before the clock was set back. */
const IS_LOST = "state = 'sending' AND due_at NOT BETWEEN ? AND ?";
const CLAIMS_AT_ONCE = 100;
/** The most transactions of a kind before deliveries are sent again. */
const STEPS = 20;
const EXPIRED = 'the endpoint still failed 24 hours later';

type LostClaim = Record<'id' | 'webhook_id' | 'attempts', number | string>;
type EndedClaims = Record<'repeated' | 'failed', number>;
type OfDeleted = Record<'webhook_id' | 'website_id', number | string>;

/** What has to end or to go though nobody sends it. */
@Injectable()
export class LeftoversRepository {
  constructor(private readonly database: Database) {}

  async areThere(now: number): Promise<boolean> {
    const lost = await this.database.query<object[]>(
      `SELECT 1 FROM webhook_deliveries WHERE ${IS_LOST} LIMIT 1`,
      claimsAt(now),
    );
    if (lost.length > 0 || (await this.findDeleted()) !== undefined) return true;
    const found = [
      await this.findOfDeleted(1),
      await this.findExpired(now, 1),
      await this.findAhead(latestMoments(now), 1),
    ];
    return found.some(({ length }) => length > 0);
  }

  /**
   * Puts back the deliveries of processes that ended. The endpoint may have got them; they keep their ids. It was an
   * attempt, so a delivery that ends each of its processes fails too.
   */
  async endClaims(now: number): Promise<EndedClaims> {
    const lost = await this.database.query<LostClaim[]>(
      `SELECT id, webhook_id, attempts FROM webhook_deliveries WHERE ${IS_LOST}
      ORDER BY due_at, id LIMIT ${CLAIMS_AT_ONCE}`,
      claimsAt(now),
    );
    const ended = { repeated: 0, failed: 0 };
    for (const { id, webhook_id, attempts: before } of lost) {
      const became = await this.database.write(async (manager) => {
        const { isEnabled } = await lockWebhook(manager, Number(webhook_id));
        const attempts = Number(before) + 1;
        const [state, endedAt] = isEnabled && attempts < MAX_ATTEMPTS ? ['waiting', null] : ['failed', now];
        const reason = isEnabled ? 'the service ended before the answer' : WEBHOOK_DISABLED;
        const changed = await changedBy(
          manager,
          `UPDATE webhook_deliveries SET state = ?, attempts = ?, ended_at = ?, last_error = ?, owner = NULL, due_at = ?
          WHERE id = ? AND ${IS_LOST}`,
          [state, attempts, endedAt, reason, now, id, ...claimsAt(now)],
        );
        if (changed === 0) return undefined;
        await noteDue(manager, Number(webhook_id));
        return state === 'waiting' ? 'repeated' : 'failed';
      });
      if (became) ended[became]++;
    }
    return ended;
  }

  /** Ends some of what waits about deleted websites. Whether there may be more. */
  async endOfDeletedWebsites(now: number): Promise<boolean> {
    const pairs = await this.findOfDeleted(STEPS);
    for (const { webhook_id, website_id } of pairs)
      await this.step(async (manager) => {
        await lockWebhook(manager, Number(webhook_id));
        await endSomeOfWebsite(manager, Number(webhook_id), Number(website_id), now);
      });
    return pairs.length > 0;
  }

  /** Ends some of what waited for a day behind the failures of its webhook. Whether there may be more. */
  async endExpired(now: number): Promise<boolean> {
    for (let step = 0; step < STEPS; step++) {
      const [webhookId] = await this.findExpired(now, 1);
      if (webhookId === undefined) return false;
      await this.step(async (manager) => {
        const { failures } = await lockWebhook(manager, webhookId);
        if (failures < FAILURES_BEFORE_PAUSES) return;
        const only = { sql: 'expires_at <= ?', parameters: [now] };
        await endSomeWaiting(manager, webhookId, { reason: EXPIRED, now, only });
      });
    }
    return true;
  }

  /**
   * Moves back some deliveries and pauses that end later than any can, because a clock was ahead. Whether there may be
   * more.
   */
  async moveBack(now: number): Promise<boolean> {
    const latest = latestMoments(now);
    const webhookIds = await this.findAhead(latest, STEPS);
    for (const webhookId of webhookIds)
      await this.step((manager) => moveSomeBack(manager, webhookId, latest, now));
    return webhookIds.length > 0;
  }

  /** Removes some deliveries of deleted webhooks, and these without any. Whether there may be more. */
  async removeSomeDeleted(lease: Lease): Promise<boolean> {
    for (let step = 0; step < STEPS; step++) {
      const deleted = await this.findDeleted();
      if (deleted === undefined) return false;
      await this.step((manager) => removeSome(manager, deleted), lease);
    }
    return true;
  }

  /** A small transaction, and a pause for others. */
  private async step(work: Work<void>, writer: Pick<Lease, 'write'> = this.database): Promise<void> {
    await writer.write(work);
    await sleep(BETWEEN_CHANGES_MS);
  }

  private async findDeleted(): Promise<number | undefined> {
    const [row] = await this.database.query<{ id: number | string }[]>(
      'SELECT id FROM webhooks WHERE user_id = ? ORDER BY id LIMIT 1',
      [NOBODY],
    );
    return row && Number(row.id);
  }

  private findOfDeleted(most: number): Promise<OfDeleted[]> {
    return this.database.query<OfDeleted[]>(
      `SELECT DISTINCT own.webhook_id, own.website_id
      FROM deleted_websites deleted JOIN webhook_deliveries own ON own.website_id = deleted.website_id
      WHERE own.state = 'waiting' LIMIT ${most}`,
    );
  }

  private async findAhead({ dueAt, expiresAt, pausedUntil }: LatestMoments, most: number): Promise<number[]> {
    const waiting = "SELECT webhook_id AS id FROM webhook_deliveries WHERE state = 'waiting'";
    const rows = await this.database.query<{ id: number | string }[]>(
      `SELECT id FROM webhooks WHERE due_at > ? AND paused_until > ?
      UNION ${waiting} AND due_at > ? UNION ${waiting} AND expires_at > ? LIMIT ${most}`,
      [pausedUntil, pausedUntil, dueAt, expiresAt],
    );
    return rows.map(({ id }) => Number(id));
  }

  private async findExpired(now: number, most: number): Promise<number[]> {
    const rows = await this.database.query<{ id: number | string }[]>(
      `SELECT DISTINCT hook.id AS id FROM webhook_deliveries own JOIN webhooks hook ON hook.id = own.webhook_id
      WHERE own.state = 'waiting' AND own.expires_at <= ? AND hook.failures >= ${FAILURES_BEFORE_PAUSES}
      LIMIT ${most}`,
      [now],
    );
    return rows.map(({ id }) => Number(id));
  }
}

/** The latest moments that deliveries and pauses may have. */
interface LatestMoments {
  dueAt: number;
  expiresAt: number;
  pausedUntil: number;
}

function latestMoments(now: number): LatestMoments {
  return {
    dueAt: latestEnd(now, LONGEST_PAUSE_MS),
    expiresAt: latestEnd(now, EXPIRE_AFTER_MS),
    pausedUntil: latestEnd(now, LONGEST_PAUSE_OF_WEBHOOK_MS),
  };
}

async function moveSomeBack(
  manager: Transaction,
  webhookId: number,
  { dueAt, expiresAt, pausedUntil }: LatestMoments,
  now: number,
): Promise<void> {
  await lockWebhook(manager, webhookId);
  await manager.query('UPDATE webhooks SET paused_until = ? WHERE id = ? AND paused_until > ?', [
    ...[now, webhookId, pausedUntil],
  ]);
  const ids = await findSome(
    manager,
    "webhook_id = ? AND state = 'waiting' AND (due_at > ? OR expires_at > ?) ORDER BY size_bytes, id",
    [webhookId, dueAt, expiresAt],
  );
  if (ids.length > 0)
    await manager.query(
      `UPDATE webhook_deliveries SET due_at = CASE WHEN due_at > ? THEN ? ELSE due_at END,
        expires_at = CASE WHEN expires_at > ? THEN ? ELSE expires_at END
      WHERE webhook_id = ? AND state = 'waiting' AND id IN ${placeholdersFor(ids)}`,
      [dueAt, now, expiresAt, now + EXPIRE_AFTER_MS, webhookId, ...ids],
    );
  await noteDue(manager, webhookId);
}

async function removeSome(manager: Transaction, webhookId: number): Promise<void> {
  const ids = await findSome(manager, 'webhook_id = ? ORDER BY state, size_bytes, id', [webhookId]);
  if (ids.length > 0)
    await manager.query(
      `DELETE FROM webhook_deliveries WHERE webhook_id = ? AND id IN ${placeholdersFor(ids)}`,
      [webhookId, ...ids],
    );
  else await manager.query('DELETE FROM webhooks WHERE id = ?', [webhookId]);
}

/** The ends that claims may have. */
function claimsAt(now: number): [number, number] {
  return [now, latestEnd(now, CLAIM_MS)];
}
