import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** The addresses besides the owner's that get reports of a website, and the mails to them. */
export class AddReportRecipients1797940000000 implements MigrationInterface {
  name = 'AddReportRecipients1797940000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, tableOptions } = dialectOf(runner.dataSource);
    const { id, integer, bigint, text } = columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS report_recipients (
      website_id ${bigint} NOT NULL,
      address ${text(254)} NOT NULL,
      state ${text(12)} NOT NULL,
      pending_since ${bigint} NULL,
      place ${integer} NULL,
      PRIMARY KEY (website_id, address),
      CONSTRAINT report_recipients_pending UNIQUE (pending_since, website_id, address)
    ) ${tableOptions('clustered')}`);
    await runner.query(`CREATE TABLE IF NOT EXISTS report_mails (
      id ${id},
      website_id ${bigint} NOT NULL,
      user_id ${bigint} NOT NULL,
      every ${text(8)} NOT NULL,
      first_day ${integer} NOT NULL,
      asked_at ${bigint} NOT NULL,
      address ${text(254)} NOT NULL,
      state ${text(8)} NOT NULL,
      due_at ${bigint} NOT NULL,
      attempts ${integer} NOT NULL,
      owner ${text(64)} NULL,
      recipient ${text(254)} NULL,
      message_id ${text(255)} NULL,
      reason ${text(255)} NULL,
      created_at ${bigint} NOT NULL,
      changed_at ${bigint} NOT NULL,
      CONSTRAINT report_mails_of_website UNIQUE (website_id, id),
      CONSTRAINT report_mails_by_occasion UNIQUE (website_id, every, first_day, asked_at, address),
      CONSTRAINT report_mails_by_turn UNIQUE (state, user_id, due_at, id),
      CONSTRAINT report_mails_due UNIQUE (state, due_at, id),
      CONSTRAINT report_mails_by_age UNIQUE (created_at, id)
    ) ${tableOptions('by rowid')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['report_mails', 'report_recipients'])
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
