import type { Dialect } from '../../../../engine/database/dialect';

export function webhooksTables({ columns, tableOptions }: Dialect): string[] {
  const { id, integer, bigint, longText, text } = columns;
  const byRowid = tableOptions('by rowid');
  const clustered = tableOptions('clustered');
  return [
    `CREATE TABLE IF NOT EXISTS webhooks (
      id ${id},
      user_id ${bigint} NOT NULL,
      url ${text(2000)} NOT NULL,
      events ${text(64)} NOT NULL,
      enabled ${integer} NOT NULL,
      generation ${integer} NOT NULL,
      due_at ${bigint} NULL,
      served_at ${bigint} NOT NULL,
      is_slow ${integer} NOT NULL,
      created_at ${bigint} NOT NULL,
      updated_at ${bigint} NOT NULL,
      CONSTRAINT webhooks_of_user UNIQUE (user_id, id),
      CONSTRAINT webhooks_due UNIQUE (due_at, id)
    ) ${byRowid}`,
    `CREATE TABLE IF NOT EXISTS webhook_deliveries (
      id ${id},
      webhook_id ${bigint} NOT NULL,
      occasion ${text(190)} NOT NULL,
      event ${text(16)} NOT NULL,
      website_id ${bigint} NULL,
      state ${text(9)} NOT NULL,
      due_at ${bigint} NOT NULL,
      attempts ${integer} NOT NULL,
      owner ${text(64)} NULL,
      last_status ${integer} NULL,
      last_error ${text(255)} NULL,
      created_at ${bigint} NOT NULL,
      ended_at ${bigint} NULL,
      changes ${integer} NOT NULL,
      answers ${longText} NOT NULL,
      body ${longText} NOT NULL,
      CONSTRAINT webhook_deliveries_of_webhook UNIQUE (webhook_id, id),
      CONSTRAINT webhook_deliveries_by_occasion UNIQUE (webhook_id, occasion),
      CONSTRAINT webhook_deliveries_waiting UNIQUE (webhook_id, state, due_at, id),
      CONSTRAINT webhook_deliveries_by_state UNIQUE (state, due_at, id),
      CONSTRAINT webhook_deliveries_by_end UNIQUE (ended_at, id)
    ) ${byRowid}`,
    `CREATE TABLE IF NOT EXISTS followed_websites (
      website_id ${bigint} NOT NULL PRIMARY KEY,
      folds ${bigint} NOT NULL,
      read_at ${bigint} NOT NULL,
      held_at ${bigint} NULL
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS followed_days (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      place ${integer} NOT NULL,
      PRIMARY KEY (website_id, day)
    ) ${clustered}`,
  ];
}
