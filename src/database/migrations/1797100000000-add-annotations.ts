import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Dialect, dialectOf } from '../../../engine/database/dialect';

/** Annotations, and room for the scope of keys that only store them. */
export class AddAnnotations1797100000000 implements MigrationInterface {
  name = 'AddAnnotations1797100000000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    await runner.query(tableOf(dialect));
    // SQLite's texts have no length.
    if (!dialect.oneConnection)
      await runner.query(`ALTER TABLE api_keys MODIFY scope ${dialect.columns.text(16)} NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS annotations');
  }
}

function tableOf({ columns, tableOptions }: Dialect): string {
  const { id, integer, bigint, text } = columns;
  return `CREATE TABLE IF NOT EXISTS annotations (
    id ${id},
    website_id ${bigint} NOT NULL,
    day ${integer} NULL,
    moment ${bigint} NOT NULL,
    text ${text(280)} NOT NULL,
    is_public ${integer} NOT NULL,
    created_at ${bigint} NOT NULL,
    updated_at ${bigint} NOT NULL,
    CONSTRAINT annotations_of_website UNIQUE (website_id, id),
    CONSTRAINT annotations_by_moment UNIQUE (website_id, moment, id)
  ) ${tableOptions('by rowid')}`;
}
