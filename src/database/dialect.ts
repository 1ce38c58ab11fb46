import type { DataSource } from 'typeorm';
import { type ErrorMeaning, meaningOnMysql, meaningOnSqlite } from './connections/error-meaning';
import { sessionDriverOf } from './connections/server';

/** What differs between the databases. Everything else is shared. */
export interface Dialect {
  /** Statements that open a transaction for reading, where its first statement does not do so by itself. */
  readonly beginRead: string[];
  readonly beginWrite: string[];
  /** One connection serves everyone, so that transactions have to queue for it. */
  readonly oneConnection: boolean;
  /** The database's clock in milliseconds since 1970. */
  readonly now: string;
  /** A query of all columns of all tables. */
  readonly allColumns: string;
  readonly columns: Columns;
  /** The beginning of an INSERT that leaves rows alone whose key is there already. */
  readonly insertIfMissing: string;
  /** The end of an INSERT that adds to a column where the key is there already. */
  addIfThere: (table: string, key: string, column: string) => string;
  /**
   * Hold a statement to one index. On a server, a small table is read through otherwise, and rows of others are waited
   * for. SQLite chooses by itself, but where it is given its own name of the index.
   */
  useIndex: (index: string, inSqlite?: string) => string;
  /**
   * A query of the different values of a column that an index begins with. A server steps from value to value; SQLite
   * would read all rows, unless the steps are written out.
   */
  distinct: (table: string, column: string) => string;
  deleteByIndex: (table: string, index: string) => string;
  /** Deletes a bounded number of the rows that a condition names, in the order of the key. */
  deleteSome: (table: string, key: string, condition: string, limit: number) => string;
  /**
   * How rows stand: by their key, by a number that they are given, or by their key where each has many bytes. SQLite
   * reads all of such a row to compare its key, so they get a number of their own there.
   */
  tableOptions: (rows: 'clustered' | 'by rowid' | 'with large rows') => string;
  meaningOf: (error: unknown) => ErrorMeaning;
}

interface Columns {
  readonly id: string;
  readonly integer: string;
  readonly bigint: string;
  readonly longText: string;
  readonly longBytes: string;
  text: (characters: number) => string;
  bytes: (length: number) => string;
}

const INNODB = 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';

/** For TiDB alone, a comment to others: its nodes would give out ids from ranges of their own, out of order. */
const ID_ORDER = ' /*T![auto_id_cache] AUTO_ID_CACHE=1 */';

const mysql: Dialect = {
  beginRead: [],
  beginWrite: ['START TRANSACTION'],
  oneConnection: false,
  insertIfMissing: 'INSERT IGNORE INTO',
  addIfThere: (_table, _key, column) => `ON DUPLICATE KEY UPDATE ${column} = ${column} + VALUES(${column})`,
  useIndex: (index) => `FORCE INDEX (${index})`,
  distinct: (table, column) => `SELECT DISTINCT ${column} FROM ${table}`,
  deleteByIndex: (table, index) => `DELETE ${table} FROM ${table} FORCE INDEX (${index})`,
  now: 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)',
  allColumns: `SELECT table_name AS table_name, column_name AS column_name FROM information_schema.columns
    WHERE table_schema = DATABASE()`,
  columns: {
    id: 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
    integer: 'INT',
    bigint: 'BIGINT',
    longText: 'MEDIUMTEXT',
    longBytes: 'LONGBLOB',
    text: (characters) => `VARCHAR(${characters})`,
    bytes: (length) => `VARBINARY(${length})`,
  },
  deleteSome: (table, key, condition, limit) =>
    `DELETE FROM ${table} WHERE ${condition} ORDER BY ${key} LIMIT ${limit}`,
  tableOptions: (rows) => INNODB + (rows === 'by rowid' ? ID_ORDER : ''),
  meaningOf: meaningOnMysql,
};

const mysqlWithRowAlias: Dialect = {
  ...mysql,
  addIfThere: (table, _, column) =>
    `AS added ON DUPLICATE KEY UPDATE ${column} = ${table}.${column} + added.${column}`,
};

const sqlite: Dialect = {
  beginRead: ['BEGIN'],
  beginWrite: ['BEGIN IMMEDIATE'],
  oneConnection: true,
  insertIfMissing: 'INSERT OR IGNORE INTO',
  addIfThere: (_, key, column) =>
    `ON CONFLICT (${key}) DO UPDATE SET ${column} = ${column} + excluded.${column}`,
  useIndex: (_, inSqlite) => (inSqlite ? `INDEXED BY ${inSqlite}` : ''),
  distinct: (table, column) =>
    `WITH RECURSIVE step (value) AS (
      SELECT MIN(${column}) FROM ${table}
      UNION ALL SELECT (SELECT MIN(${column}) FROM ${table} WHERE ${column} > step.value) FROM step WHERE value IS NOT NULL
    ) SELECT value AS ${column} FROM step WHERE value IS NOT NULL`,
  deleteByIndex: (table) => `DELETE FROM ${table}`,
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  allColumns: `SELECT stored.name AS table_name, known.name AS column_name
    FROM sqlite_master stored JOIN pragma_table_info(stored.name) known
    WHERE stored.type = 'table' AND stored.name <> 'sqlite_sequence'`,
  columns: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL',
    integer: 'INTEGER',
    bigint: 'INTEGER',
    longText: 'TEXT',
    longBytes: 'BLOB',
    text: () => 'TEXT',
    bytes: () => 'BLOB',
  },
  deleteSome: (table, key, condition, limit) =>
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${key} LIMIT ${limit})`,
  tableOptions: (rows) => (rows === 'clustered' ? 'STRICT, WITHOUT ROWID' : 'STRICT'),
  meaningOf: meaningOnSqlite,
};

export function dialectOf({ options }: DataSource): Dialect {
  const driver = sessionDriverOf(options);
  if (!driver) return sqlite;
  return driver.server.hasRowAlias ? mysqlWithRowAlias : mysql;
}
