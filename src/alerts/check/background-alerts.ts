import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Mutex } from '../../../engine/ground/threads/mutex';
import { Database } from '../../../engine/database/database';
import { reasonOf } from '../../../engine/database/errors';
import { Lease, LeaseLost } from '../../../engine/database/lease';
import { clockFrom } from '../../../engine/ground/time/clock-from';
import { Round } from '../../limits/round';
import { Checker } from './checker';
import { DueAlertsRepository } from './due-alerts.repository';

const EVERY_MS = 60_000;
const LEASE_MS = 90_000;

/** Checks due alerts one after the other. One process at a time does this. */
@Injectable()
export class BackgroundAlerts implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Alerts');
  private readonly lease: Lease;
  private readonly end = new AbortController();
  private readonly runs = new Mutex();
  private nudged: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly due: DueAlertsRepository,
    private readonly checker: Checker,
  ) {
    this.lease = new Lease(database, 'alerts', LEASE_MS);
  }

  start(): void {
    this.timer ??= setInterval(() => this.nudge(), EVERY_MS);
    this.nudge();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.end.abort();
    await this.runs.run(() => Promise.resolve());
    await this.lease.release();
  }

  /** Checks what is due, unless another process does. */
  run(now?: number): Promise<void> {
    return this.runs.run(async () => {
      const clock = clockFrom(now ?? (await this.database.now()));
      if (this.end.signal.aborted || !(await this.due.isAnyDueUnscoped(clock()))) return;
      if (!(await this.lease.take())) return;
      await this.lease.renewDuring(() => this.checkDue(clock));
    });
  }

  private nudge(): void {
    this.nudged ??= this.run()
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) this.logger.warn(`alerts postponed: ${reasonOf(error)}`);
      })
      .finally(() => (this.nudged = undefined));
  }

  private async checkDue(now: () => number): Promise<void> {
    while (await this.checkRound(new Round(now), now));
  }

  /** Each alert once. Whether any that are due were put off to the next round. */
  private async checkRound(round: Round, now: () => number): Promise<boolean> {
    for (;;) {
      const due = (await this.due.findUnscoped(now())).filter((one) => round.takes(one));
      if (due.length === 0) return round.hasPutOff;
      const failing = new Set<number>();
      for (const one of due) {
        if (this.end.signal.aborted || !(await this.lease.isHeld())) return false;
        if (!round.takes(one)) continue;
        await round.count(one, async () => {
          const alert = failing.has(one.websiteId) ? undefined : await this.due.readUnscoped(one);
          if (alert && !(await this.checker.check(alert, this.lease, now))) failing.add(one.websiteId);
        });
      }
    }
  }
}
