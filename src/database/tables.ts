import { bigint, byId, bytes, integer, longText, optional, table, text } from '../../engine/database/schemas';

const RECIPIENT = { website_id: bigint, address: text(254) };
const STATE_OF_RECIPIENT = { state: text(12), pending_since: optional(bigint) };
const BY_PERIOD = { every: text(8), first_day: integer };
const SENDING = {
  state: text(8),
  due_at: bigint,
  attempts: integer,
  owner: optional(text(64)),
  recipient: optional(text(254)),
  message_id: optional(text(255)),
  reason: optional(text(255)),
};
const MAIL = {
  ...SENDING,
  website_id: bigint,
  user_id: bigint,
  asked_at: bigint,
  address: text(254),
  created_at: bigint,
  changed_at: bigint,
};
const INDEXES_OF_MAILS = {
  of_website: ['website_id'],
  by_turn: ['state', 'user_id', 'due_at'],
  due: ['state', 'due_at'],
  by_age: ['created_at'],
};

/** The tables of the application without a class. */
export const APPLICATION_TABLES = [
  table('secret_check', { id: integer }, { check_value: bytes(32) }),
  table('ended_sessions', { session: bytes(16) }, { ends_at: bigint }, { by_age: ['ends_at'] }),
  table(
    'store_requests',
    { user_id: bigint, idempotency_key: bytes(32) },
    { request: bytes(32), website_id: bigint, created_at: bigint },
    { by_age: ['created_at'] },
  ),
  table('limit_counts', { counter: bytes(16) }, { ends_at: bigint, used: bigint }, { by_age: ['ends_at'] }),
  table('salts', { day: integer, zone: { ...text(64), default: 'UTC' } }, { salt: bytes(60) }),
  table('collected_names', { name: text(64) }, { since: bigint }),
  table(
    'reserved_domains',
    { domain: text(253) },
    { user_id: bigint, reserved_until: bigint },
    { by_age: ['reserved_until'] },
  ),
  table('website_changes', { id: integer }, { version: bigint }),
  table('changed_domains', { version: bigint }, { domain: text(253) }),
  table('deleted_websites', { website_id: bigint }, { deleted_at: bigint }),
  table('report_periods', BY_PERIOD, { planned_at: bigint }, { by_age: ['planned_at'] }),
  table(
    'report_deliveries',
    { website_id: bigint, ...BY_PERIOD },
    { ...SENDING, planned_at: bigint, changed_at: bigint },
    { due: ['state', 'due_at'], by_age: ['planned_at'] },
  ),
  table(
    'report_recipients',
    RECIPIENT,
    { ...STATE_OF_RECIPIENT, place: optional(integer) },
    { pending: ['pending_since'] },
  ),
  table('report_mails', byId, { ...BY_PERIOD, ...MAIL }, INDEXES_OF_MAILS, {
    by_occasion: ['website_id', 'every', 'first_day', 'asked_at', 'address'],
  }),
  table(
    'alert_firings',
    byId,
    {
      website_id: bigint,
      alert_id: bigint,
      window_from: bigint,
      window_to: bigint,
      fired_at: bigint,
      value: text(32),
      usual: optional(text(32)),
      alert: longText,
      mails: integer,
      webhooks: integer,
    },
    { of_website: ['website_id'], by_moment: ['alert_id', 'fired_at'], by_age: ['fired_at'] },
    { of_window: ['alert_id', 'window_from'] },
  ),
  table('alert_recipients', RECIPIENT, STATE_OF_RECIPIENT, { pending: ['pending_since'] }),
  table(
    'alert_mails',
    byId,
    { firing_id: bigint, ...MAIL },
    { ...INDEXES_OF_MAILS, of_user: ['user_id', 'firing_id', 'created_at'] },
    { by_occasion: ['website_id', 'firing_id', 'asked_at', 'address'] },
  ),
  table(
    'webhook_deliveries',
    byId,
    {
      webhook_id: bigint,
      occasion: text(190),
      event: text(16),
      website_id: optional(bigint),
      state: text(9),
      due_at: bigint,
      attempts: integer,
      owner: optional(text(64)),
      last_status: optional(integer),
      last_error: optional(text(255)),
      created_at: bigint,
      ended_at: optional(bigint),
      answers: longText,
      body: longText,
      expires_at: { ...bigint, default: 0 },
      size_bytes: { ...integer, default: 0 },
      asked: { ...integer, default: 0 },
    },
    {
      of_webhook: ['webhook_id'],
      waiting: ['webhook_id', 'state', 'due_at'],
      by_state: ['state', 'due_at'],
      by_end: ['ended_at'],
      expiring: ['state', 'expires_at'],
      of_website: ['website_id', 'state'],
      by_size: ['webhook_id', 'state', 'size_bytes'],
      asked: ['webhook_id', 'state', 'asked', 'due_at'],
    },
    { by_occasion: ['webhook_id', 'occasion'] },
  ),
];
