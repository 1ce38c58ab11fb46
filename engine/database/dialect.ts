import type { DataSource } from 'typeorm';
import { type ErrorMeaning, meaningOnMysql, meaningOnSqlite } from './connections/error-meaning';
import { type Server, sessionDriverOf } from './connections/supported-servers';

/** The differences between the databases. */
export interface Dialect {
  /** Statements that open a read transaction, if the first query does not do so by itself. */
  readonly beginRead: string[];
  readonly beginWrite: string[];
  /** Tells whether all transactions must queue for one connection. */
  readonly oneConnection: boolean;
  readonly now: string;
  /** A query for all columns of all tables. */
  readonly allColumns: string;
  /** A query for the size of the database, as `bytes`. */
  readonly size: string;
  readonly columns: Columns;
  /** The beginning of an INSERT that skips rows whose key already exists. */
  readonly insertIfMissing: string;
  /** The end of an INSERT that adds to a column if the key already exists. */
  addIfThere: (table: string, key: string, column: string) => string;
  /**
   * Forces a statement to use one index. A server would scan a small table instead, and wait for others' locked rows.
   * SQLite chooses by itself, unless its own name of the index is given.
   */
  useIndex: (index: string, inSqlite?: string) => string;
  /**
   * A query for the distinct values of a column that begins an index. A server skips from value to value; SQLite would
   * read all rows, so its query spells out the steps.
   */
  distinct: (table: string, column: string) => string;
  /** A query for the next distinct values after one, which is a parameter, in their order. */
  distinctAfter: (table: string, column: string, limit: number) => string;
  deleteByIndex: (table: string, index: string) => string;
  /** Deletes up to `limit` rows that match the condition, in the order of the key. */
  deleteSome: (table: string, key: string, condition: string, limit: number) => string;
  /**
   * The storage of rows: by key, by row number, or, for large rows, by key on a server and by row number in SQLite,
   * which reads a whole row to compare its key.
   */
  tableOptions: (rows: 'clustered' | 'by rowid' | 'with large rows') => string;
  meaningOf: (error: unknown) => ErrorMeaning;
  /** Statements after which the ids of a table's new rows are above one. */
  idsAbove: (table: string, id: number) => string[];
}

interface Columns {
  readonly id: string;
  readonly integer: string;
  readonly bigint: string;
  readonly longText: string;
  readonly longBytes: string;
  text: (characters: number) => string;
  bytes: (length: number) => string;
  /** Compared by bytes, trailing blanks included. */
  readonly exactText: string;
  /** A text of at most 64 characters that is compared by bytes. It may be in a key. */
  readonly exactName: string;
}

const INNODB = 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';

/** A comment to all servers but TiDB, whose nodes would otherwise assign ids from separate ranges, out of order. */
const ID_ORDER = ' /*T![auto_id_cache] AUTO_ID_CACHE=1 */';

const mysql: Dialect = {
  beginRead: [],
  beginWrite: ['START TRANSACTION'],
  oneConnection: false,
  insertIfMissing: 'INSERT IGNORE INTO',
  addIfThere: (_table, _key, column) => `ON DUPLICATE KEY UPDATE ${column} = ${column} + VALUES(${column})`,
  useIndex: (index) => `FORCE INDEX (${index})`,
  distinct: (table, column) => `SELECT DISTINCT ${column} FROM ${table}`,
  distinctAfter: (table, column, limit) =>
    `SELECT DISTINCT ${column} FROM ${table} WHERE ${column} > ? ORDER BY ${column} LIMIT ${limit}`,
  deleteByIndex: (table, index) => `DELETE ${table} FROM ${table} FORCE INDEX (${index})`,
  now: 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)',
  allColumns: `SELECT table_name AS table_name, column_name AS column_name FROM information_schema.columns
    WHERE table_schema = DATABASE()`,
  size: `SELECT SUM(data_length + index_length) AS bytes FROM information_schema.tables
    WHERE table_schema = DATABASE()`,
  columns: {
    id: 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
    integer: 'INT',
    bigint: 'BIGINT',
    longText: 'MEDIUMTEXT',
    longBytes: 'LONGBLOB',
    text: (characters) => `VARCHAR(${characters})`,
    bytes: (length) => `VARBINARY(${length})`,
    ...exactColumns('utf8mb4_nopad_bin'),
  },
  deleteSome: (table, key, condition, limit) =>
    `DELETE FROM ${table} WHERE ${condition} ORDER BY ${key} LIMIT ${limit}`,
  tableOptions: (rows) => INNODB + (rows === 'by rowid' ? ID_ORDER : ''),
  meaningOf: meaningOnMysql,
  idsAbove: (table, id) => [`ALTER TABLE ${table} AUTO_INCREMENT = ${id + 1}`],
};

const mysqlWithRowAlias: Dialect = {
  ...mysql,
  columns: { ...mysql.columns, ...exactColumns('utf8mb4_0900_bin') },
  addIfThere: (table, _, column) =>
    `AS added ON DUPLICATE KEY UPDATE ${column} = ${table}.${column} + added.${column}`,
};

function exactColumns(collation: string) {
  const exact = `CHARACTER SET utf8mb4 COLLATE ${collation}`;
  return { exactText: `MEDIUMTEXT ${exact}`, exactName: `VARCHAR(64) ${exact}` };
}

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
  distinctAfter: (table, column, limit) =>
    `WITH RECURSIVE step (value) AS (
      SELECT MIN(${column}) FROM ${table} WHERE ${column} > ?
      UNION ALL SELECT (SELECT MIN(${column}) FROM ${table} WHERE ${column} > step.value) FROM step WHERE value IS NOT NULL
      LIMIT ${limit}
    ) SELECT value AS ${column} FROM step WHERE value IS NOT NULL`,
  deleteByIndex: (table) => `DELETE FROM ${table}`,
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  allColumns: `SELECT entry.name AS table_name, known.name AS column_name
    FROM sqlite_master entry JOIN pragma_table_info(entry.name) known
    WHERE entry.type = 'table' AND entry.name <> 'sqlite_sequence'`,
  size: 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  columns: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL',
    integer: 'INTEGER',
    bigint: 'INTEGER',
    longText: 'TEXT',
    longBytes: 'BLOB',
    text: () => 'TEXT',
    bytes: () => 'BLOB',
    exactText: 'TEXT',
    exactName: 'TEXT',
  },
  deleteSome: (table, key, condition, limit) =>
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${key} LIMIT ${limit})`,
  tableOptions: (rows) => (rows === 'clustered' ? 'STRICT, WITHOUT ROWID' : 'STRICT'),
  meaningOf: meaningOnSqlite,
  idsAbove: (table, id) => [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${id})`,
  ],
};

export function dialectOf({ options }: DataSource): Dialect {
  return dialectFor(sessionDriverOf(options)?.server);
}

/** Without a server, it is that of SQLite. */
export function dialectFor(server: Server | undefined): Dialect {
  if (!server) return sqlite;
  return server.hasRowAlias ? mysqlWithRowAlias : mysql;
}
