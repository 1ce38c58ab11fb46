import type { EntityManager } from 'typeorm';
import { changedBy } from '../../database/rows';

/*
 * A webhook's row is locked before its deliveries are changed, so that `due_at` is never later than the first of those
 * that wait.
 */

/** The most deliveries of a webhook that wait; an endpoint that is down for long does not fill the database. */
export const MAX_WAITING = 1000;

/** Locks an enabled webhook, and has it served no later than a moment. False if it is not enabled. */
export async function makeDue(manager: EntityManager, webhookId: number, dueAt: number): Promise<boolean> {
  const changed = await changedBy(
    manager,
    `UPDATE webhooks SET due_at = CASE WHEN due_at <= ? THEN due_at ELSE ? END WHERE id = ? AND enabled = 1`,
    [dueAt, dueAt, webhookId],
  );
  return changed === 1;
}

/** Call it after a change of waiting deliveries, in the same transaction. */
export async function noteDue(manager: EntityManager, webhookId: number): Promise<void> {
  await manager.query(
    `UPDATE webhooks SET due_at = (
      SELECT MIN(due_at) FROM webhook_deliveries WHERE webhook_id = ? AND state = 'waiting'
    ) WHERE id = ?`,
    [webhookId, webhookId],
  );
}

/** Ends all waiting deliveries of a webhook that is disabled in the same transaction. */
export async function endWaiting(
  manager: EntityManager,
  webhookId: number,
  reason: string,
  now: number,
): Promise<void> {
  await manager.query(
    `UPDATE webhook_deliveries SET state = 'failed', last_error = ?, ended_at = ?, changes = changes + 1
    WHERE webhook_id = ? AND state = 'waiting'`,
    [reason, now, webhookId],
  );
  await noteDue(manager, webhookId);
}

export async function isFull(manager: EntityManager, webhookId: number): Promise<boolean> {
  const [row] = await manager.query<{ waiting: number | string }[]>(
    `SELECT COUNT(*) AS waiting FROM (
      SELECT id FROM webhook_deliveries WHERE webhook_id = ? AND state = 'waiting' LIMIT ${MAX_WAITING}
    ) some`,
    [webhookId],
  );
  return Number(row!.waiting) >= MAX_WAITING;
}
