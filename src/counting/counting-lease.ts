import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { leaseHasEnded } from '../database/leases';
import { changedBy } from '../database/rows';

/** Well below the lease's length, so that a slow step does not outlast it. */
const RENEW_AFTER_MS = 1000;
/** As long as a session's `wait_timeout`: the server has ended the transactions of a frozen owner by then. */
const LEASE_MS = 4000;

export class LeaseLost extends Error {}

/** Whether an owner may take a lease, as a condition on rows of `counting`. */
export function isFree({ dialect }: Database): string {
  return `(counting.owner = ? OR ${leaseHasEnded(dialect.now, LEASE_MS)})`;
}

/** Lease on counting one website. Each use raises its fencing token, so that a process that lost it cannot write. */
export class CountingLease {
  private usedAt = performance.now();

  private constructor(
    private readonly database: Database,
    readonly websiteId: number,
    private readonly owner: string,
    private token: number,
    /** The first day whose unique keys are still stored. Raising it raises the token, so this copy is up to date. */
    readonly seenFrom: number,
  ) {}

  /** Undefined while another process holds it. */
  static take(database: Database, websiteId: number, owner: string): Promise<CountingLease | undefined> {
    return this.acquire(database, websiteId, owner, isFree(database), LEASE_MS);
  }

  /** Takes the lease from its owner, whose token is out of date from then on. */
  static async seize(database: Database, websiteId: number, owner: string): Promise<CountingLease> {
    return (await this.acquire(database, websiteId, owner, '(owner = ? OR TRUE)'))!;
  }

  private static acquire(
    database: Database,
    websiteId: number,
    owner: string,
    condition: string,
    patienceMs?: number,
  ): Promise<CountingLease | undefined> {
    const { now, insertIfMissing } = database.dialect;
    return database.write(async (manager) => {
      const take = () =>
        changedBy(
          manager,
          `UPDATE counting SET owner = ?, token = token + 1, expires_at = ${now} + ${LEASE_MS}
          WHERE website_id = ? AND ${condition}`,
          [owner, websiteId, owner],
        );
      // Inserting first would take a shared lock on an existing row, and two processes would deadlock on it.
      const add = () =>
        changedBy(
          manager,
          `${insertIfMissing} counting (website_id, owner, token, expires_at, folds, archived_from, seen_from)
          VALUES (?, '', 0, 0, 0, 0, 0)`,
          [websiteId],
        );
      const taken = (await take()) === 1 || ((await add()) === 1 && (await take()) === 1);
      if (!taken) return undefined;
      const [row] = await manager.query<{ token: number; seen_from: number }[]>(
        'SELECT token, seen_from FROM counting WHERE website_id = ?',
        [websiteId],
      );
      return new CountingLease(database, websiteId, owner, Number(row!.token), row!.seen_from);
    }, patienceMs);
  }

  /** The number of the next use, which no other use of the website's lease has, by whomever. */
  get nextUse(): number {
    return this.token + 1;
  }

  /** The first statement of each transaction under the lease; fails where another owner took over. */
  async fence(manager: EntityManager): Promise<void> {
    const raised = await changedBy(
      manager,
      `UPDATE counting SET token = token + 1, folds = folds + 1, expires_at = ${this.database.dialect.now} + ${LEASE_MS}
      WHERE website_id = ? AND owner = ? AND token = ?`,
      [this.websiteId, this.owner, this.token],
    );
    if (raised !== 1) throw new LeaseLost();
  }

  /** Call after the commit of the last fence's transaction: the next fence uses the raised token. */
  committed(): void {
    this.token++;
    this.usedAt = performance.now();
  }

  /** To be called between pieces of work that write nothing. */
  async renewIfDue(): Promise<void> {
    if (performance.now() - this.usedAt < RENEW_AFTER_MS) return;
    await this.database.write((manager) => this.fence(manager));
    this.committed();
  }

  release(): Promise<unknown> {
    return this.database.write((manager) =>
      manager.query('UPDATE counting SET expires_at = 0 WHERE website_id = ? AND owner = ? AND token = ?', [
        this.websiteId,
        this.owner,
        this.token,
      ]),
    );
  }
}
