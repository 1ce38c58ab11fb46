import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

const TABLE = 'webhook_deliveries';
const INDEX = 'webhook_deliveries_by_size';

/** The bytes of a delivery's text and answers, in an index that sums them up. */
export class AddSizesOfDeliveries1797750000000 implements MigrationInterface {
  name = 'AddSizesOfDeliveries1797750000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns } = dialectOf(runner.dataSource);
    if (!(await runner.hasColumn(TABLE, 'size_bytes')))
      await runner.query(`ALTER TABLE ${TABLE} ADD COLUMN size_bytes ${columns.integer} NOT NULL DEFAULT 0`);
    await runner.query(
      `UPDATE ${TABLE} SET size_bytes = OCTET_LENGTH(body) + OCTET_LENGTH(answers) WHERE size_bytes = 0`,
    );
    const table = await runner.getTable(TABLE);
    if (!table!.indices.some(({ name }) => name === INDEX))
      await runner.query(`CREATE UNIQUE INDEX ${INDEX} ON ${TABLE} (webhook_id, state, size_bytes, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex(TABLE, INDEX);
    await runner.query(`ALTER TABLE ${TABLE} DROP COLUMN size_bytes`);
  }
}
