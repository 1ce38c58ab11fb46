import type { Logger } from '@nestjs/common';
import type { Database } from '../database/database';
import { reasonOf } from '../database/errors';
import { DamagedDay } from '../storage/damaged-hits';
import { type CountingTask, type CountingWarning, WebsiteFailures } from './website-failures';

const AFTER_OUTAGE_MS = 1000;

/** Runs work on websites, and decides what an error of it suspends. */
export class WebsiteAttempts {
  private readonly failures: WebsiteFailures;
  private stopped = false;
  private outageEndsAt = 0;

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly onOutage: () => void,
  ) {
    this.failures = new WebsiteFailures(logger);
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  stop(): void {
    this.stopped = true;
  }

  /** The websites whose counting fails. */
  warnings(): CountingWarning[] {
    return this.failures.warnings();
  }

  isPaused(websiteId: number, task: CountingTask, day?: number): boolean {
    return this.failures.isPaused(websiteId, task, day);
  }

  isInOutage(): boolean {
    return performance.now() < this.outageEndsAt;
  }

  /**
   * An error of one website suspends that website, or the day of it that is damaged, else the first one; an outage of
   * the database pauses all work.
   */
  async run(
    websiteId: number,
    task: CountingTask,
    work: () => Promise<boolean>,
    days: readonly (number | undefined)[] = [undefined],
  ): Promise<boolean> {
    if (this.stopped || this.isInOutage()) return false;
    if (days.some((day) => this.isPaused(websiteId, task, day))) return false;
    try {
      const hasMore = await work();
      for (const day of days) this.failures.succeeded(websiteId, task, day);
      return hasMore;
    } catch (error) {
      if (await this.database.isOutage(error)) this.waitForDatabase(error);
      else this.failures.failed(websiteId, task, error, damagedIn(days, error));
      return false;
    }
  }

  waitForDatabase(error: unknown): void {
    if (!this.isInOutage()) this.logger.warn(`counting waits for the database: ${reasonOf(error)}`);
    this.outageEndsAt = performance.now() + AFTER_OUTAGE_MS;
    this.onOutage();
  }
}

function damagedIn(days: readonly (number | undefined)[], error: unknown): number | undefined {
  return error instanceof DamagedDay && days.includes(error.day) ? error.day : days[0];
}
