import { randomUUID } from 'node:crypto';
import { CacheMeasure } from '../../ground/memory/cache-measure';
import { bytesFor } from '../../ground/memory/memory-limits';
import type { DayClock } from '../../ground/time/day-clock';
import { KeyedMutex } from '../../ground/threads/mutex';
import type { Database } from '../../database/database';
import { LeaseLost } from '../../database/lease';
import { WriteGroup } from '../../database/connections/write-group';
import { CountingLease } from '../leases/counting-lease';
import { WebsiteCounter } from './website-counter';

/** The size of one fold on SQLite, so that a commit of several folds delays events no longer than one. */
const MAX_HITS_PER_COMMIT = 1000;

/** The websites whose counters have left memory. They take some 10 MiB. */
const MAX_LEFT = 100_000;

interface OpenCounter {
  counter: WebsiteCounter;
  /** Measured after its last turn. */
  bytes: number;
}

interface LeftCounter {
  /** When its website may have got hits last. */
  filledAt: number;
  /** The number of the next use of its lease. */
  nextUse: number;
}

/** The counters of the websites that were counted last, within a memory limit. */
export class WebsiteCounters {
  readonly owner = randomUUID();
  private readonly maxBytes = bytesFor('counters');
  private readonly turns = new KeyedMutex<number>();
  /** In the order of their last turns. */
  private readonly open = new Map<number, OpenCounter>();
  private readonly inTurn = new Set<number>();
  private readonly left = new Map<number, LeftCounter>();
  private usedBytes = 0;
  private readonly measure = new CacheMeasure('counters');

  /** SQLite's one connection commits in sequence, and each commit waits for the disk. */
  private readonly group: WriteGroup | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: DayClock,
  ) {
    if (database.dialect.oneConnection) this.group = new WriteGroup(database, MAX_HITS_PER_COMMIT);
  }

  /** The approximate memory of all counters. */
  get bytes(): number {
    return this.usedBytes;
  }

  /**
   * Runs one piece of work at a time for each website, because each use of its lease needs the token of the previous
   * use. Undefined while another process holds the lease.
   */
  run<T>(websiteId: number, work: (counter: WebsiteCounter) => Promise<T>): Promise<T | undefined> {
    return this.turns.run(websiteId, async () => {
      this.inTurn.add(websiteId);
      try {
        const counter = await this.counterOf(websiteId);
        return counter && (await this.inCounter(websiteId, counter, work));
      } finally {
        this.inTurn.delete(websiteId);
        this.makeRoom();
        this.measure.holds(this.usedBytes);
      }
    });
  }

  /**
   * Runs work on several idle websites, in the turn of all of them. It may invalidate their leases, so their counters
   * are dropped.
   */
  async together<T>(websiteIds: number[], work: (idle: number[]) => Promise<T>): Promise<T> {
    const idle = websiteIds.filter((id) => !this.inTurn.has(id) && !this.known(id)?.isWorking);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const begun = idle.map(
      (id) =>
        new Promise<void>((begin) => {
          void this.turns.run(id, () => {
            begin();
            return ended;
          });
        }),
    );
    await Promise.all(begun);
    try {
      return await work(idle);
    } finally {
      for (const id of idle) this.remove(id);
      end();
    }
  }

  /** The counter of a website, if it has one. Its lease may be lost. */
  known(websiteId: number): WebsiteCounter | undefined {
    return this.open.get(websiteId)?.counter;
  }

  async release(): Promise<void> {
    await Promise.allSettled([...this.open.values()].map(({ counter }) => counter.lease.release()));
    for (const websiteId of [...this.open.keys()]) this.remove(websiteId);
  }

  private async inCounter<T>(
    websiteId: number,
    counter: WebsiteCounter,
    work: (counter: WebsiteCounter) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work(counter);
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.remove(websiteId);
        return undefined;
      }
      counter.distrust();
      throw error;
    } finally {
      if (this.known(websiteId) === counter) this.put(websiteId, counter);
    }
  }

  private async counterOf(websiteId: number): Promise<WebsiteCounter | undefined> {
    const known = this.known(websiteId);
    const isUnbroken = (await known?.lease.isUnbroken()) ?? false;
    this.measure.look(isUnbroken);
    if (isUnbroken) return known;
    this.remove(websiteId);
    const lease = await CountingLease.take(this.database, websiteId, this.owner);
    const left = this.left.get(websiteId);
    this.left.delete(websiteId);
    if (!lease) return undefined;
    // Taking the lease is a use. After further ones, another process may have counted the website meanwhile.
    const filledAt = left && lease.nextUse === left.nextUse + 1 ? left.filledAt : undefined;
    const counter = new WebsiteCounter(this.database, lease, this.clock, this.group, filledAt);
    this.put(websiteId, counter);
    return counter;
  }

  /** Measures the counter and moves it to the end. */
  private put(websiteId: number, counter: WebsiteCounter): void {
    this.remove(websiteId);
    const { bytes } = counter;
    this.open.set(websiteId, { counter, bytes });
    this.usedBytes += bytes;
  }

  private remove(websiteId: number): void {
    this.usedBytes -= this.open.get(websiteId)?.bytes ?? 0;
    this.open.delete(websiteId);
  }

  /**
   * Removes the counters whose last turn is longest ago. Their leases expire, or are taken again. A counter with work
   * in progress stays without its caches.
   */
  private makeRoom(): void {
    for (const [websiteId, open] of this.open) {
      if (this.usedBytes <= this.maxBytes) return;
      if (this.inTurn.has(websiteId)) continue;
      if (open.counter.isWorking) this.shrink(open);
      else this.leave(websiteId, open.counter);
    }
  }

  /** With many websites, a counter rarely stays in memory for as long as a day must be quiet. */
  private leave(websiteId: number, { lastFilledAt, lease }: WebsiteCounter): void {
    this.remove(websiteId);
    this.left.set(websiteId, { filledAt: lastFilledAt, nextUse: lease.nextUse });
    const [first] = this.left.keys();
    if (this.left.size > MAX_LEFT) this.left.delete(first!);
  }

  private shrink(open: OpenCounter): void {
    open.counter.dropCaches();
    this.usedBytes += open.counter.bytes - open.bytes;
    open.bytes = open.counter.bytes;
  }
}
