import type { EntityManager } from 'typeorm';
import { InvalidFields } from '../../engine/ground/errors';
import { DAY_MS } from '../../engine/ground/time/days';
import type { EntityDatabase } from '../database/entity-database';
import { nowOf, placeholdersFor } from '../../engine/database/rows';
import type { DayCounts } from '../limits/day-counts';
import type { Recipient, RecipientState, Topic } from './recipient';

const MAX_ASKED_BY_USER = 20;
/** All users of the service together ask an address as often as this in a day. */
const MAX_ASKED_OF_ADDRESS = 3;

interface StoredRecipient {
  address: string;
  state: RecipientState;
  pending_since: number | string | null;
}

/** A mail that asks an address for confirmation. */
export interface Question {
  websiteId: number;
  userId: number;
  address: string;
  now: number;
}

/**
 * What addresses decided about the alerts or the reports of websites. An address without a row is pending, and was never
 * asked. Both topics take from the same budgets.
 */
export abstract class RecipientsRepository {
  /** It has the columns `website_id`, `address`, `state` and `pending_since`. */
  private readonly table: string;

  constructor(
    protected readonly database: EntityDatabase,
    private readonly counts: DayCounts,
    topic: Topic,
    private readonly mayAsk: boolean,
  ) {
    this.table = topic === 'alerts' ? 'alert_recipients' : 'report_recipients';
  }

  /** Adds the mail that asks an address. */
  protected abstract ask(manager: EntityManager, question: Question): Promise<void>;

  /** Tells whether the owner of a website lists an address. */
  protected abstract isListed(manager: EntityManager, websiteId: number, address: string): Promise<boolean>;

  /** Runs in the transaction that stores what an address decided. */
  protected decided(_: EntityManager, __: number, ___: Recipient): Promise<void> {
    return Promise.resolve();
  }

  /** The recipients of a list, with what they decided. Asks those who are new, unless they were asked within a day. */
  async admit(
    manager: EntityManager,
    websiteId: number,
    addresses: readonly string[],
    before: readonly string[],
  ): Promise<Recipient[]> {
    if (addresses.length === 0) return [];
    const now = await nowOf(manager, this.database.dialect);
    const known = new Map(
      (await this.findStored(manager, websiteId, addresses)).map((stored) => [stored.address, stored]),
    );
    const asked = addresses.filter(
      (address) => !before.includes(address) && mayBeAsked(known.get(address), now),
    );
    if (this.mayAsk && asked.length > 0) await this.askAll(manager, websiteId, asked, now);
    return addresses.map((address) => ({ address, state: known.get(address)?.state ?? 'pending' }));
  }

  /** Unscoped: the link in a mail proves that its reader has the address. */
  findStateUnscoped(websiteId: number, address: string): Promise<RecipientState> {
    return this.database.readQuick(async (manager) => {
      const [stored] = await this.findStored(manager, websiteId, [address]);
      return stored?.state ?? 'pending';
    });
  }

  /** Unscoped, like the look-up. Keeps the decision of an address. */
  async decideUnscoped(
    websiteId: number,
    address: string,
    state: Exclude<RecipientState, 'pending'>,
  ): Promise<void> {
    // A link can be followed again and again.
    if ((await this.findStateUnscoped(websiteId, address)) === state) return;
    await this.database.write(async (manager) => {
      if (!(await lockWebsite(manager, websiteId))) return;
      await this.keep(manager, websiteId, { address, state }, null);
      await this.decided(manager, websiteId, { address, state });
    });
  }

  /**
   * Unscoped, like the look-up. Takes back the question to an address that is no recipient any more, so that it is asked
   * if it is added again. False if it is one.
   */
  takeQuestionBackUnscoped(websiteId: number, address: string): Promise<boolean> {
    return this.database.write(async (manager) => {
      await lockWebsite(manager, websiteId);
      if (await this.isListed(manager, websiteId, address)) return false;
      await manager.query(
        `DELETE FROM ${this.table} WHERE website_id = ? AND address = ? AND state = 'pending'`,
        [websiteId, address],
      );
      return true;
    });
  }

  private async askAll(
    manager: EntityManager,
    websiteId: number,
    addresses: string[],
    now: number,
  ): Promise<void> {
    const userId = await ownerOf(manager, websiteId);
    await this.count(manager, userId, addresses, now);
    for (const address of addresses) {
      await this.keep(manager, websiteId, { address, state: 'pending' }, now);
      await this.ask(manager, { websiteId, userId, address, now });
    }
  }

  private async keep(
    manager: EntityManager,
    websiteId: number,
    { address, state }: Recipient,
    pendingSince: number | null,
  ): Promise<void> {
    const [stored] = await this.findStored(manager, websiteId, [address]);
    await manager.query(
      stored
        ? `UPDATE ${this.table} SET state = ?, pending_since = ? WHERE website_id = ? AND address = ?`
        : `INSERT INTO ${this.table} (state, pending_since, website_id, address) VALUES (?, ?, ?, ?)`,
      [state, pendingSince, websiteId, address],
    );
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

  private findStored(
    manager: EntityManager,
    websiteId: number,
    addresses: readonly string[],
  ): Promise<StoredRecipient[]> {
    return manager.query<StoredRecipient[]>(
      `SELECT address, state, pending_since FROM ${this.table}
      WHERE website_id = ? AND address IN ${placeholdersFor(addresses)}`,
      [websiteId, ...addresses],
    );
  }
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
