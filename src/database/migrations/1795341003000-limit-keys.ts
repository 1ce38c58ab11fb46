import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

/** The websites that a key is limited to. A column is added where it is not there yet, so that this can be run again. */
export class LimitKeys1795341003000 implements MigrationInterface {
  name = 'LimitKeys1795341003000';

  async up(runner: QueryRunner): Promise<void> {
    if (await runner.hasColumn('api_keys', 'website_ids')) return;
    const { text } = dialectOf(runner.dataSource).columns;
    await runner.query(`ALTER TABLE api_keys ADD COLUMN website_ids ${text(2000)} NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    if (await runner.hasColumn('api_keys', 'website_ids'))
      await runner.query('ALTER TABLE api_keys DROP COLUMN website_ids');
  }
}
