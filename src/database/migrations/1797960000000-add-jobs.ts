import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** Jobs that wait although other tables make them due: they failed, or took long. */
export class AddJobs1797960000000 implements MigrationInterface {
  name = 'AddJobs1797960000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, tableOptions } = dialectOf(runner.dataSource);
    const { bigint, integer, text } = columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS jobs (
      website_id ${bigint} NOT NULL,
      kind ${text(32)} NOT NULL,
      due_at ${bigint} NOT NULL,
      tries ${integer} NOT NULL,
      reason ${text(255)} NULL,
      PRIMARY KEY (website_id, kind)
    ) ${tableOptions('clustered')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS jobs');
  }
}
