import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import type { EntityDatabase } from './entity-database';
import { DatabaseUnavailable } from '../../engine/database/errors';
import { Lease, LeaseLost } from '../../engine/database/lease';
import { leasesTable } from './migrations/leases-table';
import { findPending, refuseUnknownTables } from './schema';
import { refuseUnusableServer } from './usable-server';

const logger = new Logger('Migrations');
const LEASE_MS = 15_000;
const PATIENCE_MS = 10 * 60_000;

/** Runs missing migrations, even if several processes try at once. Returns the names of those it ran. */
export async function migrate(database: EntityDatabase): Promise<string[]> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let hasWarned = false;
  if (!database.dialect.oneConnection) {
    const isPending = (await findPending(database, database.dialect)) !== undefined;
    await refuseUnusableServer(database.writer, isPending);
    if (!isPending) {
      await refuseUnknownTables(database, database.dialect);
      return [];
    }
  }
  for (;;) {
    const ran = await (database.dialect.oneConnection ? inOneTransaction(database) : underLease(database));
    if (ran) return ran;
    if (!hasWarned) logger.warn('waiting for another process to migrate the database');
    hasWarned = true;
    if (performance.now() > giveUpAt)
      throw new Error('another process has been migrating the database for too long');
    await sleep(200);
  }
}

/** SQLite changes tables inside a transaction, whose write lock excludes other processes. */
async function inOneTransaction(database: EntityDatabase): Promise<string[] | undefined> {
  try {
    return await database.write(async (manager) => {
      await refuseUnknownTables(manager, database.dialect);
      return run(database);
    });
  } catch (error) {
    if (error instanceof DatabaseUnavailable && database.dialect.meaningOf(error.cause) === 'conflict')
      return undefined;
    throw error;
  }
}

/** MySQL commits at every table change, so a lease excludes other processes, and each statement can be run again. */
async function underLease(database: EntityDatabase): Promise<string[] | undefined> {
  await refuseUnknownTables(database, database.dialect);
  await database.writer.query(leasesTable(database.dialect));
  const lease = new Lease(database, 'migrations', LEASE_MS);
  const runner = database.writer.createQueryRunner();
  try {
    return await lease.during(async () => {
      // Another release may have had the lease before.
      await refuseUnknownTables(database, database.dialect);
      return run(
        database,
        checking(runner, () => lease.assertHeld()),
      );
    });
  } catch (error) {
    // The server ends the connection of a frozen process.
    const mayPass = error instanceof LeaseLost || database.dialect.meaningOf(error) === 'lost';
    if (!mayPass) throw error;
    logger.warn(`stopped: ${(error as Error).message}`);
    return undefined;
  } finally {
    await runner.release();
  }
}

/** Checks the lease before each statement: a process that was frozen must not continue beside its successor. */
function checking(runner: QueryRunner, check: () => Promise<void>): QueryRunner {
  const query = runner.query.bind(runner) as (...statement: unknown[]) => Promise<unknown>;
  return Object.assign(runner, {
    query: async (...statement: unknown[]) => {
      await check();
      return query(...statement);
    },
  });
}

async function run({ writer }: EntityDatabase, runner?: QueryRunner): Promise<string[]> {
  const executor = new MigrationExecutor(writer, runner);
  executor.transaction = 'none';
  const ran = await executor.executePendingMigrations();
  for (const { name } of ran) logger.log(`Applied migration ${name.replace(/\d+$/, '')}`);
  return ran.map(({ name }) => name);
}
