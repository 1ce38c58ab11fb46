import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

export class AddExclusions1797966000000 implements MigrationInterface {
  name = 'AddExclusions1797966000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, tableOptions } = dialectOf(runner.dataSource);
    const { id, integer, bigint, text, longText } = columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS exclusions (
      id ${id},
      website_id ${bigint} NOT NULL,
      name ${text(100)} NOT NULL,
      filters ${longText} NOT NULL,
      reason ${text(500)} NULL,
      from_day ${integer} NOT NULL,
      to_day ${integer} NULL,
      is_final ${integer} NOT NULL DEFAULT 0,
      made_by ${text(100)} NOT NULL,
      created_at ${bigint} NOT NULL,
      updated_at ${bigint} NOT NULL,
      CONSTRAINT exclusions_of_website UNIQUE (website_id, id),
      CONSTRAINT exclusions_by_end UNIQUE (website_id, to_day, id)
    ) ${tableOptions('by rowid')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS exclusions');
  }
}
