import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Problem } from '../../../engine/ground/errors';
import { isThroughOthers } from '../../common/problems';
import { Mutex } from '../../../engine/ground/threads/mutex';
import { CLOCKS_DIFFER_MS, clockFrom } from '../../../engine/ground/time/clock-from';
import { Database } from '../../../engine/database/database';
import { reasonOf } from '../../../engine/database/errors';
import { Lease } from '../../../engine/database/lease';
import { Round } from '../../limits/round';
import { ConversionReader } from './conversion-reader';
import { DueWebsites } from './due-websites';
import { FollowedRepository, isElsewhere, type WantedWebsite } from './followed.repository';

const EVERY_MS = 10_000;
const LEASE_MS = 60_000;
/** The least time between two deliveries about a website. */
const BETWEEN_READINGS_MS = 60_000;
/** A website that takes long does not keep others waiting. */
const AT_ONCE = 4;
/** The next reading of a website waits for a multiple of what this one took, so that reading takes little of the time. */
const PAUSE_FACTOR = 20;
/** Less than the hour for which a day is held. */
const MAX_PAUSE_MS = 45 * 60_000;
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
    while (await this.readRound(new Round(now), now));
  }

  /** Each website once. Whether any that are due were put off to the next round. */
  private async readRound(round: Round, now: () => number): Promise<boolean> {
    for (const websiteId of await this.followed.findUnwanted())
      await this.unlessElsewhere(() => this.followed.end(this.lease, websiteId));
    while (await this.goesOn()) {
      const at = now();
      // A later reading dates from a clock that was ahead.
      const notRead = { from: at - BETWEEN_READINGS_MS, to: at + CLOCKS_DIFFER_MS };
      const found = await this.followed.findDue(notRead, this.restingAt(at));
      const taken = found.filter((website) => round.takes(website));
      if (taken.length === 0) return round.hasPutOff;
      await this.readAll(taken, round, now);
    }
    return false;
  }

  private async readAll(websites: WantedWebsite[], round: Round, now: () => number): Promise<void> {
    const due = new DueWebsites(websites, round);
    const work = async () => {
      for (let next = due.take(); next && (await this.goesOn()); next = due.take()) {
        const website = next;
        await round.count(website, () => this.read(website, now));
        due.leave(website);
      }
    };
    // All end before the lease is no longer renewed, also where one fails because the database is away.
    const works = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    for (const ended of works) if (ended.status === 'rejected') throw ended.reason;
  }

  private async goesOn(): Promise<boolean> {
    return !this.isStopped && (await this.lease.isHeld());
  }

  private async read(website: WantedWebsite, now: () => number): Promise<void> {
    const begunAt = now();
    try {
      await this.unlessElsewhere(() => this.reader.read(this.lease, website, begunAt));
      this.rests.delete(website.id);
      const endedAt = now();
      const pauseMs = Math.min(PAUSE_FACTOR * (endedAt - begunAt), MAX_PAUSE_MS);
      if (pauseMs > BETWEEN_READINGS_MS) this.setRest(website.id, { until: endedAt + pauseMs, failures: 0 });
    } catch (error) {
      if (await this.database.isOutage(error)) throw error;
      this.rest(website.id, now(), error);
    }
  }

  private rest(websiteId: number, now: number, error: unknown): void {
    const isBusy = error instanceof Problem && isThroughOthers(error);
    const before = this.rests.get(websiteId)?.failures ?? 0;
    const failures = isBusy ? before : before + 1;
    const restMs = isBusy ? RESTS_MS[0]! : RESTS_MS[Math.min(failures, RESTS_MS.length) - 1]!;
    this.setRest(websiteId, { until: now + restMs, failures });
    this.logger.warn(
      `conversions of website ${websiteId} are looked for again in ${restMs / 60_000} minutes: ${reasonOf(error)}`,
    );
  }

  private restingAt(now: number): number[] {
    return [...this.rests].filter(([, { until }]) => until > now).map(([websiteId]) => websiteId);
  }

  private setRest(websiteId: number, rest: Rest): void {
    this.rests.delete(websiteId);
    this.rests.set(websiteId, rest);
    const [first] = this.rests.keys();
    if (this.rests.size > MAX_RESTING) this.rests.delete(first!);
  }

  private async unlessElsewhere(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isElsewhere(error)) throw error;
    }
  }
}
