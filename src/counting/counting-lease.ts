import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { leaseHasEnded, LeaseLost } from '../database/lease';
import { changedBy } from '../database/rows';
import { addClosedDays } from '../storage/closed-days';

/** Well below the lease's length, so that a slow step does not outlast it. */
const RENEW_AFTER_MS = 1000;
/** As long as a session's `wait_timeout`: the server has ended the transactions of a frozen owner by then. */
const LEASE_MS = 4000;

interface LeaseRow {
  token: number;
  seenFrom: number;
}

/** Whether an owner may take a lease, as a condition on rows of `counting`. */
export function isFree({ dialect }: Database): string {
  return `(counting.owner = ? OR ${leaseHasEnded(dialect.now, LEASE_MS)})`;
}

/** Lease on counting one website. Each use raises its fencing token, so that a process that lost it cannot write. */
export class CountingLease {
  private usedAt = performance.now();
  private isCertain = true;

  private constructor(
    private readonly database: Database,
    readonly websiteId: number,
    private readonly owner: string,
    private row: LeaseRow,
  ) {}

  /** The first day whose unique keys are still stored. Raising it raises the token, so this copy is up to date. */
  get seenFrom(): number {
    return this.row.seenFrom;
  }

  /** Undefined while another process holds it. */
  static take(database: Database, websiteId: number, owner: string): Promise<CountingLease | undefined> {
    return this.acquire(database, websiteId, owner, isFree(database), LEASE_MS);
  }

  /** Takes the lease from its owner, whose token is out of date from then on. */
  static async seize(database: Database, websiteId: number, owner: string): Promise<CountingLease> {
    return (await this.acquire(database, websiteId, owner, '(owner = ? OR TRUE)'))!;
  }

  private static async acquire(
    database: Database,
    websiteId: number,
    owner: string,
    condition: string,
    patienceMs?: number,
  ): Promise<CountingLease | undefined> {
    const row = await database.write(async (manager) => {
      const take = () => takeRow(database, manager, websiteId, owner, condition);
      return (await take()) ?? ((await addRow(database, manager, websiteId)) ? take() : undefined);
    }, patienceMs);
    return row && new CountingLease(database, websiteId, owner, row);
  }

  /** After an error nobody knows whether the last use was committed. */
  doubt(): void {
    this.isCertain = false;
  }

  /** Looks after a doubt whether the owner is the same as before; false where another one took the lease meanwhile. */
  async isHeld(): Promise<boolean> {
    if (this.isCertain) return true;
    const { database, websiteId, owner } = this;
    const take = (manager: EntityManager) => takeRow(database, manager, websiteId, owner, 'owner = ?');
    const row = await database.write(take, LEASE_MS);
    if (!row) return false;
    this.row = row;
    this.isCertain = true;
    this.usedAt = performance.now();
    return true;
  }

  /** The number of the next use, which no other use of the website's lease has, by whomever. */
  get nextUse(): number {
    return this.row.token + 1;
  }

  /** The first statement of each transaction under the lease; fails where another owner took over. */
  fence(manager: EntityManager): Promise<void> {
    return this.raise(manager, 'token = token + 1');
  }

  /** The fence of a transaction that changes what statistics answer, and so their version. */
  fenceCounts(manager: EntityManager): Promise<void> {
    return this.raise(manager, 'token = token + 1, folds = folds + 1');
  }

  private async raise(manager: EntityManager, assignments: string): Promise<void> {
    const raised = await changedBy(
      manager,
      `UPDATE counting SET ${assignments}, expires_at = ${this.database.dialect.now} + ${LEASE_MS}
      WHERE website_id = ? AND owner = ? AND token = ?`,
      [this.websiteId, this.owner, this.row.token],
    );
    if (raised !== 1) throw new LeaseLost(`of website ${this.websiteId}`);
  }

  /** Call after the commit of the last fence's transaction: the next fence uses the raised token. */
  committed(): void {
    this.row.token++;
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
        this.row.token,
      ]),
    );
  }
}

async function takeRow(
  { dialect }: Database,
  manager: EntityManager,
  websiteId: number,
  owner: string,
  condition: string,
): Promise<LeaseRow | undefined> {
  const taken = await changedBy(
    manager,
    `UPDATE counting SET owner = ?, token = token + 1, expires_at = ${dialect.now} + ${LEASE_MS}
    WHERE website_id = ? AND ${condition}`,
    [owner, websiteId, owner],
  );
  if (taken !== 1) return undefined;
  const [row] = await manager.query<{ token: number; seen_from: number }[]>(
    'SELECT token, seen_from FROM counting WHERE website_id = ?',
    [websiteId],
  );
  return { token: Number(row!.token), seenFrom: row!.seen_from };
}

/** To be tried second: an insertion takes a shared lock on an existing row, and two processes would deadlock on it. */
async function addRow({ dialect }: Database, manager: EntityManager, websiteId: number): Promise<boolean> {
  const added = await changedBy(
    manager,
    `${dialect.insertIfMissing} counting (website_id, owner, token, expires_at, folds, archived_from, seen_from)
    VALUES (?, '', 0, 0, 0, 0, 0)`,
    [websiteId],
  );
  // It is due once hits of it are folded.
  if (added === 1) await addClosedDays(dialect, manager, websiteId, Infinity);
  return added === 1;
}
