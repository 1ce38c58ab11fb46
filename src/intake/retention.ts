import { SALT_OUTLIVES_DAY_MS } from '../../engine/hits/rules/salt-lifetime';
import type { RetentionRule } from '../../engine/database/retention-rules';

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
];
