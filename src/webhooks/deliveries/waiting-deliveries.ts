import type { EntityManager } from 'typeorm';
import type { Dialect } from '../../database/dialect';
import { changedBy } from '../../database/rows';
import { MIB, sizesIndex } from './delivery-size';

/*
 * A webhook's row is locked and its `changes` raised before its deliveries are changed or after, in the same
 * transaction. So `due_at` is never later than the first of those that wait, and a list has another version.
 */

/** The most deliveries of a webhook that wait; an endpoint that is down for long does not fill the database. */
const MAX_WAITING = 1000;
const MAX_WAITING_BYTES = 16 * MIB;

interface LockedWebhook {
  url: string | undefined;
  isEnabled: boolean;
  /** Since the last success. */
  failures: number;
}

/** Locks a webhook, whose deliveries are changed afterwards. A removed one is not enabled. */
export async function lockWebhook(manager: EntityManager, webhookId: number): Promise<LockedWebhook> {
  await manager.query('UPDATE webhooks SET served_at = served_at WHERE id = ?', [webhookId]);
  const [row] = await manager.query<{ url: string; enabled: number; failures: number }[]>(
    'SELECT url, enabled, failures FROM webhooks WHERE id = ?',
    [webhookId],
  );
  return { url: row?.url, isEnabled: row?.enabled === 1, failures: row?.failures ?? 0 };
}

/** Locks an enabled webhook, and has it served no later than a moment or the end of its pause. False if disabled. */
export async function makeDue(manager: EntityManager, webhookId: number, dueAt: number): Promise<boolean> {
  const changed = await changedBy(
    manager,
    `UPDATE webhooks SET changes = changes + 1,
      due_at = CASE WHEN due_at <= ? THEN due_at WHEN paused_until > ? THEN paused_until ELSE ? END
    WHERE id = ? AND enabled = 1`,
    [dueAt, dueAt, dueAt, webhookId],
  );
  return changed === 1;
}

/** Ends the pause of a webhook, because its owner asks for an attempt. Its failures stay. */
export async function endPause(manager: EntityManager, webhookId: number): Promise<void> {
  await manager.query('UPDATE webhooks SET paused_until = NULL WHERE id = ?', [webhookId]);
}

/** Call it after a change of waiting deliveries, in the same transaction. */
export async function noteDue(manager: EntityManager, webhookId: number): Promise<void> {
  await manager.query(
    `UPDATE webhooks SET changes = changes + 1, due_at = (
      SELECT MIN(due_at) FROM webhook_deliveries WHERE webhook_id = ? AND state = 'waiting'
    ) WHERE id = ?`,
    [webhookId, webhookId],
  );
  await manager.query('UPDATE webhooks SET due_at = paused_until WHERE id = ? AND due_at < paused_until', [
    webhookId,
  ]);
}

/** Which waiting deliveries of a webhook end: all without a condition. */
interface Ended {
  reason: string;
  now: number;
  only?: { sql: string; parameters: unknown[] };
}

/** Ends waiting deliveries of a webhook that is locked, disabled or deleted in the same transaction. */
export async function endWaiting(
  manager: EntityManager,
  webhookId: number,
  { reason, now, only }: Ended,
): Promise<void> {
  await manager.query(
    `UPDATE webhook_deliveries SET state = 'failed', last_error = ?, ended_at = ?
    WHERE webhook_id = ? AND state = 'waiting' ${only ? `AND ${only.sql}` : ''}`,
    [reason, now, webhookId, ...(only?.parameters ?? [])],
  );
  await noteDue(manager, webhookId);
}

export const WEBSITE_DELETED = 'the website was deleted';

/** Ends the waiting deliveries of a webhook that are about a deleted website. */
export function endOfWebsite(
  manager: EntityManager,
  webhookId: number,
  websiteId: number,
  now: number,
): Promise<void> {
  const only = { sql: 'website_id = ?', parameters: [websiteId] };
  return endWaiting(manager, webhookId, { reason: WEBSITE_DELETED, now, only });
}

/** Whether there is no such website any more. A test is about none. */
export async function isDeleted(manager: EntityManager, websiteId: number | null): Promise<boolean> {
  if (websiteId === null) return false;
  const rows = await manager.query<object[]>('SELECT 1 FROM websites WHERE id = ?', [websiteId]);
  return rows.length === 0;
}

/** What there is too much of for a further delivery to wait. Undefined if it may. */
export async function tooManyWaiting(
  manager: EntityManager,
  dialect: Dialect,
  webhookId: number,
  moreBytes: number,
): Promise<string | undefined> {
  const [sums] = await manager.query<Record<'waiting' | 'bytes', number | string>[]>(
    `SELECT COUNT(*) AS waiting, COALESCE(SUM(size_bytes), 0) AS bytes FROM (
      SELECT size_bytes FROM webhook_deliveries ${sizesIndex(dialect)}
      WHERE webhook_id = ? AND state = 'waiting' LIMIT ${MAX_WAITING}
    ) some`,
    [webhookId],
  );
  if (Number(sums!.waiting) >= MAX_WAITING) return `${MAX_WAITING.toLocaleString('en')} waiting deliveries`;
  if (Number(sums!.bytes) + moreBytes > MAX_WAITING_BYTES)
    return `${MAX_WAITING_BYTES / MIB} MiB of waiting deliveries`;
  return undefined;
}
