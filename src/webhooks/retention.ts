import { DAY_MS } from '../../engine/ground/time/days';
import type { RetentionRule } from '../../engine/database/retention-rules';
import { MAX_ANSWER_BYTES, MAX_ANSWERS } from './deliveries/delivery';
import { MAX_BODY_BYTES } from './deliveries/delivery-body';
import { MAX_ENDED } from './webhook-limits';

const STEP_MS = 600_000;
/** JSON may write a byte as six. */
const MAX_ROW_BYTES = MAX_BODY_BYTES + 6 * MAX_ANSWERS * MAX_ANSWER_BYTES;

export const WEBHOOKS_RETENTION: RetentionRule[] = [
  {
    table: 'webhook_deliveries',
    key: 'id',
    maxRowBytes: MAX_ROW_BYTES,
    expiries: [
      {
        name: 'webhook deliveries',
        column: 'ended_at',
        order: 'ended_at, id',
        limit: ({ now }) => Math.floor((now - MAX_ENDED.days * DAY_MS) / STEP_MS) * STEP_MS,
      },
    ],
  },
];
