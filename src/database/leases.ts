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

/** A right to do something that one process at a time may do; it ends by itself where its owner dies. */
export class Leases {
  private readonly logger = new Logger('Leases');

  constructor(private readonly database: Database) {}

  /** Does work under a lease that is renewed until then; undefined where another owner holds it. */
  async during<T>(name: string, milliseconds: number, work: () => Promise<T>): Promise<T | undefined> {
    const owner = randomUUID();
    const take = () => this.take(name, owner, milliseconds);
    if (!(await take())) return undefined;
    let renewed: Promise<unknown> = Promise.resolve();
    const renewal = setInterval(() => {
      renewed = renewed
        .then(take)
        .catch((error: unknown) => this.logger.warn(`The lease ${name} is not renewed: ${reasonOf(error)}`));
    }, milliseconds / 3);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      // A renewal that came after the release would leave the lease with an owner that has ended.
      await renewed;
      await this.release(name, owner);
    }
  }

  /** Takes or renews a lease by the database's clock; false where another owner holds it. */
  take(name: string, owner: string, milliseconds: number): Promise<boolean> {
    const { now, insertIfMissing } = this.database.dialect;
    return this.database.write(async (manager) => {
      await manager.query(`${insertIfMissing} leases (name, owner, expires_at) VALUES (?, '', 0)`, [name]);
      await manager.query(
        `UPDATE leases SET owner = ?, expires_at = ${now} + ?
        WHERE name = ? AND (owner = ? OR ${leaseHasEnded(now, milliseconds)})`,
        [owner, milliseconds, name, owner],
      );
      const [lease] = await manager.query<{ owner: string }[]>('SELECT owner FROM leases WHERE name = ?', [
        name,
      ]);
      return lease?.owner === owner;
    });
  }

  async release(name: string, owner: string): Promise<void> {
    await this.database.write((manager) =>
      manager.query('UPDATE leases SET expires_at = 0 WHERE name = ? AND owner = ?', [name, owner]),
    );
  }
}
