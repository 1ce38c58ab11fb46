import { SALT_OUTLIVES_DAY_MS } from '../hits/rules/salt-lifetime';
import type { SqlCondition } from '../database/rows';
import type { Expiry, RetentionRule, Moments, WebsiteUpdate } from '../database/retention-rules';
import { BATCH_LIMITS } from './batches/batches';
import { MAX_CHECKPOINT_BYTES } from './checkpoints/checkpoint-format';
import { MAX_PART_ROW_BYTES as MAX_COLUMN_BYTES } from './segments/part-rows';
import { PROPERTY_NAMES_LIVE_DAYS } from '../hits/events/property-names';
import { GIVEN_UP, MAX_ROLLUP_BYTES, SPANS } from './rollups/rollup-format';
import { MAX_TEXT_ROW_BYTES } from './rollups/texts/value-texts-format';
import { ROW_KEY } from '../rows/row-tables';

const ROLLUP_SPANS = 'website_id, span, day';
const DAY_BLOCKS = 'website_id, day';
const CHECKPOINTS = 'website_id, day, first_hit, piece';
/** Most rows are smaller by far. */
const MAX_HIT_ROW_BYTES = 16 * 1024;
const DROPPED_EVENTS = 'website_id, day, reason';

/** The counting process looks at the website soon. */
const DUE: WebsiteUpdate = { update: 'closed_days SET due_at = 0', parameters: [] };
/** In addition, work on the previous state of the days can no longer be committed. */
const MADE_DUE: WebsiteUpdate[] = [{ update: 'counting SET token = token + 1', parameters: [] }, DUE];

export const STORAGE_RETENTION: RetentionRule[] = [
  { table: 'followed_days', key: 'website_id, day' },
  { table: 'followed_websites', key: 'website_id' },
  { table: 'closed_days', key: 'website_id' },
  {
    table: 'rollup_spans',
    key: ROLLUP_SPANS,
    // A month is removed with its first day. The counting process removes rollups without a span.
    expiries: [
      {
        ...expiryOfStatistics({ name: 'rollups', column: 'day', order: ROLLUP_SPANS }),
        first: () => MADE_DUE,
      },
    ],
  },
  {
    table: 'day_blocks',
    key: DAY_BLOCKS,
    expiries: [expiryOfStatistics({ name: 'blocks of days', column: 'day', order: DAY_BLOCKS })],
  },
  { table: 'page_filters', key: 'website_id' },
  { table: 'left_out', key: 'website_id' },
  { table: 'purges', key: 'website_id, exclusion_id' },
  { table: 'rollups', key: 'website_id, number, name, part', maxRowBytes: MAX_ROLLUP_BYTES },
  { table: 'value_texts', key: 'website_id, generation, name, first_code', maxRowBytes: MAX_TEXT_ROW_BYTES },
  {
    table: 'dropped_events',
    key: DROPPED_EVENTS,
    expiries: [expiryOfStatistics({ name: 'dropped events', column: 'day', order: DROPPED_EVENTS })],
  },
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
    expiries: [expiryOfHits({ name: 'hits', column: 'day', order: 'website_id, day, first_hit' })],
  },
  {
    table: 'checkpoints',
    key: CHECKPOINTS,
    maxRowBytes: MAX_CHECKPOINT_BYTES,
    expiries: [expiryOfHits({ name: 'checkpoints', column: 'day', order: CHECKPOINTS })],
  },
  ...[
    { table: 'hit_properties', name: 'properties of rows', key: [...ROW_KEY, 'name'].join(', ') },
    { table: 'hits', name: 'rows of hits', key: ROW_KEY.join(', ') },
  ].map(({ table, name, key }) => ({
    table,
    key,
    maxRowBytes: MAX_HIT_ROW_BYTES,
    expiries: [expiryOfHits({ name, column: 'day', order: key })],
  })),
  { table: 'unnamed_versions', key: 'website_id, day, version' },
  {
    table: 'hit_days',
    key: 'website_id, day',
    expiries: [expiryOfHits({ name: 'days of hits', column: 'day', order: 'website_id, day' })],
  },
  {
    table: 'hit_columns',
    key: 'website_id, segment, part, kind, piece',
    maxRowBytes: MAX_COLUMN_BYTES,
    expiries: [
      expiryOfHits({
        name: 'columns of hits',
        column: 'last_day',
        order: 'website_id, last_day, segment, part, kind, piece',
      }),
    ],
  },
];

/** The expiry of a table with the hits of days. */
export function expiryOfHits(expiry: Pick<Expiry, 'name' | 'column' | 'order'>): Expiry {
  return {
    ...expiry,
    // Events of a day are accepted while its salt lives.
    limit: ({ now, trusted, dayOf, settings: { archiveDays } }) =>
      archiveDays === undefined
        ? undefined
        : Math.min(dayOf(trusted) - archiveDays, dayOf(now - SALT_OUTLIVES_DAY_MS)),
    waits: waitsForRollups,
    whileWaiting: [DUE],
    first: (limit) => {
      return [
        // First, because folds lock this row before all others. Later transactions only remove what no writer reads.
        {
          update: 'counting SET token = token + CASE WHEN archived_from < ? THEN 1 ELSE 0 END',
          parameters: [limit],
        },
        // Segments that begin with such a day are rewritten without it.
        DUE,
        // Statistics of a day without a rollup leave with its hits.
        {
          update: 'closed_days SET version = version + 1',
          parameters: [],
          where: {
            sql: `EXISTS (SELECT 1 FROM rollup_spans named JOIN counting own ON own.website_id = named.website_id
              WHERE named.website_id = closed_days.website_id AND named.span = ${GIVEN_UP}
                AND named.day >= own.archived_from AND named.day < ?)`,
            parameters: [limit],
          },
        },
        // From now on, no reader takes the rest of a day for the whole day.
        {
          update: 'counting SET archived_from = ?',
          parameters: [limit],
          where: { sql: 'archived_from < ?', parameters: [limit] },
        },
      ];
    },
  };
}

/**
 * Hits with a shorter lifetime than their statistics stay until all of them are rolled up, or given up because of
 * damage.
 */
function waitsForRollups(limit: number, { settings, trusted, dayOf }: Moments): SqlCondition {
  const { archiveDays = Infinity, statsDays = Infinity } = settings;
  if (statsDays <= archiveDays) return { sql: '0 = 1', parameters: [] };
  const from = statsDays === Infinity ? 0 : dayOf(trusted) - statsDays;
  const ofDay = (
    table: string,
  ) => `EXISTS (SELECT 1 FROM ${table} own WHERE own.website_id = counting.website_id
    AND own.day >= ? AND own.day >= counting.archived_from AND own.day < ? AND NOT EXISTS (SELECT 1 FROM rollup_spans named
      WHERE named.website_id = own.website_id AND named.span IN (${SPANS.day}, ${GIVEN_UP}) AND named.day = own.day))`;
  return { sql: `(${ofDay('hit_days')} OR ${ofDay('hit_batches')})`, parameters: [from, limit, from, limit] };
}

/** The expiry of a table with the statistics of days. */
function expiryOfStatistics(expiry: Pick<Expiry, 'name' | 'column' | 'order'>): Expiry {
  return {
    ...expiry,
    limit: ({ trusted, dayOf, settings: { statsDays } }) =>
      statsDays === undefined ? undefined : dayOf(trusted) - statsDays,
  };
}
