import type { Dialect } from '../../../../engine/database/dialect';

export function websitesTables({ columns, tableOptions }: Dialect): string[] {
  const { id, integer, bigint, longText, text } = columns;
  const byRowid = tableOptions('by rowid');
  const clustered = tableOptions('clustered');
  return [
    `CREATE TABLE IF NOT EXISTS websites (
      id ${id},
      user_id ${bigint} NOT NULL,
      domain ${text(253)} NOT NULL,
      privacy ${integer} NOT NULL,
      password_hash ${text(255)} NULL,
      access_version ${integer} NOT NULL DEFAULT 0,
      email ${integer} NOT NULL,
      exclude_bots ${integer} NOT NULL,
      exclude_params ${longText} NULL,
      exclude_ips ${longText} NULL,
      allowed_origins ${longText} NULL,
      share_filters ${integer} NOT NULL DEFAULT 0,
      favorited_at ${bigint} NULL,
      created_at ${bigint} NOT NULL,
      updated_at ${bigint} NOT NULL,
      CONSTRAINT websites_domain UNIQUE (domain),
      CONSTRAINT websites_of_user UNIQUE (user_id, id),
      CONSTRAINT websites_of_user_by_domain UNIQUE (user_id, domain)
    ) ${byRowid}`,
    `CREATE TABLE IF NOT EXISTS reserved_domains (
      domain ${text(253)} NOT NULL PRIMARY KEY,
      user_id ${bigint} NOT NULL,
      reserved_until ${bigint} NOT NULL,
      CONSTRAINT reserved_domains_by_age UNIQUE (reserved_until, domain)
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS website_changes (
      id ${integer} NOT NULL PRIMARY KEY,
      version ${bigint} NOT NULL
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS changed_domains (
      version ${bigint} NOT NULL PRIMARY KEY,
      domain ${text(253)} NOT NULL
    ) ${clustered}`,
    `CREATE TABLE IF NOT EXISTS deleted_websites (
      website_id ${bigint} NOT NULL PRIMARY KEY,
      deleted_at ${bigint} NOT NULL
    ) ${clustered}`,
  ];
}
