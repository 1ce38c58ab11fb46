import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../../engine/database/errors';
import type { DroppedOfWebsite, DropReason } from '../../../engine/hits/events/dropped-events';
import { HitStore } from '../../../engine/port';

/** The sums of one interval are lost if the process is killed. */
const WRITE_EVERY_MS = 500;
/** Sums in memory, some 200 bytes each. Events beyond this are not counted until the sums are written. */
const MAX_COUNTS = 50_000;
const PATIENCE_MS = 10_000;
/** At shutdown, which must end within seconds even without the database. */
const LAST = { attempts: 3, patienceMs: 1500, pauseMs: 200 };

/** Adds up the events that rules dropped and writes the sums to the inbox, so that none of them costs a statement. */
@Injectable()
export class DroppedEvents implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Dropped events');
  private counts = new Map<string, DroppedOfWebsite>();
  private timer: NodeJS.Timeout | undefined;
  private writing = Promise.resolve();
  private isEnding = false;
  private isFailing = false;

  constructor(private readonly store: HitStore) {}

  add(websiteId: number, day: number, reason: DropReason, count = 1): void {
    this.sum({ websiteId, day, reason, count });
    this.plan();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    for (let attempt = 1; attempt <= LAST.attempts; attempt++) {
      await this.write();
      if (this.counts.size === 0) return;
      await sleep(LAST.pauseMs);
    }
    this.logger.warn('the latest dropped events could not be stored, and are not counted');
  }

  private sum(more: DroppedOfWebsite): void {
    const key = `${more.websiteId} ${more.day} ${more.reason}`;
    const known = this.counts.get(key);
    if (known) known.count += more.count;
    else if (this.counts.size < MAX_COUNTS) this.counts.set(key, more);
  }

  private plan(): void {
    this.timer ??= setTimeout(() => void this.write(), this.isEnding ? 0 : WRITE_EVERY_MS);
  }

  private write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeAll());
    return this.writing;
  }

  /** Adds failed sums to the next write. If only the acknowledgement was lost, they count twice. */
  private async writeAll(): Promise<void> {
    const left = new Set(this.counts.values());
    this.counts = new Map();
    try {
      const onWritten = (written: DroppedOfWebsite[]) => written.forEach((one) => left.delete(one));
      await this.store.appendDropped([...left], this.isEnding ? LAST.patienceMs : PATIENCE_MS, onWritten);
      this.isFailing = false;
      this.store.nudge();
    } catch (error) {
      for (const one of left) this.sum(one);
      if (!this.isFailing) this.logger.warn(`dropped events wait for the database: ${reasonOf(error)}`);
      this.isFailing = true;
      if (!this.isEnding) this.plan();
    }
  }
}
