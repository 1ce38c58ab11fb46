import type { Log } from '../../ground/log';
import type { Database } from '../../database/database';
import { DatabaseUnavailable, reasonOf } from '../../database/errors';
import { DamagedDay } from '../damaged-hits';
import { type CountingTask, WebsiteFailures } from './website-failures';
import { type Warning } from '../../port';

const AFTER_OUTAGE_MS = 1000;
/** A failure so soon after the pause belongs to the same outage. */
const OUTAGE_ENDED_AFTER_MS = 5000;

interface Outage {
  since: string;
  reason: string;
  pausedUntil: number;
}

/** Runs work on websites, and suspends work after errors. */
export class WebsiteAttempts {
  private readonly failures: WebsiteFailures;
  private stopped = false;
  private outage: Outage | undefined;

  constructor(
    private readonly database: Database,
    private readonly logger: Log,
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

  /** Warnings about an outage and about failing websites. */
  warnings(): Warning[] {
    const outage = this.currentOutage();
    if (!outage) return this.failures.warnings();
    const detail = `No events can be counted since ${outage.since}: ${outage.reason}`;
    return [{ code: 'counting_fails', detail }, ...this.failures.warnings()];
  }

  isPaused(websiteId: number, task: CountingTask, day?: number): boolean {
    return this.failures.isPaused(websiteId, task, day);
  }

  isInOutage(): boolean {
    return this.outage !== undefined && performance.now() < this.outage.pausedUntil;
  }

  /** Returns the result of the work; false if it fails or is suspended. */
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
      for (const day of days) this.failures.noteSuccess(websiteId, task, day);
      return hasMore;
    } catch (error) {
      await this.putAside(websiteId, task, error, days);
      return false;
    }
  }

  /**
   * Suspends the damaged day, or the first day of the website if the error names none. In an outage it suspends all
   * work.
   */
  async putAside(
    websiteId: number,
    task: CountingTask,
    error: unknown,
    days: readonly (number | undefined)[] = [undefined],
  ): Promise<void> {
    if (await this.database.isOutage(error)) this.waitForDatabase(error);
    else this.failures.noteFailure(websiteId, task, error, damagedIn(days, error));
  }

  noteSuccess(websiteId: number, task: CountingTask, day: number): void {
    this.failures.noteSuccess(websiteId, task, day);
  }

  /** Call it after an error of no single website. At the next attempt a connection may be free. */
  async noteFailure(error: unknown): Promise<void> {
    const isBusy = error instanceof DatabaseUnavailable && !(await this.database.isOutage(error));
    if (!isBusy) this.waitForDatabase(error);
  }

  private waitForDatabase(error: unknown): void {
    const reason = reasonOf(error);
    if (!this.isInOutage()) this.logger.warn(`counting waits for the database: ${reason}`);
    const since = this.currentOutage()?.since ?? new Date().toISOString();
    this.outage = { since, reason, pausedUntil: performance.now() + AFTER_OUTAGE_MS };
    this.onOutage();
  }

  private currentOutage(): Outage | undefined {
    const { outage } = this;
    return outage && performance.now() < outage.pausedUntil + OUTAGE_ENDED_AFTER_MS ? outage : undefined;
  }
}

function damagedIn(days: readonly (number | undefined)[], error: unknown): number | undefined {
  return error instanceof DamagedDay && days.includes(error.day) ? error.day : days[0];
}
