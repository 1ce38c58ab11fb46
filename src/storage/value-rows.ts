import { createHash } from 'node:crypto';
import { foldCase } from '../common/text';
import type { Dialect } from '../database/dialect';
import type { Insertion, Queryable } from '../database/rows';
import { DIMENSIONS, STAT_NAMES, type StatName } from './dimensions';
import { OTHER } from './value-limits';

/** A value by its exact bytes, which no collation merges with others. */
export interface HashedValue {
  value: string;
  hash: Buffer;
}

export function hashed(value: string): HashedValue {
  return { value, hash: createHash('sha256').update(value).digest() };
}

/** Left to choose, SQLite reads through all values of a name for a few hashes. */
const byHash = ({ useIndex }: Dialect) => useIndex('stat_values_hash', 'sqlite_autoindex_stat_values_2');

/** The numbers of those values of a name that have one. */
export async function idsOf(
  dialect: Dialect,
  reader: Queryable,
  websiteId: number,
  name: StatName,
  values: HashedValue[],
): Promise<Map<string, number>> {
  const rows = await reader.query<{ value_id: number; hash: Buffer }[]>(
    `SELECT value_id, hash FROM stat_values ${byHash(dialect)} WHERE website_id = ? AND name = ?
    AND hash IN (${values.map(() => '?').join(', ')})`,
    [websiteId, DIMENSIONS[name].code, ...values.map(({ hash }) => hash)],
  );
  const found = new Map(rows.map(({ value_id, hash }) => [hash.toString('hex'), value_id]));
  const ids = new Map<string, number>();
  for (const { value, hash } of values) {
    const id = found.get(hash.toString('hex'));
    if (id !== undefined) ids.set(value, id);
  }
  return ids;
}

/** The number of `(other)`, by the code of the name, where a website has one. */
export async function otherIds(
  dialect: Dialect,
  reader: Queryable,
  websiteId: number,
): Promise<Map<number, number>> {
  const names = STAT_NAMES.map((name) => DIMENSIONS[name].code).join(', ');
  const rows = await reader.query<{ name: number; value_id: number }[]>(
    `SELECT name, value_id FROM stat_values ${byHash(dialect)}
    WHERE website_id = ? AND name IN (${names}) AND hash = ?`,
    [websiteId, hashed(OTHER).hash],
  );
  return new Map(rows.map(({ name, value_id }) => [name, value_id]));
}

export function valueRow(
  websiteId: number,
  name: StatName,
  { value, hash }: HashedValue,
  id: number,
): unknown[] {
  const { code, label, labels } = DIMENSIONS[name];
  const foldedLabel = labels === 'in the dictionary' ? Buffer.from(foldCase(label(value))) : null;
  return [websiteId, code, id, hash, Buffer.from(value), Buffer.from(foldCase(value)), foldedLabel];
}

export function valuesInsertion(rows: unknown[][]): Insertion {
  const columns = ['website_id', 'name', 'value_id', 'hash', 'value', 'folded', 'folded_label'];
  return { table: 'stat_values', columns, rows };
}
