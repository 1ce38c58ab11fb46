import { randomUUID } from 'node:crypto';
import { Log } from '../ground/log';
import { Mutex } from '../ground/threads/mutex';
import { CLOCKS_DIFFER_MS } from '../ground/time/clock-from';
import type { Work } from './connections/connections';
import type { Database } from './database';
import { reasonOf } from './errors';
import { changedBy, type Transaction } from './rows';

/** The part of a lease's length after which it is renewed, so that a slow step does not outlast it. */
const RENEWED_AFTER = 1 / 4;

/**
 * A condition for a lease that has ended. An end too far ahead dates from before the clock was set back; without this
 * rule, nobody could take the lease until then.
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

/** A table with a lease in each row, in the columns `owner`, `token` and `expires_at`. */
export interface LeaseTable {
  readonly name: string;
  readonly key: string;
  /** Its other columns, which are zero in a new row. */
  readonly zeros: readonly string[];
}

const NAMED: LeaseTable = { name: 'leases', key: 'name', zeros: [] };

/** The row as of when it was taken, except for the token. */
interface LeaseRow {
  token: number;
  readonly [column: string]: unknown;
}

/**
 * The right of one process to do something, limited in time. Each use raises its token, which only ever rises, and a
 * transaction with an older token fails: a process that was frozen changes nothing after another one has had the lease.
 */
export class Lease {
  private readonly logger = new Log('Leases');
  private readonly turns = new Mutex();
  /** Undefined if the lease is not held. */
  protected row: LeaseRow | undefined;
  /** Tells whether the token is known. */
  private isCertain = true;
  /** The time before the database was called, so that the lease never seems longer than it is. */
  private usedAt = -Infinity;
  private fencedAt = -Infinity;

  constructor(
    protected readonly database: Database,
    private readonly id: string | number,
    private readonly lengthMs: number,
    private readonly owner: string = randomUUID(),
    private readonly table = NAMED,
  ) {}

