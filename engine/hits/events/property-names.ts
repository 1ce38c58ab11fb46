import { insertRows, type Queryable, type Transaction } from '../../database/rows';

/** The maximum number of property names of a website. Further names are stored as `OTHER`. */
export const MAX_PROPERTY_NAMES = 200;
/** A name that no event had for this time is removed. */
export const PROPERTY_NAMES_LIVE_DAYS = 90;

/** The property names of a website, each with the last day of an event that had it. */
export type NamesByDay = Map<string, number>;

export async function readStoredNames(reader: Queryable, websiteId: number): Promise<NamesByDay> {
  const rows = await reader.query<{ name: Buffer; last_day: number }[]>(
    'SELECT name, last_day FROM property_names WHERE website_id = ?',
    [websiteId],
  );
  return new Map(rows.map(({ name, last_day }) => [name.toString(), last_day]));
}

/** Updates the day of names that exist. */
export async function storeNames(manager: Transaction, websiteId: number, names: NamesByDay): Promise<void> {
  const rows = [...names].map(([name, day]) => [websiteId, Buffer.from(name), day]);
  if (rows.length === 0) return;
  await manager.query(
    `DELETE FROM property_names WHERE website_id = ? AND name IN (${rows.map(() => '?').join(', ')})`,
    [websiteId, ...rows.map(([, name]) => name)],
  );
  await insertRows(manager, 'property_names', ['website_id', 'name', 'last_day'], rows);
}
