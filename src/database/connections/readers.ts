import { DataSource } from 'typeorm';
import { Connections } from './connections';
import { readerOptions } from './data-source-options';
import type { Dialect } from '../dialect';

/** A connection that is closed by who opened it. */
interface OwnConnection {
  readonly connections: Connections;
  close(): Promise<unknown>;
}

/** Connections for reading, by what waits for them. */
export interface Readers {
  /** For look-ups, which stand between a request and its answer. */
  readonly quick: Connections;
  readonly background: Connections;
  /** For a read of minutes, beside which others go on. */
  apart(): Promise<OwnConnection>;
  close(): Promise<unknown>;
}

/**
 * Reads have connections of their own: on SQLite a read would see half of a write on the same one. A server has one pool
 * for all of them. SQLite has a connection for each purpose, so that none waits for another's transactions.
 */
export async function openReaders(writer: DataSource, dialect: Dialect): Promise<Readers> {
  const open = () => new DataSource(readerOptions(writer.options)).initialize();
  if (!dialect.oneConnection) {
    const source = await open();
    const pool = new Connections(source, 'pool', dialect);
    const apart = { connections: pool, close: () => Promise.resolve() };
    return {
      quick: pool,
      background: pool,
      apart: () => Promise.resolve(apart),
      close: () => source.destroy(),
    };
  }
  const sources = new Set<DataSource>();
  const opened = async () => {
    const source = await open();
    sources.add(source);
    return { source, connections: new Connections(source, 'one in this process', dialect) };
  };
  return {
    quick: (await opened()).connections,
    background: (await opened()).connections,
    apart: async () => {
      const { source, connections } = await opened();
      return { connections, close: () => (sources.delete(source) ? source.destroy() : Promise.resolve()) };
    },
    close: () => Promise.all(Array.from(sources, (source) => source.destroy())),
  };
}
