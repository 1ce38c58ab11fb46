import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { InvalidFields } from '../../common/problem';
import { DAY_MS } from '../../common/time/days';
import { Settings } from '../../config/settings';
import { EntityDatabase } from '../../database/entity-database';
import { nowOf, placesFor } from '../../database/rows';
import { DayCounts } from '../../limits/day-counts';
import { hasMailServer } from '../../mail/smtp-session';
import { Alert, type Recipient, type RecipientState } from '../alert/alert.entity';
import { askForConfirmation } from '../mails/new-mails';

const MAX_ASKED_BY_USER = 20;
/** All users of the service together ask an address as often as this in a day. */
const MAX_ASKED_OF_ADDRESS = 3;

interface StoredRecipient {
  address: string;
  state: RecipientState;
  pending_since: number | string | null;
}

/** What addresses decided about the alerts of websites. An address without a row is pending, and was never asked. */
@Injectable()
export class RecipientsRepository {
  private readonly hasMails: boolean;

  constructor(
    private readonly database: EntityDatabase,
    private readonly counts: DayCounts,
    settings: Settings,
  ) {
    this.hasMails = hasMailServer(settings);
  }

  /**
   * The recipients of an alert that is stored, with what they decided. Asks those who are new in it, unless they were
   * asked within a day.
   */
  async admit(
    manager: EntityManager,
    { websiteId, recipients }: Pick<Alert, 'websiteId' | 'recipients'>,
    before: readonly Recipient[],
  ): Promise<Recipient[]> {
    if (recipients.length === 0) return [];
    const now = await nowOf(manager, this.database.dialect);
    const addresses = recipients.map(({ address }) => address);
    const known = new Map(
      (await findStored(manager, websiteId, addresses)).map((stored) => [stored.address, stored]),
    );
    const asked = addresses.filter((address) => {
      const isNew = !before.some((one) => one.address === address);
      return isNew && mayBeAsked(known.get(address), now);
    });
    if (this.hasMails && asked.length > 0) await this.ask(manager, websiteId, asked, now);
    return addresses.map((address) => ({ address, state: known.get(address)?.state ?? 'pending' }));
  }

  /** Unscoped: the link in a mail proves that its reader has the address. */
  findStateUnscoped(websiteId: number, address: string): Promise<RecipientState> {
    return this.database.readQuick(async (manager) => {
      const [stored] = await findStored(manager, websiteId, [address]);
      return stored?.state ?? 'pending';
    });
  }

  /** Unscoped, like the look-up. Keeps the decision of an address, also in the alerts that name it. */
  async decideUnscoped(
    websiteId: number,
    address: string,
    state: Exclude<RecipientState, 'pending'>,
  ): Promise<void> {
    // A link can be followed again and again.
    if ((await this.findStateUnscoped(websiteId, address)) === state) return;
    await this.database.write(async (manager) => {
      if (!(await lockWebsite(manager, websiteId))) return;
      await manager.query('DELETE FROM alert_recipients WHERE website_id = ? AND address = ?', [
        websiteId,
        address,
      ]);
      await manager.query(
        'INSERT INTO alert_recipients (website_id, address, state, pending_since) VALUES (?, ?, ?, NULL)',
        [websiteId, address, state],
      );
      await changeInAlerts(
        manager,
        websiteId,
        { address, state },
        await nowOf(manager, this.database.dialect),
      );
    });
  }

  private async ask(
    manager: EntityManager,
    websiteId: number,
    addresses: string[],
    now: number,
  ): Promise<void> {
    const userId = await ownerOf(manager, websiteId);
    await this.count(manager, userId, addresses, now);
    for (const address of addresses) {
      await manager.query('DELETE FROM alert_recipients WHERE website_id = ? AND address = ?', [
        websiteId,
        address,
      ]);
      await manager.query(
        "INSERT INTO alert_recipients (website_id, address, state, pending_since) VALUES (?, ?, 'pending', ?)",
        [websiteId, address, now],
      );
      await askForConfirmation(manager, { websiteId, userId, address, now });
    }
  }

  /** The counts stay when a website is deleted, unlike its mails. */
  private async count(
    manager: EntityManager,
    userId: number,
    addresses: string[],
    now: number,
  ): Promise<void> {
    const byUser = `addresses asked by user ${userId}`;
    const ofAddress = (address: string) => `questions to ${address}`;
    const exceeded = await this.counts.take(manager, now, [
      { name: byUser, wanted: addresses.length, most: MAX_ASKED_BY_USER },
      ...addresses.map((address) => ({ name: ofAddress(address), wanted: 1, most: MAX_ASKED_OF_ADDRESS })),
    ]);
    if (exceeded.length === 0) return;
    const asked = addresses.filter((address) => exceeded.includes(ofAddress(address)));
    const reason = exceeded.includes(byUser)
      ? `would have more than ${MAX_ASKED_BY_USER} addresses asked for confirmation in a day; add them later`
      : `would have ${asked.join(', ')} asked for confirmation more than ${MAX_ASKED_OF_ADDRESS} times in a day; add it later`;
    throw new InvalidFields({ recipients: [reason] });
  }
}

function findStored(
  manager: EntityManager,
  websiteId: number,
  addresses: string[],
): Promise<StoredRecipient[]> {
  return manager.query<StoredRecipient[]>(
    `SELECT address, state, pending_since FROM alert_recipients
    WHERE website_id = ? AND address IN ${placesFor(addresses)}`,
    [websiteId, ...addresses],
  );
}

/** An address that decided is not asked again, and a pending one once a day. */
function mayBeAsked(stored: StoredRecipient | undefined, now: number): boolean {
  if (!stored) return true;
  return stored.state === 'pending' && Number(stored.pending_since) <= now - DAY_MS;
}

/** False if it is gone. */
async function lockWebsite(manager: EntityManager, websiteId: number): Promise<boolean> {
  await manager.query('UPDATE websites SET user_id = user_id WHERE id = ?', [websiteId]);
  const rows = await manager.query<object[]>('SELECT 1 FROM websites WHERE id = ?', [websiteId]);
  return rows.length > 0;
}

async function ownerOf(manager: EntityManager, websiteId: number): Promise<number> {
  const [website] = await manager.query<{ user_id: number | string }[]>(
    'SELECT user_id FROM websites WHERE id = ?',
    [websiteId],
  );
  return Number(website!.user_id);
}

async function changeInAlerts(
  manager: EntityManager,
  websiteId: number,
  { address, state }: Recipient,
  now: number,
): Promise<void> {
  const alerts = await manager.find(Alert, { where: { websiteId }, order: { id: 'ASC' } });
  for (const { id, recipients, updatedAt } of alerts) {
    if (!recipients.some((one) => one.address === address && one.state !== state)) continue;
    const changed = recipients.map((one) => (one.address === address ? { address, state } : one));
    const later = new Date(Math.max(now, updatedAt.getTime() + 1));
    await manager.getRepository(Alert).update(id, { recipients: changed, updatedAt: later });
  }
}
