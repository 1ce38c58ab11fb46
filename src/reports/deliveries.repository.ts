import { Injectable } from '@nestjs/common';
import { Database } from '../../engine/database/database';
import { ClaimedMails } from '../mail/claimed-mails';
import type { MailState, Settlement } from '../mail/mail-state';
import { WebhookDeliveries } from '../webhooks/deliveries/new-deliveries';
import { planCopies } from './mails/new-report-mails';
import type { Period, Rhythm } from './period';
import { type MailedReport, reportContent } from './report-for-webhooks';
import type { Transaction } from '../../engine/database/rows';

export interface Delivery {
  websiteId: number;
  every: Rhythm;
  firstDay: number;
  state: MailState;
  /** The time of the next attempt, or the end of the lease. */
  dueAt: number;
  attempts: number;
  recipient: string | null;
  messageId: string | null;
  reason: string | null;
  changedAt: number;
}

export type DeliveryKey = Pick<Delivery, 'websiteId' | 'every' | 'firstDay'>;
export type ListedDelivery = Delivery & { domain: string | null; email: string | null };

export interface ReportSettlement extends Settlement {
  /** Set if it was sent. */
  mailed?: MailedReport;
}

const PLANNED_AT_ONCE = 2000;
const COLUMNS = `website_id AS websiteId, every, first_day AS firstDay, state, due_at AS dueAt, attempts, recipient,
  message_id AS messageId, reason, changed_at AS changedAt`;
const KEY = 'website_id = ? AND every = ? AND first_day = ?';

const valuesOf = ({ websiteId, every, firstDay }: DeliveryKey) => [websiteId, every, firstDay];

@Injectable()
export class DeliveriesRepository extends ClaimedMails<DeliveryKey, Delivery> {
  constructor(
    database: Database,
    private readonly webhooks: WebhookDeliveries,
  ) {
    super(database, {
      name: 'report_deliveries',
      columns: COLUMNS,
      key: ['website_id', 'every', 'first_day'],
      keyOf: valuesOf,
      numbers: ['websiteId', 'dueAt', 'changedAt'],
    });
  }

  /** The first days of the periods that were planned. */
  async readPlannedPeriods(every: Rhythm): Promise<Set<number>> {
    const rows = await this.database.query<{ first_day: number }[]>(
      'SELECT first_day FROM report_periods WHERE every = ?',
      [every],
    );
    return new Set(rows.map((row) => row.first_day));
  }

  /** Adds the reports of each website that wants them and existed in the period. A repeated call adds missing ones. */
  async plan({ every, from }: Period, registeredBefore: number, now: number): Promise<void> {
    const { insertIfMissing } = this.database.dialect;
    for (let after = 0; ;) {
      const some = await this.database.query<{ id: number }[]>(
        `SELECT id FROM websites WHERE email = 1 AND created_at < ? AND id > ? ORDER BY id LIMIT ${PLANNED_AT_ONCE}`,
        [registeredBefore, after],
      );
      const last = some.at(-1);
      if (!last) return this.markPlanned(every, from, now);
      await this.database.execute(
        `${insertIfMissing} report_deliveries (website_id, every, first_day, state, due_at, attempts, planned_at, changed_at)
        SELECT id, ?, ?, 'waiting', ?, 0, ?, ? FROM websites
        WHERE email = 1 AND created_at < ? AND id > ? AND id <= ?`,
        [every, from, now, now, now, registeredBefore, after, last.id],
      );
      const websites = { registeredBefore, after, last: Number(last.id) };
      await this.database.write((manager) =>
        planCopies(manager, this.database.dialect, { every, from }, websites, now),
      );
      after = websites.last;
    }
  }

  async markPlanned(every: Rhythm, firstDay: number, now: number): Promise<void> {
    await this.database.execute(
      `${this.database.dialect.insertIfMissing} report_periods (every, first_day, planned_at) VALUES (?, ?, ?)`,
      [every, firstDay, now],
    );
  }

  /** Claims a report in any state. Undefined while another process works on it. */
  async seize(
    key: DeliveryKey,
    owner: string,
    now: number,
    leaseEndsAt: number,
  ): Promise<Delivery | undefined> {
    await this.makeDue(now);
    const { insertIfMissing } = this.database.dialect;
    return this.database.write(async (manager) => {
      await manager.query(
        `${insertIfMissing} report_deliveries (website_id, every, first_day, state, due_at, attempts, planned_at, changed_at)
        VALUES (?, ?, ?, 'skipped', ?, 0, ?, ?)`,
        [...valuesOf(key), now, now, now],
      );
      const [before] = await manager.query<Delivery[]>(
        `SELECT ${COLUMNS} FROM report_deliveries WHERE ${KEY}`,
        valuesOf(key),
      );
      await manager.query(
        `UPDATE report_deliveries SET state = 'claimed', owner = ?, due_at = ? WHERE ${KEY} AND state = ?
        AND state NOT IN ('claimed', 'sending')`,
        [owner, leaseEndsAt, ...valuesOf(key), before!.state],
      );
      const [mine] = await manager.query<object[]>(
        `SELECT 1 FROM report_deliveries WHERE ${KEY} AND state = 'claimed' AND owner = ?`,
        [...valuesOf(key), owner],
      );
      return mine && this.withNumbers(before!);
    });
  }

  /** Webhooks get a report that was sent. */
  override settle(
    key: DeliveryKey,
    owner: string,
    settlement: ReportSettlement,
    now: number,
  ): Promise<boolean> {
    return this.database.write(async (manager) => {
      const isSettled = await this.settleIn(manager, key, owner, settlement, now);
      if (isSettled && settlement.mailed) await this.addToWebhooks(manager, key, settlement.mailed, now);
      return isSettled;
    });
  }

  /** The report of the latest period, unless the website wanted none. */
  async findLast(websiteId: number): Promise<Delivery | undefined> {
    const [row] = await this.database.read((manager) =>
      manager.query<Delivery[]>(
        `SELECT ${COLUMNS} FROM report_deliveries WHERE website_id = ? AND state <> 'skipped'
        ORDER BY first_day DESC, every LIMIT 1`,
        [websiteId],
      ),
    );
    return row && this.withNumbers(row);
  }

  /** The latest first. */
  async list(limit: number, state?: MailState): Promise<ListedDelivery[]> {
    const rows = await this.database.read((manager) =>
      manager.query<ListedDelivery[]>(
        `SELECT ${COLUMNS}, websites.domain AS domain, users.email AS email FROM (
          SELECT * FROM report_deliveries ${state ? 'WHERE state = ?' : ''}
          ORDER BY planned_at DESC, website_id DESC LIMIT ${limit}
        ) listed LEFT JOIN websites ON websites.id = website_id LEFT JOIN users ON users.id = websites.user_id
        ORDER BY planned_at DESC, website_id DESC`,
        state ? [state] : [],
      ),
    );
    return rows.map((row) => this.withNumbers(row));
  }

  private async addToWebhooks(
    manager: Transaction,
    { every, firstDay }: DeliveryKey,
    mailed: MailedReport,
    now: number,
  ): Promise<void> {
    const { id, userId, domain } = mailed.website;
    const occasion = `report ${id} ${every} ${firstDay}`;
    const content = reportContent(mailed);
    await this.webhooks.addFor(manager, userId, 'report', occasion, { id, domain }, content, now);
  }
}
