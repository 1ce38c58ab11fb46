import { DAY_MS } from '../../engine/ground/time/days';
import type { RetentionRule } from '../../engine/database/retention-rules';

/** A deleted website's domain is reserved for its former owner. */
export const RESERVED_DAYS = 30;
/** How long a request with an Idempotency-Key is remembered, so that a retry is safe. */
const REQUEST_LIVES_MS = 2 * DAY_MS;
const REQUEST_STEP_MS = 600_000;

export const WEBSITES_RETENTION: RetentionRule[] = [
  {
    table: 'reserved_domains',
    key: 'domain',
    expiries: [
      {
        name: 'reserved domains',
        column: 'reserved_until',
        order: 'reserved_until, domain',
        limit: ({ now }) => Math.floor(now / DAY_MS) * DAY_MS,
      },
    ],
  },
  {
    table: 'store_requests',
    key: 'user_id, idempotency_key',
    expiries: [
      {
        name: 'idempotency keys',
        column: 'created_at',
        order: 'created_at, user_id, idempotency_key',
        limit: ({ now }) => Math.floor((now - REQUEST_LIVES_MS) / REQUEST_STEP_MS) * REQUEST_STEP_MS,
      },
    ],
  },
];
