import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { yieldIfNeeded } from '../common/yield-if-needed';
import { Settings } from '../config/settings';
import { Database } from '../database/database';
import { reasonOf } from '../database/errors';
import { RetentionClock } from '../retention/retention-clock';
import { VALUE_LIMITS } from '../storage/value-limits';
import type { ColumnWork } from './column-work';
import { CountingRepository } from './counting.repository';
import type { Folder } from './folder';
import { Folders } from './folders';
import { untoldDays, type UntoldDays } from './kept';
import type { Calendar } from './packer';
import { UnusedNumbers } from './unused-numbers';
import { type CountingTask, type CountingWarning, WebsiteFailures } from './website-failures';
import { pauseAfter, WebsitePool } from './website-pool';

const POLL_MS = 250;
const AFTER_NUDGE_MS = 50;
/** Hits of one fold share counters, so a larger fold costs less for each hit. */
const BETWEEN_FOLDS_MS = 250;
const AFTER_OUTAGE_MS = 1000;
/** A process that ended keeps its leases for some seconds. */
const LOOK_AFTER_LEASE_MS = 5000;
const LOOK_FOR_CLOSED_MS = 60_000;
const RENEW_EVERY_MS = 1000;
const FOLDS_AT_ONCE = 4;
/** Of those that wait for locks; others go on meanwhile. */
const LATE_FOLDS = { milliseconds: 500, places: 4 };
/** Writes queue for the one connection; other folds are prepared meanwhile, and committed together. */
const FOLDS_AT_ONCE_ON_ONE_CONNECTION = 8;

interface PackingCalendar extends Calendar {
  untold: UntoldDays;
}

/**
 * Folds the inboxes of all websites in the background and packs the days that are over, sharing the websites with
 * other processes by leases.
 */
