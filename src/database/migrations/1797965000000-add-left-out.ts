import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** What is left out of the answers about a website, written out. */
export class AddLeftOut1797965000000 implements MigrationInterface {
  name = 'AddLeftOut1797965000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, tableOptions } = dialectOf(runner.dataSource);
    const { bigint, longText } = columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS left_out (
      website_id ${bigint} NOT NULL,
      exclusions ${longText} NOT NULL,
      PRIMARY KEY (website_id)
    ) ${tableOptions('with large rows')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS left_out');
  }
}
