import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** Exclusions whose hits are removed for good, as long as days are left. */
export class AddPurges1797995000000 implements MigrationInterface {
  name = 'AddPurges1797995000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, tableOptions } = dialectOf(runner.dataSource);
    const { integer, bigint } = columns;
    if (!(await runner.hasColumn('exclusions', 'is_purged')))
      await runner.query(`ALTER TABLE exclusions ADD COLUMN is_purged ${integer} NOT NULL DEFAULT 0`);
    await runner.query(`CREATE TABLE IF NOT EXISTS purges (
      website_id ${bigint} NOT NULL,
      exclusion_id ${bigint} NOT NULL,
      PRIMARY KEY (website_id, exclusion_id)
    ) ${tableOptions('clustered')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS purges');
    await runner.query('ALTER TABLE exclusions DROP COLUMN is_purged');
  }
}
