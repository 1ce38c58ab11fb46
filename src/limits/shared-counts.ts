import { createHmac } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Database } from '../../engine/database/database';
import { insertRows } from '../../engine/database/rows';
import { Secret } from '../database/secret';
import type { Count } from './rate-limit';

const EVERY_MS = 1000;
const AFTER_FAILURE_MS = 5000;
/** The maximum per statement; the rest follows. */
const MAX_ROWS = 500;
const MAX_QUEUED = 20 * MAX_ROWS;
const COUNTER_BYTES = 16;

interface Queued {
  label: string;
  endsAt: number;
}

interface Reported {
  count: Count;
  interval: number;
  counter: Buffer;
  endsAt: number;
  more: number;
}

/**
 * Shares counts between processes. Once a second, and only while it counts much, each process adds its counts to a row
 * and reads the sum, so requests never wait. A row identifies its caller only by a hash under the installation's
 * secret.
 */
@Injectable()
export class SharedCounts implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Limits');
  private readonly queue = new Map<Count, Queued>();
  private readonly key: Buffer;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isFailing = false;
  private stopped = false;

  constructor(
    private readonly database: Database,
    secret: Secret,
  ) {
    this.key = secret.key('counts of requests');
  }

  report(label: string, endsAt: number, count: Count): void {
    if (this.queue.size >= MAX_QUEUED) return;
    count.isQueued = true;
    this.queue.set(count, { label, endsAt });
    this.plan(EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private plan(milliseconds: number): void {
    if (this.stopped || this.running) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.running = this.run();
    }, milliseconds).unref();
  }

  private async run(): Promise<void> {
    try {
      await this.exchange(this.taken());
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing)
        this.logger.warn(`rate limits apply per process for now: ${(error as Error).message}`);
      this.isFailing = true;
    }
    this.running = undefined;
    if (this.queue.size > 0) this.plan(this.isFailing ? AFTER_FAILURE_MS : EVERY_MS);
  }

  /** After a failure, sent counts may be known only to this process; none is sent twice. */
  private taken(): Reported[] {
    const now = Date.now();
    const reported: Reported[] = [];
    for (const [count, { label, endsAt }] of this.queue) {
      if (reported.length === MAX_ROWS) break;
      this.queue.delete(count);
      count.isQueued = false;
      if (endsAt <= now) continue;
      const counter = this.counterOf(`${label} ${endsAt}`);
      const { interval, own } = count;
      reported.push({ count, interval, counter, endsAt, more: own - count.reported });
      count.reported = own;
    }
    // The same order in all processes, so that they do not deadlock.
    return reported.sort((a, b) => Buffer.compare(a.counter, b.counter));
  }

  private async exchange(reported: Reported[]): Promise<void> {
    if (reported.length === 0) return;
    const rows = reported.map(({ counter, endsAt, more }) => [counter, endsAt, more]);
    const ending = this.database.dialect.addIfThere('limit_counts', 'counter', 'used');
    const counters = reported.map(({ counter }) => counter);
    const sums = await this.database.write(async (manager) => {
      await insertRows(manager, 'limit_counts', ['counter', 'ends_at', 'used'], rows, ending);
      return manager.query<{ counter: Buffer; used: number }[]>(
        `SELECT counter, used FROM limit_counts WHERE counter IN (${counters.map(() => '?').join(', ')})`,
        counters,
      );
    });
    const used = new Map(sums.map((row) => [row.counter.toString('hex'), Number(row.used)]));
    for (const { count, interval, counter, more } of reported) {
      if (count.interval !== interval) continue;
      count.acknowledged += more;
      count.others = (used.get(counter.toString('hex')) ?? count.acknowledged) - count.acknowledged;
    }
  }

  private counterOf(label: string): Buffer {
    return createHmac('sha256', this.key).update(label).digest().subarray(0, COUNTER_BYTES);
  }
}
