import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database';
import { DatabaseUnavailable } from '../database/errors';
import { CountingLease, LeaseLost } from './counting-lease';
import { Folder } from './folder';

const POLL_MS = 250;
const AFTER_NUDGE_MS = 50;
const AFTER_ERROR_MS = 1000;
const MOST_FOLDERS = 100;

/** Folds the inboxes of all websites in the background, sharing them with other processes by leases. */
@Injectable()
export class CountingService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Counting');
  private readonly owner = randomUUID();
  private readonly folders = new Map<number, Folder>();
  private running: Promise<void> | undefined;
  private stopped = false;
  private wake: () => void = () => undefined;

  constructor(private readonly database: Database) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Something was put into an inbox. */
  nudge(): void {
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.running;
    await Promise.allSettled([...this.folders.values()].map(({ lease }) => lease.release()));
    this.folders.clear();
  }

  /** Counts all that waits now and that no other process is counting; returns how many hits that were. */
  async foldAll(mostHitsAtOnce?: number): Promise<number> {
    let taken = 0;
    for (const websiteId of await this.waiting()) {
      if (this.stopped) break;
      taken += await this.foldWebsite(websiteId, mostHitsAtOnce);
    }
    return taken;
  }

  /** Whether anything of a website is not counted yet, by this process or another. */
  async isWaiting(domain: string): Promise<boolean> {
    const rows = await this.database.read((manager) =>
      manager.query<unknown[]>(
        'SELECT 1 FROM inbox INNER JOIN websites ON websites.id = inbox.website_id WHERE websites.domain = ? LIMIT 1',
        [domain],
      ),
    );
    return rows.length > 0;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const pause = await this.foldAll().then(
        (taken) => (taken > 0 ? AFTER_NUDGE_MS : undefined),
        (error: Error) => this.pauseAfter(error),
      );
      if (!this.stopped) await (pause === undefined ? this.untilNudged() : this.sleep(pause));
    }
  }

  private async waiting(): Promise<number[]> {
    const rows = await this.database.read((manager) =>
      manager.query<{ website_id: number }[]>(
        'SELECT DISTINCT website_id FROM inbox WHERE website_id NOT IN (SELECT website_id FROM deleted_websites)',
      ),
    );
    return rows.map(({ website_id }) => Number(website_id));
  }

  private async foldWebsite(websiteId: number, mostHits?: number): Promise<number> {
    const folder = await this.folderOf(websiteId);
    if (!folder) return 0;
    try {
      return await folder.foldSome(mostHits);
    } catch (error) {
      this.folders.delete(websiteId);
      if (error instanceof LeaseLost) return 0;
      if (error instanceof DatabaseUnavailable) throw error;
      this.logger.error(`website ${websiteId} could not be counted`, { cause: (error as Error).name });
      return 0;
    }
  }

  private async folderOf(websiteId: number): Promise<Folder | undefined> {
    const known = this.folders.get(websiteId);
    if (known) return known;
    const lease = await CountingLease.take(this.database, websiteId, this.owner);
    if (!lease) return undefined;
    const folder = new Folder(this.database, lease);
    this.makeRoom();
    this.folders.set(websiteId, folder);
    return folder;
  }

  private makeRoom(): void {
    const [oldest] = this.folders.keys();
    if (oldest !== undefined && this.folders.size >= MOST_FOLDERS) this.folders.delete(oldest);
  }

  private pauseAfter(error: Error): number {
    this.logger.warn(`counting has to wait: ${error.message}`);
    return AFTER_ERROR_MS;
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
