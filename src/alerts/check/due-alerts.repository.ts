import { Injectable } from '@nestjs/common';
import type { Lease } from '../../../engine/database/lease';
import { Database } from '../../../engine/database/database';
import { HitStore } from '../../../engine/port';
import { changedBy, type Transaction } from '../../../engine/database/rows';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import type { AlertMetric } from '../../../engine/questions/plan/metrics';
import type { AlertCondition, AlertSpan } from '../alert/alert-rules';
import type { Recipient } from '../../recipients/recipient';
import { type Judged, MAX_AHEAD_MS } from './judgement';

export interface Due {
  id: number;
  websiteId: number;
  ownerId: number;
  /** The transactions that changed counts of the website, before the check. */
  folds: number;
}

export interface DueAlert extends Due, Judged {
  ownerAddress: string;
  domain: string;
  name: string;
  metric: AlertMetric;
  filters: FilterJson[];
  mail: boolean;
  recipients: Recipient[];
  webhook: boolean;
  failures: number;
  error: string | null;
  updatedAt: number;
}

type Row = Record<string, number | string | null>;

/** What a check leaves. */
export interface Checked {
  judgedUntil: number;
  isArmed: boolean;
  dueAt: number;
  /** The end of a window that need not be looked at again without new hits. Zero if there is none. */
  windowEndsAt: number;
  fired: { at: number; value: number } | undefined;
  error: string | null;
}

const AT_ONCE = 1000;
const isPast = (moment: string, now: number) => `(${moment} <= ${now} OR ${moment} > ${now + MAX_AHEAD_MS})`;
const isDue = (now: number) => `alerts.enabled = 1 AND ${isPast('alerts.due_at', now)}`;

/** Alerts of all owners, for checks. */
@Injectable()
export class DueAlertsRepository {
  constructor(
    private readonly database: Database,
    private readonly hits: HitStore,
  ) {}

  isAnyDueUnscoped(now: number): Promise<boolean> {
    return this.database.read(async (manager) => {
      const rows = await manager.query<object[]>(`SELECT 1 FROM alerts WHERE ${isDue(now)} LIMIT 1`);
      return rows.length > 0;
    });
  }

  /**
   * Some alerts that are due. Owners take turns, and so do the websites of an owner. A running window without new hits is
   * not looked at again.
   */
  findUnscoped(now: number): Promise<Due[]> {
    const changes = this.hits.terms.changes('alerts.website_id');
    return this.database.read(async (manager) => {
      const rows = await manager.query<Row[]>(
        `SELECT id, website_id, user_id, folds FROM (
          SELECT of_owner.*, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY turn_of_website, due_at, id) AS turn FROM (
            SELECT alerts.id, alerts.website_id, alerts.due_at, websites.user_id, ${changes} AS folds,
              ROW_NUMBER() OVER (PARTITION BY alerts.website_id ORDER BY alerts.due_at, alerts.id) AS turn_of_website
            FROM alerts JOIN websites ON websites.id = alerts.website_id
            WHERE ${this.isToCheck(now)}
          ) of_owner
        ) turns ORDER BY turn, due_at, id LIMIT ${AT_ONCE}`,
      );
      return rows.map(({ id, website_id, user_id, folds }) => ({
        id: Number(id),
        websiteId: Number(website_id),
        ownerId: Number(user_id),
        folds: Number(folds),
      }));
    });
  }

  waiting(now: number): string {
    return `SELECT website_id, due_at, failures AS tries, error AS reason FROM alerts
      WHERE enabled = 1 AND failures > 0 OR ${this.isToCheck(now)}`;
  }

  private isToCheck(now: number): string {
    return `${isDue(now)} AND (alerts.judged_folds <> ${this.hits.terms.changes('alerts.website_id')}
      OR ${isPast('alerts.window_ends_at', now)} OR alerts.judged_start <> alerts.starts_at)`;
  }

  /** Undefined if it is gone or switched off. */
  async readUnscoped({ id, folds }: Due): Promise<DueAlert | undefined> {
    const [row] = await this.database.read((manager) =>
      manager.query<Row[]>(
        `SELECT alerts.*, websites.domain AS domain, websites.user_id AS user_id, users.email AS email
        FROM alerts JOIN websites ON websites.id = alerts.website_id JOIN users ON users.id = websites.user_id
        WHERE alerts.id = ? AND alerts.enabled = 1`,
        [id],
      ),
    );
    return row && alertOf(row, folds);
  }

  /** Lets all alerts of a website wait, as its queries fail. */
  async postpone(lease: Lease, websiteId: number, until: number): Promise<void> {
    await lease.write((manager) =>
      manager.query('UPDATE alerts SET due_at = ? WHERE website_id = ? AND enabled = 1 AND due_at < ?', [
        until,
        websiteId,
        until,
      ]),
    );
  }
}

/** Keeps what a check found. False if the alert was changed since it was read. */
export async function keepChecked(
  manager: Transaction,
  alert: DueAlert,
  { judgedUntil, isArmed, dueAt, windowEndsAt, fired, error }: Checked,
): Promise<boolean> {
  const isShown = fired !== undefined || error !== alert.error;
  const changed = await changedBy(
    manager,
    `UPDATE alerts SET judged_start = starts_at, judged_until = ?, is_armed = ?, due_at = ?, window_ends_at = ?,
    judged_folds = ?, failures = ?, error = ?, updated_at = ?${fired ? ', fired_at = ?, fired_value = ?' : ''}
    WHERE id = ? AND updated_at = ? AND enabled = 1`,
    [
      ...[judgedUntil, isArmed ? 1 : 0, Math.ceil(dueAt), windowEndsAt],
      ...[error === null ? alert.folds : -1, error === null ? 0 : alert.failures + 1, error],
      isShown ? Math.max(alert.updatedAt + 1, fired?.at ?? 0) : alert.updatedAt,
      ...(fired ? [fired.at, JSON.stringify(fired.value)] : []),
      ...[alert.id, alert.updatedAt],
    ],
  );
  return changed === 1;
}

function alertOf(row: Row, folds: number): DueAlert {
  return {
    id: Number(row.id),
    websiteId: Number(row.website_id),
    ownerId: Number(row.user_id),
    ownerAddress: String(row.email),
    domain: String(row.domain),
    name: String(row.name),
    metric: row.metric as AlertMetric,
    filters: JSON.parse(String(row.filters)) as FilterJson[],
    condition: row.alert_condition as AlertCondition,
    threshold: JSON.parse(String(row.threshold)) as number | null,
    within: row.within as AlertSpan | null,
    quietHours: Number(row.quiet_hours),
    mail: Number(row.mail) === 1,
    recipients: JSON.parse(String(row.recipients)) as Recipient[],
    webhook: Number(row.webhook) === 1,
    startsAt: Number(row.starts_at),
    firedAt: row.fired_at === null ? null : Number(row.fired_at),
    judgedStart: Number(row.judged_start),
    judgedUntil: Number(row.judged_until),
    isArmed: Number(row.is_armed) === 1,
    failures: Number(row.failures),
    error: row.error === null ? null : String(row.error),
    updatedAt: Number(row.updated_at),
    folds,
  };
}
