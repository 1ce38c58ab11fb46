import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

const KEY = ['website', 'day', 'version', 'visitor', 'place'];
const NUMBERS = ['at', 'is_known', 'is_direct', 'is_passive', 'visit', 'visit_at', 'visit_bounce'];
const OPTIONAL_NUMBERS = ['visit_seconds', 'value_high', 'value_low'];
const TEXTS =
  `page event referrer campaign browser operating_system device language screen_resolution continent country
  city hostname referrer_page source medium term content click_id browser_version operating_system_version currency
  properties campaign_id title property_names visit_entry visit_exit visit_referrer_page visit_referrer visit_campaign visit_source
  visit_medium visit_term visit_content visit_campaign_id`.split(/\s+/);

/** Hits of old days as rows, and where the hits of each day are. */
export class AddRowsOfHits1797990000000 implements MigrationInterface {
  name = 'AddRowsOfHits1797990000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns, tableOptions } = dialectOf(runner.dataSource);
    const { bigint, integer, exactText, exactName } = columns;
    const key = KEY.map((name) => `${name} ${bigint} NOT NULL`);
    const hits = [
      ...key,
      ...NUMBERS.map((name) => `${name} ${bigint} NOT NULL`),
      ...OPTIONAL_NUMBERS.map((name) => `${name} ${bigint} NULL`),
      ...TEXTS.map((name) => `${name} ${exactText} NULL`),
    ];
    await runner.query(`CREATE TABLE IF NOT EXISTS hits (
      ${hits.join(',\n      ')},
      PRIMARY KEY (${KEY.join(', ')})
    ) ${tableOptions('clustered')}`);
    await runner.query(`CREATE TABLE IF NOT EXISTS hit_properties (
      ${key.join(',\n      ')},
      name ${exactName} NOT NULL,
      value ${exactText} NOT NULL,
      PRIMARY KEY (${KEY.join(', ')}, name)
    ) ${tableOptions('clustered')}`);
    await runner.query(`CREATE TABLE IF NOT EXISTS unnamed_versions (
      website_id ${bigint} NOT NULL,
      day ${integer} NOT NULL,
      version ${bigint} NOT NULL,
      PRIMARY KEY (website_id, day, version)
    ) ${tableOptions('clustered')}`);
    if (!(await runner.hasColumn('hit_days', 'home')))
      await runner.query(`ALTER TABLE hit_days ADD COLUMN home ${integer} NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE hit_days DROP COLUMN home');
    for (const table of ['unnamed_versions', 'hit_properties', 'hits'])
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
