import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DayClock } from '../common/day-clock';
import { Problem } from '../common/problem';
import { Settings } from '../config/settings';
import { Database } from '../database/database';
import { DatabaseUnavailable } from '../database/errors';
import { Turns } from '../database/turns';
import { closedDays } from './closed-days';
import { CountingLease, LeaseLost } from './counting-lease';
import { Folder } from './folder';
import { packSome } from './packer';

const POLL_MS = 250;
const AFTER_NUDGE_MS = 50;
/** Many hits at once cost less each, since they share their counters. */
const BETWEEN_FOLDS_MS = 250;
const AFTER_ERROR_MS = 1000;
const LOOK_FOR_CLOSED_MS = 60_000;
const MOST_FOLDERS = 100;

/**
 * Folds the inboxes of all websites in the background and packs the days that are over, sharing the websites with
 * other processes by leases.
 */
@Injectable()
export class CountingService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Counting');
  private readonly owner = randomUUID();
  private readonly turns = new Turns();
  private readonly folders = new Map<number, Folder>();
  private readonly betweenFoldsMs: number;
  private running: Promise<void> | undefined;
  private stopped = false;
  private wake: () => void = () => undefined;
  private readonly clock: DayClock;
  private toPack: number[] = [];
  private lookAgainAt = 0;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
    // On one connection folds are small, so that others get their turns.
    this.betweenFoldsMs = database.dialect.oneConnection ? AFTER_NUDGE_MS : BETWEEN_FOLDS_MS;
  }

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

  /** Packs all of a website that is over on a day; nothing while another process counts it. */
  async packAll(websiteId: number, today = this.today()): Promise<void> {
    while (await this.packWebsite(websiteId, today));
  }

  /** Returns once nothing of a website is left to pack, by this process or by another that counts it. */
  async untilPacked(websiteId: number): Promise<void> {
    for (;;) {
      await this.packAll(websiteId);
      const state = await this.database.read((manager) => closedDays(manager, websiteId));
      if (state.closedBefore >= this.today() && state.packedVersion === state.version) return;
      await this.sleep(POLL_MS);
    }
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
      const pause = await this.foldAndPack().catch((error: Error) => this.pauseAfter(error));
      if (!this.stopped) await (pause === undefined ? this.untilNudged() : this.sleep(pause));
    }
  }

  /** Folds all that waits, and packs one piece, so that events never wait long behind the packing. */
  private async foldAndPack(): Promise<number | undefined> {
    const taken = await this.foldAll();
    if (await this.packNext()) return 0;
    return taken > 0 ? this.betweenFoldsMs : undefined;
  }

  private async packNext(): Promise<boolean> {
    if (this.toPack.length === 0 && Date.now() >= this.lookAgainAt) {
      this.toPack = await this.unpacked();
      this.lookAgainAt = Date.now() + LOOK_FOR_CLOSED_MS;
    }
    const [websiteId] = this.toPack;
    if (websiteId === undefined) return false;
    if (!(await this.packWebsite(websiteId, this.today()))) this.toPack.shift();
    return true;
  }

  /** Leaves out what another process counts, as `waiting` does. */
  private async unpacked(): Promise<number[]> {
    const rows = await this.database.read((manager) =>
      manager.query<{ website_id: number }[]>(
        `SELECT counting.website_id AS website_id
        FROM counting LEFT JOIN closed_days closed ON closed.website_id = counting.website_id
        WHERE (closed.website_id IS NULL OR closed.closed_before < ? OR closed.packed_version <> closed.version)
        AND (counting.owner = ? OR counting.expires_at < ${this.database.dialect.now})
        AND counting.website_id NOT IN (SELECT website_id FROM deleted_websites)`,
        [this.today(), this.owner],
      ),
    );
    return rows.map(({ website_id }) => Number(website_id));
  }

  private packWebsite(websiteId: number, today: number): Promise<boolean> {
    const { statsDays } = this.settings;
    const keptFrom = statsDays === undefined ? 0 : today - statsDays;
    return this.underLease(websiteId, false, ({ lease }) =>
      packSome(this.database, lease, { today, keptFrom }),
    );
  }

  /** Without what another process counts: to ask for its lease would mean to wait for its locks. */
  private async waiting(): Promise<number[]> {
    const rows = await this.database.read((manager) =>
      manager.query<{ website_id: number }[]>(
        `SELECT waiting.website_id AS website_id FROM (SELECT DISTINCT website_id FROM inbox) waiting
        LEFT JOIN counting ON counting.website_id = waiting.website_id
        WHERE (counting.website_id IS NULL OR owner = ? OR expires_at < ${this.database.dialect.now})
          AND waiting.website_id NOT IN (SELECT website_id FROM deleted_websites)`,
        [this.owner],
      ),
    );
    return rows.map(({ website_id }) => Number(website_id));
  }

  private foldWebsite(websiteId: number, mostHits?: number): Promise<number> {
    return this.underLease(websiteId, 0, (folder) => folder.foldSome(mostHits));
  }

  /** One at a time: each use of a lease has to show the token that the one before it left. */
  private underLease<T>(websiteId: number, otherwise: T, work: (folder: Folder) => Promise<T>): Promise<T> {
    return this.turns.take(() => this.withFolder(websiteId, otherwise, work));
  }

  /** After an error nothing that was remembered under the lease can be trusted. */
  private async withFolder<T>(
    websiteId: number,
    otherwise: T,
    work: (folder: Folder) => Promise<T>,
  ): Promise<T> {
    const folder = await this.folderOf(websiteId);
    if (!folder) return otherwise;
    try {
      return await work(folder);
    } catch (error) {
      this.folders.delete(websiteId);
      if (error instanceof LeaseLost) return otherwise;
      if (error instanceof DatabaseUnavailable) throw error;
      this.logger.error(`website ${websiteId} could not be counted`, { cause: causeOf(error) });
      return otherwise;
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

  private today(): number {
    return this.clock.dayOf(Date.now());
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

/** What a problem says is meant to be read; other errors may quote what nobody should find in a log. */
function causeOf(error: unknown): string {
  return error instanceof Problem ? error.detail : (error as Error).name;
}
