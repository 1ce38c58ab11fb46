import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';
import { webhooksTables } from './tables/webhooks';

/** Webhooks, their deliveries, and the places up to which hits were looked through for conversions. */
export class AddWebhooks1797200000000 implements MigrationInterface {
  name = 'AddWebhooks1797200000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of webhooksTables(dialectOf(runner.dataSource))) await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['followed_days', 'followed_websites', 'webhook_deliveries', 'webhooks'])
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
