import { access } from 'node:fs/promises';
import type Sqlite from 'better-sqlite3';
import type { Pool, PoolConnection } from 'mysql2';
import type { DatabaseAddress, MysqlAddress, SqliteAddress } from './address';
import { Database, type Reader } from '../database';
import { type Dialect, dialectFor } from '../dialect';
import { DatabaseUnavailable } from '../errors';
import type { Queryable, Transaction } from '../rows';
import { Connections, type Work } from './connections';
import { credentials, giveUp, openFileToRead, poolAt, resultOf, serverAt } from './drivers';
import type { Session, Sessions } from './sessions';
import { Probe } from './probe';
import { retrying, whileStarting } from './waiting-for-server';

const PATIENCE_MS = 10_000;

interface Reads {
  readonly dialect: Dialect;
  readonly connections: Pick<Connections<Queryable>, 'read'>;
}

/**
 * For a thread with concurrent reads, each on its own connection. It calls the drivers directly: TypeORM would take
 * 5 MB and a tenth of a second in every thread.
 */
export async function readerOfThread(address: DatabaseAddress, reads: number): Promise<Reader> {
  try {
    const { dialect, connections } =
      address.kind === 'sqlite' ? await readsOfFile(address, reads) : await readsOfServer(address, reads);
    return {
      dialect,
      read: (work, patienceMs = PATIENCE_MS) =>
        retrying(dialect, patienceMs, (deadline) => connections.read(work, deadline)),
    };
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}

async function readsOfServer(address: MysqlAddress, reads: number): Promise<Reads> {
  const server = await serverAt(address);
  const dialect = dialectFor(server);
  const sessions = new PooledSessions(poolAt(address, server, 'read', reads));
  return { dialect, connections: new Connections(sessions, 'pool', dialect, 'read') };
}

async function readsOfFile({ path }: SqliteAddress, reads: number): Promise<Reads> {
  // If the file no longer exists, SQLite's error would not say so.
  await access(path);
  const dialect = dialectFor(undefined);
  return { dialect, connections: new SqliteReads(path, dialect, reads) };
}

/** For a thread that writes, on a server. */
export async function databaseOfThread(
  address: MysqlAddress,
): Promise<{ database: Database; close: () => void }> {
  const server = await whileStarting(address, () => serverAt(address));
  const dialect = dialectFor(server);
  const [writing, reading] = [
    poolAt(address, server, 'write', address.writers),
    poolAt(address, server, 'read', address.readers),
  ];
  const probe = new Probe(credentials(address));
  const readers = new Connections(new PooledSessions(reading), 'pool', dialect, 'read');
  const database = new Database(dialect, {
    writers: new Connections(new PooledSessions(writing), 'pool', dialect, 'write', probe),
    quick: readers,
    background: readers,
    server: { probe, writers: address.writers, takeWriter: () => connectionOf(writing) },
  });
  return { database, close: () => [writing, reading].forEach((pool) => pool.end(() => undefined)) };
}

function connectionOf(pool: Pool): Promise<PoolConnection> {
  return new Promise((resolve, reject) =>
    pool.getConnection((error, own) => (error ? reject(error) : resolve(own))),
  );
}

/** Another transaction may use the connection now. */
const OVER = 'the transaction of this statement is over';

class PooledSessions implements Sessions<Transaction> {
  constructor(private readonly pool: Pool) {}

  async take(): Promise<Session<Transaction>> {
    const connection = await connectionOf(this.pool);
    let isOver = false;
    return {
      manager: {
        queryRunner: undefined,
        query: (sql, parameters) =>
          isOver ? Promise.reject(new Error(OVER)) : resultOf(connection, sql, parameters),
      },
      release: () => {
        isOver = true;
        connection.release();
      },
      destroy: () => {
        isOver = true;
        giveUp(connection);
      },
    };
  }
}

/** In SQLite a snapshot belongs to a connection, so concurrent reads need separate ones. */
class SqliteReads {
  private readonly all: { connections: Connections<Queryable>; reads: number }[] = [];

  constructor(
    private readonly path: string,
    private readonly dialect: Dialect,
    private readonly most: number,
  ) {
    this.add();
  }

  async read<T>(work: Work<T, Queryable>, deadline: number): Promise<T> {
    const own = this.leastUsed();
    own.reads++;
    try {
      return await own.connections.read(work, deadline);
    } finally {
      own.reads--;
    }
  }

  private leastUsed() {
    const [least] = this.all.toSorted((one, other) => one.reads - other.reads);
    return least!.reads === 0 || this.all.length >= this.most ? least! : this.add();
  }

  private add() {
    const sessions = new FileSessions(openFileToRead(this.path));
    const own = {
      connections: new Connections(sessions, 'one in this process', this.dialect, 'read'),
      reads: 0,
    };
    this.all.push(own);
    return own;
  }
}

/** Statements vary with the number of values in their lists. */
const MAX_PREPARED = 100;

/** The one connection to a file. */
class FileSessions implements Sessions<Queryable>, Session<Queryable>, Queryable {
  readonly manager = this;
  private readonly prepared = new Map<string, Sqlite.Statement>();

  constructor(private readonly file: Sqlite.Database) {}

  take(): Promise<this> {
    return Promise.resolve(this);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- errors of the synchronous driver reject
  async query<T>(sql: string, parameters: unknown[] = []): Promise<T> {
    const statement = this.statement(sql);
    return (statement.reader ? statement.all(...parameters) : statement.run(...parameters)) as T;
  }

  release(): void {
    // It stays open for the next transaction.
  }

  destroy(): void {
    this.file.close();
  }

  private statement(sql: string): Sqlite.Statement {
    const known = this.prepared.get(sql);
    if (known) return known;
    const statement = this.file.prepare(sql);
    if (this.prepared.size === MAX_PREPARED) this.prepared.clear();
    this.prepared.set(sql, statement);
    return statement;
  }
}
