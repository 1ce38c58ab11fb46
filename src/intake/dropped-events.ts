import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { BackgroundCounting } from '../counting/background-counting';
import { reasonOf } from '../database/errors';
import type { DroppedOfWebsite, DropReason } from '../storage/dropped';
import { InboxRepository } from './inbox.repository';

/** A killed process loses the sums of this interval. */
const WRITE_EVERY_MS = 500;
/** Sums in memory, some 200 bytes each; events of further ones are not counted until these are written. */
const MAX_COUNTS = 50_000;

/** Adds up the events that rules dropped, and puts the sums into the inbox, so that none of them costs a statement. */
@Injectable()
export class DroppedEvents implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Dropped events');
  private counts = new Map<string, DroppedOfWebsite>();
  private timer: NodeJS.Timeout | undefined;
  private delayMs = WRITE_EVERY_MS;
  private isFailing = false;

  constructor(
    private readonly repository: InboxRepository,
    private readonly counting: BackgroundCounting,
  ) {}

  add(websiteId: number, day: number, reason: DropReason, count = 1): void {
    const key = `${websiteId} ${day} ${reason}`;
    const known = this.counts.get(key);
    if (known) known.count += count;
    else if (this.counts.size < MAX_COUNTS) this.counts.set(key, { websiteId, day, reason, count });
    this.timer ??= setTimeout(() => void this.write(), this.delayMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.delayMs = 0;
    await this.write();
  }

  /** Sums that could not be written are added to the next ones; if only the answer was lost, they count twice. */
  private async write(): Promise<void> {
    clearTimeout(this.timer);
    const counts = [...this.counts.values()];
    this.counts = new Map();
    this.timer = undefined;
    try {
      await this.repository.appendDropped(counts);
      this.isFailing = false;
      this.counting.nudge();
    } catch (error) {
      for (const { websiteId, day, reason, count } of counts) this.add(websiteId, day, reason, count);
      if (!this.isFailing) this.logger.warn(`dropped events wait for the database: ${reasonOf(error)}`);
      this.isFailing = true;
    }
  }
}
