import type { ResultSetHeader } from 'mysql2';
import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../ground/time/yield-if-needed';
import type { Dialect } from './dialect';

/** The smallest packet of a server that the service works with. */
export const SMALLEST_PACKET_BYTES = 1024 ** 2;
/**
 * The limit for a statement: with one more large row it still fits the smallest packet, and SQLite does not block the
 * event loop for long.
 */
export const MAX_STATEMENT_BYTES = 256 * 1024;
const MAX_STATEMENT_ROWS = 2000;
/** SQLite binds at most 32,766 values in one statement. */
const MAX_BOUND = 30_000;

/** Anything that runs a statement: a transaction's manager, or the database itself. */
export interface Queryable {
  query<T>(sql: string, parameters?: unknown[]): Promise<T>;
}

/** How something is read, for example in a read of its own. */
export type Reading = <T>(work: (reader: Queryable) => Promise<T>) => Promise<T>;

/**
 * The statements of a transaction: TypeORM's, which has a runner, or a driver's, which says that it has none. A database
 * is no transaction; TypeORM's optional runner alone would let it pass.
 */
export type Transaction = Queryable &
  (Pick<EntityManager, 'queryRunner' | 'getRepository'> | { readonly queryRunner: undefined });

/** The database's time in milliseconds since 1970. */
export async function nowOf(database: Queryable, { now }: Pick<Dialect, 'now'>): Promise<number> {
  const [row] = await database.query<{ moment: number | string }[]>(`SELECT ${now} AS moment`);
  return Number(row!.moment);
}

/** A condition of a statement, or what follows FROM in one. */
export interface SqlCondition {
  sql: string;
  parameters: unknown[];
}

/** Rows to insert; `ending` handles existing keys. */
export interface Insertion {
  table: string;
  columns: string[];
  rows: unknown[][];
  ending?: string;
}

export function* inChunks<T>(items: T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Cuts a list into pieces of limited length and size, each with at least one item. */
export function* inPieces<T>(
  items: T[],
  maxItems: number,
  maxBytes: number,
  bytesOf: (item: T) => number,
): Generator<T[]> {
  let piece: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (piece.length > 0 && (piece.length === maxItems || bytes + size > maxBytes)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

/** Placeholders for a list of values: `(?, ?)`. */
export function placeholdersFor(values: readonly unknown[]): string {
  return `(${values.map(() => '?').join(', ')})`;
}

/** Inserts many rows with few statements. */
export async function insertRows(
  manager: Transaction,
  table: string,
  columns: string[],
  rows: unknown[][],
  ending = '',
  beginning = 'INSERT INTO',
): Promise<void> {
  const row = placeholdersFor(columns);
  const maxRows = Math.min(MAX_STATEMENT_ROWS, Math.floor(MAX_BOUND / columns.length));
  for (const piece of inPieces(rows, maxRows, MAX_STATEMENT_BYTES, bytesInStatement)) {
    await manager.query(
      `${beginning} ${table} (${columns.join(', ')}) VALUES ${piece.map(() => row).join(', ')} ${ending}`,
      piece.flat(),
    );
    await yieldIfNeeded();
  }
}

export async function insertAll(manager: Transaction, insertions: Insertion[]): Promise<void> {
  for (const { table, columns, rows, ending } of insertions)
    await insertRows(manager, table, columns, rows, ending);
}

/** Runs a statement and returns the number of changed rows. */
export async function changedBy(manager: Transaction, sql: string, parameters: unknown[]): Promise<number> {
  if (!manager.queryRunner) return (await manager.query<ResultSetHeader>(sql, parameters)).affectedRows;
  const result = await manager.queryRunner.query(sql, parameters, true);
  return result.affected ?? 0;
}

/** The driver for servers writes bytes as X'...', twice their size, and may double a text by escaping. */
function bytesInStatement(values: unknown[]): number {
  let bytes = 4;
  for (const value of values) {
    if (Buffer.isBuffer(value)) bytes += 2 * value.length + 6;
    else if (typeof value === 'string') bytes += 2 * Buffer.byteLength(value) + 4;
    else bytes += 22;
  }
  return bytes;
}
