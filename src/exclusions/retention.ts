import type { RetentionRule } from '../../engine/database/retention-rules';

/** An exclusion goes with the statistics of its last day. */
export const EXCLUSIONS_RETENTION: RetentionRule[] = [
  {
    table: 'exclusions',
    key: 'website_id, id',
    expiries: [
      {
        name: 'exclusions',
        column: 'to_day',
        order: 'website_id, to_day, id',
        limit: ({ trusted, dayOf, settings: { statsDays } }) =>
          statsDays === undefined ? undefined : dayOf(trusted) - statsDays,
      },
    ],
  },
];
