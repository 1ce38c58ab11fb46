import { access } from 'node:fs/promises';
import { DataSource } from 'typeorm';
import type { DatabaseAddress } from '../../config/settings';
import { dataSourceFor } from './connect';
import { Connections, type Work } from './connections';
import type { Reader } from '../database';
import { type Entities, readerOptions } from './data-source-options';
import { type Dialect, dialectOf } from '../dialect';
import { DatabaseUnavailable } from '../errors';
import { retrying } from './trying';

const PATIENCE_MS = 10_000;

/** For a thread with concurrent reads, each on its own connection. */
export async function readerOfThread(
  address: DatabaseAddress,
  entities: Entities,
  reads: number,
): Promise<Reader> {
  try {
    // If the file no longer exists, SQLite would create an empty one.
    if (address.kind === 'sqlite') await access(address.path);
    const ofThread = address.kind === 'mysql' ? { ...address, readers: reads } : address;
    const { options } = await dataSourceFor(ofThread, entities);
    const open = () => new DataSource(readerOptions(options)).initialize();
    const first = await open();
    const dialect = dialectOf(first);
    const pool = dialect.oneConnection ? new SqliteReads(first, open, dialect, reads) : undefined;
    const connections = pool ?? new Connections(first, 'pool', dialect);
    return {
      dialect,
      read: (work, patienceMs = PATIENCE_MS) =>
        retrying(dialect, patienceMs, (deadline) => connections.read(work, deadline)),
    };
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}

/** In SQLite a snapshot belongs to a connection, so concurrent reads need separate ones. */
class SqliteReads {
  private readonly all: { connections: Connections; reads: number }[] = [];

  constructor(
    first: DataSource,
    private readonly open: () => Promise<DataSource>,
    private readonly dialect: Dialect,
    private readonly most: number,
  ) {
    this.add(first);
  }

  async read<T>(work: Work<T>, deadline: number): Promise<T> {
    const own = await this.leastUsed();
    own.reads++;
    try {
      return await own.connections.read(work, deadline);
    } finally {
      own.reads--;
    }
  }

  private async leastUsed() {
    const [least] = this.all.toSorted((one, other) => one.reads - other.reads);
    return least!.reads === 0 || this.all.length >= this.most ? least! : this.add(await this.open());
  }

  private add(source: DataSource) {
    const own = { connections: new Connections(source, 'one in this process', this.dialect), reads: 0 };
    this.all.push(own);
    return own;
  }
}
