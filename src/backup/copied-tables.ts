import type { DataSource } from 'typeorm';
import type { Snapshot, StoredValue } from '../../engine/database/connections/snapshot';
import { MADE_ANEW, type RowsWithoutHashes, rowsWithoutHashes } from '../hits/copied-tables';

/** What a backup must not have, or what means nothing to processes that start later. */
const LEFT_OUT = new Set(['salts', 'limit_counts', 'leases', ...MADE_ANEW]);

/** Tells whether a backup has a table. */
export function isInBackups(table: string): boolean {
  return !LEFT_OUT.has(table);
}

type Metadata = Pick<DataSource, 'entityMetadatas'>;

/** What is said of a table before its rows. */
export interface TableHead {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Zero for a table whose rows have no numbers. */
  readonly lastId: number;
}

/** A table of one moment. */
export interface CopiedTable extends TableHead {
  readonly values: () => AsyncIterable<StoredValue[]>;
}

/** All tables, with every row. */
export async function allTables(
  source: Metadata,
  snapshot: Snapshot,
  check: () => void,
): Promise<CopiedTable[]> {
  return copied(source, snapshot, () => true, {}, check);
}

/** The tables of a backup: nothing in them leads to a visitor. */
export async function tablesOfBackup(
  source: Metadata,
  snapshot: Snapshot,
  check: () => void,
): Promise<CopiedTable[]> {
  return copied(source, snapshot, isInBackups, rowsWithoutHashes(), check);
}

export function sumOfRows(tables: readonly TableHead[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

async function copied(
  { entityMetadatas }: Metadata,
  snapshot: Snapshot,
  isCopied: (name: string) => boolean,
  changes: Readonly<Record<string, RowsWithoutHashes>>,
  check: () => void,
): Promise<CopiedTable[]> {
  const tables: CopiedTable[] = [];
  for (const { tableName: name, columns: all, generatedColumns } of entityMetadatas) {
    if (!isCopied(name)) continue;
    check();
    const columns = all.map(({ databaseName }) => databaseName);
    const change = changes[name];
    const from = change?.from ?? `${name} own`;
    const [count] = await firstOf(snapshot.rows(`SELECT COUNT(*) FROM ${from}`));
    const lastId = generatedColumns.length > 0 ? await snapshot.lastId(name) : 0;
    const selected = [
      ...columns.map((column) => change?.instead?.[column] ?? `own.${column}`),
      ...Object.values(change?.needs ?? {}),
    ];
    const values = () => snapshot.rows(`SELECT ${selected.join(', ')} FROM ${from}`);
    tables.push({
      ...{ name, columns, rows: Number(count), lastId },
      values: change ? () => changed(values(), columns, change) : values,
    });
  }
  return tables;
}

async function* changed(
  rows: AsyncIterable<StoredValue[]>,
  columns: string[],
  rule: RowsWithoutHashes,
): AsyncGenerator<StoredValue[]> {
  const names = [...columns, ...Object.keys(rule.needs)];
  const place = columns.indexOf(rule.column);
  for await (const values of rows) {
    const numbers = names.flatMap((name, index) =>
      Buffer.isBuffer(values[index]) ? [] : [[name, Number(values[index])] as const],
    );
    const row = Object.fromEntries(numbers);
    const bytes = rule.change(row, values[place] as Buffer);
    yield values.slice(0, columns.length).with(place, bytes);
  }
}

async function firstOf(rows: AsyncIterable<StoredValue[]>): Promise<StoredValue[]> {
  const all: StoredValue[][] = [];
  for await (const row of rows) all.push(row);
  return all[0]!;
}
