import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Mutex } from '../../common/threads/mutex';
import { clockFrom } from '../../common/time/clock-from';
import { Database } from '../../database/database';
import { reasonOf } from '../../database/errors';
import { Lease } from '../../database/lease';
import { ConversionReader } from './conversion-reader';
import { FollowedRepository, isElsewhere, type WantedWebsite } from './followed.repository';

const EVERY_MS = 10_000;
const LEASE_MS = 60_000;
/** The least time between two deliveries about a website. */
const BETWEEN_READINGS_MS = 60_000;
/** A website that takes long does not keep others waiting. */
const AT_ONCE = 4;
/** The pauses of a website that fails. */
const RESTS_MS = [60_000, 300_000, 600_000];
const MAX_RESTING = 10_000;

interface Rest {
  until: number;
  failures: number;
}

/** Looks through the new hits of followed websites for conversions. One process at a time does this. */
@Injectable()
export class BackgroundConversions implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly lease: Lease;
  private readonly turns = new Mutex();
  private readonly rests = new Map<number, Rest>();
  private nudged: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly followed: FollowedRepository,
    private readonly reader: ConversionReader,
  ) {
    this.lease = new Lease(database, 'conversions', LEASE_MS);
  }

  start(): void {
    this.timer ??= setInterval(() => this.nudge(), EVERY_MS);
    this.nudge();
  }

  nudge(): void {
    this.nudged ??= this.run()
      .catch((error: unknown) => this.logger.warn(`conversions postponed: ${reasonOf(error)}`))
      .finally(() => (this.nudged = undefined));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.isStopped = true;
    await this.turns.run(() => Promise.resolve());
    await this.lease.release();
  }

  /** Reads all websites that are due, unless another process does. */
  run(now?: number): Promise<void> {
    return this.turns.run(async () => {
      if (this.isStopped || !(await this.followed.hasWork()) || !(await this.lease.take())) return;
      const clock = clockFrom(now ?? (await this.database.now()));
      await this.lease.renewDuring(() => this.readDue(clock));
    });
  }

  private async readDue(now: () => number): Promise<void> {
    for (const websiteId of await this.followed.findUnwanted())
      await this.unlessElsewhere(() => this.followed.end(this.lease, websiteId));
    for await (const page of this.followed.findDue(now() - BETWEEN_READINGS_MS)) {
      const due = page.filter(({ id }) => (this.rests.get(id)?.until ?? 0) <= now());
      const work = async () => {
        for (let next = due.shift(); next && (await this.goesOn()); next = due.shift())
          await this.read(next, now);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      if (!(await this.goesOn())) return;
    }
  }

  private async goesOn(): Promise<boolean> {
    return !this.isStopped && (await this.lease.isHeld());
  }

  private async read(website: WantedWebsite, now: () => number): Promise<void> {
    try {
      await this.unlessElsewhere(() => this.reader.read(this.lease, website, now()));
      this.rests.delete(website.id);
    } catch (error) {
      if (await this.database.isOutage(error)) throw error;
      this.rest(website.id, now(), error);
    }
  }

  private rest(websiteId: number, now: number, error: unknown): void {
    const failures = (this.rests.get(websiteId)?.failures ?? 0) + 1;
    const restMs = RESTS_MS[Math.min(failures, RESTS_MS.length) - 1]!;
    this.rests.delete(websiteId);
    this.rests.set(websiteId, { until: now + restMs, failures });
    const [first] = this.rests.keys();
    if (this.rests.size > MAX_RESTING) this.rests.delete(first!);
    this.logger.warn(
      `conversions of website ${websiteId} are looked for again in ${restMs / 60_000} minutes: ${reasonOf(error)}`,
    );
  }

  private async unlessElsewhere(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isElsewhere(error)) throw error;
    }
  }
}
