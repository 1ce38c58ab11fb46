import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../../ground/errors';
import type { Database } from '../../database/database';
import { DatabaseUnavailable } from '../../database/errors';
import { LeaseLost } from '../../database/lease';
import type { ColumnTurn } from '../upkeep/column-work';
import { CountingLease } from './counting-lease';
import type { Transaction } from '../../database/rows';

const WRITE_PATIENCE_MS = 60_000;
const MAX_ATTEMPTS = 20;
const BETWEEN_ATTEMPTS_MS = 250;

/** A website's lease that a command takes from the counting process, for a few short transactions. */
export class HeldLease {
  private constructor(
    private readonly database: Database,
    readonly lease: CountingLease,
  ) {}

  /**
   * Runs work under the lease, and returns the lease. If another process took it meanwhile, it is taken again and the
   * work is repeated: each transaction of the first attempt is whole or absent.
   */
  static async during(
    database: Database,
    websiteId: number,
    work: (held: HeldLease) => Promise<void>,
  ): Promise<void> {
    const owner = randomUUID();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        const lease = await CountingLease.seize(database, websiteId, owner);
        await work(new HeldLease(database, lease));
        await lease.release();
        return;
      } catch (error) {
        const isLost = error instanceof LeaseLost;
        if (!(isLost || error instanceof DatabaseUnavailable)) throw error;
        if (!isLost && attempt === MAX_ATTEMPTS) throw error;
      }
      await sleep(Math.random() * BETWEEN_ATTEMPTS_MS * attempt);
    }
    throw new CommandError(
      `website ${websiteId} is taken by another process each time; does another "stats rebuild" run?`,
    );
  }

  /** Runs a transaction that fails if the lease was lost. */
  async write(work: (manager: Transaction) => Promise<void>): Promise<void> {
    await this.database.write(async (manager) => {
      await this.lease.fenceCounts(manager);
      await work(manager);
    }, WRITE_PATIENCE_MS);
    this.lease.noteCommit();
  }

  /** For work whose rows no reader knows before its end. It is repeated if the lease was lost. */
  get turn(): ColumnTurn {
    return {
      goOn: async () => {
        await this.lease.renewIfDue();
        return true;
      },
      write: async (work) => {
        await this.database.write(async (manager) => {
          await this.lease.fence(manager);
          await work(manager);
        }, WRITE_PATIENCE_MS);
        this.lease.noteCommit();
        return true;
      },
    };
  }
}
