import type Sqlite from 'better-sqlite3';
import type { DatabaseAddress, MysqlAddress } from './address';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import {
  BUSY_MS,
  credentials,
  mysqlDriver,
  openFileToRead,
  prepareSqlite,
  resultOf,
  serverAt,
  sessionStatements,
  sqliteDriver,
  VALUES,
} from './drivers';

export type DatabaseKind = 'sqlite' | 'mysql' | 'mariadb';
export type StoredValue = string | number | null | Buffer;

/** One moment of a database. Its rows are read as they come, so a table of any size fits memory. */
export interface Snapshot {
  readonly kind: DatabaseKind;
  /** The values of each row, in the order of the query. */
  rows(sql: string): AsyncIterable<StoredValue[]>;
  /** The largest id that a table ever gave to a row. */
  lastId(table: string): Promise<number>;
  close(): void;
}

/** A row may have some hundred kilobytes. */
const ROWS_IN_MEMORY = 16;
/** The server waits for a reader that writes to a slow disk. */
const NET_WRITE_TIMEOUT_S = 3600;

export async function openSnapshot(address: DatabaseAddress): Promise<Snapshot> {
  if (address.kind === 'mysql') return snapshotOfServer(address);
  const file = openFileToRead(address.path);
  file.exec('BEGIN');
  // A transaction begins with its first read.
  file.prepare('SELECT 1 FROM sqlite_master').get();
  return snapshotOfFile(file);
}

/** The snapshot of a file that no other process may open until it is closed. Undefined if one has it open. */
export function openFileAlone(path: string): Snapshot | undefined {
  const file = new (sqliteDriver())(path, { timeout: BUSY_MS });
  try {
    prepareSqlite(file, 'write');
    file.pragma('locking_mode = EXCLUSIVE');
    file.exec('BEGIN EXCLUSIVE');
    return snapshotOfFile(file);
  } catch (error) {
    file.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}

function snapshotOfFile(file: Sqlite.Database): Snapshot {
  let reading: IterableIterator<StoredValue[]> | undefined;
  return {
    kind: 'sqlite',
    async *rows(sql) {
      reading = file.prepare<[], StoredValue[]>(sql).raw().iterate();
      for (const row of reading) {
        yield row;
        await yieldIfNeeded();
      }
    },
    lastId(table) {
      const sequence = file.prepare<[string], { seq: number }>(
        'SELECT seq FROM sqlite_sequence WHERE name = ?',
      );
      return Promise.resolve(sequence.get(table)?.seq ?? 0);
    },
    // Whoever is interrupted may be in the middle of a table.
    close() {
      reading?.return?.();
      file.close();
    },
  };
}

async function snapshotOfServer(address: MysqlAddress): Promise<Snapshot> {
  const server = await serverAt(address);
  const connection = mysqlDriver().createConnection({ ...VALUES, ...credentials(address) });
  connection.on('error', () => undefined);
  for (const statement of [
    ...sessionStatements(server, 'read'),
    `SET SESSION net_write_timeout = ${NET_WRITE_TIMEOUT_S}`,
    'START TRANSACTION WITH CONSISTENT SNAPSHOT',
  ])
    await resultOf(connection, statement);
  return {
    kind: server.type,
    // Changes of a table, and with them all of its readers, would wait for this transaction until it ends.
    async *rows(sql) {
      await resultOf(connection, 'SAVEPOINT before_table');
      yield* connection
        .query({ sql, rowsAsArray: true })
        .stream({ highWaterMark: ROWS_IN_MEMORY }) as AsyncIterable<StoredValue[]>;
      await resultOf(connection, 'ROLLBACK TO SAVEPOINT before_table');
    },
    // A cached number of rows is in the tables of the schema, but not here.
    async lastId(table) {
      const [row] = await resultOf<Record<string, string>[]>(connection, `SHOW CREATE TABLE ${table}`);
      return Number(/ AUTO_INCREMENT=(\d+)/.exec(row!['Create Table']!)?.[1] ?? 1) - 1;
    },
    close: () => connection.destroy(),
  };
}

/** Counts the connections of other processes with the same user to a database. */
export async function countOtherConnections(address: MysqlAddress): Promise<number> {
  const connection = mysqlDriver().createConnection({ ...VALUES, ...credentials(address) });
  connection.on('error', () => undefined);
  try {
    const [own] = await resultOf<{ id: number; name: string }[]>(
      connection,
      "SELECT CONNECTION_ID() AS id, SUBSTRING_INDEX(USER(), '@', 1) AS name",
    );
    const all = await resultOf<{ Id: number; User: string; db: string | null }[]>(
      connection,
      'SHOW PROCESSLIST',
    );
    return all.filter(({ Id, User, db }) => Id !== own!.id && User === own!.name && db === address.name)
      .length;
  } finally {
    connection.destroy();
  }
}
