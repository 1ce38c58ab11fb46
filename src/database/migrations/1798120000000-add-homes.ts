import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

const INDEX = 'remote_versions_by_due';

/** Homes of old days outside of this database, and the versions of days that they may have. */
export class AddHomes1798120000000 implements MigrationInterface {
  name = 'AddHomes1798120000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, tableOptions } = dialectOf(runner.dataSource);
    const { integer, bigint, text } = columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS hit_homes (
      number ${integer} NOT NULL,
      kind ${text(32)} NOT NULL,
      host ${text(255)} NOT NULL,
      port ${integer} NOT NULL,
      database_name ${text(64)} NOT NULL,
      table_name ${text(64)} NOT NULL,
      mark ${text(32)} NOT NULL,
      next_mark ${text(32)} NULL,
      is_coming_home ${integer} NOT NULL,
      PRIMARY KEY (number)
    ) ${tableOptions('clustered')}`);
    await runner.query(`CREATE TABLE IF NOT EXISTS remote_versions (
      home ${integer} NOT NULL,
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      version ${bigint} NOT NULL,
      due_at ${bigint} NULL,
      is_claimed ${integer} NOT NULL,
      PRIMARY KEY (home, website_id, day, version)
    ) ${tableOptions('clustered')}`);
    const table = await runner.getTable('remote_versions');
    if (!table?.indices.some(({ name }) => name === INDEX))
      await runner.query(
        `CREATE UNIQUE INDEX ${INDEX} ON remote_versions (home, due_at, website_id, day, version)`,
      );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['remote_versions', 'hit_homes']) await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
