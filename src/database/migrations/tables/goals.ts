import type { Dialect } from '../../../../engine/database/dialect';

export function goalsTables({ columns, tableOptions }: Dialect): string[] {
  const { id, integer, bigint, longText, text } = columns;
  const byRowid = tableOptions('by rowid');
  return [
    `CREATE TABLE IF NOT EXISTS goals (
      id ${id},
      website_id ${bigint} NOT NULL,
      name ${text(100)} NOT NULL,
      filters ${longText} NOT NULL,
      value ${text(21)} NULL,
      currency ${text(3)} NULL,
      created_at ${bigint} NOT NULL,
      updated_at ${bigint} NOT NULL,
      CONSTRAINT goals_of_website UNIQUE (website_id, id),
      CONSTRAINT goals_by_name UNIQUE (website_id, name)
    ) ${byRowid}`,
    `CREATE TABLE IF NOT EXISTS saved_filters (
      id ${id},
      website_id ${bigint} NOT NULL,
      name ${text(100)} NOT NULL,
      filters ${longText} NOT NULL,
      shared ${integer} NOT NULL DEFAULT 0,
      created_at ${bigint} NOT NULL,
      updated_at ${bigint} NOT NULL,
      CONSTRAINT saved_filters_of_website UNIQUE (website_id, id),
      CONSTRAINT saved_filters_by_name UNIQUE (website_id, name)
    ) ${byRowid}`,
    `CREATE TABLE IF NOT EXISTS funnels (
      id ${id},
      website_id ${bigint} NOT NULL,
      name ${text(100)} NOT NULL,
      steps ${longText} NOT NULL,
      step_order ${text(8)} NOT NULL,
      within ${text(8)} NOT NULL,
      created_at ${bigint} NOT NULL,
      updated_at ${bigint} NOT NULL,
      CONSTRAINT funnels_of_website UNIQUE (website_id, id),
      CONSTRAINT funnels_by_name UNIQUE (website_id, name)
    ) ${byRowid}`,
  ];
}
