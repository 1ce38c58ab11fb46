import { VISITOR_BYTES } from '../common/visitor-bytes';
import type { Condition, Kept, Moments } from '../retention/kept';
import { BATCH_LIMITS } from '../storage/hits/batches';
import { hitsOf } from '../storage/kept';

/** Days of which no hit comes any more whose visitor can be told. */
export interface UntoldDays {
  before: number;
  /** A row of the inbox that was accepted later holds no hit of them. */
  acceptedBefore: number;
}

const HOUR_MS = 3_600_000;
/** As long as a salt outlives its day; no hit of the day is accepted any more by then. */
const KEYS_OUTLIVE_DAY_MS = 48 * HOUR_MS;
/** How much longer keys are kept while hits of the day wait behind an error. */
const KEYS_WAIT_MS = 48 * HOUR_MS;

const KEYS = { column: 'day', order: 'website_id, day, hash' };
const BATCHES = { column: 'day', order: 'website_id, day, first_hit' };

/** A row of the inbox that was accepted later than that holds no hit of these days. */
export function untoldDays({ now, dayOf, endOf }: Moments): UntoldDays {
  const before = dayOf(now - KEYS_OUTLIVE_DAY_MS);
  return { before, acceptedBefore: endOf(before - 1) + KEYS_OUTLIVE_DAY_MS };
}

/** Rows are added in the order of their ids, but for moments; a backlog of one website may have many. */
const OLDEST_ACCEPTED_AT =
  'SELECT accepted_at FROM inbox WHERE inbox.website_id = counting.website_id ORDER BY id LIMIT 1';

/** The websites with hits that were accepted before a moment and are not counted. */
export function waitsInInbox(acceptedBefore: number): Condition {
  return {
    sql: `(${OLDEST_ACCEPTED_AT}) < ?`,
    parameters: [acceptedBefore],
  };
}

export const COUNTING_KEPT: Kept[] = [
  {
    table: 'seen',
    key: KEYS.order,
    expiries: [
      {
        ...KEYS,
        name: 'visitors seen',
        isUrgent: true,
        limit: (moments) => untoldDays(moments).before,
        waits: (_, moments) => waitsInInbox(untoldDays(moments).acceptedBefore),
      },
      {
        ...KEYS,
        name: 'visitors seen, at the latest',
        isUrgent: true,
        limit: ({ now, dayOf }) => dayOf(now - KEYS_OUTLIVE_DAY_MS - KEYS_WAIT_MS),
        // The token is raised, so that no fold that looked for the keys before is applied after.
        first: (limit) => ({
          sql: 'UPDATE counting SET seen_from = ?, token = token + 1 WHERE seen_from < ? AND website_id = ?',
          parameters: [limit, limit],
        }),
      },
    ],
  },
  {
    table: 'batch_visitors',
    key: BATCHES.order,
    maxRowBytes: VISITOR_BYTES * BATCH_LIMITS.hits,
    expiries: [
      hitsOf({ ...BATCHES, name: 'visitors of hits' }),
      {
        // A day that becomes columns in time has none by then. Days of an import may have come late themselves.
        name: 'visitors of hits, at the latest',
        column: 'added_at',
        order: 'website_id, added_at, day, first_hit',
        isUrgent: true,
        limit: ({ now }) => Math.floor((now - KEYS_OUTLIVE_DAY_MS - KEYS_WAIT_MS) / HOUR_MS) * HOUR_MS,
      },
    ],
  },
  { table: 'counting', key: 'website_id' },
];
