import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

/** Which periods were looked at, and each report that is to be sent or was. Each statement can be run again. */
export class ReportDeliveries1795345000000 implements MigrationInterface {
  name = 'ReportDeliveries1795345000000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { integer, bigint, text } = dialect.columns;
    const clustered = dialect.tableOptions('clustered');

    await runner.query(`CREATE TABLE IF NOT EXISTS report_periods (
      every ${text(8)} NOT NULL,
      first_day ${integer} NOT NULL,
      planned_at ${bigint} NOT NULL,
      PRIMARY KEY (every, first_day),
      CONSTRAINT report_periods_by_age UNIQUE (planned_at, every, first_day)
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS report_deliveries (
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
    ) ${clustered}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['report_deliveries', 'report_periods'])
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
