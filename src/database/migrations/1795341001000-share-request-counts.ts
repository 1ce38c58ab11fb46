import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

/** What processes tell each other of the requests they counted. */
export class ShareRequestCounts1795341001000 implements MigrationInterface {
  name = 'ShareRequestCounts1795341001000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { bigint, bytes } = dialect.columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS limit_counts (
      counter ${bytes(16)} NOT NULL PRIMARY KEY,
      ends_at ${bigint} NOT NULL,
      used ${bigint} NOT NULL,
      CONSTRAINT limit_counts_by_age UNIQUE (ends_at, counter)
    ) ${dialect.tableOptions('clustered')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS limit_counts');
  }
}
