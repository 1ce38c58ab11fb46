import type { RetentionRule } from '../../engine/database/retention-rules';

const STEP_MS = 3_600_000;

export const PAGES_RETENTION: RetentionRule[] = [
  {
    table: 'ended_sessions',
    key: 'session',
    expiries: [
      {
        name: 'sessions that were ended',
        column: 'ends_at',
        order: 'ends_at, session',
        limit: ({ now }) => Math.floor(now / STEP_MS) * STEP_MS,
      },
    ],
  },
];
