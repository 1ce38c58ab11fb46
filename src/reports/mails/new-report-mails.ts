import type { Dialect } from '../../../engine/database/dialect';
import { insertRows, type Transaction } from '../../../engine/database/rows';
import type { Question } from '../../recipients/recipients.repository';
import type { Period } from '../period';
import { TO_OWNER } from './report-mails.repository';

const COLUMNS = [
  ...['website_id', 'user_id', 'every', 'first_day', 'asked_at', 'address', 'state'],
  ...['due_at', 'attempts', 'created_at', 'changed_at'],
];

/** Adds a mail that asks whether an address wants reports. */
export function askForConfirmation(
  manager: Transaction,
  { websiteId, userId, address, now }: Question,
): Promise<void> {
  const row = [websiteId, userId, '', 0, now, address, 'waiting', now, 0, now, now];
  return insertRows(manager, 'report_mails', COLUMNS, [row]);
}

interface Wish {
  websiteId: number;
  userId: number;
  period: Period;
  /** Tells whether the owner is among the readers. */
  toOwner: boolean;
  addresses: readonly string[];
  now: number;
}

/** Adds the mails of a report that somebody wants now. */
export function addWished(
  manager: Transaction,
  { insertIfMissing }: Dialect,
  { websiteId, userId, period, toOwner, addresses, now }: Wish,
): Promise<void> {
  const { every, from } = period;
  const rows = [...(toOwner ? [TO_OWNER] : []), ...addresses].map((address) => [
    ...[websiteId, userId, every, from, now, address, 'waiting'],
    ...[now, 0, now, now],
  ]);
  // Two wishes of one millisecond are one.
  return insertRows(manager, 'report_mails', COLUMNS, rows, '', insertIfMissing);
}

/** Adds a mail of the period for each address that confirmed, of websites that get its report. */
export async function planCopies(
  manager: Transaction,
  { insertIfMissing }: Dialect,
  { every, from }: Pick<Period, 'every' | 'from'>,
  websites: { registeredBefore: number; after: number; last: number },
  now: number,
): Promise<void> {
  const { registeredBefore, after, last } = websites;
  await manager.query(
    `${insertIfMissing} report_mails (${COLUMNS.join(', ')})
    SELECT websites.id, websites.user_id, ?, ?, 0, address, 'waiting', ?, 0, ?, ?
    FROM websites INNER JOIN report_recipients ON report_recipients.website_id = websites.id
    WHERE email = 1 AND created_at < ? AND websites.id > ? AND websites.id <= ?
    AND report_recipients.state = 'confirmed' AND place IS NOT NULL`,
    [every, from, now, now, now, registeredBefore, after, last],
  );
}
