import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

/** The names that the properties of events have. */
export class PropertyNames1795345100000 implements MigrationInterface {
  name = 'PropertyNames1795345100000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { integer, bigint, bytes } = dialect.columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS property_names (
      website_id ${bigint} NOT NULL,
      name ${bytes(256)} NOT NULL,
      last_day ${integer} NOT NULL,
      PRIMARY KEY (website_id, name),
      CONSTRAINT property_names_by_age UNIQUE (website_id, last_day, name)
    ) ${dialect.tableOptions('clustered')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS property_names');
  }
}
