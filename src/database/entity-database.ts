import type { ConnectionOptions, PoolConnection } from 'mysql2';
import { DataSource, type EntityManager } from 'typeorm';
import type { MysqlDataSourceOptions } from 'typeorm/driver/mysql/MysqlDataSourceOptions';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { Connections } from '../../engine/database/connections/connections';
import { readerOptions } from './data-source-options';
import { Probe } from '../../engine/database/connections/probe';
import { EntitySessions } from '../../engine/database/connections/sessions';
import { Database, type ServerConnections } from '../../engine/database/database';
import { type Dialect, dialectOf } from '../../engine/database/dialect';

/** Connections for reading, by purpose. */
interface Readers {
  readonly quick: Connections<EntityManager>;
  readonly background: Connections<EntityManager>;
  close(): Promise<unknown>;
}

/**
 * Reads use separate connections: on the writer's, SQLite would show them uncommitted writes. A server has one pool for
 * all reads. SQLite has a connection per purpose, so that none waits for another's transactions.
 */
async function openReaders(writer: DataSource, dialect: Dialect): Promise<Readers> {
  const open = () => new DataSource(readerOptions(writer.options)).initialize();
  const kind = dialect.oneConnection ? 'one in this process' : 'pool';
  const first = await open();
  const quick = new Connections(new EntitySessions(first), kind, dialect, 'read');
  if (!dialect.oneConnection) return { quick, background: quick, close: () => first.destroy() };
  const second = await open();
  const background = new Connections(new EntitySessions(second), kind, dialect, 'read');
  return { quick, background, close: () => Promise.all([first.destroy(), second.destroy()]) };
}

/** A database with TypeORM's entities. */
export class EntityDatabase extends Database<EntityManager> {
  private constructor(
    dialect: Dialect,
    readonly writer: DataSource,
    { quick, background }: Readers,
  ) {
    const kind = dialect.oneConnection ? 'one in this process' : 'pool';
    const server = dialect.oneConnection ? undefined : serverConnections(writer);
    const writers = new Connections(new EntitySessions(writer), kind, dialect, 'write', server?.probe);
    super(dialect, { writers, quick, background, server });
  }

  /** The writer is closed last: only a connection that may write can move SQLite's log into the file. */
  static async over(writer: DataSource): Promise<EntityDatabase> {
    const dialect = dialectOf(writer);
    const readers = await openReaders(writer, dialect);
    const closeWriter = writer.destroy.bind(writer);
    writer.destroy = () => readers.close().then(closeWriter);
    return new EntityDatabase(dialect, writer, readers);
  }
}

function serverConnections(writer: DataSource): ServerConnections {
  const options = writer.options as MysqlDataSourceOptions;
  const { host, port, username: user, password, database, poolSize } = options;
  const ssl = options.ssl as ConnectionOptions['ssl'];
  return {
    probe: new Probe({ host, port, user, password, database, ssl }),
    writers: poolSize!,
    takeWriter: () => (writer.driver as MysqlDriver).obtainMasterConnection() as Promise<PoolConnection>,
  };
}
