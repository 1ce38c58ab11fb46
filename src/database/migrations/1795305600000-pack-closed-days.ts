import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { dialectOf } from '../dialect';

/** Where counters go once their day is over, and the order in which values are shown. Each statement can be run again. */
export class PackClosedDays1795305600000 implements MigrationInterface {
  name = 'PackClosedDays1795305600000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { integer, bigint, longBytes } = dialect.columns;
    const clustered = dialect.tableOptions('clustered');

    await runner.query(`CREATE TABLE IF NOT EXISTS stat_segments (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      span ${integer} NOT NULL,
      day ${integer} NOT NULL,
      part ${integer} NOT NULL,
      last_day ${integer} NOT NULL,
      data ${longBytes} NOT NULL,
      PRIMARY KEY (website_id, name, span, day, part)
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS closed_days (
      website_id ${bigint} NOT NULL PRIMARY KEY,
      closed_before ${integer} NOT NULL,
      merged_before ${integer} NOT NULL,
      version ${bigint} NOT NULL,
      packed_version ${bigint} NOT NULL,
      open_version ${bigint} NOT NULL,
      epoch ${bigint} NOT NULL,
      unused_from ${integer} NOT NULL,
      sealed_before ${integer} NOT NULL,
      columns_before ${integer} NOT NULL,
      due_at ${bigint} NULL,
      CONSTRAINT closed_days_by_due UNIQUE (due_at, website_id)
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS new_values (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      day ${integer} NOT NULL,
      kind ${integer} NOT NULL,
      size ${integer} NOT NULL,
      PRIMARY KEY (website_id, name, day, kind)
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS free_value_ids (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      value_id ${integer} NOT NULL,
      PRIMARY KEY (website_id, name, value_id)
    ) ${clustered}`);

    const values = await runner.getTable('stat_values');
    if (!values!.indices.some(({ name }) => name === ORDER.name)) await runner.createIndex(values!, ORDER);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TABLE IF EXISTS ${table}`);
    const values = await runner.getTable('stat_values');
    if (values?.indices.some(({ name }) => name === ORDER.name)) await runner.dropIndex(values, ORDER);
  }
}

const TABLES = ['free_value_ids', 'new_values', 'closed_days', 'stat_segments'];
const ORDER = new TableIndex({ name: 'stat_values_order', columnNames: ['website_id', 'name', 'value'] });
