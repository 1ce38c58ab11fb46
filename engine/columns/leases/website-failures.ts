import type { Log } from '../../ground/log';
import { reasonOf } from '../../database/errors';
import { Counter } from '../../ground/measures';
import { type Warning } from '../../port';

export type CountingTask = 'fold' | 'close day' | 'merge batches' | 'checkpoint';

interface Failure {
  websiteId: number;
  task: CountingTask;
  times: number;
  since: string;
  retryAt: number;
  reason: string;
}

/** Work that fails again at every attempt. Operators see the message. */
export class LastingFailure extends Error {}

const FAILURES = new Counter('counting_failures_total', 'Failed work on the hits of a website.', ['task']);
const PAUSES_MS = [1000, 5000, 10_000, 60_000];
const LASTING_PAUSE_MS = 3_600_000;
/** A website that was deleted meanwhile is not tried again. */
const FORGET_AFTER_MS = 300_000;
const MAX_FAILURES = 10_000;
const MAX_WARNINGS = 20;
const LOG_PERIOD_MS = 60_000;
const MAX_LOGGED_PER_PERIOD = 20;

const WORDING: Record<CountingTask, { code: string; subject: string }> = {
  fold: { code: 'counting_fails', subject: 'New events cannot be counted' },
  'close day': { code: 'packing_fails', subject: 'The hits of a closed day cannot be sealed' },
  checkpoint: { code: 'packing_fails', subject: 'The counts of an open day cannot be stored' },
  'merge batches': { code: 'packing_fails', subject: 'Batches of hits cannot be merged' },
};

/** Suspends failing work with growing pauses, so that it delays neither other websites nor other days. */
export class WebsiteFailures {
  private readonly failures = new Map<string, Failure>();
  private logPeriodEndsAt = 0;
  private logged = 0;

  constructor(private readonly logger: Pick<Log, 'error' | 'warn'>) {}

  isPaused(websiteId: number, task: CountingTask, day?: number): boolean {
    const failure = this.failures.get(keyOf(websiteId, task, day));
    return failure !== undefined && performance.now() < failure.retryAt;
  }

  noteSuccess(websiteId: number, task: CountingTask, day?: number): void {
    this.failures.delete(keyOf(websiteId, task, day));
  }

  noteFailure(websiteId: number, task: CountingTask, error: unknown, day?: number): void {
    const key = keyOf(websiteId, task, day);
    const before = this.failures.get(key);
    const times = (before?.times ?? 0) + 1;
    FAILURES.add(1, task);
    const isLasting = error instanceof LastingFailure;
    const pauseMs = isLasting ? LASTING_PAUSE_MS : PAUSES_MS[Math.min(times, PAUSES_MS.length) - 1]!;
    const reason = isLasting ? error.message : reasonOf(error);
    const retryAt = performance.now() + pauseMs;
    const since = before?.since ?? new Date().toISOString();
    this.failures.delete(key);
    this.failures.set(key, { websiteId, task, times, since, retryAt, reason });
    this.makeRoom();
    this.log(`website ${websiteId}: ${WORDING[task].subject.toLowerCase()}`, {
      cause: reason,
      times,
      retry_in_seconds: pauseMs / 1000,
    });
  }

  /** The websites with the latest failures. */
  warnings(): Warning[] {
    this.forgetOld();
    return [...this.failures.values()].slice(-MAX_WARNINGS).map(({ websiteId, task, since, reason }) => ({
      code: WORDING[task].code,
      website_id: websiteId,
      detail: `${WORDING[task].subject} since ${since}: ${reason}`,
    }));
  }

  private log(message: string, details: object): void {
    if (performance.now() >= this.logPeriodEndsAt) {
      this.logPeriodEndsAt = performance.now() + LOG_PERIOD_MS;
      this.logged = 0;
    }
    this.logged++;
    if (this.logged <= MAX_LOGGED_PER_PERIOD) this.logger.error(message, details);
    if (this.logged === MAX_LOGGED_PER_PERIOD)
      this.logger.warn('more failures of counting are not logged within this minute');
  }

  private makeRoom(): void {
    const [oldest] = this.failures.keys();
    if (this.failures.size > MAX_FAILURES) this.failures.delete(oldest!);
  }

  private forgetOld(): void {
    const tooOld = performance.now() - FORGET_AFTER_MS;
    for (const [key, { retryAt }] of this.failures) if (retryAt < tooOld) this.failures.delete(key);
  }
}

function keyOf(websiteId: number, task: CountingTask, day?: number): string {
  return `${websiteId} ${task} ${day ?? ''}`;
}
