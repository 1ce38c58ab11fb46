import type { Transaction } from '../../../engine/database/rows';
import type { Question } from '../../recipients/recipients.repository';

const COLUMNS =
  '(website_id, user_id, firing_id, asked_at, address, state, due_at, attempts, created_at, changed_at)';

/** Adds a mail that asks whether an address wants alerts. */
export async function askForConfirmation(
  manager: Transaction,
  { websiteId, userId, address, now }: Question,
): Promise<void> {
  await manager.query(`INSERT INTO alert_mails ${COLUMNS} VALUES (?, ?, 0, ?, ?, 'waiting', ?, 0, ?, ?)`, [
    websiteId,
    userId,
    now,
    address,
    now,
    now,
    now,
  ]);
}

interface FiringMails {
  websiteId: number;
  userId: number;
  firingId: number;
  addresses: string[];
  now: number;
}

/** Adds a mail about a firing for each address. */
export async function mailFiring(
  manager: Transaction,
  { websiteId, userId, firingId, addresses, now }: FiringMails,
): Promise<void> {
  for (const address of addresses)
    await manager.query(`INSERT INTO alert_mails ${COLUMNS} VALUES (?, ?, ?, 0, ?, 'waiting', ?, 0, ?, ?)`, [
      websiteId,
      userId,
      firingId,
      address,
      now,
      now,
      now,
    ]);
}
