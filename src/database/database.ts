import { DataSource } from 'typeorm';
import type { MysqlDataSourceOptions } from 'typeorm/driver/mysql/MysqlDataSourceOptions';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { TimeoutError, withTimeout, withTimeoutOrRelease } from '../common/time/timeout';
import { Connections, type Work } from './connections/connections';
import { type Dialect, dialectOf } from './dialect';
import { DatabaseUnavailable } from './errors';
import { Probe } from './connections/probe';
import { changedBy } from './rows';
import { retrying } from './connections/trying';
import { readerOptions } from './connections/data-source-options';
import type { PoolConnection, ResultSetHeader } from 'mysql2';
import { endsConnection, meaningOnMysql } from './connections/error-meaning';

/** Connections for reading, by what waits for them. */
interface Readers {
  /** For look-ups, which stand between a request and its answer. */
  readonly quick: Connections;
  readonly background: Connections;
  close(): Promise<unknown>;
}

/**
 * Reads have connections of their own: on SQLite a read would see half of a write on the same one. A server has one pool
 * for all of them. SQLite has a connection for each purpose, so that none waits for another's transactions.
 */
async function openReaders(writer: DataSource, dialect: Dialect): Promise<Readers> {
  const open = () => new DataSource(readerOptions(writer.options)).initialize();
  const kind = dialect.oneConnection ? 'one in this process' : 'pool';
  const first = await open();
  const quick = new Connections(first, kind, dialect);
  if (!dialect.oneConnection) return { quick, background: quick, close: () => first.destroy() };
  const second = await open();
  const background = new Connections(second, kind, dialect);
  return { quick, background, close: () => Promise.all([first.destroy(), second.destroy()]) };
}

/** For what is found by its key, and stands between a request and its answer. */
export const LOOK_UP_PATIENCE_MS = 1500;
const PATIENCE_MS = 10_000;
/** For an answer that stands between a request and its answer. */
const PROMPT_MS = 300;

/** Reads in one snapshot: two reads of the same work never disagree. The work may be run again. */
export interface Reader {
  readonly dialect: Dialect;
  read<T>(work: Work<T>, patienceMs?: number): Promise<T>;
}

/** The one way to the tables: reads run in one snapshot, writes in one transaction, and both have a deadline. */
export class Database implements Reader {
  private readonly writers: Connections;
  private readonly probe: Probe | undefined;

  private constructor(
    readonly dialect: Dialect,
    readonly writer: DataSource,
    private readonly readers: Readers,
  ) {
    this.probe = dialect.oneConnection ? undefined : new Probe(writer.options as MysqlDataSourceOptions);
    const kind = dialect.oneConnection ? 'one in this process' : 'pool';
    this.writers = new Connections(writer, kind, dialect, this.probe);
  }

  /** The writer is closed last, since only a connection that may write can bring SQLite's log into the file. */
  static async over(writer: DataSource): Promise<Database> {
    const dialect = dialectOf(writer);
    const readers = await openReaders(writer, dialect);
    const closeWriter = writer.destroy.bind(writer);
    writer.destroy = () => readers.close().then(closeWriter);
    return new Database(dialect, writer, readers);
  }

  read<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.readers.background.read(work, deadline));
  }

  /** A read that stands between a request and its answer. */
  readQuick<T>(work: Work<T>): Promise<T> {
    return this.trying(LOOK_UP_PATIENCE_MS, (deadline) => this.readers.quick.read(work, deadline));
  }

  /** All or nothing. The work may be run again when another transaction was in its way; it must not open another one. */
  write<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.writers.write(work, deadline));
  }

  /** One statement outside of any transaction, on a connection for writing: it sees what was committed last. */
  query<T>(sql: string, parameters: unknown[] = []): Promise<T> {
    return this.trying(PATIENCE_MS, (deadline) => this.writers.query<T>(sql, parameters, deadline));
  }

  /** One statement, which is all or nothing by itself; tells how many rows it changed. */
  execute(sql: string, parameters: unknown[], patienceMs = PATIENCE_MS): Promise<number> {
    if (this.dialect.oneConnection)
      return this.write((manager) => changedBy(manager, sql, parameters), patienceMs);
    return this.trying(patienceMs, (deadline) => executeOn(this.mysqlDriver, sql, parameters, deadline));
  }

  /** Milliseconds since 1970 by the database's own clock. */
  now(): Promise<number> {
    return this.readQuick(async (manager) => {
      const [row] = await manager.query<{ moment: number }[]>(`SELECT ${this.dialect.now} AS moment`);
      return Number(row!.moment);
    });
  }

  /** Whether the server answers at once, however busy the connections of this process are. */
  async isAnswering(): Promise<boolean> {
    return this.probe?.isAnswering(PROMPT_MS) ?? true;
  }

  /** Whether an error tells that the database cannot work now, and not that other transactions were in the way. */
  async isOutage(error: unknown): Promise<boolean> {
    if (!(error instanceof DatabaseUnavailable)) return false;
    const { cause } = error;
    const meaning = this.dialect.meaningOf(cause);
    const mayBeLocks = cause instanceof TimeoutError || meaning === 'busy' || meaning === 'conflict';
    return !this.probe || !mayBeLocks || !(await this.probe.isAnswering());
  }

  /** Brings SQLite's log into the file and empties it; false while a reader needs it. A server has none of ours. */
  async emptyLog(): Promise<boolean> {
    if (!this.dialect.oneConnection) return true;
    const [row] = await this.query<{ busy: number }[]>('PRAGMA wal_checkpoint(TRUNCATE)');
    return row!.busy === 0;
  }

  isDuplicate(error: unknown): boolean {
    return this.dialect.meaningOf(error) === 'duplicate';
  }

  private get mysqlDriver(): MysqlDriver {
    return this.writer.driver as MysqlDriver;
  }

  private trying<T>(patienceMs: number, attempted: (deadline: number) => Promise<T>): Promise<T> {
    return retrying(this.dialect, patienceMs, attempted);
  }
}

/** Asks the driver itself, since what TypeORM does around a statement takes longer than the statement. */
async function executeOn(
  driver: MysqlDriver,
  sql: string,
  parameters: unknown[],
  deadline: number,
): Promise<number> {
  const opening = driver.obtainMasterConnection() as Promise<PoolConnection>;
  const connection = await withTimeoutOrRelease(deadline - performance.now(), opening, (late) =>
    late.release(),
  );
  try {
    const { affectedRows } = await withTimeout(
      deadline - performance.now(),
      answered(connection, sql, parameters),
    );
    return affectedRows;
  } catch (error) {
    if (endsConnection(meaningOnMysql(error))) connection.destroy();
    throw error;
  } finally {
    connection.release();
  }
}

function answered(connection: PoolConnection, sql: string, parameters: unknown[]): Promise<ResultSetHeader> {
  return new Promise((resolve, reject) => {
    connection.query<ResultSetHeader>(sql, parameters, (error, result) =>
      error ? reject(error) : resolve(result),
    );
  });
}
