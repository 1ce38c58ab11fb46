import type { PoolConnection, ResultSetHeader } from 'mysql2';
import { Semaphore } from '../ground/threads/mutex';
import { patience } from '../ground/time/patience';
import { TimeoutError, withTimeout, withTimeoutOrRelease } from '../ground/time/timeout';
import { type Connections, noteBusy, waitFor, type Work } from './connections/connections';
import { giveUp, resultOf } from './connections/drivers';
import { endsConnection, meaningOnMysql } from './connections/error-meaning';
import type { Probe } from './connections/probe';
import { retrying } from './connections/waiting-for-server';
import type { Dialect } from './dialect';
import { DatabaseUnavailable } from './errors';
import { changedBy, nowOf, type Queryable, type Transaction } from './rows';

/** Connections by purpose. */
export interface ConnectionsOf<Manager extends Transaction> {
  readonly writers: Connections<Manager>;
  /** For look-ups that a request waits for. */
  readonly quick: Connections<Manager>;
  readonly background: Connections<Manager>;
  /** Undefined on SQLite. */
  readonly server: ServerConnections | undefined;
}

export interface ServerConnections {
  readonly probe: Probe;
  /** The number of connections for writing. */
  readonly writers: number;
  takeWriter(): Promise<PoolConnection>;
}

const PATIENCE_MS = 10_000;

/** Reads in one snapshot, so that reads of one work agree. The work may be run again. */
export interface Reader {
  readonly dialect: Dialect;
  read<T>(work: Work<T, Queryable>, patienceMs?: number): Promise<T>;
}

/** The only access to the tables: reads run in one snapshot, writes in one transaction, and both have a deadline. */
export class Database<Manager extends Transaction = Transaction> implements Reader {
  /** For all transactions but those that events wait for. Undefined with one connection. */
  private readonly places: Semaphore | undefined;

  constructor(
    readonly dialect: Dialect,
    private readonly connections: ConnectionsOf<Manager>,
  ) {
    const { server } = connections;
    this.places = server && new Semaphore(server.writers - leftForEvents(server.writers));
  }

  read<T>(work: Work<T, Manager>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.connections.background.read(work, deadline));
  }

  /** A read that a request waits for. */
  readQuick<T>(work: Work<T, Manager>): Promise<T> {
    return this.trying(patience.lookUpMs, (deadline) => this.connections.quick.read(work, deadline));
  }

  /** Atomic. The work may be run again after a conflict, and must not open another transaction. */
  write<T>(work: Work<T, Manager>, patienceMs = PATIENCE_MS): Promise<T> {
    return this.trying(patienceMs, (deadline) => this.connections.writers.write(work, deadline, this.places));
  }

  /** An atomic write that events wait for. It has as long as a look-up. */
  writeForEvents<T>(work: Work<T, Manager>): Promise<T> {
    return this.trying(patience.lookUpMs, (deadline) => this.connections.writers.write(work, deadline));
  }

  /** One statement outside of any transaction, on a write connection: it sees the latest commits. */
  query<T>(sql: string, parameters: unknown[] = []): Promise<T> {
    return this.trying(PATIENCE_MS, (deadline) =>
      this.connections.writers.query<T>(sql, parameters, deadline),
    );
  }

  /** One atomic statement; returns the number of changed rows. */
  execute(sql: string, parameters: unknown[], patienceMs = PATIENCE_MS): Promise<number> {
    const { server } = this.connections;
    if (!server) return this.write((manager) => changedBy(manager, sql, parameters), patienceMs);
    return this.trying(patienceMs, (deadline) => executeOn(server, sql, parameters, deadline));
  }

  /** The database's time in milliseconds since 1970. */
  now(): Promise<number> {
    return this.readQuick((manager) => nowOf(manager, this.dialect));
  }

  /** Tells whether the server answers, even if all connections of this process are busy. */
  async isAnswering(): Promise<boolean> {
    return this.connections.server?.probe.isAnswering() ?? true;
  }

  /** Tells whether an error means that the database cannot work now, rather than a conflict with other transactions. */
  async isOutage(error: unknown): Promise<boolean> {
    if (!(error instanceof DatabaseUnavailable)) return false;
    const { cause } = error;
    const meaning = this.dialect.meaningOf(cause);
    const mayBeLocks = cause instanceof TimeoutError || meaning === 'busy' || meaning === 'conflict';
    return !this.connections.server || !mayBeLocks || !(await this.isAnswering());
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

  private trying<T>(patienceMs: number, attempted: (deadline: number) => Promise<T>): Promise<T> {
    return retrying(this.dialect, patienceMs, attempted);
  }
}

/** Many changes of one row would otherwise take all connections, while they wait for each other's locks. */
function leftForEvents(writers: number): number {
  return Math.max(1, Math.floor(writers / 5));
}

/** Calls the driver even where there is TypeORM, whose overhead exceeds the statement's own time. */
async function executeOn(
  server: ServerConnections,
  sql: string,
  parameters: unknown[],
  deadline: number,
): Promise<number> {
  const taking = withTimeoutOrRelease(deadline - performance.now(), server.takeWriter(), (late) =>
    late.release(),
  );
  const connection = await waitFor('write', taking);
  noteBusy(1, 'write');
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
    noteBusy(-1, 'write');
    connection.release();
  }
}
