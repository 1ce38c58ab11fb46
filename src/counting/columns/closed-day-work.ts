import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/database';
import type { RetentionClock } from '../../retention/retention-clock';
import type { ColumnWork } from './column-work';
import type { CountingRepository } from '../counting.repository';
import type { WebsiteCounter } from '../fold/website-counter';
import type { WebsiteCounters } from '../fold/website-counters';
import { overDays, type OverDays } from '../seal/sealing-times';
import { SmallDaySealing } from '../seal/small-day-sealing';
import type { WebsiteAttempts } from '../websites/website-attempts';
import { CHECKPOINTS } from '../../storage/checkpoints/checkpoints';
import { valuesWhileOpen } from '../../storage/rollups/limits/value-limits';
import { WebsitePool } from '../websites/website-pool';

/** A process that ended keeps its leases for some seconds. */
const LOOK_AFTER_LEASE_MS = 5000;
const LOOK_EVERY_MS = 60_000;
const RENEW_EVERY_MS = 1000;
/** The pause after a transaction that seals small days, as a multiple of its time: events and folds go first. */
const PAUSE = { times: 3, atMostMs: 500 };
/** Beside a day that takes long, those of other websites go on. */
const LONG_CLOSING = { milliseconds: 2000, places: 1 };

/** Turns the hits of days that are over into columns, rolls them up, and writes checkpoints of large days that go on. */
export class ClosedDayWork {
  private readonly columns = new WebsitePool(
    1,
    (id) => this.attempts.run(id, 'close day', () => this.closeNext(id)),
    LONG_CLOSING,
  );
  /** One at a time, which bounds what they take. */
  private readonly checkpoints = new WebsitePool(1, (id) =>
    this.attempts.run(id, 'checkpoint', () => this.writeCheckpoint(id)),
  );
  private readonly smallDays: SmallDaySealing;
  private sealing: Promise<void> | undefined;
  private lookAt = 0;
  private over: OverDays | undefined;
  private overEndsAt = 0;
  /** Whether folds tell of all days that are to have checkpoints. */
  private knowsLargeDays = false;

  constructor(
    private readonly counters: WebsiteCounters,
    private readonly repository: CountingRepository,
    private readonly attempts: WebsiteAttempts,
    private readonly retention: RetentionClock,
    database: Database,
  ) {
    this.smallDays = new SmallDaySealing(database, counters, attempts);
  }

  /** Looks once in a while for days that are over. */
  async look(): Promise<void> {
    if (performance.now() < this.lookAt) return;
    const over = await this.readOverDays();
    this.sealing ??= this.sealDue(over).finally(() => (this.sealing = undefined));
    if (!this.knowsLargeDays) await this.lookForLargeDays(over);
    this.lookAt = performance.now() + LOOK_EVERY_MS;
  }

  async close(): Promise<void> {
    await Promise.all([this.sealing, this.columns.close(), this.checkpoints.close()]);
  }

  /** Seals small days together; websites with other work have their turns. */
  private async sealDue(over: OverDays): Promise<void> {
    let others = false;
    try {
      for await (const websites of this.repository.findDue(over.now)) {
        const since = performance.now();
        const free = websites.filter(({ isFree }) => isFree).map(({ websiteId }) => websiteId);
        for (const websiteId of await this.smallDays.seal(free, over)) this.columns.add(websiteId);
        others ||= free.length < websites.length;
        if (this.attempts.isStopped || this.attempts.isInOutage()) return;
        await sleep(Math.min(PAUSE.times * (performance.now() - since), PAUSE.atMostMs));
      }
    } catch (error) {
      await this.attempts.noteFailure(error);
    }
    if (others) this.lookAt = Math.min(this.lookAt, performance.now() + LOOK_AFTER_LEASE_MS);
  }

  /** After a start, or after another process ended, no fold reports large days that get no more hits. */
  private async lookForLargeDays({ sealBefore }: OverDays): Promise<void> {
    const large = await this.repository.findLarge([sealBefore, sealBefore + 1], CHECKPOINTS.hits);
    for (const { websiteId, isFree } of large) if (isFree) this.checkpoints.add(websiteId);
    this.knowsLargeDays = large.every(({ isFree }) => isFree);
  }

  /** Does the next piece of it; false where there is nothing to do, or another process counts the website. */
  next(websiteId: number, before?: number): Promise<boolean> {
    return this.closeNext(websiteId, before);
  }

  /** Days of a website that go on have enough hits for a checkpoint. */
  addCheckpoint(websiteId: number): void {
    this.checkpoints.add(websiteId);
  }

  private async writeCheckpoint(websiteId: number): Promise<boolean> {
    const maxValues = valuesWhileOpen((await this.readOverDays()).valueLimits.newPerDay);
    const work = await this.counters.run(websiteId, (counter) => counter.nextCheckpoint(maxValues));
    if (work) await this.workOnColumns(websiteId, work);
    return work !== undefined;
  }

  /** Makes columns of the hits of a closed day, or larger segments of what is in columns. */
  private async closeNext(websiteId: number, before?: number): Promise<boolean> {
    const over = await this.readOverDays();
    const end = before ?? Infinity;
    const days = {
      ...over,
      before: Math.min(over.before, end),
      sealBefore: Math.min(over.sealBefore, end),
      finalBefore: Math.min(over.finalBefore, end),
      isPaused: (day: number) => this.attempts.isPaused(websiteId, 'close day', day),
    };
    // Who names a day knows that those before it are complete.
    const isFilled =
      before === undefined ? (counter: WebsiteCounter) => counter.isFilled.bind(counter) : () => undefined;
    const work = await this.counters.run(websiteId, (counter) =>
      counter.nextColumns({ ...days, isFilled: isFilled(counter) }),
    );
    if (work) await this.workOn(websiteId, work);
    return work !== undefined;
  }

  /** A day that fails is put aside, and does not keep others from becoming columns, or segments of them from merging. */
  private async workOn(websiteId: number, columns: ColumnWork): Promise<void> {
    const work = async () => {
      await this.workOnColumns(websiteId, columns);
      return false;
    };
    if (columns.days.length === 0) await work();
    else await this.attempts.run(websiteId, 'close day', work, columns.days);
  }

  /** Outside of the website's turn, which is taken to write, and to keep the lease alive. */
  private async workOnColumns(websiteId: number, work: ColumnWork): Promise<void> {
    try {
      await work.run({
        goOn: this.whileHeld(websiteId, (counter) => counter.goOnWith(work)),
        write: async (prepared) =>
          (await this.counters.run(websiteId, (counter) => counter.writeColumns(work, prepared))) === true,
      });
    } finally {
      this.counters.known(websiteId)?.endColumns(work);
    }
  }

  /** Tells whether long work goes on, and looks once a second whether its website is still held. */
  private whileHeld(
    websiteId: number,
    holds: (counter: WebsiteCounter) => Promise<boolean>,
  ): () => Promise<boolean> {
    let lookedAt = performance.now();
    return async () => {
      if (performance.now() < lookedAt + RENEW_EVERY_MS) return true;
      const isHeld = await this.counters.run(websiteId, holds);
      lookedAt = performance.now();
      return !this.attempts.isStopped && isHeld === true;
    };
  }

  /** By the database's clock, which decides what is removed; read once a minute. */
  private async readOverDays(): Promise<OverDays> {
    if (this.over && performance.now() < this.overEndsAt) return this.over;
    this.over = overDays(await this.retention.moments());
    this.overEndsAt = performance.now() + LOOK_EVERY_MS;
    return this.over;
  }
}
