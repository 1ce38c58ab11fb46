import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Database } from './database';
import { DatabaseUnavailable } from './errors';
import { Leases } from './leases';
import { migrations } from './migrations';
import { leasesTable } from './migrations/leases-table';

const logger = new Logger('Migrations');
const LEASE_MS = 15_000;
const PATIENCE_MS = 10 * 60_000;

/** Brings the tables up to date, however many processes try to at once; returns the names of what it ran. */
export async function migrate(database: Database): Promise<string[]> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let told = false;
  for (;;) {
    const ran = await (database.dialect.oneConnection ? inOneTransaction(database) : underLease(database));
    if (ran) return ran;
    if (!told) logger.warn('waiting for another process that keeps the tables to itself');
    told = true;
    if (performance.now() > giveUpAt)
      throw new Error('another process has been migrating the database for too long');
    await sleep(200);
  }
}

/** SQLite changes tables inside a transaction, so that its write lock keeps other processes out. */
async function inOneTransaction(database: Database): Promise<string[] | undefined> {
  try {
    return await database.write(() => run(database, 'none'));
  } catch (error) {
    if (error instanceof DatabaseUnavailable && database.dialect.meaningOf(error.cause) === 'conflict')
      return undefined;
    throw error;
  }
}

/** MySQL commits at every change of a table: a lease keeps others out, and each migration can be run again. */
async function underLease(database: Database): Promise<string[] | undefined> {
  await database.writer.query(leasesTable(database.dialect));
  return new Leases(database).during('migrations', LEASE_MS, () => run(database, 'each'));
}

/** Whether the tables are those that this release knows. */
export function isMigrated(database: Database): Promise<boolean> {
  return database.readQuick(async (manager) => {
    const rows: { name: string }[] = await manager.query('SELECT name FROM migrations');
    const names = new Set(rows.map(({ name }) => name));
    return migrations.every((migration) => names.has(migration.name));
  });
}

async function run(database: Database, transaction: 'none' | 'each'): Promise<string[]> {
  const ran = await database.writer.runMigrations({ transaction });
  for (const { name } of ran) logger.log(`Applied migration ${name.replace(/\d+$/, '')}`);
  return ran.map(({ name }) => name);
}
