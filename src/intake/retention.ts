import { SALT_OUTLIVES_DAY_MS } from '../../engine/hits/salt-lifetime';
import { waitsInInbox } from '../hits/retention';
import type { RetentionRule } from '../../engine/database/rules';

const HOUR_MS = 3_600_000;
/** How long an event's id is remembered, so that a retry is safe. */
const EVENT_ID_LIVES_MS = 48 * HOUR_MS;
const ID_STEP_MS = 600_000;

export const INTAKE_RETENTION: RetentionRule[] = [
  {
    table: 'salts',
    key: 'day, zone',
    expiries: [
      {
        name: 'salts',
        column: 'day',
        order: 'day, zone',
        limit: ({ now, dayOf }) => dayOf(now - SALT_OUTLIVES_DAY_MS),
        leavesNoTrace: true,
        isUrgent: true,
      },
    ],
  },
  {
    table: 'event_ids',
    key: 'website_id, event_id',
    expiries: [
      {
        name: 'event ids',
        column: 'accepted_at',
        order: 'website_id, accepted_at, event_id',
        limit: ({ now }) => Math.floor((now - EVENT_ID_LIVES_MS) / ID_STEP_MS) * ID_STEP_MS,
        // An event that was retried while its id was known may be folded much later.
        waits: (limit) => waitsInInbox(limit + EVENT_ID_LIVES_MS),
      },
    ],
  },
];
