import { ALERTS_RETENTION } from './alerts/retention';
import { ANNOTATIONS_RETENTION } from './annotations/retention';
import { COUNTING_RETENTION, EVENT_ID_RETENTION, STORAGE_RETENTION } from './hits/retention';
import { GOALS_RETENTION } from './goals/retention';
import { INTAKE_RETENTION } from './intake/retention';
import { LIMITS_RETENTION } from './limits/retention';
import { PAGES_RETENTION } from './pages/retention';
import { REPORTS_RETENTION } from './reports/retention';
import { WEBHOOKS_RETENTION } from './webhooks/retention';
import { WEBSITES_RETENTION } from './websites/retention';

/** The order of removal for a deleted website: uncounted hits first, the lease last. */
export const RETENTION_RULES = [
  ...INTAKE_RETENTION,
  ...EVENT_ID_RETENTION,
  ...WEBSITES_RETENTION,
  ...ANNOTATIONS_RETENTION,
  ...GOALS_RETENTION,
  ...REPORTS_RETENTION,
  ...ALERTS_RETENTION,
  ...WEBHOOKS_RETENTION,
  ...STORAGE_RETENTION,
  ...COUNTING_RETENTION,
  ...LIMITS_RETENTION,
  ...PAGES_RETENTION,
];
