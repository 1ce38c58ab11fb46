import type { Dialect } from '../../../../engine/database/dialect';

export function operationTables({ columns, tableOptions }: Dialect): string[] {
  const { integer, bigint, text, bytes } = columns;
  const clustered = tableOptions('clustered');
  return [
    `CREATE TABLE IF NOT EXISTS secret_check (
      id ${integer} NOT NULL PRIMARY KEY,
      check_value ${bytes(32)} NOT NULL
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS retention (
      name ${text(64)} NOT NULL PRIMARY KEY,
      done_before ${bigint} NOT NULL
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS report_periods (
      every ${text(8)} NOT NULL,
      first_day ${integer} NOT NULL,
      planned_at ${bigint} NOT NULL,
      PRIMARY KEY (every, first_day),
      CONSTRAINT report_periods_by_age UNIQUE (planned_at, every, first_day)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS report_deliveries (
      website_id ${bigint} NOT NULL,
      every ${text(8)} NOT NULL,
      first_day ${integer} NOT NULL,
      state ${text(8)} NOT NULL,
      due_at ${bigint} NOT NULL,
      attempts ${integer} NOT NULL,
      owner ${text(64)} NULL,
      recipient ${text(254)} NULL,
      message_id ${text(255)} NULL,
      reason ${text(255)} NULL,
      planned_at ${bigint} NOT NULL,
      changed_at ${bigint} NOT NULL,
      PRIMARY KEY (website_id, every, first_day),
      CONSTRAINT report_deliveries_due UNIQUE (state, due_at, website_id, every, first_day),
      CONSTRAINT report_deliveries_by_age UNIQUE (planned_at, website_id, every, first_day)
    ) ${clustered}`,
  ];
}
