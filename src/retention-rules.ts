import type { RetentionRule } from '../engine/database/retention-rules';
import { ALERTS_RETENTION } from './alerts/retention';
import { ANNOTATIONS } from './annotations/annotations.resource';
import { COUNTING_RETENTION, EVENT_ID_RETENTION, STORAGE_RETENTION } from './hits/retention';
import { EXCLUSIONS_RETENTION } from './exclusions/retention';
import { FUNNELS } from './goals/funnels/funnels.resource';
import { GOALS } from './goals/goals/goals.resource';
import { SAVED_FILTERS } from './goals/saved-filters/saved-filters.resource';
import { INTAKE_RETENTION } from './intake/retention';
import { LIMITS_RETENTION } from './limits/retention';
import { PAGES_RETENTION } from './pages/retention';
import { REPORTS_RETENTION } from './reports/retention';
import { WEBHOOKS_RETENTION } from './webhooks/retention';
import type { ResourceKind } from './websites/resources/define-resource';
import { WEBSITES_RETENTION } from './websites/retention';

function goesWithWebsite({ pattern }: Pick<ResourceKind, 'pattern'>): RetentionRule {
  return { table: pattern, key: 'website_id, id' };
}

/** The order of removal for a deleted website: uncounted hits first, the lease last. */
export const RETENTION_RULES = [
  ...INTAKE_RETENTION,
  ...EVENT_ID_RETENTION,
  ...WEBSITES_RETENTION,
  ...[ANNOTATIONS, GOALS, SAVED_FILTERS, FUNNELS].map(goesWithWebsite),
  ...EXCLUSIONS_RETENTION,
  ...REPORTS_RETENTION,
  ...ALERTS_RETENTION,
  ...WEBHOOKS_RETENTION,
  { table: 'jobs', key: 'website_id, kind' },
  ...STORAGE_RETENTION,
  ...COUNTING_RETENTION,
  ...LIMITS_RETENTION,
  ...PAGES_RETENTION,
];
