import type { EntityManager } from 'typeorm';
import { insertRows, type Queryable } from '../../database/rows';

/** The most names of properties of a website; others are stored as `OTHER`. */
export const MAX_PROPERTY_NAMES = 200;
/** A name that no event had for so long makes room for others. */
export const PROPERTY_NAMES_LIVE_DAYS = 90;

/** The names of a website, each with the last day on which an event had it. */
export type NamesByDay = Map<string, number>;

export async function readStoredNames(reader: Queryable, websiteId: number): Promise<NamesByDay> {
  const rows = await reader.query<{ name: Buffer; last_day: number }[]>(
    'SELECT name, last_day FROM property_names WHERE website_id = ?',
    [websiteId],
  );
  return new Map(rows.map(({ name, last_day }) => [name.toString(), last_day]));
}

/** Names that are there already get their new day. */
export async function storeNames(
  manager: EntityManager,
  websiteId: number,
  names: NamesByDay,
): Promise<void> {
  const rows = [...names].map(([name, day]) => [websiteId, Buffer.from(name), day]);
  if (rows.length === 0) return;
  await manager.query(
    `DELETE FROM property_names WHERE website_id = ? AND name IN (${rows.map(() => '?').join(', ')})`,
    [websiteId, ...rows.map(([, name]) => name)],
  );
  await insertRows(manager, 'property_names', ['website_id', 'name', 'last_day'], rows);
}
