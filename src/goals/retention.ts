import type { RetentionRule } from '../../engine/database/rules';

/** They go with their website. */
export const GOALS_RETENTION: RetentionRule[] = ['goals', 'saved_filters', 'funnels'].map((table) => ({
  table,
  key: 'website_id, id',
}));
