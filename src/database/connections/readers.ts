import { DataSource } from 'typeorm';
import { Connections } from './connections';
import { readerOptions } from './data-source-options';
import type { Dialect } from '../dialect';

/** Connections for reading, by what waits for them. */
export interface Readers {
  /** For look-ups, which stand between a request and its answer. */
  readonly quick: Connections;
  readonly background: Connections;
  close(): Promise<unknown>;
}

/**
 * Reads have connections of their own: on SQLite a read would see half of a write on the same one. A server has one pool
 * for all of them. SQLite has a connection for each purpose, so that none waits for another's transactions.
 */
export async function openReaders(writer: DataSource, dialect: Dialect): Promise<Readers> {
  const open = () => new DataSource(readerOptions(writer.options)).initialize();
  const kind = dialect.oneConnection ? 'one in this process' : 'pool';
  const first = await open();
  const quick = new Connections(first, kind, dialect);
  if (!dialect.oneConnection) return { quick, background: quick, close: () => first.destroy() };
  const second = await open();
  const background = new Connections(second, kind, dialect);
  return { quick, background, close: () => Promise.all([first.destroy(), second.destroy()]) };
}
