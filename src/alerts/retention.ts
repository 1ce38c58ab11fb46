import { DAY_MS } from '../../engine/ground/time/days';
import { recipientsRetention } from '../recipients/retention';
import type { Expiry, Moments, RetentionRule } from '../../engine/database/retention-rules';

const FIRINGS_DAYS = 90;
const MAILS_DAYS = 30;

const after = (days: number, expiry: Omit<Expiry, 'limit'>): Expiry => ({
  ...expiry,
  limit: ({ now }: Moments) => (Math.floor(now / DAY_MS) - days) * DAY_MS,
});

export const ALERTS_RETENTION: RetentionRule[] = [
  { table: 'alerts', key: 'website_id, id' },
  {
    table: 'alert_firings',
    key: 'website_id, id',
    expiries: [after(FIRINGS_DAYS, { name: 'alert firings', column: 'fired_at', order: 'fired_at, id' })],
  },
  {
    table: 'alert_mails',
    key: 'website_id, id',
    expiries: [after(MAILS_DAYS, { name: 'alert mails', column: 'created_at', order: 'created_at, id' })],
  },
  recipientsRetention('alerts'),
];
