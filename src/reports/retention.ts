import { DAY_MS } from '../../engine/ground/time/days';
import { recipientsRetention } from '../recipients/retention';
import type { RetentionRule, Moments } from '../../engine/database/retention-rules';

/** Longer than a month, so that no monthly report is planned twice. */
const RETAINED_DAYS = 100;

// If a clock that was ahead removed a period's row, its reports would be sent again.
const limit = ({ trusted }: Moments) => (Math.floor(trusted / DAY_MS) - RETAINED_DAYS) * DAY_MS;

export const REPORTS_RETENTION: RetentionRule[] = [
  {
    table: 'report_deliveries',
    key: 'website_id, every, first_day',
    expiries: [
      {
        name: 'report deliveries',
        column: 'planned_at',
        order: 'planned_at, website_id, every, first_day',
        limit,
      },
    ],
  },
  {
    table: 'report_mails',
    key: 'website_id, id',
    expiries: [{ name: 'report mails', column: 'created_at', order: 'created_at, id', limit }],
  },
  recipientsRetention('reports'),
  {
    table: 'report_periods',
    key: 'every, first_day',
    expiries: [
      { name: 'report periods', column: 'planned_at', order: 'planned_at, every, first_day', limit },
    ],
  },
];
