import { createHash } from 'node:crypto';
import { foldCase } from '../common/text';
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

/** The numbers of those values of a name that have one. */
export async function idsOf(
  reader: Queryable,
  websiteId: number,
  name: StatName,
  values: HashedValue[],
): Promise<Map<string, number>> {
  const rows = await reader.query<{ value_id: number; hash: Buffer }[]>(
    `SELECT value_id, hash FROM stat_values WHERE website_id = ? AND name = ?
    AND hash IN (${values.map(() => '?').join(', ')})`,
    [websiteId, DIMENSIONS[name].code, ...values.map(({ hash }) => hash)],
  );
  const byHash = new Map(rows.map(({ value_id, hash }) => [hash.toString('hex'), value_id]));
  const ids = new Map<string, number>();
  for (const { value, hash } of values) {
    const id = byHash.get(hash.toString('hex'));
    if (id !== undefined) ids.set(value, id);
  }
  return ids;
}

/** The number of `(other)`, by the code of the name, where a website has one. */
export async function otherIds(reader: Queryable, websiteId: number): Promise<Map<number, number>> {
  const names = STAT_NAMES.map((name) => DIMENSIONS[name].code).join(', ');
  const rows = await reader.query<{ name: number; value_id: number }[]>(
    `SELECT name, value_id FROM stat_values WHERE website_id = ? AND name IN (${names}) AND hash = ?`,
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
