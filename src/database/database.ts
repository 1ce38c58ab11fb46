import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { MysqlDataSourceOptions } from 'typeorm/driver/mysql/MysqlDataSourceOptions';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { TimeoutError } from '../common/timeout';
import { Connections, type Work } from './connections';
import { type Dialect, dialectOf } from './dialect';
import type { ErrorMeaning } from './error-meaning';
import { DatabaseUnavailable } from './errors';
import { executeOn } from './execute-on';
import { Probe } from './probe';
import { openReaders, type Readers } from './readers';
import { changedBy } from './rows';

/** For what is found by its key, and stands between a request and its answer. */
export const LOOK_UP_PATIENCE_MS = 1500;
const PATIENCE_MS = 10_000;
/** For an answer that stands between a request and its answer. */
const PROMPT_MS = 300;
const ATTEMPTS = 5;
const BUSY_PAUSE_MS = 100;

/** The one way to the tables: reads run in one snapshot, writes in one transaction, and both have a deadline. */
export class Database {
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

  /** Reads in one snapshot: two reads of the same work never disagree. The work may be run again. */
  read<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.readers.background.read(work, deadline));
  }

  /** As `read`, for many large rows. */
  readLarge<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    const { begin, end } = this.dialect.largeReads;
    return this.read(async (manager) => {
      for (const statement of begin) await manager.query(statement);
      try {
        return await work(manager);
      } finally {
        for (const statement of end) await manager.query(statement);
      }
    }, patienceMs);
  }

  /** A read that stands between a request and its answer. */
  readQuick<T>(work: Work<T>): Promise<T> {
    return this.trying(LOOK_UP_PATIENCE_MS, (deadline) => this.readers.quick.read(work, deadline));
  }

  /** A read that may take long; on SQLite it runs in a thread. `ReadGate` bounds how many there are. */
  readLong<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.readers.long.read(work, deadline));
  }

  /** All or nothing. The work may be run again when another transaction was in its way; it must not open another one. */
  write<T>(work: Work<T>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.writers.write(work, deadline));
  }

  /** One statement outside of any transaction, on a connection for writing: it sees what was committed last. */
  query<T>(sql: string, parameters: unknown[] = [], patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.writers.query<T>(sql, parameters, deadline));
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

  private async trying<T>(patienceMs: number, attempted: (deadline: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await attempted(deadline);
      } catch (error) {
        const meaning = this.dialect.meaningOf(error);
        const pauseMs = pauseBeforeRetry(meaning, attempt);
        if (pauseMs !== undefined && performance.now() + pauseMs < deadline) await sleep(pauseMs);
        else if (meaning === 'ours' || meaning === 'duplicate') throw error;
        else throw new DatabaseUnavailable(error);
      }
    }
  }
}

/** Undefined where another attempt is of no use. */
function pauseBeforeRetry(meaning: ErrorMeaning, attempt: number): number | undefined {
  if (meaning === 'busy') return BUSY_PAUSE_MS * (0.5 + Math.random());
  if (meaning === 'conflict' && attempt < ATTEMPTS) return Math.random() * 20 * attempt;
  return undefined;
}
