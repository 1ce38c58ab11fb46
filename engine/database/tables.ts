import { bigint, byId, bytes, integer, longBytes, longText, optional, table, text } from './schemas';

const LEASE = { owner: text(64), token: bigint, expires_at: bigint };
const BY_WEBSITE = { website_id: bigint };
const BY_DAY = { ...BY_WEBSITE, day: integer };
const BY_FIRST_HIT = { ...BY_DAY, first_hit: integer };
const BY_PIECE = { ...BY_FIRST_HIT, piece: integer };
const PIECE = { size: integer, data: longBytes };
const VISITORS = { forget_at: bigint, hashes: longBytes };
const BY_AGE = { by_age: ['forget_at'] };

/** The tables that the engine writes. Its threads do not load them. */
export const ENGINE_TABLES = [
  table('leases', { name: text(190) }, LEASE),
  table(
    'jobs',
    { ...BY_WEBSITE, kind: text(32) },
    { due_at: bigint, tries: integer, reason: optional(text(255)) },
  ),
  table('retention', { name: text(64) }, { done_before: bigint }),
  table(
    'inbox',
    byId,
    {
      ...BY_WEBSITE,
      accepted_at: bigint,
      size: integer,
      bytes: integer,
      hits: longBytes,
      event_keys: optional(longBytes),
      dropped: optional(longBytes),
    },
    { of_website: ['website_id'] },
  ),
  table(
    'event_ids',
    { ...BY_WEBSITE, event_id: bytes(17) },
    { batch: bytes(16), accepted_at: bigint },
    { by_age: ['website_id', 'accepted_at'] },
  ),
  table('dropped_events', { ...BY_DAY, reason: text(16) }, { count: bigint }),
  table('counting', BY_WEBSITE, { ...LEASE, folds: bigint, archived_from: integer }),
  table(
    'closed_days',
    BY_WEBSITE,
    {
      closed_before: integer,
      version: bigint,
      rollups: bigint,
      epoch: bigint,
      sealed_before: integer,
      columns_before: integer,
      due_at: optional(bigint),
    },
    { by_due: ['due_at'] },
  ),
  table('hit_batches', BY_FIRST_HIT, { ...PIECE, bytes: integer, stored_bytes: integer, last_at: bigint }),
  table('batch_visitors', BY_FIRST_HIT, VISITORS, BY_AGE),
  table('checkpoints', BY_PIECE, PIECE),
  table('checkpoint_visitors', BY_PIECE, VISITORS, BY_AGE),
  table('hit_days', BY_DAY, {
    segment: bigint,
    first_part: integer,
    last_part: integer,
    hits: bigint,
    sealing: optional(bigint),
    sealed_at: { ...bigint, default: 0 },
    home: { ...integer, default: 0 },
  }),
  table('unnamed_versions', { ...BY_DAY, version: bigint }, {}),
  table(
    'hit_homes',
    { number: integer },
    {
      kind: text(32),
      host: text(255),
      port: integer,
      database_name: text(64),
      table_name: text(64),
      mark: text(32),
      next_mark: optional(text(32)),
      is_coming_home: integer,
    },
  ),
  table(
    'remote_versions',
    { home: integer, ...BY_DAY, version: bigint },
    { due_at: optional(bigint), is_claimed: integer },
    { by_due: ['home', 'due_at'] },
  ),
  table('day_visitors', { ...BY_DAY, sealing: bigint, first_visitor: integer }, VISITORS, BY_AGE),
  table('day_blocks', BY_DAY, { block: integer, visitors: bigint }),
  table(
    'hit_columns',
    { ...BY_WEBSITE, segment: bigint, part: integer, kind: integer, piece: integer },
    { last_day: integer, data: longBytes },
    { by_age: ['website_id', 'last_day'] },
  ),
  table(
    'property_names',
    { ...BY_WEBSITE, name: bytes(256) },
    { last_day: integer },
    { by_age: ['website_id', 'last_day'] },
  ),
  table(
    'rollup_spans',
    { ...BY_WEBSITE, span: integer, day: integer },
    { number: bigint, hits: bigint, limited: integer },
  ),
  table('rollups', { ...BY_WEBSITE, number: bigint, name: integer, part: integer }, { data: longBytes }),
  table('value_texts', { ...BY_WEBSITE, generation: bigint, name: integer, first_code: integer }, PIECE),
  table('page_filters', BY_WEBSITE, { filters: optional(longText) }),
  table('left_out', BY_WEBSITE, { exclusions: longText }),
  table('purges', { ...BY_WEBSITE, exclusion_id: bigint }, {}),
  table('followed_websites', BY_WEBSITE, { folds: bigint, read_at: bigint, held_at: optional(bigint) }),
  table('followed_days', BY_DAY, { place: integer }),
];
