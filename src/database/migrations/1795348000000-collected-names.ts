import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

const NAMES = [
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

/** Since when each name is collected. Whatever adds a name adds its row, with the moment at which it does. */
export class CollectedNames1795348000000 implements MigrationInterface {
  name = 'CollectedNames1795348000000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { text, bigint } = dialect.columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS collected_names (
      name ${text(64)} NOT NULL PRIMARY KEY,
      since ${bigint} NOT NULL
    ) ${dialect.tableOptions('clustered')}`);
    // These were collected from the beginning, of which the first user is the oldest trace.
    const since = `SELECT COALESCE(MIN(created_at), ${dialect.now}) FROM users`;
    for (const name of NAMES)
      await runner.query(`${dialect.insertIfMissing} collected_names (name, since) SELECT ?, (${since})`, [
        name,
      ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS collected_names');
  }
}
