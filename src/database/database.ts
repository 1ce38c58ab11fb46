import type { DataSource } from 'typeorm';
import type { MysqlDataSourceOptions } from 'typeorm/driver/mysql/MysqlDataSourceOptions';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { TimeoutError } from '../common/time/timeout';
import { Connections, type Work } from './connections/connections';
import { type Dialect, dialectOf } from './dialect';
import { DatabaseUnavailable } from './errors';
import { executeOn } from './connections/execute-on';
import { Probe } from './connections/probe';
import { openReaders, type Readers } from './connections/readers';
import { changedBy } from './rows';
import { trying } from './connections/trying';

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
    return trying(this.dialect, patienceMs, attempted);
  }
}
