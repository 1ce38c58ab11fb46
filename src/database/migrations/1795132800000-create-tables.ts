import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';
import { leasesTable } from './leases-table';

/** Each statement can be run again: MySQL keeps what was done before a migration broke off. */
export class CreateTables1795132800000 implements MigrationInterface {
  name = 'CreateTables1795132800000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { id, integer, bigint, longText, text, bytes } = dialect.columns;
    const byRowid = dialect.tableOptions('by rowid');
    const clustered = dialect.tableOptions('clustered');

    await runner.query(leasesTable(dialect));

    await runner.query(`CREATE TABLE IF NOT EXISTS secret_check (
      id ${integer} NOT NULL PRIMARY KEY,
      check_value ${bytes(32)} NOT NULL
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS retention (
      name ${text(64)} NOT NULL PRIMARY KEY,
      done_before ${bigint} NOT NULL
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS users (
      id ${id},
      email ${text(254)} NOT NULL,
      created_at ${bigint} NOT NULL,
      CONSTRAINT users_email UNIQUE (email)
    ) ${byRowid}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS api_keys (
      id ${id},
      user_id ${bigint} NOT NULL,
      name ${text(100)} NOT NULL,
      prefix ${text(8)} NOT NULL,
      hash ${text(64)} NOT NULL,
      scope ${text(8)} NOT NULL,
      created_at ${bigint} NOT NULL,
      expires_at ${bigint} NULL,
      revoked_at ${bigint} NULL,
      last_used_at ${bigint} NULL,
      CONSTRAINT api_keys_hash UNIQUE (hash),
      CONSTRAINT api_keys_of_user UNIQUE (user_id, id)
    ) ${byRowid}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS websites (
      id ${id},
      user_id ${bigint} NOT NULL,
      domain ${text(253)} NOT NULL,
      privacy ${integer} NOT NULL,
      password_hash ${text(255)} NULL,
      email ${integer} NOT NULL,
      exclude_bots ${integer} NOT NULL,
      exclude_params ${longText} NULL,
      exclude_ips ${longText} NULL,
      allowed_origins ${longText} NULL,
      favorited_at ${bigint} NULL,
      created_at ${bigint} NOT NULL,
      updated_at ${bigint} NOT NULL,
      CONSTRAINT websites_domain UNIQUE (domain),
      CONSTRAINT websites_of_user UNIQUE (user_id, id),
      CONSTRAINT websites_of_user_by_domain UNIQUE (user_id, domain)
    ) ${byRowid}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS reserved_domains (
      domain ${text(253)} NOT NULL PRIMARY KEY,
      user_id ${bigint} NOT NULL,
      reserved_until ${bigint} NOT NULL,
      CONSTRAINT reserved_domains_by_age UNIQUE (reserved_until, domain)
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS website_changes (
      id ${integer} NOT NULL PRIMARY KEY,
      version ${bigint} NOT NULL
    ) ${clustered}`);
    await runner.query(`${dialect.insertIfMissing} website_changes (id, version) VALUES (1, 0)`);

    await runner.query(`CREATE TABLE IF NOT EXISTS changed_domains (
      version ${bigint} NOT NULL PRIMARY KEY,
      domain ${text(253)} NOT NULL
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS stat_values (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      value_id ${integer} NOT NULL,
      hash ${bytes(32)} NOT NULL,
      value ${bytes(1024)} NOT NULL,
      folded ${bytes(2048)} NOT NULL,
      folded_label ${bytes(2048)} NULL,
      PRIMARY KEY (website_id, name, value_id),
      CONSTRAINT stat_values_hash UNIQUE (website_id, name, hash)
    ) ${clustered}`);

    await runner.query(`CREATE TABLE IF NOT EXISTS stat_counters (
      website_id ${bigint} NOT NULL,
      name ${integer} NOT NULL,
      day ${integer} NOT NULL,
      value_id ${integer} NOT NULL,
      hits ${bigint} NOT NULL,
      PRIMARY KEY (website_id, name, day, value_id)
    ) ${clustered}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}

const TABLES = [
  'leases',
  'secret_check',
  'retention',
  'stat_counters',
  'stat_values',
  'changed_domains',
  'website_changes',
  'reserved_domains',
  'websites',
  'api_keys',
  'users',
];
