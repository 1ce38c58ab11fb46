import { FIELDS } from '../hits/fields';
import { COLUMN_NAMES } from '../hits/hit-columns';

/*
 * `hits` has a row for each hit of the days that are kept as rows. Any SQL tool may read it.
 *
 *   website, day, version   the day, as days since 1970; only the version that is named for a day holds
 *   visitor                 the number of the visitor in the day: a visitor belongs to one day
 *   place                   the number of the hit in the day, by visitor and time
 *   at                      seconds since 1970
 *   is_known                0 if the hit came after its visitor was forgotten
 *   is_direct               1 if the visitor's first accepted hit had no referrer
 *   is_passive              1 for an event that neither ends a bounce nor lengthens a visit
 *   value_high, value_low   the value of an event, in 1/10,000: the last twelve digits, and the digits before them
 *   properties              the list of properties as JSON; `hit_properties` has a row for each
 *   property_names          their names, sorted, as JSON
 *   visit                   the number of the visit in the day
 *   visit_at                the moment of its first hit
 *   visit_seconds           its duration; NULL for passive events before any visit, which are no visit
 *   visit_bounce            1 for a visit with one page view and no event
 *   visit_entry, visit_exit the first and the last page that it viewed
 *   visit_referrer, …       the first value that it brought
 *
 * Every row repeats what its visit and its visitor are, so that a filter may select any single hit of them.
 */

/** The columns of a visit that have the first value that it brings. */
export const OF_ACQUISITION = COLUMN_NAMES.filter((name) => FIELDS[name].level === 'acquisition');

export const NUMBERS = [
  'website',
  'day',
  'version',
  'visitor',
  'place',
  'at',
  'is_known',
  'is_direct',
  'is_passive',
  'visit',
  'visit_at',
  'visit_bounce',
] as const;
export const OPTIONAL_NUMBERS = ['visit_seconds', 'value_high', 'value_low'] as const;
/** The texts of a hit or its visitor, under the names of their columns. */
export const TEXTS = COLUMN_NAMES.filter((name) => name !== 'passive' && name !== 'value');
export const OTHER_TEXTS = [
  'property_names',
  'visit_entry',
  'visit_exit',
  'visit_referrer_page',
  ...OF_ACQUISITION.map((name) => `visit_${name}`),
];

export const ROW_KEY = ['website', 'day', 'version', 'visitor', 'place'];

/** All columns of `hits`, in order. */
export const ROW_COLUMNS = [...NUMBERS, ...OPTIONAL_NUMBERS, ...TEXTS, ...OTHER_TEXTS];
export const PROPERTY_COLUMNS = [...ROW_KEY, 'name', 'value'];
