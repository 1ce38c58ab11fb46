import type { Dialect } from '../../engine/database/dialect';
import type { Transaction } from '../../engine/database/rows';
import { DayClock } from '../../engine/ground/time/day-clock';
import { Windows } from '../alerts/check/windows';
import { periodDue, type Rhythm } from '../reports/period';

const TABLES_OF_MAILS = ['report_deliveries', 'report_mails', 'alert_mails'];
const REASON = 'not sent: the database was restored from a backup';

/**
 * Nothing that was due before a restore is sent after it: the installation that the backup was made of may have sent it.
 */
export async function endWhatWasDue(
  tx: Transaction,
  dialect: Dialect,
  now: number,
  timezone: string,
): Promise<void> {
  for (const table of TABLES_OF_MAILS)
    await tx.query(
      `UPDATE ${table} SET state = CASE WHEN state = 'sending' THEN 'unknown' ELSE 'failed' END, reason = ?,
        owner = NULL, changed_at = ? WHERE state IN ('waiting', 'claimed', 'sending')`,
      [REASON, now],
    );
  await tx.query(
    `UPDATE webhook_deliveries SET state = 'failed', last_error = ?, owner = NULL, ended_at = ?
    WHERE state IN ('waiting', 'sending')`,
    [REASON, now],
  );
  await tx.query('UPDATE webhooks SET due_at = NULL, changes = changes + 1 WHERE due_at IS NOT NULL');
  await planNoReport(tx, dialect, now, timezone);
  await watchAnew(tx, now, timezone);
}

/** A rhythm that was never chosen begins with its next period by itself. */
async function planNoReport(
  tx: Transaction,
  { insertIfMissing }: Dialect,
  now: number,
  timezone: string,
): Promise<void> {
  const clock = new DayClock(timezone);
  const chosen = await tx.query<{ every: Rhythm }[]>('SELECT DISTINCT every FROM report_periods');
  for (const { every } of chosen)
    await tx.query(`${insertIfMissing} report_periods (every, first_day, planned_at) VALUES (?, ?, ?)`, [
      every,
      periodDue(now, every, clock).from,
      now,
    ]);
}

/** The hours and days of alerts that have begun may have been judged, and silence begins once something came. */
async function watchAnew(tx: Transaction, now: number, timezone: string): Promise<void> {
  const windows = new Windows(timezone);
  for (const within of ['hour', 'day'] as const) {
    const { to } = windows.around(now, within);
    await tx.query(
      `UPDATE alerts SET judged_start = starts_at, judged_until = ?, window_ends_at = 0, judged_folds = -1,
        is_armed = 0, due_at = ? WHERE COALESCE(within, 'hour') = ?`,
      [to, to, within],
    );
  }
}
