import type Sqlite from 'better-sqlite3';
import type * as Mysql2 from 'mysql2';
import type * as Mysql2Promise from 'mysql2/promise';
import type { Duplex } from 'node:stream';
import { SettingError } from '../../ground/setting-error';
import { hasSources } from '../../ground/threads/built-file';
import type { MysqlAddress } from './address';
import { identify, type Server, type SessionDriver } from './supported-servers';

/** Node.js before 22.14 needs an older version, which has to be compiled. Each would crash the process of the other. */
const NEEDS_COMPILER = Number(process.versions.napi) < 10;
const PACKAGE = NEEDS_COMPILER ? 'better-sqlite3' : 'better-sqlite3-13';

let sqlite: typeof Sqlite | undefined;

/** An installation with a server may lack it. */
export const sqliteDriver = () => (sqlite ??= installed());

function installed(): typeof Sqlite {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the name is only known at run time
    const driver = require(PACKAGE) as typeof Sqlite;
    // Only a database loads the binary.
    new driver(':memory:').close();
    return driver;
  } catch {
    const node = `Node.js ${process.versions.node}`;
    throw new SettingError('DATABASE_URL', `SQLite is not installed for ${node}; ${advice()}`);
  }
}

function advice(): string {
  if (!NEEDS_COMPILER) return hasSources ? 'run "npm ci" with it' : 'install Milepost again with it';
  return hasSources
    ? 'run "npm ci" with it, and let npm run scripts'
    : 'use Node.js 22.14 or later, or run "npm install better-sqlite3@12" beside Milepost, which needs a compiler';
}

/* eslint-disable @typescript-eslint/no-require-imports -- on SQLite, it would take memory in each thread */
export const mysqlDriver = () => require('mysql2') as typeof Mysql2;
const mysqlPromises = () => require('mysql2/promise') as typeof Mysql2Promise;
/* eslint-enable @typescript-eslint/no-require-imports */

export type Access = 'write' | 'read';

/** Waiting for another process's write blocks the event loop, so each wait is short and is repeated. */
export const BUSY_MS = 300;

/** Overwrites deleted data, and shrinks the log after a large transaction. */
const WRITER_PRAGMAS = [
  'synchronous = FULL',
  'secure_delete = ON',
  `journal_size_limit = ${64 * 1024 * 1024}`,
];

/** The page cache of a connection; the driver's 16 MiB would apply to each of some fifteen connections. */
const PAGES_KIB = { write: 8192, read: 2048 };

export function prepareSqlite(connection: { pragma(text: string): unknown }, access: Access): void {
  connection.pragma(`cache_size = -${PAGES_KIB[access]}`);
  if (access === 'write') for (const pragma of WRITER_PRAGMAS) connection.pragma(pragma);
}

export function credentials({ host, port, user, password, name, tls }: MysqlAddress) {
  const ssl = tls && { ca: tls.ca, verifyIdentity: tls.verifyHost };
  return { host, port, user, password, database: name, connectTimeout: 2000, ssl };
}

/** How the driver sends and returns values. */
export const VALUES = {
  charset: 'utf8mb4_bin',
  timezone: 'Z',
  supportBigNumbers: true,
  bigNumberStrings: false,
  dateStrings: ['DATE' as const],
  // A stack trace for each statement costs a twentieth of a short request.
  trace: false,
};

/** The maximum number of idle connections in a pool, and the time that one stays. */
export const IDLE = { maxIdle: 2, idleTimeout: 2000 };

export async function serverAt(address: MysqlAddress): Promise<Server> {
  const connection = await mysqlPromises().createConnection(credentials(address));
  try {
    await connection.query(`SET SESSION ${NO_LIMITS}`);
    return await identify(connection);
  } finally {
    connection.destroy();
  }
}

