import { LONGEST_PAUSE_MS } from '../common/retry-pauses';
import { latestEnd } from '../../engine/ground/time/clock-from';
import type { Database } from '../../engine/database/database';
import type { Lease } from '../../engine/database/lease';
import { changedBy, type Transaction } from '../../engine/database/rows';
import type { MailSending, Settlement } from './mail-state';

/** The longest lease of a mail: longer than a mail server may take to accept a message. */
export const LONGEST_LEASE_MS = 10 * 60_000;
const IS_LEFT = 'due_at NOT BETWEEN ? AND ?';

/** A table of mails with the columns `state`, `due_at`, `attempts`, `owner`, `recipient`, `message_id` and `reason`. */
export interface MailTable<K, M extends K> {
  readonly name: string;
  readonly columns: string;
  readonly key: readonly string[];
  readonly keyOf: (key: K) => unknown[];
  readonly numbers: readonly (keyof M)[];
  /** Where users take turns. An index begins with `state`, this column and `due_at`. */
  readonly users?: { column: string; idOf: (mail: M) => number };
}

/** Another process has the mail. */
export class TakenOver extends Error {}

export interface Envelope {
  from: string;
  to: string;
  messageId: string;
}

/** Mails that are waiting, each of which one process claims before it sends it. */
export class ClaimedMails<K, M extends K> {
  private readonly isKey: string;
  /** The user whose mail was claimed last, by this process. */
  private lastUserId = 0;

  constructor(
    protected readonly database: Database,
    protected readonly table: MailTable<K, M>,
  ) {
    this.isKey = table.key.map((column) => `${column} = ?`).join(' AND ');
  }

  /**
   * Frees mails of ended processes for others, except those that the mail server may have. Ends pauses that are longer
   * than any can be, because a clock was ahead.
   */
  async makeDue(now: number): Promise<{ lost: number }> {
    const { name } = this.table;
    const leases = [now, latestEnd(now, LONGEST_LEASE_MS)];
    await this.database.execute(
      `UPDATE ${name} SET state = 'waiting', owner = NULL, due_at = ? WHERE state = 'claimed' AND ${IS_LEFT}`,
      [now, ...leases],
    );
    const lost = await this.database.execute(
      `UPDATE ${name} SET state = 'unknown', changed_at = ?,
      reason = 'the process ended after the mail server may have received the message' WHERE state = 'sending' AND ${IS_LEFT}`,
      [now, ...leases],
    );
    await this.database.execute(`UPDATE ${name} SET due_at = ? WHERE state = 'waiting' AND due_at > ?`, [
      now,
      latestEnd(now, LONGEST_PAUSE_MS),
    ]);
    return { lost };
  }

  /** Tells whether a mail is due, or `makeDue` would make one due. */
  async isAnyDue(now: number): Promise<boolean> {
    const mails = `SELECT 1 FROM ${this.table.name} WHERE state`;
    const rows = await this.database.query<object[]>(
      `${mails} IN ('waiting', 'claimed', 'sending') AND due_at <= ?
      UNION ALL ${mails} IN ('claimed', 'sending') AND due_at > ?
      UNION ALL ${mails} = 'waiting' AND due_at > ? LIMIT 1`,
      [now, latestEnd(now, LONGEST_LEASE_MS), latestEnd(now, LONGEST_PAUSE_MS)],
    );
    return rows.length > 0;
  }

  /** A query for the mails that are not ended. */
  get waiting(): string {
    return `SELECT website_id, due_at, attempts AS tries, reason FROM ${this.table.name}
      WHERE state IN ('waiting', 'claimed', 'sending')`;
  }

  /** Claims the next due mail. Undefined if there is none. */
  async claim(lease: Lease, owner: string, now: number, claimEndsAt: number): Promise<M | undefined> {
    const { name, keyOf, users } = this.table;
    for (;;) {
      const next = await this.findNext(now);
      if (!next) return undefined;
      const claimed = await lease.write((manager) =>
        changedBy(
          manager,
          `UPDATE ${name} SET state = 'claimed', owner = ?, due_at = ? WHERE ${this.isKey} AND state = 'waiting'`,
          [owner, claimEndsAt, ...keyOf(next)],
        ),
      );
      if (users) this.lastUserId = users.idOf(next);
      if (claimed === 1) return { ...next, state: 'claimed' };
    }
  }

  /** With users, that of the next user with a due mail: one with thousands of them delays nobody else's. */
  private async findNext(now: number): Promise<M | undefined> {
    const { users } = this.table;
    if (!users) return this.findFirst('', now);
    const { column } = users;
    const [behind, before] = [`${column} > ${this.lastUserId} AND`, `${column} <= ${this.lastUserId} AND`];
    return (await this.findFirst(behind, now)) ?? this.findFirst(before, now);
  }

  private async findFirst(condition: string, now: number): Promise<M | undefined> {
    const { name, columns, key, users } = this.table;
    const order = [...(users ? [users.column] : []), 'due_at', ...key].join(', ');
    const [first] = await this.database.query<M[]>(
      `SELECT ${columns} FROM ${name} WHERE state = 'waiting' AND ${condition} due_at <= ? ORDER BY ${order} LIMIT 1`,
      [now],
    );
    return first && this.withNumbers(first);
  }

  /** Databases return large numbers as texts. */
  protected withNumbers<R extends M>(row: R): R {
    return { ...row, ...Object.fromEntries(this.table.numbers.map((name) => [name, Number(row[name])])) };
  }

  /** Sends a mail that this process has claimed. Throws TakenOver if it has it no longer. */
  send(
    key: K,
    { owner, session, now }: MailSending,
    { from, to, messageId }: Envelope,
    message: Buffer,
  ): Promise<void> {
    return session.send({ from, to }, message, async () => {
      const changed = await this.database.execute(
        `UPDATE ${this.table.name} SET state = 'sending', recipient = ?, message_id = ?, due_at = ?, changed_at = ?
        WHERE ${this.isKey} AND state = 'claimed' AND owner = ?`,
        [to, messageId, now() + LONGEST_LEASE_MS, now(), ...this.table.keyOf(key), owner],
      );
      if (changed !== 1) throw new TakenOver();
    });
  }

  /** Stores the outcome of a mail, unless another process has taken it over. */
  settle(key: K, owner: string, settlement: Settlement, now: number): Promise<boolean> {
    return this.database.write((manager) => this.settleIn(manager, key, owner, settlement, now));
  }

  protected async settleIn(
    manager: Transaction,
    key: K,
    owner: string,
    { state, reason, attempts, dueAt }: Settlement,
    now: number,
  ): Promise<boolean> {
    const changed = await changedBy(
      manager,
      `UPDATE ${this.table.name} SET state = ?, reason = ?, attempts = ?, due_at = ?, changed_at = ?, owner = NULL
      WHERE ${this.isKey} AND owner = ? AND state IN ('claimed', 'sending', 'unknown')`,
      [state, reason, attempts, dueAt, now, ...this.table.keyOf(key), owner],
    );
    return changed === 1;
  }
}
