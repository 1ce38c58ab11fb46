import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

/** Lets viewers of a shared page filter. The column is added only where it is missing, so that this can run again. */
export class ShareFilters1795349000000 implements MigrationInterface {
  name = 'ShareFilters1795349000000';

  async up(runner: QueryRunner): Promise<void> {
    if (await runner.hasColumn('websites', 'share_filters')) return;
    const { integer } = dialectOf(runner.dataSource).columns;
    await runner.query(`ALTER TABLE websites ADD COLUMN share_filters ${integer} NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    if (await runner.hasColumn('websites', 'share_filters'))
      await runner.query('ALTER TABLE websites DROP COLUMN share_filters');
  }
}
