import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** In what form deliveries of a webhook are posted. */
export class AddWebhookFormats1798010000000 implements MigrationInterface {
  name = 'AddWebhookFormats1798010000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns } = dialectOf(runner.dataSource);
    if (await runner.hasColumn('webhooks', 'format')) return;
    await runner.query(
      `ALTER TABLE webhooks ADD COLUMN format ${columns.text(16)} NOT NULL DEFAULT 'milepost'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP COLUMN format');
  }
}
