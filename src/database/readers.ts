import { DataSource } from 'typeorm';
import { Connections } from './connections';
import { readerOptions } from './data-source-options';
import type { Dialect } from './dialect';
import { SqliteThreads } from './sqlite-threads';

/** Connections for reading, by what waits for them. */
export interface Readers {
  /** For look-ups, which stand between a request and its answer. */
  readonly quick: Connections;
  readonly background: Connections;
  /** For reads that may take long. */
  readonly long: Connections;
  close(): Promise<unknown>;
}

/**
 * Reads have connections of their own: on SQLite a read would see half of a write on the same one. A server has one pool
 * for all of them. SQLite has a connection for each purpose, so that none waits for another's transactions, and threads
 * for long reads, which would hold the event loop.
 */
export async function openReaders(writer: DataSource, dialect: Dialect): Promise<Readers> {
  const open = () => new DataSource(readerOptions(writer.options)).initialize();
  if (!dialect.oneConnection) {
    const source = await open();
    const pool = new Connections(source, 'pool', dialect);
    return { quick: pool, background: pool, long: pool, close: () => source.destroy() };
  }
  const [quick, background] = [await open(), await open()];
  const threads = new SqliteThreads(background);
  return {
    quick: new Connections(quick, 'one in this process', dialect),
    background: new Connections(background, 'one in this process', dialect),
    long: new Connections(threads, 'pool', dialect),
    close: () => Promise.all([quick.destroy(), background.destroy(), threads.close()]),
  };
}
