import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** The blocks into which the days of shared websites are divided. The counting process divides all days so far. */
export class AddDayBlocks1797930000000 implements MigrationInterface {
  name = 'AddDayBlocks1797930000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, tableOptions } = dialectOf(runner.dataSource);
    const { integer, bigint } = columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS day_blocks (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      block ${integer} NOT NULL,
      visitors ${bigint} NOT NULL,
      PRIMARY KEY (website_id, day)
    ) ${tableOptions('clustered')}`);
    await runner.query(
      'UPDATE closed_days SET due_at = 0 WHERE website_id IN (SELECT id FROM websites WHERE privacy <> 1)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS day_blocks');
  }
}
