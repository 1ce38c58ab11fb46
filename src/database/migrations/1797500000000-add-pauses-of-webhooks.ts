import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

const INDEXES = {
  webhook_deliveries_expiring: 'webhook_deliveries (state, expires_at, id)',
  webhook_deliveries_of_website: 'webhook_deliveries (website_id, state, id)',
  alert_mails_by_turn: 'alert_mails (state, user_id, due_at, id)',
};
const EXPIRE_AFTER_MS = 86_400_000;

/** Pauses of failing webhooks, the version of a list of deliveries, and turns of users whose alerts are mailed. */
export class AddPausesOfWebhooks1797500000000 implements MigrationInterface {
  name = 'AddPausesOfWebhooks1797500000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns } = dialectOf(runner.dataSource);
    const add = async (table: string, column: string, type: string) => {
      if (!(await runner.hasColumn(table, column)))
        await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
    };
    await add('webhooks', 'failures', `${columns.integer} NOT NULL DEFAULT 0`);
    await add('webhooks', 'paused_until', `${columns.bigint} NULL`);
    await add('webhooks', 'changes', `${columns.bigint} NOT NULL DEFAULT 0`);
    await add('webhook_deliveries', 'expires_at', `${columns.bigint} NOT NULL DEFAULT 0`);
    await runner.query(
      "UPDATE webhook_deliveries SET expires_at = created_at + ? WHERE expires_at = 0 AND state IN ('waiting', 'sending')",
      [EXPIRE_AFTER_MS],
    );
    if (await runner.hasColumn('webhook_deliveries', 'changes'))
      await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN changes');
    for (const [name, of] of Object.entries(INDEXES)) {
      const table = await runner.getTable(of.split(' ')[0]!);
      const isThere = table!.indices.some((index) => index.name === name);
      if (!isThere) await runner.query(`CREATE UNIQUE INDEX ${name} ON ${of}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const { columns } = dialectOf(runner.dataSource);
    for (const [name, of] of Object.entries(INDEXES)) await runner.dropIndex(of.split(' ')[0]!, name);
    await runner.query(
      `ALTER TABLE webhook_deliveries ADD COLUMN changes ${columns.integer} NOT NULL DEFAULT 0`,
    );
    await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN expires_at');
    for (const column of ['failures', 'paused_until', 'changes'])
      await runner.query(`ALTER TABLE webhooks DROP COLUMN ${column}`);
  }
}
