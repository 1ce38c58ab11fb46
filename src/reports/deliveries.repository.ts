import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database';
import type { Lease } from '../database/lease';
import { changedBy } from '../database/rows';
import { WebhookDeliveries } from '../webhooks/deliveries/new-deliveries';
import type { Period, Rhythm } from './period';
import { type MailedReport, reportContent } from './report-content';

/**
 * `claimed` and `sending` belong to one process until their lease ends. From `sending` on, the mail server may have the
 * message: if its process ends then, the report becomes `unknown`.
 */
export const STATES = ['waiting', 'claimed', 'sending', 'sent', 'failed', 'skipped', 'unknown'] as const;
export type DeliveryState = (typeof STATES)[number];
type Settled = Exclude<DeliveryState, 'claimed' | 'sending'>;

export interface Delivery {
  websiteId: number;
  every: Rhythm;
  firstDay: number;
  state: DeliveryState;
  /** The time of the next attempt, or the end of the lease. */
  dueAt: number;
  attempts: number;
  recipient: string | null;
  messageId: string | null;
  reason: string | null;
  changedAt: number;
}

type DeliveryKey = Pick<Delivery, 'websiteId' | 'every' | 'firstDay'>;
export type ListedDelivery = Delivery & { domain: string | null; email: string | null };

export interface Settlement {
  state: Settled;
  reason: string | null;
  attempts: number;
  dueAt: number;
  /** Set if it was sent. */
  mailed?: MailedReport;
}

const PLANNED_AT_ONCE = 2000;
const COLUMNS = `website_id AS websiteId, every, first_day AS firstDay, state, due_at AS dueAt, attempts, recipient,
  message_id AS messageId, reason, changed_at AS changedAt`;
const KEY = 'website_id = ? AND every = ? AND first_day = ?';

const valuesOf = ({ websiteId, every, firstDay }: DeliveryKey) => [websiteId, every, firstDay];

@Injectable()
export class DeliveriesRepository {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookDeliveries,
  ) {}

  /** The first days of the periods that were planned. */
  async readPlannedPeriods(every: Rhythm): Promise<Set<number>> {
    const rows = await this.database.query<{ first_day: number }[]>(
      'SELECT first_day FROM report_periods WHERE every = ?',
      [every],
    );
    return new Set(rows.map((row) => row.first_day));
  }

  /** Adds a report for each website that wants one and existed in the period. A repeated call adds missing ones. */
  async plan({ every, from }: Period, registeredBefore: number, now: number): Promise<void> {
    const { insertIfMissing } = this.database.dialect;
    for (let after = 0; ;) {
      const websites = await this.database.query<{ id: number }[]>(
        `SELECT id FROM websites WHERE email = 1 AND created_at < ? AND id > ? ORDER BY id LIMIT ${PLANNED_AT_ONCE}`,
        [registeredBefore, after],
      );
      const last = websites.at(-1);
      if (!last) return this.markPlanned(every, from, now);
      await this.database.execute(
        `${insertIfMissing} report_deliveries (website_id, every, first_day, state, due_at, attempts, planned_at, changed_at)
        SELECT id, ?, ?, 'waiting', ?, 0, ?, ? FROM websites
        WHERE email = 1 AND created_at < ? AND id > ? AND id <= ?`,
        [every, from, now, now, now, registeredBefore, after, last.id],
      );
      after = Number(last.id);
    }
  }

  async markPlanned(every: Rhythm, firstDay: number, now: number): Promise<void> {
    await this.database.execute(
      `${this.database.dialect.insertIfMissing} report_periods (every, first_day, planned_at) VALUES (?, ?, ?)`,
      [every, firstDay, now],
    );
  }

  /** Frees reports of ended processes for others, except those that the mail server may have. */
  async endLeases(now: number): Promise<{ lost: number }> {
    await this.database.execute(
      "UPDATE report_deliveries SET state = 'waiting', owner = NULL WHERE state = 'claimed' AND due_at < ?",
      [now],
    );
    const lost = await this.database.execute(
      `UPDATE report_deliveries SET state = 'unknown', changed_at = ?,
      reason = 'the process ended after the mail server may have received the message' WHERE state = 'sending' AND due_at < ?`,
      [now, now],
    );
    return { lost };
  }

  /** Claims the next due report. Undefined if there is none. */
  async claim(lease: Lease, owner: string, now: number, claimEndsAt: number): Promise<Delivery | undefined> {
    for (;;) {
      const [next] = await this.database.query<Delivery[]>(
        `SELECT ${COLUMNS} FROM report_deliveries WHERE state = 'waiting' AND due_at <= ?
        ORDER BY due_at, website_id, every, first_day LIMIT 1`,
        [now],
      );
      if (!next) return undefined;
      const claimed = await lease.write((manager) =>
        changedBy(
          manager,
          `UPDATE report_deliveries SET state = 'claimed', owner = ?, due_at = ? WHERE ${KEY} AND state = 'waiting'`,
          [owner, claimEndsAt, ...valuesOf(next)],
        ),
      );
      if (claimed === 1) return { ...withNumbers(next), state: 'claimed' };
    }
  }

  /** Claims a report in any state. Undefined while another process works on it. */
  async seize(
    key: DeliveryKey,
    owner: string,
    now: number,
    leaseEndsAt: number,
  ): Promise<Delivery | undefined> {
    await this.endLeases(now);
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
      return mine && withNumbers(before!);
    });
  }

  /** False if another process took the report over. */
  async beginSending(
    key: DeliveryKey,
    owner: string,
    message: { recipient: string; messageId: string; now: number; leaseEndsAt: number },
  ): Promise<boolean> {
    const { recipient, messageId, now, leaseEndsAt } = message;
    const changed = await this.database.execute(
      `UPDATE report_deliveries SET state = 'sending', recipient = ?, message_id = ?, due_at = ?, changed_at = ?
      WHERE ${KEY} AND state = 'claimed' AND owner = ?`,
      [recipient, messageId, leaseEndsAt, now, ...valuesOf(key), owner],
    );
    return changed === 1;
  }

  /** Stores the outcome of a report, unless another process has taken it over. Webhooks get a report that was sent. */
  async settle(
    key: DeliveryKey,
    owner: string,
    { state, reason, attempts, dueAt, mailed }: Settlement,
    now: number,
  ): Promise<void> {
    await this.database.write(async (manager) => {
      const changed = await changedBy(
        manager,
        `UPDATE report_deliveries SET state = ?, reason = ?, attempts = ?, due_at = ?, changed_at = ?, owner = NULL
        WHERE ${KEY} AND owner = ? AND state IN ('claimed', 'sending', 'unknown')`,
        [state, reason, attempts, dueAt, now, ...valuesOf(key), owner],
      );
      if (changed === 1 && mailed) await this.addToWebhooks(manager, key, mailed, now);
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
    return row && withNumbers(row);
  }

  /** The latest first. */
  async list(limit: number, state?: DeliveryState): Promise<ListedDelivery[]> {
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
    return rows.map((row) => ({ ...row, ...withNumbers(row) }));
  }

  private async addToWebhooks(
    manager: EntityManager,
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

function withNumbers(row: Delivery): Delivery {
  return {
    ...row,
    websiteId: Number(row.websiteId),
    dueAt: Number(row.dueAt),
    changedAt: Number(row.changedAt),
  };
}
