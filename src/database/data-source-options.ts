import type { DataSourceOptions } from 'typeorm';
import type { MysqlAddress, SqliteAddress } from '../../engine/database/connections/address';
import { migrations } from './migrations/index';
import {
  type Access,
  BUSY_MS,
  credentials,
  IDLE,
  prepareSqlite,
  sessionDriver,
  sqliteDriver,
  VALUES,
} from '../../engine/database/connections/drivers';
import { type Server, sessionDriverOf } from '../../engine/database/connections/supported-servers';

export type Entities = NonNullable<DataSourceOptions['entities']>;

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
    driver: sqliteDriver(),
    database: address.path,
    enableWAL: access === 'write',
    readonly: access === 'read',
    timeout: BUSY_MS,
    prepareDatabase: (connection: { pragma(text: string): unknown }) => prepareSqlite(connection, access),
  };
}

export function mysqlOptions(address: MysqlAddress, server: Server, entities: Entities): DataSourceOptions {
  return {
    ...shared,
    ...VALUES,
    ...credentials(address),
    entities,
    type: server.type,
    driver: sessionDriver({ server, readers: address.readers }, 'write'),
    username: address.user,
    poolSize: address.writers,
    extra: IDLE,
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
