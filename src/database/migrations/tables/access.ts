import type { Dialect } from '../../../../engine/database/dialect';

export function accessTables({ columns, tableOptions }: Dialect): string[] {
  const { id, bigint, text, bytes } = columns;
  const byRowid = tableOptions('by rowid');
  const clustered = tableOptions('clustered');
  return [
    `CREATE TABLE IF NOT EXISTS users (
      id ${id},
      email ${text(254)} NOT NULL,
      created_at ${bigint} NOT NULL,
      CONSTRAINT users_email UNIQUE (email)
    ) ${byRowid}`,
    `CREATE TABLE IF NOT EXISTS api_keys (
      id ${id},
      user_id ${bigint} NOT NULL,
      name ${text(100)} NOT NULL,
      prefix ${text(8)} NOT NULL,
      hash ${text(64)} NOT NULL,
      scope ${text(8)} NOT NULL,
      website_ids ${text(2000)} NULL,
      created_at ${bigint} NOT NULL,
      expires_at ${bigint} NULL,
      revoked_at ${bigint} NULL,
      last_used_at ${bigint} NULL,
      CONSTRAINT api_keys_hash UNIQUE (hash),
      CONSTRAINT api_keys_of_user UNIQUE (user_id, id)
    ) ${byRowid}`,
    `CREATE TABLE IF NOT EXISTS ended_sessions (
      session ${bytes(16)} NOT NULL PRIMARY KEY,
      ends_at ${bigint} NOT NULL,
      CONSTRAINT ended_sessions_by_age UNIQUE (ends_at, session)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS store_requests (
      user_id ${bigint} NOT NULL,
      idempotency_key ${bytes(32)} NOT NULL,
      request ${bytes(32)} NOT NULL,
      website_id ${bigint} NOT NULL,
      created_at ${bigint} NOT NULL,
      PRIMARY KEY (user_id, idempotency_key),
      CONSTRAINT store_requests_by_age UNIQUE (created_at, user_id, idempotency_key)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS limit_counts (
      counter ${bytes(16)} NOT NULL PRIMARY KEY,
      ends_at ${bigint} NOT NULL,
      used ${bigint} NOT NULL,
      CONSTRAINT limit_counts_by_age UNIQUE (ends_at, counter)
    ) ${clustered}`,
  ];
}