  /**
   * Does work under the lease. Undefined if another owner holds it. The work must write through `write`, or call
   * `assertHeld` before changes that a transaction cannot protect.
   */
  async during<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.take())) return undefined;
    try {
      return await this.renewDuring(work);
    } finally {
      await this.release();
    }
  }

  /** Renews the lease until the work ends, and does not release it. */
  async renewDuring<T>(work: () => Promise<T>): Promise<T> {
    let renewed: Promise<unknown> = Promise.resolve();
    const renewal = setInterval(() => {
      renewed = this.renew().catch((error: unknown) =>
        this.logger.warn(`The lease ${this.name} could not be renewed: ${reasonOf(error)}`),
      );
    }, this.lengthMs * RENEWED_AFTER);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      // A renewal after the release would give the lease to an owner that has ended.
      await renewed;
    }
  }

  /** Takes or renews the lease, by the database's clock. False if another owner holds it. */
  take(): Promise<boolean> {
    const hasEnded = leaseHasEnded(this.database.dialect.now, this.lengthMs);
    return this.turns.run(() => this.acquire(`(owner = ? OR ${hasEnded})`, this.patienceMs));
  }

  /** Takes the lease from its owner, which invalidates that owner's token. */
  seize(): Promise<boolean> {
    return this.turns.run(() => this.acquire('(owner = ? OR TRUE)'));
  }

  /** Tells whether no other process has had the lease since it was taken. Renews it once part of its time is over. */
  async isHeld(): Promise<boolean> {
    const isFresh = performance.now() < this.usedAt + this.lengthMs * RENEWED_AFTER;
    return (this.row !== undefined && this.isCertain && isFresh) || this.renew();
  }

  /** Always checks in the database. */
  async assertHeld(): Promise<void> {
    if (!(await this.renew())) throw new LeaseLost(this.name);
  }

  /** Call between steps that write nothing. */
  async renewIfDue(): Promise<void> {
    if (!(await this.isHeld())) throw new LeaseLost(this.name);
  }

  /** A transaction under the lease. Fails if another owner took over. */
  write<T>(work: Work<T>): Promise<T> {
    return this.turns.run(async () => {
      if (!(await this.isUnbroken())) throw new LeaseLost(this.name);
      try {
        const result = await this.database.write(async (manager) => {
          await this.fence(manager);
          return work(manager);
        });
        this.noteCommit();
        return result;
      } catch (error) {
        this.doubt();
        throw error;
      }
    });
  }

  /** The first statement of a transaction under the lease, if several share a commit. */
  fence(manager: Transaction): Promise<void> {
    return this.raise(manager, 'token = token + 1');
  }

  /** Call after the commit of the last fence's transaction: the next fence uses the raised token. */
  noteCommit(): void {
    if (this.row) this.row.token++;
    this.usedAt = this.fencedAt;
  }

  /** Call after an error: the last use may or may not have been committed. */
  doubt(): void {
    this.isCertain = false;
  }

  /** After a doubt, checks whether the owner is unchanged. False if another one took the lease meanwhile. */
  async isUnbroken(): Promise<boolean> {
    if (!this.row || this.isCertain) return this.row !== undefined;
    return this.noteTaken((manager) => this.readTaken(manager, 'owner = ?'), this.patienceMs);
  }

  /** If the release fails, the lease ends by itself. */
  release(): Promise<void> {
    return this.turns.run(async () => {
      const isHeld = await this.isUnbroken().catch(() => false);
      if (isHeld) await this.update('expires_at = 0', [], this.row!).catch(() => undefined);
      this.row = undefined;
    });
  }

  /** Adds further data for a new row, in the same transaction. */
  protected noteAdded(_: Transaction): Promise<void> {
    return Promise.resolve();
  }

  protected get name(): string {
    return String(this.id);
  }

  /** How long taking the lease may wait for its row. Undefined for the default of transactions. */
  protected get patienceMs(): number | undefined {
    return undefined;
  }

  protected async raise(manager: Transaction, assignments: string): Promise<void> {
    const { row, database, lengthMs } = this;
    this.fencedAt = performance.now();
    const sql = this.updateOf(`${assignments}, expires_at = ${database.dialect.now} + ?`);
    const raised = row ? await changedBy(manager, sql, [lengthMs, ...this.keyOf(row)]) : 0;
    if (raised !== 1) throw new LeaseLost(this.name);
  }

  /** A lease that has ended is still held if nobody else has taken it. */
  private renew(): Promise<boolean> {
    return this.turns.run(async () => {
      if (!this.row || !this.isCertain) return this.isUnbroken();
      const { row, lengthMs, database } = this;
      const readAt = performance.now();
      this.doubt();
      const renewed = await this.update(
        `token = token + 1, expires_at = ${database.dialect.now} + ?`,
        [lengthMs],
        row,
      );
      this.isCertain = true;
      this.usedAt = readAt;
      this.row = renewed === 1 ? { ...row, token: row.token + 1 } : undefined;
      return renewed === 1;
    });
  }

  private acquire(condition: string, patienceMs?: number): Promise<boolean> {
    return this.noteTaken(async (manager) => {
      const take = () => this.readTaken(manager, condition);
      return (await take()) ?? ((await this.isAdded(manager)) ? take() : undefined);
    }, patienceMs);
  }

  private async noteTaken(take: Work<LeaseRow | undefined>, patienceMs?: number): Promise<boolean> {
    const readAt = performance.now();
    this.doubt();
    this.row = await this.database.write(take, patienceMs);
    this.isCertain = true;
    this.usedAt = readAt;
    return this.row !== undefined;
  }

  private async readTaken(manager: Transaction, condition: string): Promise<LeaseRow | undefined> {
    const { id, owner, table, lengthMs } = this;
    const { now } = this.database.dialect;
    const taken = await changedBy(
      manager,
      `UPDATE ${table.name} SET owner = ?, token = token + 1, expires_at = ${now} + ?
      WHERE ${table.key} = ? AND ${condition}`,
      [owner, lengthMs, id, owner],
    );
    if (taken !== 1) return undefined;
    const [row] = await manager.query<LeaseRow[]>(`SELECT * FROM ${table.name} WHERE ${table.key} = ?`, [id]);
    return { ...row!, token: Number(row!.token) };
  }

  /** Try this second: an insertion locks an existing row with a shared lock, and two processes would deadlock on it. */
  private async isAdded(manager: Transaction): Promise<boolean> {
    const { name, key, zeros } = this.table;
    const added = await changedBy(
      manager,
      `${this.database.dialect.insertIfMissing} ${name} (${[key, 'owner', 'token', 'expires_at', ...zeros].join(', ')})
      VALUES (?, '', 0, 0${', 0'.repeat(zeros.length)})`,
      [this.id],
    );
    if (added === 1) await this.noteAdded(manager);
    return added === 1;
  }

  private update(assignments: string, values: unknown[], row: LeaseRow): Promise<number> {
    return this.database.execute(this.updateOf(assignments), [...values, ...this.keyOf(row)]);
  }

  private updateOf(assignments: string): string {
    const { name, key } = this.table;
    return `UPDATE ${name} SET ${assignments} WHERE ${key} = ? AND owner = ? AND token = ?`;
  }

  private keyOf({ token }: LeaseRow): unknown[] {
    return [this.id, this.owner, token];
  }
}
