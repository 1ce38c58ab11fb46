import type * as Mysql2 from 'mysql2';
import type * as Mysql2Promise from 'mysql2/promise';
import type { DataSourceOptions } from 'typeorm';
import { type MysqlAddress, SettingError, type SqliteAddress } from '../../config/settings';
import { migrations } from '../migrations/index';
import { type Server, type SessionDriver, sessionDriverOf } from './server';
import type Sqlite from 'better-sqlite3';

/** The version for this Node.js; the other one would crash the process, at once or later. */
const PACKAGE = Number(process.versions.napi) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';

export const SqliteConnection = installed();

function installed(): typeof Sqlite {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the name is only known at run time
    return require(PACKAGE) as typeof Sqlite;
  } catch {
    const node = `Node.js ${process.versions.node}`;
    throw new SettingError('DATABASE_URL', `SQLite is not installed for ${node}; run "npm ci" with it`);
  }
}

/* eslint-disable @typescript-eslint/no-require-imports -- on SQLite, it would take memory in each thread */
export const mysqlDriver = () => require('mysql2') as typeof Mysql2;
export const mysqlPromises = () => require('mysql2/promise') as typeof Mysql2Promise;
/* eslint-enable @typescript-eslint/no-require-imports */

type Access = 'write' | 'read';

export type Entities = NonNullable<DataSourceOptions['entities']>;

/** Waiting for another process's write blocks the event loop, so each wait is short and is repeated. */
const BUSY_MS = 300;

/** Overwrites deleted data, and shrinks the log after a large transaction. */
const WRITER_PRAGMAS = [
  'synchronous = FULL',
  'secure_delete = ON',
  `journal_size_limit = ${64 * 1024 * 1024}`,
];

/** The page cache of a connection; the driver's 16 MiB would apply to each of some fifteen connections. */
const PAGES_KIB = { write: 8192, read: 2048 };

/** Options of both kinds of database, for every way of opening one: service, command line, TypeORM's own. */
const shared = {
  migrations,
  migrationsTransactionMode: 'each',
  synchronize: false,
  migrationsRun: false,
  logging: false,
} as const;

export function sqliteOptions(address: SqliteAddress, access: Access, entities: Entities): DataSourceOptions {
  return {
    ...shared,
    entities,
    type: 'better-sqlite3',
    driver: SqliteConnection,
    database: address.path,
    enableWAL: access === 'write',
    readonly: access === 'read',
    timeout: BUSY_MS,
    prepareDatabase: (connection: { pragma(text: string): unknown }) => {
      connection.pragma(`cache_size = -${PAGES_KIB[access]}`);
      if (access === 'write') for (const pragma of WRITER_PRAGMAS) connection.pragma(pragma);
    },
  };
}

export function mysqlOptions(address: MysqlAddress, server: Server, entities: Entities): DataSourceOptions {
  return {
    ...shared,
    entities,
    type: server.type,
    driver: sessionDriver({ server, readers: address.readers }, 'write'),
    ...credentials(address),
    username: address.user,
    poolSize: address.writers,
    extra: { maxIdle: 2, idleTimeout: 2000 },
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    dateStrings: ['DATE'],
    // A stack trace for each statement costs a twentieth of a short request.
    trace: false,
  };
}

/** Separate connections for readers, so that writes never wait for connections used by reads. */
export function readerOptions(writer: DataSourceOptions): DataSourceOptions {
  if (writer.type === 'better-sqlite3')
    return sqliteOptions({ kind: 'sqlite', path: writer.database }, 'read', writer.entities ?? []);
  const { server, readers } = sessionDriverOf(writer)!;
  const driver = sessionDriver({ server, readers }, 'read');
  return { ...writer, poolSize: readers, driver } as DataSourceOptions;
}

export function credentials({ host, port, user, password, name, tls }: MysqlAddress) {
  const ssl = tls && { ca: tls.ca, verifyIdentity: tls.verifyHost };
  return { host, port, user, password, database: name, connectTimeout: 2000, ssl };
}

/**
 * The server's defaults allow silent truncation and other escapes, and vary between servers. The short timeouts are for
 * a process that is frozen inside a transaction: the server ends its connection, which releases its locks.
 */
const SESSION =
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', " +
  "time_zone = '+00:00', innodb_lock_wait_timeout = 3, ";

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
  const transactions = access === 'write' ? 'READ COMMITTED' : 'REPEATABLE READ';
  const readOnly = access === 'read' && server.hasReadOnlyTransactions ? ', READ ONLY' : '';
  return [
    SESSION + SESSION_TO[access],
    ...(server.isGalera ? [GALERA_WAITS] : []),
    `SET SESSION TRANSACTION ISOLATION LEVEL ${transactions}${readOnly}`,
  ];
}

function sessionDriver(known: SessionDriver, access: Access): typeof Mysql2 & SessionDriver {
  const mysql2 = mysqlDriver();
  const statements = sessionStatements(known.server, access);
  return {
    ...mysql2,
    ...known,
    createPool: (options: Mysql2.PoolOptions) => {
      const pool = mysql2.createPool(options);
      pool.on('connection', (connection) => {
        for (const statement of statements) connection.query(statement);
        // TypeORM calls promise() for each statement, and the driver would create a new wrapper each time.
        const promising = connection.promise();
        connection.promise = () => promising;
      });
      return pool;
    },
  } as typeof Mysql2 & SessionDriver;
}
