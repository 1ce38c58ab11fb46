import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import type { SqlCondition } from '../../database/rows';
import type { Expiry, RetentionRule, WebsiteUpdate } from '../../database/retention-rules';
import { BATCH_LIMITS } from '../batches/batches';
import { MAX_HASHES_BYTES } from '../checkpoints/checkpoint-format';
import { MAX_VISITOR_ROW_BYTES } from '../ordering/day-visitors';
import { expiryOfHits } from '../retention';
import { anonymousDays } from '../seal/sealing-times';
import { EVENT_ID_LIVES_MS, ID_STEP_MS } from '../../hits/events/event-key';
import { forgetWaitingVisitors } from '../fold/forgotten-visitors';

const QUARTER_MS = 15 * 60_000;

/** Sealing checks in its last transaction whether hashes are gone. This update makes one wait for the other. */
const LOCKED: WebsiteUpdate = { update: 'counting SET token = token', parameters: [] };
/** The removal changes answers about closed days. */
const CHANGED: WebsiteUpdate = { update: 'closed_days SET version = version + 1', parameters: [] };
const BATCHES = { column: 'day', order: 'website_id, day, first_hit' };
const CHECKPOINTS = { column: 'day', order: 'website_id, day, first_hit, piece' };

/** Ids follow the order of acceptance, except within moments. A website's backlog may have many rows. */
const OLDEST_ACCEPTED_AT =
  'SELECT accepted_at FROM inbox WHERE inbox.website_id = counting.website_id ORDER BY id LIMIT 1';

/** The websites with waiting hits that were accepted before a moment. */
export function waitsInInbox(acceptedBefore: number): SqlCondition {
  return {
    sql: `(${OLDEST_ACCEPTED_AT}) < ?`,
    parameters: [acceptedBefore],
  };
}

export const EVENT_ID_RETENTION: RetentionRule[] = [
  {
    table: 'event_ids',
    key: 'website_id, event_id',
    expiries: [
      {
        name: 'event ids',
        column: 'accepted_at',
        order: 'website_id, accepted_at, event_id',
        limit: ({ now }) => Math.floor((now - EVENT_ID_LIVES_MS) / ID_STEP_MS) * ID_STEP_MS,
        // An event that was retried while its id was known may be folded much later.
        waits: (limit) => waitsInInbox(limit + EVENT_ID_LIVES_MS),
      },
    ],
  },
];

export const COUNTING_RETENTION: RetentionRule[] = [
  {
    table: 'inbox',
    key: 'website_id, id',
    maxRowBytes: 128 * 1024,
    expiries: [
      {
        name: 'visitors of waiting hits',
        column: 'accepted_at',
        order: 'website_id, id',
        limit: ({ now }) => afterQuarter(now),
        due: (moments) => waitsInInbox(anonymousDays(moments).acceptedBefore),
        rewrite: forgetWaitingVisitors,
        leavesNoTrace: true,
        isUrgent: true,
      },
    ],
  },
  {
    table: 'batch_visitors',
    key: BATCHES.order,
    maxRowBytes: VISITOR_BYTES * BATCH_LIMITS.hits,
    bytesColumn: 'hashes',
    expiries: [
      expiryOfHits({ ...BATCHES, name: 'visitors of hits' }),
      expiryWithSalt('visitors of hits, with their salt', 'forget_at, website_id, day, first_hit', () => [
        CHANGED,
      ]),
    ],
  },
  {
    table: 'checkpoint_visitors',
    key: CHECKPOINTS.order,
    maxRowBytes: MAX_HASHES_BYTES,
    bytesColumn: 'hashes',
    expiries: [
      expiryOfHits({ ...CHECKPOINTS, name: 'visitors of checkpoints' }),
      expiryWithSalt('visitors of checkpoints, with their salt', `forget_at, ${CHECKPOINTS.order}`),
    ],
  },
  {
    table: 'day_visitors',
    key: 'website_id, day, sealing, first_visitor',
    maxRowBytes: MAX_VISITOR_ROW_BYTES,
    bytesColumn: 'hashes',
    expiries: [
      expiryWithSalt(
        'visitors of days, with their salt',
        'forget_at, website_id, day, sealing, first_visitor',
        detachmentsOfVisitors,
      ),
    ],
  },
  { table: 'counting', key: 'website_id' },
];

/** Hashes expire by the moment stored beside them, whatever happens to their hits. */
function expiryWithSalt(name: string, order: string, first: Expiry['first'] = () => []): Expiry {
  return {
    name,
    column: 'forget_at',
    order,
    limit: ({ now }) => afterQuarter(now),
    first: (limit) => [LOCKED, ...first(limit)],
    leavesNoTrace: true,
    isUrgent: true,
  };
}

/** Days end with a quarter of an hour in every time zone. A moment at its very begin is below the limit. */
function afterQuarter(moment: number): number {
  return Math.floor(moment / QUARTER_MS) * QUARTER_MS + 1;
}

/** Detaches the visitors of days without hashes. Late hits of these days then have visitors of their own. */
function detachmentsOfVisitors(limit: number): WebsiteUpdate[] {
  const due = `hit_days.sealing IS NOT NULL AND EXISTS (
    SELECT 1 FROM day_visitors visitors WHERE visitors.website_id = hit_days.website_id
      AND visitors.day = hit_days.day AND visitors.sealing = hit_days.sealing AND visitors.forget_at < ?)`;
  const withLateHits = `EXISTS (SELECT 1 FROM hit_days JOIN hit_batches late ON late.website_id = hit_days.website_id
      AND late.day = hit_days.day AND late.first_hit >= hit_days.hits
    WHERE hit_days.website_id = closed_days.website_id AND ${due})`;
  return [
    { ...CHANGED, where: { sql: withLateHits, parameters: [limit] } },
    { update: 'hit_days SET sealing = NULL', parameters: [], where: { sql: due, parameters: [limit] } },
  ];
}