@Injectable()
export class CountingService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Counting');
  private readonly folders: Folders;
  private readonly repository: CountingRepository;
  private readonly failures = new WebsiteFailures(this.logger);
  private readonly folds: WebsitePool;
  private readonly packs: WebsitePool;
  /** Days of many hits take minutes, so counters are packed beside. */
  private readonly columns: WebsitePool;
  private readonly betweenFoldsMs: number;
  private running: Promise<void> | undefined;
  private stopped = false;
  private wake: () => void = () => undefined;
  private lookForClosedAt = 0;
  private calendar: PackingCalendar | undefined;
  private calendarEndsAt = 0;
  private outageEndsAt = 0;

  constructor(
    private readonly database: Database,
    settings: Settings,
    private readonly retention: RetentionClock,
  ) {
    const { oneConnection } = database.dialect;
    this.folders = new Folders(database, { ...VALUE_LIMITS, newPerDay: settings.newValuesPerDay });
    this.repository = new CountingRepository(database, this.folders.owner);
    // Folds are small on the one connection of SQLite, so that requests do not wait for long.
    this.betweenFoldsMs = oneConnection ? AFTER_NUDGE_MS : BETWEEN_FOLDS_MS;
    const fold = (id: number) => this.attempt(id, 'fold', () => this.foldNext(id));
    this.folds = oneConnection
      ? new WebsitePool(FOLDS_AT_ONCE_ON_ONE_CONNECTION, fold)
      : new WebsitePool(FOLDS_AT_ONCE, fold, LATE_FOLDS);
    this.packs = new WebsitePool(1, (id) => this.packInTurn(id));
    this.columns = new WebsitePool(1, (id) => this.attempt(id, 'close day', () => this.closeNext(id)));
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Call after a commit to an inbox. */
  nudge(): void {
    this.wake();
  }

  /** The websites whose counting fails. */
  warnings(): CountingWarning[] {
    return this.failures.warnings();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.running;
    await Promise.all([this.folds, this.packs, this.columns].map((pool) => pool.close()));
    await this.folders.release();
  }

  /** Counts one piece of each inbox that no other process counts; returns how many hits those were. */
  async foldAll(maxHits?: number): Promise<number> {
    let taken = 0;
    for (const websiteId of await this.repository.waiting())
      await this.attempt(websiteId, 'fold', async () => {
        taken += (await this.folders.run(websiteId, (folder) => foldAndMerge(folder, maxHits))) ?? 0;
        return false;
      });
    return taken;
  }

  /**
   * Does the next piece of what is to be done with a website's closed days; false where there is nothing to do, or
   * another process counts the website.
   */
  async packNext(websiteId: number, before = Infinity): Promise<boolean> {
    return (await this.closeNext(websiteId, before)) || (await this.packCounters(websiteId, before));
  }

  /** Makes columns of the hits of a closed day, or larger chunks of what is in columns. */
  private async closeNext(websiteId: number, before = Infinity): Promise<boolean> {
    const { untold } = await this.calendarNow();
    const days = {
      ...untold,
      before: Math.min(untold.before, before),
      isPaused: (day: number) => this.failures.isPaused(websiteId, 'close day', day),
    };
    const work = await this.folders.run(websiteId, (folder) => folder.nextColumns(days));
    if (work) await this.workOn(websiteId, work);
    return work !== undefined;
  }

  /** Packs the next piece of a website's closed days, or frees numbers of unused values. */
  private async packCounters(websiteId: number, before = Infinity): Promise<boolean> {
    const calendar = await this.calendarNow();
    const today = Math.min(calendar.today, before);
    const done = await this.folders.run(websiteId, (folder) => folder.pack({ ...calendar, today }));
    if (done instanceof UnusedNumbers) await this.searchUnused(websiteId, done);
    return Boolean(done);
  }

  /** Whatever becomes of the counters, the hits follow. */
  private async packInTurn(websiteId: number): Promise<boolean> {
    const hasMore = await this.attempt(websiteId, 'pack', () => this.packCounters(websiteId));
    if (!hasMore) this.columns.add(websiteId);
    return hasMore;
  }

  /** Runs without the website's mutex, which is taken only to renew the lease. */
  private async searchUnused(websiteId: number, numbers: UnusedNumbers): Promise<void> {
    let lookedAt = performance.now();
    await numbers.search(async () => {
      await yieldIfNeeded();
      if (performance.now() < lookedAt + RENEW_EVERY_MS) return true;
      const holdsLease = await this.folders.run(websiteId, async ({ lease, unused }) => {
        await lease.renewIfDue();
        return unused === numbers;
      });
      lookedAt = performance.now();
      return !this.stopped && holdsLease === true;
    });
  }

  /** A day that fails is put aside, and does not keep others from becoming columns. */
  private async workOn(websiteId: number, columns: ColumnWork): Promise<void> {
    const work = async () => {
      await this.workOnColumns(websiteId, columns);
      return false;
    };
    const [day] = columns.days;
    if (day === undefined) await work();
    else await this.attempt(websiteId, 'close day', work, day);
  }

  /** Outside of the website's turn, which is taken to write, and to keep the lease alive. */
  private async workOnColumns(websiteId: number, work: ColumnWork): Promise<void> {
    let lookedAt = performance.now();
    await work.run({
      goOn: async () => {
        if (performance.now() < lookedAt + RENEW_EVERY_MS) return true;
        const holdsLease = await this.folders.run(websiteId, (folder) => folder.goOnWith(work));
        lookedAt = performance.now();
        return !this.stopped && holdsLease === true;
      },
      write: async (prepared) =>
        (await this.folders.run(websiteId, (folder) => folder.writeColumns(work, prepared))) === true,
    });
  }

  private async foldNext(websiteId: number): Promise<boolean> {
    const hasMore = await this.folders.run(websiteId, async (folder) => {
      await folder.foldSome();
      return folder.hasMore;
    });
    await this.attempt(websiteId, 'pack open day', () =>
      this.between(websiteId, (folder) => folder.packOpenDay()),
    );
    await this.attempt(websiteId, 'merge pieces', () =>
      this.between(websiteId, (folder) => folder.mergePieces()),
    );
    return hasMore ?? false;
  }

  /** Work between two folds, done as a whole. */
  private async between(websiteId: number, work: (folder: Folder) => Promise<void>): Promise<false> {
    await this.folders.run(websiteId, work);
    return false;
  }

  /** An error of one website suspends that website, or a day of it; an outage of the database pauses all work. */
  private async attempt(
    websiteId: number,
    task: CountingTask,
    work: () => Promise<boolean>,
    day?: number,
  ): Promise<boolean> {
    if (this.stopped || this.isInOutage() || this.failures.isPaused(websiteId, task, day)) return false;
    try {
      const hasMore = await work();
      this.failures.succeeded(websiteId, task, day);
      return hasMore;
    } catch (error) {
      if (await this.database.isOutage(error)) this.waitForDatabase(error);
      else this.failures.failed(websiteId, task, error, day);
      return false;
    }
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const websites = await this.poll().catch((error: unknown) => {
        this.waitForDatabase(error);
        return 0;
      });
      if (this.stopped) return;
      await (websites > 0 ? this.sleep(pauseAfter(websites, this.betweenFoldsMs)) : this.untilNudged());
    }
  }

  /** Returns how many websites have something in their inbox. */
  private async poll(): Promise<number> {
    if (this.isInOutage()) return 0;
    const waiting = await this.repository.waiting();
    const due = waiting.filter((websiteId) => !this.failures.isPaused(websiteId, 'fold'));
    for (const websiteId of due) this.folds.add(websiteId);
    await this.lookForClosed();
    return due.length;
  }

  private async lookForClosed(): Promise<void> {
    if (performance.now() < this.lookForClosedAt) return;
    const { today, untold } = await this.calendarNow();
    const { websiteIds, others } = await this.repository.unpacked(today, untold.before);
    // What fails to be packed would take the folder away from work on columns.
    for (const websiteId of websiteIds) if (!this.columns.has(websiteId)) this.packs.add(websiteId);
    this.lookForClosedAt = performance.now() + (others ? LOOK_AFTER_LEASE_MS : LOOK_FOR_CLOSED_MS);
  }

  /** Today by the database's clock, which decides what is removed; read once a minute. */
  private async calendarNow(): Promise<PackingCalendar> {
    if (this.calendar && performance.now() < this.calendarEndsAt) return this.calendar;
    const { today, keptFrom } = await this.retention.calendar();
    const calendar = { today, keptFrom, untold: untoldDays(await this.retention.moments()) };
    this.calendarEndsAt = performance.now() + LOOK_FOR_CLOSED_MS;
    return (this.calendar = calendar);
  }

  private isInOutage(): boolean {
    return performance.now() < this.outageEndsAt;
  }

  private waitForDatabase(error: unknown): void {
    if (!this.isInOutage()) this.logger.warn(`counting waits for the database: ${reasonOf(error)}`);
    this.outageEndsAt = performance.now() + AFTER_OUTAGE_MS;
    this.folds.clear();
  }

  private async untilNudged(): Promise<void> {
    const nudged = await Promise.race([
      this.sleep(POLL_MS).then(() => false),
      this.nudged().then(() => true),
    ]);
    if (nudged && !this.stopped) await this.sleep(AFTER_NUDGE_MS);
  }

  private nudged(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }
}

async function foldAndMerge(folder: Folder, maxHits?: number): Promise<number> {
  const hits = await folder.foldSome(maxHits);
  await folder.mergePieces();
  return hits;
}
