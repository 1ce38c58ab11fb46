import { access } from 'node:fs/promises';
import { DataSource } from 'typeorm';
import type { DatabaseAddress } from '../config/settings';
import { dataSourceFor } from './connect';
import { Connections } from './connections';
import type { Reader } from './database';
import { type Entities, readerOptions } from './data-source-options';
import { dialectOf } from './dialect';
import { DatabaseUnavailable } from './errors';
import { trying } from './trying';

const PATIENCE_MS = 10_000;

/** For a thread that does one read at a time, over one connection. */
export async function readerOfThread(address: DatabaseAddress, entities: Entities): Promise<Reader> {
  try {
    // SQLite would create a file that is not there any more, without tables.
    if (address.kind === 'sqlite') await access(address.path);
    const ofThread = address.kind === 'mysql' ? { ...address, readers: 1 } : address;
    const { options } = await dataSourceFor(ofThread, entities);
    const source = await new DataSource(readerOptions(options)).initialize();
    const dialect = dialectOf(source);
    const kind = dialect.oneConnection ? 'one in this process' : 'pool';
    const connections = new Connections(source, kind, dialect);
    return {
      dialect,
      read: (work, patienceMs = PATIENCE_MS) =>
        trying(dialect, patienceMs, (deadline) => connections.read(work, deadline)),
    };
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}
