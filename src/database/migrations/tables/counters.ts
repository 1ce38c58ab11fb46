import type { Dialect } from '../../dialect';

export function countersTables({ columns, tableOptions }: Dialect): string[] {
  const { integer, bigint, longBytes, bytes } = columns;
  const clustered = tableOptions('clustered');
  return [
    `CREATE TABLE IF NOT EXISTS stat_values (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      value_id ${integer} NOT NULL,
      hash ${bytes(32)} NOT NULL,
      value ${bytes(1024)} NOT NULL,
      folded ${bytes(2048)} NOT NULL,
      folded_label ${bytes(2048)} NULL,
      PRIMARY KEY (website_id, name, value_id),
      CONSTRAINT stat_values_hash UNIQUE (website_id, name, hash)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS stat_counters (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      day ${integer} NOT NULL,
      value_id ${integer} NOT NULL,
      hits ${bigint} NOT NULL,
      PRIMARY KEY (website_id, name, day, value_id)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS stat_segments (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      span ${integer} NOT NULL,
      day ${integer} NOT NULL,
      part ${integer} NOT NULL,
      last_day ${integer} NOT NULL,
      data ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, name, span, day, part)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS closed_days (
      website_id ${bigint} NOT NULL PRIMARY KEY,
      closed_before ${integer} NOT NULL,
      merged_before ${integer} NOT NULL,
      version ${bigint} NOT NULL,
      packed_version ${bigint} NOT NULL,
      open_version ${bigint} NOT NULL,
      epoch ${bigint} NOT NULL,
      unused_from ${integer} NOT NULL,
      sealed_before ${integer} NOT NULL,
      columns_before ${integer} NOT NULL,
      due_at ${bigint} NULL,
      CONSTRAINT closed_days_by_due UNIQUE (due_at, website_id)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS new_values (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      day ${integer} NOT NULL,
      kind ${integer} NOT NULL,
      size ${integer} NOT NULL,
      PRIMARY KEY (website_id, name, day, kind)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS free_value_ids (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      value_id ${integer} NOT NULL,
      PRIMARY KEY (website_id, name, value_id)
    ) ${clustered}`,
  ];
}
