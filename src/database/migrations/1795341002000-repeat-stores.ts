import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

/** Which website a request with an Idempotency-Key made. */
export class RepeatStores1795341002000 implements MigrationInterface {
  name = 'RepeatStores1795341002000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { bigint, bytes } = dialect.columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS store_requests (
      user_id ${bigint} NOT NULL,
      idempotency_key ${bytes(32)} NOT NULL,
      request ${bytes(32)} NOT NULL,
      website_id ${bigint} NOT NULL,
      created_at ${bigint} NOT NULL,
      PRIMARY KEY (user_id, idempotency_key),
      CONSTRAINT store_requests_by_age UNIQUE (created_at, user_id, idempotency_key)
    ) ${dialect.tableOptions('clustered')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS store_requests');
  }
}
