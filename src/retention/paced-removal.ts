import { setTimeout as sleep } from 'node:timers/promises';
import type { Work } from '../../engine/database/connections/connections';
import type { Database } from '../../engine/database/database';
import type { Lease } from '../../engine/database/lease';
import { changedBy, type Transaction } from '../../engine/database/rows';
import type { RetentionRule } from '../../engine/database/retention-rules';

const MAX_ROWS = 2000;
/** The limit per statement, so that others do not wait for it. */
const MAX_BYTES = 4 * 1024 * 1024;
const BETWEEN_CHUNKS_MS = 20;

/** The rows to remove, and the index that orders them. */
interface Removed {
  order: string;
  condition: string;
  parameters: unknown[];
}

/** Removes rows in short transactions under a lease, until it is stopped. */
export class PacedRemoval {
  isStopped = false;
  /** Increases with each transaction that may have removed or changed rows. */
  changes = 0;

  constructor(
    readonly database: Database,
    readonly lease: Lease,
  ) {}

  /** True if all were removed. */
  remove(
    { table, maxRowBytes = 0 }: RetentionRule,
    { order, condition, parameters }: Removed,
    before: Work<void> = () => Promise.resolve(),
  ): Promise<boolean> {
    const rows = Math.min(MAX_ROWS, Math.floor(MAX_BYTES / maxRowBytes));
    const statement = this.database.dialect.deleteSome(table, order, condition, rows);
    return this.repeat(async (manager) => {
      await before(manager);
      const removed = await changedBy(manager, statement, parameters);
      if (removed > 0) this.changes++;
      return removed === rows;
    });
  }

  /** Runs transactions until one reports that nothing is left. False if it was stopped before. */
  async repeat(removeSome: Work<boolean>): Promise<boolean> {
    while (!this.isStopped) {
      if (!(await this.lease.write(removeSome))) return true;
      await sleep(BETWEEN_CHUNKS_MS);
    }
    return false;
  }

  /** Call between steps that write little. False if the removal must stop. */
  async goesOn(): Promise<boolean> {
    await this.lease.renewIfDue();
    return !this.isStopped;
  }

  write(work: (manager: Transaction) => Promise<void>): Promise<void> {
    this.changes++;
    return this.lease.write(work);
  }
}
