import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Dialect, dialectOf } from '../../../engine/database/dialect';
import { leasesTable } from './leases-table';
import { accessTables } from './tables/access';
import { hitsTables } from './tables/hits';
import { operationTables } from './tables/operation';
import { rollupsTables } from './tables/rollups';
import { websitesTables } from './tables/websites';

/** A table stores since when each name is collected. A migration that adds a name adds its row. */
const COLLECTED_NAMES = [
  'browser',
  'browser_version',
  'campaign',
  'channel',
  'city',
  'content',
  'continent',
  'country',
  'currency',
  'day',
  'device',
  'dropped',
  'entry_page',
  'event',
  'event_properties',
  'event_property:NAME',
  'exit_page',
  'hostname',
  'hour',
  'hour_of_day',
  'language',
  'medium',
  'month',
  'operating_system',
  'operating_system_version',
  'page',
  'pageview',
  'referrer',
  'referrer_page',
  'screen_resolution',
  'source',
  'term',
  'visitor',
  'week',
  'weekday',
];

/** All tables. Each statement can be run again: MySQL keeps the changes of an interrupted migration. */
export class CreateTables1796000000000 implements MigrationInterface {
  name = 'CreateTables1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { insertIfMissing, now } = dialect;
    for (const table of tablesOf(dialect)) await runner.query(table);
    await runner.query(`${insertIfMissing} website_changes (id, version) VALUES (1, 0)`);
    for (const name of COLLECTED_NAMES)
      await runner.query(`${insertIfMissing} collected_names (name, since) SELECT ?, ${now}`, [name]);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tablesOf(dialectOf(runner.dataSource)).reverse())
      await runner.query(`DROP TABLE IF EXISTS ${/EXISTS (\w+)/.exec(table)![1]}`);
  }
}

function tablesOf(dialect: Dialect): string[] {
  return [
    leasesTable(dialect),
    ...accessTables(dialect),
    ...websitesTables(dialect),
    ...hitsTables(dialect),
    ...rollupsTables(dialect),
    ...operationTables(dialect),
  ];
}
