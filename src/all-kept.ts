import { COUNTING_KEPT } from './counting/kept';
import { INTAKE_KEPT } from './intake/kept';
import { LIMITS_KEPT } from './limits/kept';
import { PAGES_KEPT } from './pages/kept';
import { REPORTS_KEPT } from './reports/kept';
import { STORAGE_KEPT } from './storage/kept';
import { WEBSITES_KEPT } from './websites/kept';

/** In the order in which a deleted website is removed: what is still to be counted goes first, its lease last. */
export const ALL_KEPT = [
  ...INTAKE_KEPT,
  ...WEBSITES_KEPT,
  ...REPORTS_KEPT,
  ...STORAGE_KEPT,
  ...COUNTING_KEPT,
  ...LIMITS_KEPT,
  ...PAGES_KEPT,
];
