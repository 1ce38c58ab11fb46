import type { Database } from '../../database/database';
import { Lease, leaseHasEnded, type LeaseTable } from '../../database/lease';
import { addClosedDays } from '../closed-days';
import type { Transaction } from '../../database/rows';

/** A session's `wait_timeout` is as long: the server has ended the transactions of a frozen owner by then. */
const LEASE_MS = 4000;
const COUNTING: LeaseTable = {
  name: 'counting',
  key: 'website_id',
  zeros: ['folds', 'archived_from'],
};

/** Tells whether an owner may take a lease, as a condition on rows of `counting`. */
export function leaseIsFree({ dialect }: Database): string {
  return `(counting.owner = ? OR ${leaseHasEnded(dialect.now, LEASE_MS)})`;
}

/** The lease for counting one website. Deleting the website removes its row first. */
export class CountingLease extends Lease {
  private constructor(
    database: Database,
    readonly websiteId: number,
    owner: string,
  ) {
    super(database, websiteId, LEASE_MS, owner, COUNTING);
  }

  /** Undefined while another process holds it. */
  static async take(
    database: Database,
    websiteId: number,
    owner: string,
  ): Promise<CountingLease | undefined> {
    const lease = new CountingLease(database, websiteId, owner);
    return (await lease.take()) ? lease : undefined;
  }

  static async seize(database: Database, websiteId: number, owner: string): Promise<CountingLease> {
    const lease = new CountingLease(database, websiteId, owner);
    await lease.seize();
    return lease;
  }

  /** The number of the next use. No other use of the website's lease has it, in any process. */
  get nextUse(): number {
    return this.row!.token + 1;
  }

  /** The fence of a transaction that changes statistics, and so their version. */
  fenceCounts(manager: Transaction): Promise<void> {
    return this.raise(manager, 'token = token + 1, folds = folds + 1');
  }

  /** The website is due once its hits are folded. */
  protected override async noteAdded(manager: Transaction): Promise<void> {
    await addClosedDays(this.database.dialect, manager, this.websiteId);
  }

  protected override get name(): string {
    return `of website ${this.websiteId}`;
  }

  protected override get patienceMs(): number {
    return LEASE_MS;
  }
}
