import { Log } from '../ground/log';
import { DayClock } from '../ground/time/day-clock';
import type { Database } from '../database/database';
import type { RetentionClock } from '../database/retention-clock';
import type { HitSettings } from '../database/hit-settings';
import type { Settled } from '../port';
import { ClosedDayWork } from './upkeep/closed-day-work';
import { CountingRepository } from './counting.repository';
import type { WebsiteCounter } from './fold/website-counter';
import { WebsiteCounters } from './fold/website-counters';
import { WebsiteAttempts } from './leases/website-attempts';
import { HomeUpkeep } from './homes/home-upkeep';
import { giveHome } from './homes/homes';
import { makeMovableDue } from './upkeep/day-move';
import { pauseAfter, WebsitePool } from './leases/website-pool';
import { type Warning } from '../port';

const POLL_MS = 250;
const AFTER_NUDGE_MS = 50;
/** A larger fold costs less for each hit. */
const BETWEEN_FOLDS_MS = 250;
const FOLDS_AT_ONCE = 4;
/** Folds that wait for locks make room for others. */
const LATE_FOLDS = { milliseconds: 500, places: 4 };
/** Writes queue for the one connection. Meanwhile other folds are prepared; they are committed together. */
const FOLDS_AT_ONCE_ON_ONE_CONNECTION = 8;

/**
 * Folds the inboxes of all websites in the background and seals days that are over. Processes share the websites by
 * leases.
 */
export class CountingService {
  private readonly attempts: WebsiteAttempts;
  private readonly counters: WebsiteCounters;
  private readonly repository: CountingRepository;
  private readonly folds: WebsitePool;
  private readonly closedDays: ClosedDayWork;
  private readonly betweenFoldsMs: number;
  /** Undefined without a remote home. */
  readonly upkeep: HomeUpkeep | undefined;
  private running: Promise<void> | undefined;
  /** Tells whether websites with movable days were made due. */
  private hasLooked = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly settings: Pick<HitSettings, 'timezone' | 'moves'>,
    retention: RetentionClock,
  ) {
    const { oneConnection } = database.dialect;
    const { timezone } = settings;
    this.attempts = new WebsiteAttempts(database, new Log('Counting'), () => this.folds.clear());
    this.counters = new WebsiteCounters(database, new DayClock(timezone));
    this.repository = new CountingRepository(database, this.counters.owner);
    // SQLite has one connection, so small folds keep requests from waiting.
    this.betweenFoldsMs = oneConnection ? AFTER_NUDGE_MS : BETWEEN_FOLDS_MS;
    const fold = (id: number) => this.attempts.run(id, 'fold', () => this.foldNext(id));
    this.folds = oneConnection
      ? new WebsitePool(FOLDS_AT_ONCE_ON_ONE_CONNECTION, fold)
      : new WebsitePool(FOLDS_AT_ONCE, fold, LATE_FOLDS);
    const given = giveHome(settings.moves);
    this.upkeep = given && new HomeUpkeep(database, given, settings.moves!.from);
    this.closedDays = new ClosedDayWork(this.counters, this.repository, this.attempts, retention, database);
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Call it after a commit to an inbox. */
  nudge(): void {
    this.wake();
  }

  /** The websites whose counting fails. */
  warnings(): Warning[] {
    return [...this.attempts.warnings(), ...(this.upkeep?.warnings() ?? [])];
  }

  async stop(): Promise<void> {
    this.attempts.stop();
    this.upkeep?.stopHome();
    this.wake();
    await this.running;
    await Promise.all([this.folds.close(), this.closedDays.close(), this.upkeep?.stop()]);
    await this.counters.release();
  }

  /** Folds a piece of each inbox that no other process counts. Returns the number of hits. */
  async foldAll(maxHits?: number): Promise<number> {
    let taken = 0;
    for (const websiteId of await this.repository.findWaiting())
      await this.attempts.run(websiteId, 'fold', async () => {
        taken += (await this.counters.run(websiteId, (counter) => foldAndMerge(counter, maxHits))) ?? 0;
        return false;
      });
    return taken;
  }

  /** Tells whether hits of a website wait in its inbox. Another process may count them. */
  hasWaiting(websiteId: number): Promise<boolean> {
    return this.repository.hasWaiting(websiteId);
  }

  /**
   * Does the next piece of work on a website's days that are over. Days before `before` are complete; without it, days
   * that still receive hits wait.
   */
  settle(websiteId: number, before?: number): Promise<Settled> {
    return this.closedDays.settle(websiteId, before);
  }

  private async foldNext(websiteId: number): Promise<boolean> {
    const hasMore = await this.counters.run(websiteId, async (counter) => {
      await counter.foldSome();
      if (counter.isCheckpointDue) this.closedDays.addCheckpoint(websiteId);
      return counter.hasMore;
    });
    await this.attempts.run(websiteId, 'merge batches', () =>
      this.stepBetween(websiteId, (counter) => counter.mergeBatches()),
    );
    return hasMore ?? false;
  }

  /** Work between two folds, in a turn of its own. */
  private async stepBetween(
    websiteId: number,
    work: (counter: WebsiteCounter) => Promise<void>,
  ): Promise<false> {
    await this.counters.run(websiteId, work);
    return false;
  }

  private async run(): Promise<void> {
    while (!this.attempts.isStopped) {
      const websites = await this.poll().catch(async (error: unknown) => {
        await this.attempts.noteFailure(error);
        return 0;
      });
      if (this.attempts.isStopped) return;
      await (websites > 0 ? this.sleep(pauseAfter(websites, this.betweenFoldsMs)) : this.waitUntilNudged());
    }
  }

  /** Returns the number of websites with rows in their inbox. */
  private async poll(): Promise<number> {
    if (this.attempts.isInOutage()) return 0;
    await this.lookForMovableDays();
    const waiting = await this.repository.findWaiting();
    const due = waiting.filter((websiteId) => !this.attempts.isPaused(websiteId, 'fold'));
    for (const websiteId of due) this.folds.add(websiteId);
    await this.closedDays.look();
    this.upkeep?.nudge();
    return due.length;
  }

  /** Days that were sealed before the setting move, too. Nothing else makes their websites due. */
  private async lookForMovableDays(): Promise<void> {
    if (!this.settings.moves || this.hasLooked) return;
    await this.database.write((manager) => makeMovableDue(manager));
    this.hasLooked = true;
  }

  private async waitUntilNudged(): Promise<void> {
    const nudged = await Promise.race([
      this.sleep(POLL_MS).then(() => false),
      this.waitForNudge().then(() => true),
    ]);
    if (nudged && !this.attempts.isStopped) await this.sleep(AFTER_NUDGE_MS);
  }

  private waitForNudge(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }
}

async function foldAndMerge(counter: WebsiteCounter, maxHits?: number): Promise<number> {
  const hits = await counter.foldSome(maxHits);
  await counter.mergeBatches();
  return hits;
}
