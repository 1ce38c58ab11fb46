import { Injectable } from '@nestjs/common';
import { Problem } from '../../../engine/ground/errors';
import { reasonOf } from '../../../engine/database/errors';
import { HitStore } from '../../../engine/port';
import { VERSION_ROW } from '../../websites/website-changes';

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
 * Tells whether this process can store events. After a failed insert, a probe finds out when inserts work again: an unready
 * process gets no requests and would not learn it otherwise.
 */
@Injectable()
export class InboxHealth {
  private failure: Failure | undefined;
  private probedAt = -Infinity;

  constructor(private readonly store: HitStore) {}

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
      if (!(await this.store.probe(VERSION_ROW))) throw new Error('website_changes has no row');
      this.noteSuccess();
    } catch (error) {
      // A successful store in the meantime is better evidence.
      if (this.failure) this.noteFailure(error);
    }
    this.probedAt = performance.now();
  }
}
