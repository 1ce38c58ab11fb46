import { DataSource } from 'typeorm';
import type { MysqlDataSourceOptions } from 'typeorm/driver/mysql/MysqlDataSourceOptions';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { Semaphore } from '../common/threads/mutex';
import { TimeoutError, withTimeout, withTimeoutOrRelease } from '../common/time/timeout';
import { Connections, type Work } from './connections/connections';
import { type Dialect, dialectOf } from './dialect';
import { DatabaseUnavailable } from './errors';
import { Probe } from './connections/probe';
import { EntitySessions } from './connections/sessions';
import { changedBy, nowOf, type Queryable } from './rows';
import { retrying } from './connections/trying';
import { readerOptions } from './connections/data-source-options';
import { giveUp, resultOf } from './connections/drivers';
import type { PoolConnection, ResultSetHeader } from 'mysql2';
import { endsConnection, meaningOnMysql } from './connections/error-meaning';

/** Connections for reading, by purpose. */
interface Readers {
  /** For look-ups that a request waits for. */
  readonly quick: Connections;
  readonly background: Connections;
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
  const quick = new Connections(new EntitySessions(first), kind, dialect);
  if (!dialect.oneConnection) return { quick, background: quick, close: () => first.destroy() };
  const second = await open();
  const background = new Connections(new EntitySessions(second), kind, dialect);
  return { quick, background, close: () => Promise.all([first.destroy(), second.destroy()]) };
}

/** For look-ups by key that a request waits for. */
export const LOOK_UP_PATIENCE_MS = 1500;
const PATIENCE_MS = 10_000;

/** Reads in one snapshot, so that reads of one work agree. The work may be run again. */
export interface Reader {
  readonly dialect: Dialect;
  read<T>(work: Work<T, Queryable>, patienceMs?: number): Promise<T>;
}

/** The only access to the tables: reads run in one snapshot, writes in one transaction, and both have a deadline. */
export class Database implements Reader {
  private readonly writers: Connections;
  private readonly probe: Probe | undefined;
  /** For all transactions but those that events wait for. Undefined with one connection. */
  private readonly places: Semaphore | undefined;

  private constructor(
    readonly dialect: Dialect,
    readonly writer: DataSource,
    private readonly readers: Readers,
  ) {
    this.probe = dialect.oneConnection ? undefined : new Probe(writer.options as MysqlDataSourceOptions);
    const kind = dialect.oneConnection ? 'one in this process' : 'pool';
    this.writers = new Connections(new EntitySessions(writer), kind, dialect, this.probe);
    const { poolSize } = writer.options as MysqlDataSourceOptions;
    this.places = dialect.oneConnection ? undefined : new Semaphore(poolSize! - leftForEvents(poolSize!));
  }

  /** The writer is closed last: only a connection that may write can move SQLite's log into the file. */
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

  /** A read that a request waits for. */
  readQuick<T>(work: Work<T>): Promise<T> {
    return this.trying(LOOK_UP_PATIENCE_MS, (deadline) => this.readers.quick.read(work, deadline));
  }

  /** Atomic. The work may be run again after a conflict, and must not open another transaction. */
  write<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.writers.write(work, deadline, this.places));
  }

  /** The same for what events wait for, which has as long as a look-up. */
  writeForEvents<T>(work: Work<T>): Promise<T> {
    return this.trying(LOOK_UP_PATIENCE_MS, (deadline) => this.writers.write(work, deadline));
  }

  /** One statement outside of any transaction, on a write connection: it sees the latest commits. */
  query<T>(sql: string, parameters: unknown[] = []): Promise<T> {
    return this.trying(PATIENCE_MS, (deadline) => this.writers.query<T>(sql, parameters, deadline));
  }

  /** One atomic statement; returns the number of changed rows. */
  execute(sql: string, parameters: unknown[], patienceMs = PATIENCE_MS): Promise<number> {
    if (this.dialect.oneConnection)
      return this.write((manager) => changedBy(manager, sql, parameters), patienceMs);
    return this.trying(patienceMs, (deadline) => executeOn(this.mysqlDriver, sql, parameters, deadline));
  }

  /** The database's time in milliseconds since 1970. */
  now(): Promise<number> {
    return this.readQuick((manager) => nowOf(manager, this.dialect));
  }

  /** Whether the server answers, even if all connections of this process are busy. */
  async isAnswering(): Promise<boolean> {
    return this.probe?.isAnswering() ?? true;
  }

  /** Whether an error means that the database cannot work now, rather than a conflict with other transactions. */
  async isOutage(error: unknown): Promise<boolean> {
    if (!(error instanceof DatabaseUnavailable)) return false;
    const { cause } = error;
    const meaning = this.dialect.meaningOf(cause);
    const mayBeLocks = cause instanceof TimeoutError || meaning === 'busy' || meaning === 'conflict';
    return !this.probe || !mayBeLocks || !(await this.probe.isAnswering());
  }

  /** Moves SQLite's log into the file and empties it. False while a reader needs it. Servers need no such step. */
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

/** Many changes of one row would otherwise take all connections, while they wait for each other's locks. */
function leftForEvents(writers: number): number {
  return Math.max(1, Math.floor(writers / 5));
}

/** Calls the driver directly, because TypeORM's overhead exceeds the statement's own time. */
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
      resultOf<ResultSetHeader>(connection, sql, parameters),
    );
    return affectedRows;
  } catch (error) {
    if (endsConnection(meaningOnMysql(error))) giveUp(connection);
    throw error;
  } finally {
    connection.release();
  }
}
