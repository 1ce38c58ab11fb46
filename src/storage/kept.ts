import type { Expiry, Kept } from '../retention/kept';
import { BATCH_LIMITS } from './hits/batches';
import { MAX_ROW_BYTES as MAX_COLUMN_BYTES } from './part-rows';
import { PROPERTY_NAMES_LIVE_DAYS } from './property-names';

/** Rows fit a packet of 1 MiB, written as hexadecimal digits. */
const MAX_ROW_BYTES = 512 * 1024;

/** The days before `STATS_DAYS` are given up by the packer, which knows what is packed of them. */
export const STORAGE_KEPT: Kept[] = [
  { table: 'stat_counters', key: 'website_id, name, day, value_id' },
  { table: 'stat_segments', key: 'website_id, name, span, day, part', maxRowBytes: MAX_ROW_BYTES },
  { table: 'closed_days', key: 'website_id' },
  { table: 'stat_values', key: 'website_id, name, value_id' },
  { table: 'new_values', key: 'website_id, name, day, kind' },
  { table: 'free_value_ids', key: 'website_id, name, value_id' },
  {
    table: 'property_names',
    key: 'website_id, name',
    expiries: [
      {
        name: 'property names',
        column: 'last_day',
        order: 'website_id, last_day, name',
        limit: ({ trusted, dayOf }) => dayOf(trusted) - PROPERTY_NAMES_LIVE_DAYS,
      },
    ],
  },
  {
    table: 'hit_batches',
    key: 'website_id, day, first_hit',
    maxRowBytes: BATCH_LIMITS.storedBytes,
    expiries: [hitsOf({ name: 'hits', column: 'day', order: 'website_id, day, first_hit' })],
  },
  {
    table: 'hit_days',
    key: 'website_id, day',
    expiries: [hitsOf({ name: 'days of hits', column: 'day', order: 'website_id, day' })],
  },
  {
    table: 'hit_columns',
    key: 'website_id, chunk, part, kind, piece',
    maxRowBytes: MAX_COLUMN_BYTES,
    expiries: [
      hitsOf({
        name: 'columns of hits',
        column: 'last_day',
        order: 'website_id, last_day, chunk, part, kind, piece',
      }),
    ],
  },
];

/** What goes with the hits of its day. */
export function hitsOf(expiry: Pick<Expiry, 'name' | 'column' | 'order'>): Expiry {
  return {
    ...expiry,
    limit: ({ trusted, dayOf, settings: { archiveDays } }) =>
      archiveDays === undefined ? undefined : dayOf(trusted) - archiveDays,
    first: (limit) => [
      // What was read of the website's days before is not written after.
      { update: 'counting SET token = token + 1', parameters: [] },
      // From then on nobody takes what is left of a day for the whole of it.
      {
        update: 'counting SET archived_from = ?',
        parameters: [limit],
        where: { sql: 'archived_from < ?', parameters: [limit] },
      },
      // Columns that begin with such a day are made anew without it.
      { update: 'closed_days SET due_at = 0', parameters: [] },
    ],
  };
}
