import * as mysql2 from 'mysql2';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseAddress } from '../config/settings';
import { migrations } from './migrations';

type Access = 'write' | 'read';

export type Entities = NonNullable<DataSourceOptions['entities']>;

/** Waiting for another process's write blocks the event loop, so it is kept short and tried again. */
const BUSY_MS = 300;

/** What both kinds of database share; every way to one (service, command line, TypeORM's own) starts here. */
const shared = {
  migrations,
  migrationsTransactionMode: 'each',
  synchronize: false,
  migrationsRun: false,
  logging: false,
} as const;

export type ServerKind = 'mysql' | 'mariadb';
export type MysqlAddress = Extract<DatabaseAddress, { kind: 'mysql' }>;
export type SqliteAddress = Extract<DatabaseAddress, { kind: 'sqlite' }>;

export function sqliteOptions(address: SqliteAddress, access: Access, entities: Entities): DataSourceOptions {
  return {
    ...shared,
    entities,
    type: 'better-sqlite3',
    database: address.path,
    enableWAL: access === 'write',
    readonly: access === 'read',
    timeout: BUSY_MS,
    prepareDatabase: (connection: { pragma(text: string): unknown }) => {
      if (access === 'write') connection.pragma('synchronous = FULL');
    },
  };
}

export function mysqlOptions(
  address: MysqlAddress,
  server: ServerKind,
  entities: Entities,
): DataSourceOptions {
  return {
    ...shared,
    entities,
    type: server,
    driver: driverWithSession('write'),
    ...credentials(address),
    username: address.user,
    poolSize: 10,
    extra: { maxIdle: 2, idleTimeout: 2000 },
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    dateStrings: ['DATE'],
    // A stack for each statement costs a twentieth of a short request.
    trace: false,
  };
}

/** A second way into the same database, for those who read: writes never wait for connections that they have taken. */
export function readerOptions(writer: DataSourceOptions): DataSourceOptions {
  if (writer.type !== 'better-sqlite3') return { ...writer, driver: driverWithSession('read') };
  return sqliteOptions({ kind: 'sqlite', path: writer.database }, 'read', writer.entities ?? []);
}

export function credentials({ host, port, user, password, name }: MysqlAddress) {
  return { host, port, user, password, database: name, connectTimeout: 2000 };
}

/**
 * The server's own defaults allow silent cuts and other escapes, and differ from server to server. The short timeouts
 * are for a process that is frozen inside a transaction: the server ends its connection, and others get its locks.
 */
const SESSION =
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', " +
  "time_zone = '+00:00', innodb_lock_wait_timeout = 3, wait_timeout = 4, autocommit = ";

/**
 * What a write reads on its way it does not lock. A transaction that reads sees one moment, and is opened by its first
 * statement, which saves asking for it.
 */
const TRANSACTIONS = {
  write: { autocommit: 1, characteristics: 'ISOLATION LEVEL READ COMMITTED' },
  read: { autocommit: 0, characteristics: 'ISOLATION LEVEL REPEATABLE READ, READ ONLY' },
};

function driverWithSession(access: Access): typeof mysql2 {
  const { autocommit, characteristics } = TRANSACTIONS[access];
  return {
    ...mysql2,
    createPool: (options: mysql2.PoolOptions) => {
      const pool = mysql2.createPool(options);
      pool.on('connection', (connection) => {
        connection.query(SESSION + autocommit);
        connection.query(`SET SESSION TRANSACTION ${characteristics}`);
        // TypeORM asks for it with each statement, and it is made anew each time.
        const promising = connection.promise();
        connection.promise = () => promising;
      });
      return pool;
    },
  } as typeof mysql2;
}
