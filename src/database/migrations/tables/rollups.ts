import type { Dialect } from '../../../../engine/database/dialect';

export function rollupsTables({ columns, tableOptions }: Dialect): string[] {
  const { integer, bigint, longBytes, text } = columns;
  const clustered = tableOptions('clustered');
  const withLargeRows = tableOptions('with large rows');
  return [
    `CREATE TABLE IF NOT EXISTS rollup_spans (
      website_id ${bigint} NOT NULL,
      span ${integer} NOT NULL,
      day ${integer} NOT NULL,
      number ${bigint} NOT NULL,
      hits ${bigint} NOT NULL,
      limited ${integer} NOT NULL,
      PRIMARY KEY (website_id, span, day)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS rollups (
      website_id ${bigint} NOT NULL,
      number ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      part ${integer} NOT NULL,
      data ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, number, name, part)
    ) ${withLargeRows}`,
    `CREATE TABLE IF NOT EXISTS value_texts (
      website_id ${bigint} NOT NULL,
      generation ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      first_code ${integer} NOT NULL,
      size ${integer} NOT NULL,
      data ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, generation, name, first_code)
    ) ${withLargeRows}`,
    `CREATE TABLE IF NOT EXISTS dropped_events (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      reason ${text(16)} NOT NULL,
      count ${bigint} NOT NULL,
      PRIMARY KEY (website_id, day, reason)
    ) ${clustered}`,
  ];
}
