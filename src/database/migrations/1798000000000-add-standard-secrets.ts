import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** From which generation on the secret of a webhook has the form of Standard Webhooks: of those stored before, the next one. */
export class AddStandardSecrets1798000000000 implements MigrationInterface {
  name = 'AddStandardSecrets1798000000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns } = dialectOf(runner.dataSource);
    if (await runner.hasColumn('webhooks', 'standard_from')) return;
    await runner.query(`ALTER TABLE webhooks ADD COLUMN standard_from ${columns.integer} NOT NULL DEFAULT 1`);
    await runner.query('UPDATE webhooks SET standard_from = generation + 1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP COLUMN standard_from');
  }
}
