import type { Dialect } from '../../../../engine/database/dialect';

export function hitsTables({ columns, tableOptions }: Dialect): string[] {
  const { id, integer, bigint, longBytes, text, bytes } = columns;
  const byRowid = tableOptions('by rowid');
  const clustered = tableOptions('clustered');
  const withLargeRows = tableOptions('with large rows');
  return [
    `CREATE TABLE IF NOT EXISTS salts (
      day ${integer} NOT NULL,
      zone ${text(64)} NOT NULL DEFAULT 'UTC',
      salt ${bytes(60)} NOT NULL,
      PRIMARY KEY (day, zone)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS inbox (
      id ${id},
      website_id ${bigint} NOT NULL,
      accepted_at ${bigint} NOT NULL,
      size ${integer} NOT NULL,
      bytes ${integer} NOT NULL,
      hits ${longBytes} NOT NULL,
      event_keys ${longBytes} NULL,
      dropped ${longBytes} NULL,
      CONSTRAINT inbox_of_website UNIQUE (website_id, id)
    ) ${byRowid}`,
    `CREATE TABLE IF NOT EXISTS event_ids (
      website_id ${bigint} NOT NULL,
      event_id ${bytes(17)} NOT NULL,
      batch ${bytes(16)} NOT NULL,
      accepted_at ${bigint} NOT NULL,
      PRIMARY KEY (website_id, event_id),
      CONSTRAINT event_ids_by_age UNIQUE (website_id, accepted_at, event_id)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS counting (
      website_id ${bigint} NOT NULL PRIMARY KEY,
      owner ${text(64)} NOT NULL,
      token ${bigint} NOT NULL,
      expires_at ${bigint} NOT NULL,
      folds ${bigint} NOT NULL,
      archived_from ${integer} NOT NULL
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS closed_days (
      website_id ${bigint} NOT NULL PRIMARY KEY,
      closed_before ${integer} NOT NULL,
      version ${bigint} NOT NULL,
      rollups ${bigint} NOT NULL,
      epoch ${bigint} NOT NULL,
      sealed_before ${integer} NOT NULL,
      columns_before ${integer} NOT NULL,
      due_at ${bigint} NULL,
      CONSTRAINT closed_days_by_due UNIQUE (due_at, website_id)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS hit_batches (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      first_hit ${integer} NOT NULL,
      size ${integer} NOT NULL,
      bytes ${integer} NOT NULL,
      stored_bytes ${integer} NOT NULL,
      last_at ${bigint} NOT NULL,
      data ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, day, first_hit)
    ) ${withLargeRows}`,
    `CREATE TABLE IF NOT EXISTS batch_visitors (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      first_hit ${integer} NOT NULL,
      forget_at ${bigint} NOT NULL,
      hashes ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, day, first_hit),
      CONSTRAINT batch_visitors_by_age UNIQUE (forget_at, website_id, day, first_hit)
    ) ${withLargeRows}`,
    `CREATE TABLE IF NOT EXISTS checkpoints (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      first_hit ${integer} NOT NULL,
      piece ${integer} NOT NULL,
      size ${integer} NOT NULL,
      data ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, day, first_hit, piece)
    ) ${withLargeRows}`,
    `CREATE TABLE IF NOT EXISTS checkpoint_visitors (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      first_hit ${integer} NOT NULL,
      piece ${integer} NOT NULL,
      forget_at ${bigint} NOT NULL,
      hashes ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, day, first_hit, piece),
      CONSTRAINT checkpoint_visitors_by_age UNIQUE (forget_at, website_id, day, first_hit, piece)
    ) ${withLargeRows}`,
    `CREATE TABLE IF NOT EXISTS hit_days (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      segment ${bigint} NOT NULL,
      first_part ${integer} NOT NULL,
      last_part ${integer} NOT NULL,
      hits ${bigint} NOT NULL,
      sealing ${bigint} NULL,
      sealed_at ${bigint} NOT NULL DEFAULT 0,
      PRIMARY KEY (website_id, day)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS day_visitors (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      sealing ${bigint} NOT NULL,
      first_visitor ${integer} NOT NULL,
      forget_at ${bigint} NOT NULL,
      hashes ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, day, sealing, first_visitor),
      CONSTRAINT day_visitors_by_age UNIQUE (forget_at, website_id, day, sealing, first_visitor)
    ) ${withLargeRows}`,
    `CREATE TABLE IF NOT EXISTS hit_columns (
      website_id ${bigint} NOT NULL,
      segment ${bigint} NOT NULL,
      part ${integer} NOT NULL,
      kind ${integer} NOT NULL,
      piece ${integer} NOT NULL,
      last_day ${integer} NOT NULL,
      data ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, segment, part, kind, piece),
      CONSTRAINT hit_columns_by_age UNIQUE (website_id, last_day, segment, part, kind, piece)
    ) ${withLargeRows}`,
    `CREATE TABLE IF NOT EXISTS property_names (
      website_id ${bigint} NOT NULL,
      name ${bytes(256)} NOT NULL,
      last_day ${integer} NOT NULL,
      PRIMARY KEY (website_id, name),
      CONSTRAINT property_names_by_age UNIQUE (website_id, last_day, name)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS collected_names (
      name ${text(64)} NOT NULL PRIMARY KEY,
      since ${bigint} NOT NULL
    ) ${clustered}`,
  ];
}
