import type { DataSource } from 'typeorm';

/** What differs between the databases. Everything else is shared. */
export interface Dialect {
  /** Statements that open a transaction for reading, where its first statement does not do so by itself. */
  readonly beginRead: string[];
  readonly beginWrite: string[];
  /** One connection serves everyone, so that transactions have to queue for it. */
  readonly oneConnection: boolean;
  /** The database's clock in milliseconds since 1970. */
  readonly now: string;
  readonly columns: Columns;
  /** The beginning of an INSERT that leaves rows alone whose key is there already. */
  readonly insertIfMissing: string;
  /** The end of an INSERT that adds to a column where the key is there already. */
  addIfThere: (key: string, column: string) => string;
  /** Hold a statement to one index. A small table is read through otherwise, and rows of others are waited for. */
  useIndex: (index: string) => string;
  deleteByIndex: (table: string, index: string) => string;
  /** The end of a SELECT that keeps the rows from others until the transaction ends. */
  readonly forUpdate: string;
  /** Deletes at most so many of the rows that a condition names, in the order of the key. */
  deleteSome: (table: string, key: string, condition: string, limit: number) => string;
  tableOptions: (clustered: 'clustered' | 'by rowid') => string;
  isDuplicate: (code: string) => boolean;
  /** Another transaction was in the way: the same one may succeed when it is run again. */
  isConflict: (code: string) => boolean;
  /** The connection ended; another one may well do. */
  isLost: (code: string) => boolean;
  /** The database cannot be reached or cannot work now. */
  isUnavailable: (code: string) => boolean;
}

export interface Columns {
  readonly id: string;
  readonly integer: string;
  readonly bigint: string;
  readonly longText: string;
  readonly longBytes: string;
  text: (characters: number) => string;
  bytes: (length: number) => string;
}

export const mysql: Dialect = {
  beginRead: [],
  beginWrite: ['START TRANSACTION'],
  oneConnection: false,
  insertIfMissing: 'INSERT IGNORE INTO',
  addIfThere: (_, column) => `ON DUPLICATE KEY UPDATE ${column} = ${column} + VALUES(${column})`,
  useIndex: (index) => `FORCE INDEX (${index})`,
  deleteByIndex: (table, index) => `DELETE ${table} FROM ${table} FORCE INDEX (${index})`,
  forUpdate: 'FOR UPDATE',
  now: 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)',
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
  tableOptions: () => 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  isDuplicate: (code) => code === 'ER_DUP_ENTRY',
  isConflict: (code) => code === 'ER_LOCK_DEADLOCK',
  isLost,
  isUnavailable: (code) =>
    isLost(code) ||
    /^(POOL_|EAI_)/.test(code) ||
    [
      'ER_LOCK_DEADLOCK',
      'ER_LOCK_WAIT_TIMEOUT',
      'ER_CON_COUNT_ERROR',
      'ER_TOO_MANY_USER_CONNECTIONS',
      'ER_QUERY_INTERRUPTED',
      'ER_DISK_FULL',
      'ER_RECORD_FILE_FULL',
      'ER_ERROR_ON_WRITE',
      'ER_OPTION_PREVENTS_STATEMENT',
      'ER_UNKNOWN_COM_ERROR',
    ].includes(code),
};

export const sqlite: Dialect = {
  beginRead: ['BEGIN'],
  beginWrite: ['BEGIN IMMEDIATE'],
  oneConnection: true,
  insertIfMissing: 'INSERT OR IGNORE INTO',
  addIfThere: (key, column) =>
    `ON CONFLICT (${key}) DO UPDATE SET ${column} = ${column} + excluded.${column}`,
  useIndex: () => '',
  deleteByIndex: (table) => `DELETE FROM ${table}`,
  forUpdate: '',
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
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
  tableOptions: (clustered) => (clustered === 'clustered' ? 'STRICT, WITHOUT ROWID' : 'STRICT'),
  isDuplicate: (code) => code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY',
  isConflict: (code) => /^SQLITE_(BUSY|LOCKED)/.test(code),
  isLost: () => false,
  isUnavailable: (code) => /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)/.test(code),
};

function isLost(code: string): boolean {
  return (
    /^(PROTOCOL_|E[A-Z]+$)/.test(code) ||
    ['ER_SERVER_SHUTDOWN', 'ER_NORMAL_SHUTDOWN', 'ER_CONNECTION_KILLED'].includes(code)
  );
}

export function dialectOf({ options }: DataSource): Dialect {
  return options.type === 'better-sqlite3' ? sqlite : mysql;
}
