import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { CommandError } from '../../common/commands/command';
import type { Database } from '../../database/database';
import { DatabaseUnavailable } from '../../database/errors';
import { LeaseLost } from '../../database/lease';
import type { ColumnTurn } from '../columns/column-work';
import { CountingLease } from './counting-lease';

const WRITE_PATIENCE_MS = 60_000;
const MAX_ATTEMPTS = 20;
const BETWEEN_ATTEMPTS_MS = 250;

/** A website's lease that was taken from the process that counts, for a few short transactions. */
export class HeldLease {
  private constructor(
    private readonly database: Database,
    readonly lease: CountingLease,
  ) {}

  /**
   * Does work under the lease, and gives it back. When another process took it in the meantime, it is seized again and
   * the work is done anew: all that it wrote before is either whole or nothing.
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

  /** A transaction that fails where the lease was lost. */
  async write(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    await this.database.write(async (manager) => {
      await this.lease.fenceCounts(manager);
      await work(manager);
    }, WRITE_PATIENCE_MS);
    this.lease.noteCommit();
  }

  /** Work that writes what nobody knows until it is done, and that is done anew where the lease was lost. */
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
