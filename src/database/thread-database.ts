import { access } from 'node:fs/promises';
import type { DatabaseAddress } from '../config/settings';
import { connect } from './connect';
import type { Entities } from './data-source-options';
import { Database } from './database';
import { DatabaseUnavailable } from './errors';

/** For a thread that does one read at a time: with one connection, on a server from a pool that gives idle ones up. */
export async function databaseOfThread(address: DatabaseAddress, entities: Entities): Promise<Database> {
  try {
    // SQLite would create a file that is not there any more, without tables.
    if (address.kind === 'sqlite') await access(address.path);
    const ofThread = address.kind === 'mysql' ? { ...address, readers: 1, writers: 1 } : address;
    return await Database.over(await connect(ofThread, entities, { patienceMs: 0 }));
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}
