import type { RetentionRule } from '../../engine/database/retention-rules';

const STEP_MS = 3_600_000;

export const LIMITS_RETENTION: RetentionRule[] = [
  {
    table: 'limit_counts',
    key: 'counter',
    expiries: [
      {
        name: 'counts of requests',
        column: 'ends_at',
        order: 'ends_at, counter',
        limit: ({ now }) => Math.floor(now / STEP_MS) * STEP_MS,
      },
    ],
  },
];
