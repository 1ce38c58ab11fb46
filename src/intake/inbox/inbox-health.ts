import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Problem } from '../../../engine/ground/errors';
import { Database } from '../../../engine/database/database';
import { reasonOf } from '../../../engine/database/errors';
import { changedBy, insertRows, type Transaction } from '../../../engine/database/rows';
import { EVENT_ID_COLUMNS } from '../../../engine/hits/events/event-key';
import { INBOX_COLUMNS, MAX_INBOX_ROW_BYTES } from './inbox-rows';

const PROBE_EVERY_MS = 2000;

/** Events are refused, although the database answers reads. */
class EventsRefused extends Problem {
  constructor({ since, reason }: Failure) {
    super('database_unavailable', `Events cannot be stored since ${since}: ${reason}`, {
      retryAfterSeconds: 2,
    });
  }
}

interface Failure {
  since: string;
  reason: string;
}

/**
 * Whether this process can store events. After a failed insert, a probe finds out when inserts work again: an unready
 * process gets no requests and would not learn it otherwise.
 */
@Injectable()
export class InboxHealth {
  private failure: Failure | undefined;
  private probedAt = -Infinity;

  constructor(private readonly database: Database) {}

  noteSuccess(): void {
    this.failure = undefined;
  }

  noteFailure(error: unknown): void {
    const since = this.failure?.since ?? new Date().toISOString();
    this.failure = { since, reason: reasonOf(error) };
  }

  /** Runs a write that events depend on, and notes its outcome. */
  async watch<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      this.noteFailure(error);
      throw error;
    }
  }

  /**
   * Throws while inserts fail, without waiting: a probe's result applies to the next call. There is at most one probe
   * in two seconds, and none without a failure.
   */
  check(): void {
    if (!this.failure) return;
    if (performance.now() - this.probedAt > PROBE_EVERY_MS) void this.probe();
    throw new EventsRefused(this.failure);
  }

  private async probe(): Promise<void> {
    this.probedAt = Infinity;
    try {
      await this.database.writeForEvents((manager) => insertAndDelete(manager, this.database));
      this.noteSuccess();
    } catch (error) {
      // A successful store in the meantime is better evidence.
      if (this.failure) this.noteFailure(error);
    }
    this.probedAt = performance.now();
  }
}

/**
 * Writes as much as the largest inbox row, because a small row may fit on a full disk. The random negative id matches
 * no website and no other process's probe, so nobody waits for these rows.
 */
async function insertAndDelete(manager: Transaction, { dialect }: Database): Promise<void> {
  const id = -randomInt(1, 2 ** 47);
  const inserted = await changedBy(
    manager,
    `INSERT INTO inbox (${INBOX_COLUMNS}) SELECT ?, ${dialect.now}, 1, ?, ?, ? FROM website_changes WHERE id = 1`,
    [id, MAX_INBOX_ROW_BYTES, Buffer.alloc(MAX_INBOX_ROW_BYTES), null],
  );
  if (inserted !== 1) throw new Error('website_changes has no row');
  await insertRows(manager, 'event_ids', EVENT_ID_COLUMNS, [[id, Buffer.alloc(17), Buffer.alloc(16), 0]]);
  for (const table of ['inbox', 'event_ids'])
    await manager.query(`DELETE FROM ${table} WHERE website_id = ?`, [id]);
}
