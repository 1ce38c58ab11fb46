import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** What limits shared pages, written out. A service that starts fills it in for the pages that are limited already. */
export class AddPageFilters1797950000000 implements MigrationInterface {
  name = 'AddPageFilters1797950000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, insertIfMissing, tableOptions } = dialectOf(runner.dataSource);
    const { bigint, longText } = columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS page_filters (
      website_id ${bigint} NOT NULL,
      filters ${longText} NULL,
      PRIMARY KEY (website_id)
    ) ${tableOptions('with large rows')}`);
    await runner.query(
      `${insertIfMissing} page_filters (website_id) SELECT website_id FROM saved_filters WHERE shared = 1`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS page_filters');
  }
}
