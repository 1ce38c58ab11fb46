import type { AlertRule } from '../alert/alert-rules';

/** What an alert was when it fired. */
export interface FiredAlert extends AlertRule {
  name: string;
}

/** That an alert fired. Moments are in milliseconds. */
export interface Firing {
  id: number;
  websiteId: number;
  alertId: number;
  firedAt: number;
  from: number;
  to: number;
  value: number;
  usual: number | null;
  alert: FiredAlert;
  mails: number;
  webhooks: number;
}

export interface FiringRow {
  id: number | string;
  website_id: number | string;
  alert_id: number | string;
  fired_at: number | string;
  window_from: number | string;
  window_to: number | string;
  value: string;
  usual: string | null;
  alert: string;
  mails: number;
  webhooks: number;
}

export function firingOf(row: FiringRow): Firing {
  return {
    id: Number(row.id),
    websiteId: Number(row.website_id),
    alertId: Number(row.alert_id),
    firedAt: Number(row.fired_at),
    from: Number(row.window_from),
    to: Number(row.window_to),
    value: Number(row.value),
    usual: row.usual === null ? null : Number(row.usual),
    alert: JSON.parse(row.alert) as FiredAlert,
    mails: row.mails,
    webhooks: row.webhooks,
  };
}
