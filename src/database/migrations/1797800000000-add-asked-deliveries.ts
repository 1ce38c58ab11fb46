import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

const TABLE = 'webhook_deliveries';
const INDEX = 'webhook_deliveries_asked';

/** Marks the deliveries that their owner asked for: they are tried in a pause of their webhook. */
export class AddAskedDeliveries1797800000000 implements MigrationInterface {
  name = 'AddAskedDeliveries1797800000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns } = dialectOf(runner.dataSource);
    if (!(await runner.hasColumn(TABLE, 'asked')))
      await runner.query(`ALTER TABLE ${TABLE} ADD COLUMN asked ${columns.integer} NOT NULL DEFAULT 0`);
    const table = await runner.getTable(TABLE);
    if (!table!.indices.some(({ name }) => name === INDEX))
      await runner.query(`CREATE UNIQUE INDEX ${INDEX} ON ${TABLE} (webhook_id, state, asked, due_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex(TABLE, INDEX);
    await runner.query(`ALTER TABLE ${TABLE} DROP COLUMN asked`);
  }
}
