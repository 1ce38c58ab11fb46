import type { EntityManager } from 'typeorm';

interface Confirmation {
  websiteId: number;
  userId: number;
  address: string;
  now: number;
}

const COLUMNS =
  '(website_id, user_id, firing_id, asked_at, address, state, due_at, attempts, created_at, changed_at)';

/** Adds a mail that asks whether an address wants alerts. */
export async function askForConfirmation(
  manager: EntityManager,
  { websiteId, userId, address, now }: Confirmation,
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

/** The mails since a moment that asked for confirmation. */
export async function countAsked(manager: EntityManager, userId: number, since: number): Promise<number> {
  const [row] = await manager.query<{ asked: number | string }[]>(
    'SELECT COUNT(*) AS asked FROM alert_mails WHERE user_id = ? AND firing_id = 0 AND created_at > ?',
    [userId, since],
  );
  return Number(row!.asked);
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
  manager: EntityManager,
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
