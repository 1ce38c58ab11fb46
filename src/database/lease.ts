import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Database } from './database';
import { reasonOf } from './errors';

/** A clock that is set back by more than that is taken for a clock that was wrong before. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Whether a lease has ended, as a condition: one that ends later than any can was taken before the clock was set back,
 * and nobody could have it until the clock is there again.
 */
export function leaseHasEnded(now: string, milliseconds: number): string {
  return `expires_at NOT BETWEEN ${now} AND ${now} + ${milliseconds + CLOCKS_DIFFER_MS}`;
}

/** Another process may do the work now. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`another process has taken the lease ${name}`);
  }
}

/** A right to do something that one process at a time may do; it ends by itself where its owner dies. */
export class Lease {
  private readonly logger = new Logger('Leases');
  private readonly owner = randomUUID();
  /** Counted from before the database was asked, so that it is never later than the end in the database. */
  private heldUntil = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly milliseconds: number,
  ) {}

  /**
   * Does work under the lease; undefined where another owner holds it. Work in several steps calls `assertHeld` before
   * each, since a process that was frozen may have lost the lease.
   */
  async during<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.take())) return undefined;
    try {
      return await this.renewedDuring(work);
    } finally {
      await this.release();
    }
  }

  /** Renews the lease until work ends, and leaves it with this owner. */
  async renewedDuring<T>(work: () => Promise<T>): Promise<T> {
    let renewed: Promise<unknown> = Promise.resolve();
    const renewal = setInterval(() => {
      renewed = renewed
        .then(() => this.renew())
        .catch((error: unknown) =>
          this.logger.warn(`The lease ${this.name} is not renewed: ${reasonOf(error)}`),
        );
    }, this.milliseconds / 3);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      // A renewal that came after a release would leave the lease with an owner that has ended.
      await renewed;
    }
  }

  /** Takes or renews the lease by the database's clock; false where another owner holds it. */
  async take(): Promise<boolean> {
    const { now, insertIfMissing } = this.database.dialect;
    const askedAt = performance.now();
    const isTaken = await this.database.write(async (manager) => {
      await manager.query(`${insertIfMissing} leases (name, owner, expires_at) VALUES (?, '', 0)`, [
        this.name,
      ]);
      await manager.query(
        `UPDATE leases SET owner = ?, expires_at = ${now} + ?
        WHERE name = ? AND (owner = ? OR ${leaseHasEnded(now, this.milliseconds)})`,
        [this.owner, this.milliseconds, this.name, this.owner],
      );
      const [lease] = await manager.query<{ owner: string }[]>('SELECT owner FROM leases WHERE name = ?', [
        this.name,
      ]);
      return lease?.owner === this.owner;
    });
    this.heldUntil = isTaken ? askedAt + this.milliseconds : -Infinity;
    return isTaken;
  }

  /** Whether no other process has had the lease since it was taken. It is renewed where a third of its time is over. */
  async isHeld(): Promise<boolean> {
    return performance.now() < this.heldUntil - (this.milliseconds * 2) / 3 || this.renew();
  }

  /** Asks the database in any case. */
  async assertHeld(): Promise<void> {
    if (!(await this.renew())) throw new LeaseLost(this.name);
  }

  /** A lease that cannot be given back now ends by itself. */
  async release(): Promise<void> {
    if (this.heldUntil === -Infinity) return;
    this.heldUntil = -Infinity;
    await this.database
      .execute('UPDATE leases SET expires_at = 0 WHERE name = ? AND owner = ?', [this.name, this.owner])
      .catch(() => undefined);
  }

  /** A lease that has ended is still held where nobody else has taken it. */
  private async renew(): Promise<boolean> {
    if (this.heldUntil === -Infinity) return false;
    const askedAt = performance.now();
    const renewed = await this.database.execute(
      `UPDATE leases SET expires_at = ${this.database.dialect.now} + ? WHERE name = ? AND owner = ?`,
      [this.milliseconds, this.name, this.owner],
    );
    this.heldUntil = renewed === 1 ? askedAt + this.milliseconds : -Infinity;
    return renewed === 1;
  }
}
