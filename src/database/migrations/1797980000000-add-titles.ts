import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** The titles of pages, and the option of a website that keeps them. */
export class AddTitles1797980000000 implements MigrationInterface {
  name = 'AddTitles1797980000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, insertIfMissing, now } = dialectOf(runner.dataSource);
    if (!(await runner.hasColumn('websites', 'titles')))
      await runner.query(`ALTER TABLE websites ADD COLUMN titles ${columns.integer} NOT NULL DEFAULT 0`);
    await runner.query(`${insertIfMissing} collected_names (name, since) SELECT ?, ${now}`, ['title']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM collected_names WHERE name = 'title'");
    await runner.query('ALTER TABLE websites DROP COLUMN titles');
  }
}
