import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

/** Counts the changes of who may see a website. A column is added where it is not there yet, so that this can be run again. */
export class VersionAccess1795346000000 implements MigrationInterface {
  name = 'VersionAccess1795346000000';

  async up(runner: QueryRunner): Promise<void> {
    if (await runner.hasColumn('websites', 'access_version')) return;
    const { integer } = dialectOf(runner.dataSource).columns;
    await runner.query(`ALTER TABLE websites ADD COLUMN access_version ${integer} NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    if (await runner.hasColumn('websites', 'access_version'))
      await runner.query('ALTER TABLE websites DROP COLUMN access_version');
  }
}
