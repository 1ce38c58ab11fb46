import type { Dialect } from '../../../engine/database/dialect';
import { changedBy, placeholdersFor, type Transaction } from '../../../engine/database/rows';
import { NOBODY } from '../webhook.entity';
import { MAX_WAITING, MIB } from '../webhook-limits';
import { findSome, sizesIndex } from './delivery-size';

/*
 * A webhook's row is locked and its `changes` raised before its deliveries are changed or after, in the same
 * transaction. So `due_at` is never later than the first of those that wait, and a list has another version.
 */

/** Tests may wait beyond, so that an endpoint can be tried that many deliveries wait for. */
const TESTS_BEYOND = 10;

export interface LockedWebhook {
  url: string | undefined;
  isEnabled: boolean;
  /** Since the last success. */
  failures: number;
  pausedUntil: number | null;
}

interface LockedRow {
  url: string;
  enabled: number;
  failures: number;
  pausedUntil: number | string | null;
}

/** Locks a webhook, whose deliveries are changed afterwards. A removed one is not enabled. */
export async function lockWebhook(manager: Transaction, webhookId: number): Promise<LockedWebhook> {
  await manager.query('UPDATE webhooks SET served_at = served_at WHERE id = ?', [webhookId]);
  const [row] = await manager.query<LockedRow[]>(
    'SELECT url, enabled, failures, paused_until AS pausedUntil FROM webhooks WHERE id = ?',
    [webhookId],
  );
  const until = row?.pausedUntil ?? null;
  const pause = { failures: row?.failures ?? 0, pausedUntil: until === null ? null : Number(until) };
  return { url: row?.url, isEnabled: row?.enabled === 1, ...pause };
}

/** Locks an enabled webhook, and has it served no later than a moment or the end of its pause. False if disabled. */
export async function makeDue(manager: Transaction, webhookId: number, dueAt: number): Promise<boolean> {
  const changed = await changedBy(
    manager,
    `UPDATE webhooks SET changes = changes + 1,
      due_at = CASE WHEN due_at <= ? THEN due_at WHEN paused_until > ? THEN paused_until ELSE ? END
    WHERE id = ? AND enabled = 1`,
    [dueAt, dueAt, dueAt, webhookId],
  );
  return changed === 1;
}

/**
 * Call it after a change of waiting deliveries, in the same transaction. In a pause, a webhook is due for what its owner
 * asked for. A disabled webhook is due as long as deliveries wait that have to end; a deleted one is not.
 */
export async function noteDue(manager: Transaction, webhookId: number): Promise<void> {
  const waiting = "FROM webhook_deliveries WHERE webhook_id = ? AND state = 'waiting'";
  await manager.query(
    `UPDATE webhooks SET changes = changes + 1, due_at = CASE
      WHEN enabled = 1 THEN (SELECT MIN(due_at) ${waiting})
      WHEN user_id <> ${NOBODY} THEN (SELECT 0 ${waiting} LIMIT 1)
    END WHERE id = ?`,
    [webhookId, webhookId, webhookId],
  );
  await manager.query(
    `UPDATE webhooks SET due_at = COALESCE(
      (SELECT MIN(due_at) ${waiting} AND asked = 1 AND due_at < webhooks.paused_until), paused_until)
    WHERE id = ? AND enabled = 1 AND due_at < paused_until`,
    [webhookId, webhookId],
  );
}

/** Which waiting deliveries of a webhook end: all without a condition. */
interface Ended {
  reason: string;
  now: number;
  only?: { sql: string; parameters: unknown[] };
}

/**
 * Ends some waiting deliveries of a webhook that is locked, or disabled in the same transaction. False if there are
 * none. The sender ends the others of a disabled webhook.
 */
export async function endSomeWaiting(
  manager: Transaction,
  webhookId: number,
  { reason, now, only }: Ended,
): Promise<boolean> {
  const ids = await findSome(
    manager,
    `webhook_id = ? AND state = 'waiting' ${only ? `AND ${only.sql} ORDER BY id` : 'ORDER BY size_bytes, id'}`,
    [webhookId, ...(only?.parameters ?? [])],
  );
  if (ids.length > 0)
    await manager.query(
      `UPDATE webhook_deliveries SET state = 'failed', last_error = ?, ended_at = ?
      WHERE webhook_id = ? AND state = 'waiting' AND id IN ${placeholdersFor(ids)}`,
      [reason, now, webhookId, ...ids],
    );
  await noteDue(manager, webhookId);
  return ids.length > 0;
}

export const WEBHOOK_DISABLED = 'the webhook was disabled';
export const WEBSITE_DELETED = 'the website was deleted';

/** Ends some waiting deliveries of a webhook that are about a deleted website. False if there are none. */
export function endSomeOfWebsite(
  manager: Transaction,
  webhookId: number,
  websiteId: number,
  now: number,
): Promise<boolean> {
  const only = { sql: 'website_id = ?', parameters: [websiteId] };
  return endSomeWaiting(manager, webhookId, { reason: WEBSITE_DELETED, now, only });
}

/** Tells whether there is no such website any more. A test is about none. */
export async function isDeleted(manager: Transaction, websiteId: number | null): Promise<boolean> {
  if (websiteId === null) return false;
  const rows = await manager.query<object[]>('SELECT 1 FROM websites WHERE id = ?', [websiteId]);
  return rows.length === 0;
}

/** What there is too much of for a further delivery to wait. Undefined if it may. */
export async function tooManyWaiting(
  manager: Transaction,
  dialect: Dialect,
  webhookId: number,
  moreBytes: number,
  isTest = false,
): Promise<string | undefined> {
  const beyond = isTest ? TESTS_BEYOND : 0;
  const [sums] = await manager.query<Record<'waiting' | 'bytes', number | string>[]>(
    `SELECT COUNT(*) AS waiting, COALESCE(SUM(size_bytes), 0) AS bytes FROM (
      SELECT size_bytes FROM webhook_deliveries ${sizesIndex(dialect)}
      WHERE webhook_id = ? AND state = 'waiting' LIMIT ${MAX_WAITING.deliveries + beyond}
    ) some`,
    [webhookId],
  );
  if (Number(sums!.waiting) >= MAX_WAITING.deliveries + beyond)
    return `${MAX_WAITING.deliveries.toLocaleString('en')} waiting deliveries`;
  if (!isTest && Number(sums!.bytes) + moreBytes > MAX_WAITING.bytes)
    return `${MAX_WAITING.bytes / MIB} MiB of waiting deliveries`;
  return undefined;
}
