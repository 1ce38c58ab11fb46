import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Database } from '../../../engine/database/database';
import { changedBy, placeholdersFor, type Transaction } from '../../../engine/database/rows';
import { DayCounts } from '../../limits/day-counts';
import { WebhookDeliveries } from '../../webhooks/deliveries/new-deliveries';
import { addressOf } from '../../recipients/recipients-field';
import type { DueAlert } from '../check/due-alerts.repository';
import type { Window } from '../check/windows';
import { hasMailServer } from '../../mail/smtp-session';
import { mailFiring } from '../mails/new-mails';
import type { FiredAlert } from './firing';

/** Mails are sent one after the other, so those of one user delay everybody's. */
const MAX_MAILS_IN_A_DAY = 200;

interface NewFiring {
  window: Window;
  value: number;
  usual: number | null;
  at: number;
}

/** Adds firings with their mails and deliveries, in the transaction of a check. */
@Injectable()
export class NewFirings {
  private readonly hasMails: boolean;

  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookDeliveries,
    private readonly counts: DayCounts,
    settings: Settings,
  ) {
    this.hasMails = hasMailServer(settings);
  }

  /** False if the alert has fired for this window before. */
  async add(manager: Transaction, alert: DueAlert, firing: NewFiring): Promise<boolean> {
    const id = await this.insert(manager, alert, firing);
    if (id === undefined) return false;
    const { websiteId, ownerId } = alert;
    const addresses = await this.mailedFor(manager, alert, firing.at);
    await mailFiring(manager, { websiteId, userId: ownerId, firingId: id, addresses, now: firing.at });
    const deliveries = alert.webhook ? await this.deliver(manager, alert, firing) : 0;
    if (addresses.length + deliveries > 0)
      await manager.query('UPDATE alert_firings SET mails = ?, webhooks = ? WHERE id = ?', [
        ...[addresses.length, deliveries, id],
      ]);
    return true;
  }

  /** The first of the addresses, that of the owner before others, until the user has had the mails of a day. */
  private async mailedFor(manager: Transaction, alert: DueAlert, now: number): Promise<string[]> {
    const addresses = this.hasMails ? await subscribedOf(manager, alert) : [];
    if (addresses.length === 0) return [];
    const name = `mails about alerts of user ${alert.ownerId}`;
    const portion = { name, wanted: addresses.length, most: MAX_MAILS_IN_A_DAY };
    return addresses.slice(0, await this.counts.takeSome(manager, now, portion));
  }

  private async insert(
    manager: Transaction,
    { id, websiteId, ...alert }: DueAlert,
    { window, value, usual, at }: NewFiring,
  ): Promise<number | undefined> {
    const { name, metric, condition, threshold, within } = alert;
    const fired: FiredAlert = { name, metric, condition, threshold, within };
    const added = await changedBy(
      manager,
      `${this.database.dialect.insertIfMissing} alert_firings
      (website_id, alert_id, window_from, window_to, fired_at, value, usual, alert, mails, webhooks)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
      [
        ...[websiteId, id, window.from, window.to, at, JSON.stringify(value)],
        ...[usual === null ? null : JSON.stringify(usual), JSON.stringify(fired)],
      ],
    );
    if (added !== 1) return undefined;
    const [row] = await manager.query<{ id: number | string }[]>(
      'SELECT id FROM alert_firings WHERE alert_id = ? AND window_from = ?',
      [id, window.from],
    );
    return Number(row!.id);
  }

  private deliver(manager: Transaction, alert: DueAlert, firing: NewFiring): Promise<number> {
    const { id, ownerId, websiteId, domain, name, metric, condition, threshold, within } = alert;
    const { window, value, usual, at } = firing;
    return this.webhooks.addFor(
      manager,
      ownerId,
      'alert',
      `alert ${id} ${window.from}`,
      { id: websiteId, domain },
      {
        alert: { id, name, metric, condition, threshold, within },
        ...{ value, usual },
        from: new Date(window.from).toISOString(),
        to: new Date(window.to).toISOString(),
      },
      at,
    );
  }
}

/** The addresses that get a mail: first that of the owner, then those that confirmed, unless they stopped it. */
async function subscribedOf(
  manager: Transaction,
  { websiteId, ownerAddress, mail, recipients }: DueAlert,
): Promise<string[]> {
  const owner = mail ? addressOf(ownerAddress) : undefined;
  const addresses = [...new Set([...(owner ? [owner] : []), ...recipients.map(({ address }) => address)])];
  if (addresses.length === 0) return [];
  const decisions = await manager.query<{ address: string; state: string }[]>(
    `SELECT address, state FROM alert_recipients WHERE website_id = ? AND address IN ${placeholdersFor(addresses)}`,
    [websiteId, ...addresses],
  );
  const states = new Map(decisions.map(({ address, state }) => [address, state]));
  return addresses.filter((address) => {
    const state = states.get(address);
    return state === 'confirmed' || (address === owner && state !== 'unsubscribed');
  });
}

/** Tells whether an alert has fired for a window, perhaps before it was changed. */
export async function hasFired(manager: Transaction, alertId: number, { from }: Window): Promise<boolean> {
  const rows = await manager.query<object[]>(
    'SELECT 1 FROM alert_firings WHERE alert_id = ? AND window_from = ?',
    [alertId, from],
  );
  return rows.length > 0;
}
