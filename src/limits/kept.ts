import type { Kept } from '../retention/kept';

const STEP_MS = 3_600_000;

export const LIMITS_KEPT: Kept[] = [
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
