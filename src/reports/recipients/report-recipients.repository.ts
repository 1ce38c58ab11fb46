import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Settings } from '../../config/settings';
import { EntityDatabase } from '../../database/entity-database';
import { DayCounts } from '../../limits/day-counts';
import type { Recipient, RecipientState } from '../../recipients/recipient';
import { type Question, RecipientsRepository } from '../../recipients/recipients.repository';
import { expectWebsite, lockWebsite } from '../../websites/resources/resources.repository';
import { askForConfirmation } from '../mails/new-report-mails';
import { offReasonOf } from '../status/off-reason';

interface Listed extends Recipient {
  wasAsked: boolean;
}

/**
 * The addresses that an owner lists as recipients of reports, in order of `place`, and what addresses decided. One that
 * was taken from the list has no place; its decision stays.
 */
@Injectable()
export class ReportRecipientsRepository extends RecipientsRepository {
  constructor(database: EntityDatabase, counts: DayCounts, settings: Settings) {
    super(database, counts, 'reports', offReasonOf(settings) === undefined);
  }

  list(ownerId: number, websiteId: number): Promise<Recipient[]> {
    return this.database.readQuick(async (manager) => {
      await expectWebsite(manager, ownerId, websiteId);
      return (await listedOf(manager, websiteId)).map(recipientOf);
    });
  }

  /** `check` throws if the list that is there must not be replaced. */
  replace(
    ownerId: number,
    websiteId: number,
    addresses: readonly string[],
    check: (before: Recipient[]) => void,
  ): Promise<Recipient[]> {
    return this.database.write(async (manager) => {
      await lockWebsite(manager, ownerId, websiteId);
      const before = await listedOf(manager, websiteId);
      check(before.map(recipientOf));
      const asked = before.filter(({ wasAsked }) => wasAsked).map(({ address }) => address);
      const recipients = await this.admit(manager, websiteId, addresses, asked);
      await setPlaces(manager, websiteId, addresses);
      return recipients;
    });
  }

  findReadersUnscoped(websiteId: number): Promise<string[]> {
    return this.database.readQuick((manager) => readersOf(manager, websiteId));
  }

  protected override ask(manager: EntityManager, question: Question): Promise<void> {
    return askForConfirmation(manager, question);
  }

  protected override async isListed(
    manager: EntityManager,
    websiteId: number,
    address: string,
  ): Promise<boolean> {
    return (await listedOf(manager, websiteId)).some((one) => one.address === address);
  }
}

/** The addresses in the list of a website that confirmed. */
export async function readersOf(manager: EntityManager, websiteId: number): Promise<string[]> {
  const listed = await listedOf(manager, websiteId);
  return listed.filter(({ state }) => state === 'confirmed').map(({ address }) => address);
}

async function listedOf(manager: EntityManager, websiteId: number): Promise<Listed[]> {
  const rows = await manager.query<
    { address: string; state: RecipientState; pending_since: number | string | null }[]
  >(
    'SELECT address, state, pending_since FROM report_recipients WHERE website_id = ? AND place IS NOT NULL ORDER BY place',
    [websiteId],
  );
  return rows.map(({ address, state, pending_since }) => ({
    address,
    state,
    wasAsked: state !== 'pending' || pending_since !== null,
  }));
}

const recipientOf = ({ address, state }: Listed): Recipient => ({ address, state });

async function setPlaces(
  manager: EntityManager,
  websiteId: number,
  addresses: readonly string[],
): Promise<void> {
  await manager.query('UPDATE report_recipients SET place = NULL WHERE website_id = ?', [websiteId]);
  const rows = await manager.query<{ address: string }[]>(
    'SELECT address FROM report_recipients WHERE website_id = ?',
    [websiteId],
  );
  const stored = new Set(rows.map(({ address }) => address));
  for (const [place, address] of addresses.entries())
    await manager.query(
      stored.has(address)
        ? 'UPDATE report_recipients SET place = ? WHERE website_id = ? AND address = ?'
        : "INSERT INTO report_recipients (place, website_id, address, state, pending_since) VALUES (?, ?, ?, 'pending', NULL)",
      [place, websiteId, address],
    );
  // Nobody decided anything about those.
  await manager.query(
    "DELETE FROM report_recipients WHERE website_id = ? AND place IS NULL AND state = 'pending' AND pending_since IS NULL",
    [websiteId],
  );
}
