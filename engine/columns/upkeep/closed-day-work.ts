import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedMutex } from '../../ground/threads/mutex';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import type { RetentionClock } from '../../database/retention-clock';
import type { ColumnWork } from './column-work';
import type { CountingRepository } from '../counting.repository';
import type { WebsiteCounter } from '../fold/website-counter';
import type { WebsiteCounters } from '../fold/website-counters';
import { overDays, type OverDays } from '../seal/sealing-times';
import { SmallDaySealing } from '../seal/small-day-sealing';
import type { WebsiteAttempts } from '../leases/website-attempts';
import { CHECKPOINTS } from '../checkpoints/checkpoint-rules';
import { valuesWhileOpen } from '../../hits/rules/value-limits';
import { WebsitePool } from '../leases/website-pool';
import { HomeAway } from '../../rows/row-home';
import { restFromMoving } from '../homes/homes';
import { type Settled } from '../../port';

/** A process that ended holds its leases for some seconds. */
const LOOK_AFTER_LEASE_MS = 5000;
const LOOK_EVERY_MS = 60_000;
const RENEW_EVERY_MS = 1000;
/** The pause after a transaction that seals small days, as a multiple of its duration. Events and folds go first. */
const PAUSE = { times: 3, atMostMs: 500 };
/** While one day takes long, another website's day is sealed beside it. */
const LONG_CLOSING = { milliseconds: 2000, places: 1 };

/** Seals days that are over, rolls them up, and writes checkpoints of large open days. */
export class ClosedDayWork {
  private readonly columns = new WebsitePool(
    1,
    (id) => this.attempts.run(id, 'close day', async () => (await this.settleHere(id)) === 'more'),
    LONG_CLOSING,
  );
  /** Of websites whose next work waits for a remote home, so that a slow one delays no others. */
  private readonly remote = new WebsitePool(1, (id) =>
    this.attempts.run(id, 'close day', async () => (await this.settle(id)) === 'more'),
  );
  /** One at a time, which limits the memory. */
  private readonly checkpoints = new WebsitePool(1, (id) =>
    this.attempts.run(id, 'checkpoint', () => this.writeCheckpoint(id)),
  );
  /** New work ends the work before it: two callers would end each other's again and again. */
  private readonly turns = new KeyedMutex<number>();
  private readonly smallDays: SmallDaySealing;
  private sealing: Promise<void> | undefined;
  private searching: Promise<void> | undefined;
  private lookAt = 0;
  private over: OverDays | undefined;
  private overEndsAt = 0;
  /** Tells whether folds report all days that need a checkpoint. */
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

  /** Looks for days that are over, at intervals. */
  async look(): Promise<void> {
    if (performance.now() < this.lookAt) return;
    const over = await this.readOverDays();
    this.sealing ??= this.sealDue(over).finally(() => (this.sealing = undefined));
    if (!this.knowsLargeDays)
      this.searching ??= this.lookForLargeDays(over).finally(() => (this.searching = undefined));
    this.lookAt = performance.now() + LOOK_EVERY_MS;
  }

  async close(): Promise<void> {
    await Promise.all([
      this.sealing,
      this.searching,
      this.columns.close(),
      this.remote.close(),
      this.checkpoints.close(),
    ]);
  }

  /** Seals small days of many websites together, and queues websites with other work. */
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

  /**
   * After a start, or after another process ended, no fold reports large days without new hits. There may be very many
   * websites, so the inboxes are polled meanwhile.
   */
  private async lookForLargeDays({ sealBefore }: OverDays): Promise<void> {
    let others = false;
    try {
      for await (const large of this.repository.findLarge([sealBefore, sealBefore + 1], CHECKPOINTS.hits)) {
        for (const { websiteId, isFree } of large) if (isFree) this.checkpoints.add(websiteId);
        others ||= large.some(({ isFree }) => !isFree);
        if (this.attempts.isStopped || this.attempts.isInOutage()) return;
        await yieldIfNeeded();
      }
      this.knowsLargeDays = !others;
    } catch (error) {
      await this.attempts.noteFailure(error);
    }
  }

  /** Call it when an open day has enough hits for a checkpoint. */
  addCheckpoint(websiteId: number): void {
    this.checkpoints.add(websiteId);
  }

  private async writeCheckpoint(websiteId: number): Promise<boolean> {
    const { sealBefore, valueLimits } = await this.readOverDays();
    const days = { from: sealBefore, maxValues: valuesWhileOpen(valueLimits.newPerDay) };
    const work = await this.counters.run(websiteId, (counter) => counter.nextCheckpoint(days));
    if (work) await this.workOnColumns(websiteId, work);
    return work !== undefined;
  }

  private async settleHere(websiteId: number): Promise<Settled> {
    if (this.remote.has(websiteId)) return 'elsewhere';
    return this.settle(websiteId, undefined, false);
  }

  /** Seals the next day, or merges segments. */
  settle(websiteId: number, before?: number, mayWait = true): Promise<Settled> {
    return this.turns.run(websiteId, () => this.settleNext(websiteId, before, mayWait));
  }

  private async settleNext(
    websiteId: number,
    before: number | undefined,
    mayWait: boolean,
  ): Promise<Settled> {
    const over = await this.readOverDays();
    const end = before ?? Infinity;
    const days = {
      ...over,
      before: Math.min(over.before, end),
      sealBefore: Math.min(over.sealBefore, end),
      finalBefore: Math.min(over.finalBefore, end),
      isPaused: (day: number) => this.attempts.isPaused(websiteId, 'close day', day),
    };
    // If a day is named, the days before it are complete.
    const isFilled =
      before === undefined ? (counter: WebsiteCounter) => counter.isFilled.bind(counter) : () => undefined;
    const next = await this.counters.run(websiteId, async (counter) => ({
      work: await counter.nextColumns({ ...days, isFilled: isFilled(counter) }),
    }));
    if (!next) return 'elsewhere';
    if (!next.work) return 'done';
    if (next.work.isRemote && !mayWait) {
      this.counters.known(websiteId)?.endColumns(next.work);
      this.remote.add(websiteId);
      return 'elsewhere';
    }
    await this.workOn(websiteId, next.work);
    return 'more';
  }

  /** If a day fails, the work on other days and segments goes on. */
  private async workOn(websiteId: number, columns: ColumnWork): Promise<void> {
    const work = async () => {
      await this.workOnColumns(websiteId, columns);
      return false;
    };
    if (columns.days.length === 0) await work();
    else await this.attempts.run(websiteId, 'close day', work, columns.days);
  }

  /** Runs outside of the website's turn. Writing and renewing the lease take the turn. */
  private async workOnColumns(websiteId: number, work: ColumnWork): Promise<void> {
    try {
      await work.run({
        goOn: this.whileHeld(websiteId, (counter) => counter.goOnWith(work)),
        write: async (prepared) =>
          (await this.counters.run(websiteId, (counter) => counter.writeColumns(work, prepared))) === true,
      });
    } catch (error) {
      if (!(error instanceof HomeAway)) throw error;
      restFromMoving();
      if (!this.attempts.isStopped) throw error;
    } finally {
      this.counters.known(websiteId)?.endColumns(work);
    }
  }

  /** Returns a check that ends the work when the website's lease is lost. It looks once a second. */
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

  /** By the database's clock, read once a minute, because retention uses that clock. */
  private async readOverDays(): Promise<OverDays> {
    if (this.over && performance.now() < this.overEndsAt) return this.over;
    this.over = overDays(await this.retention.moments());
    this.overEndsAt = performance.now() + LOOK_EVERY_MS;
    return this.over;
  }
}