/** A server's limits would hide rows, or refuse joins, even in SHOW. */
const NO_LIMITS = 'sql_select_limit = 18446744073709551615, sql_big_selects = 1';
/** What an `init_connect` of the server may have changed. */
const NAMES = 'SET NAMES utf8mb4 COLLATE utf8mb4_bin';
/**
 * The server's defaults allow silent truncation and other escapes, and vary between servers. With a chained COMMIT, the
 * next statement would stay in an open transaction. The short timeouts are for a process that is frozen inside a
 * transaction: the server ends its connection, which releases its locks.
 */
const SESSION =
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', " +
  "time_zone = '+00:00', innodb_lock_wait_timeout = 3, completion_type = 'NO_CHAIN', sql_safe_updates = 0, " +
  `${NO_LIMITS}, `;

/** A reader holds no locks, and may process a statement's result for long. */
const SESSION_TO = {
  write: 'wait_timeout = 4, autocommit = 1',
  read: 'wait_timeout = 60, autocommit = 0',
} satisfies Record<Access, string>;

/** SELECT, UPDATE, DELETE and INSERT first wait until this node has applied all earlier commits. */
const GALERA_WAITS = 'SET SESSION wsrep_sync_wait = 7';

/**
 * Writers use READ COMMITTED, so their reads take no locks. Readers use REPEATABLE READ with autocommit off: the first
 * SELECT opens the snapshot, which saves a round trip for BEGIN.
 */
export function sessionStatements(server: Server, access: Access): string[] {
  const [level, mode] =
    access === 'write' ? ['READ COMMITTED', 'READ WRITE'] : ['REPEATABLE READ', 'READ ONLY'];
  return [
    NAMES,
    SESSION + SESSION_TO[access],
    ...(server.isGalera ? [GALERA_WAITS] : []),
    `SET SESSION TRANSACTION ISOLATION LEVEL ${level}${server.hasReadOnlyTransactions ? `, ${mode}` : ''}`,
  ];
}

/** The driver for TypeORM. */
export function sessionDriver(known: SessionDriver, access: Access): typeof Mysql2 & SessionDriver {
  return {
    ...mysqlDriver(),
    ...known,
    createPool: (options: Mysql2.PoolOptions) => {
      const pool = preparedPool(options, known.server, access);
      pool.on('connection', (connection) => {
        // TypeORM calls promise() for each statement, and the driver would create a new wrapper each time.
        const promising = connection.promise();
        connection.promise = () => promising;
      });
      return pool;
    },
  } as typeof Mysql2 & SessionDriver;
}

/** A pool of its own, without TypeORM. */
export function poolAt(address: MysqlAddress, server: Server, access: Access, size: number): Mysql2.Pool {
  const options = { ...VALUES, ...IDLE, ...credentials(address), connectionLimit: size };
  return preparedPool(options, server, access);
}

function preparedPool(options: Mysql2.PoolOptions, server: Server, access: Access): Mysql2.Pool {
  const pool = mysqlDriver().createPool(options);
  const statements = sessionStatements(server, access);
  pool.on('connection', (connection) => {
    // An error without a listener would end the process. The pool itself listens only once, and MySQL writes why it
    // ends a connection before it ends it, which makes two errors.
    connection.on('error', () => undefined);
    for (const statement of statements) connection.query(statement);
  });
  return pool;
}

/** A connection for reading alone. */
export function openFileToRead(path: string): Sqlite.Database {
  const file = new (sqliteDriver())(path, { readonly: true, timeout: BUSY_MS });
  try {
    prepareSqlite(file, 'read');
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The rows of a statement, or its effect. */
export function resultOf<T>(connection: Mysql2.Connection, sql: string, parameters?: unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    connection.query(sql, parameters, (error, result) => (error ? reject(error) : resolve(result as T)));
  });
}

class GivenUp extends Error {
  readonly code = 'ECONNABORTED';
}

/** Ends a connection and fails its queries. By itself, the driver would wait for the answers of a server that is gone. */
export function giveUp(connection: { destroy(): void }): void {
  connection.destroy();
  (connection as unknown as { stream: Duplex }).stream.destroy(new GivenUp());
}
