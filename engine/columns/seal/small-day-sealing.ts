import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database';
import { changedBy, inPieces, placeholdersFor, type Transaction } from '../../database/rows';
import { noteDays } from '../closed-days';
import { firstHeldDay, holdUnread } from '../followed-websites';
import { DaysChanged } from '../segments/hit-segments';
import type { StoredBatch } from '../batches/batch';
import { readBatchesOfDay } from '../batches/batches-of-websites';
import { BYTES_AT_ONCE, DAYS } from '../upkeep/column-work';
import { DUE_AT_ONCE } from '../counting.repository';
import { leaseIsFree } from '../leases/counting-lease';
import type { WebsiteCounters } from '../fold/website-counters';
import type { OverDays } from './sealing-times';
import { groupedBy, replaceBatches, type PreparedDay, prepareSmallDay } from './sealed-day';
import { readDaysOfWebsites, type SmallDays, smallDaysOf } from './small-days';
import type { WebsiteAttempts } from '../leases/website-attempts';

/** The limit of a transaction. While it runs on the one connection, no event can be accepted. */
const MOST_ON_ONE_CONNECTION = 50;

interface SealedWebsite {
  website: SmallDays;
  days: PreparedDay[];
}

/** A website, and the days that the work concerns, if known. */
interface WebsiteInWork {
  websiteId: number;
  days: { day: number }[];
}

/**
 * Seals the small days of many websites in one transaction. The preparation needs no lease: each use of a website's
 * lease raises its token, and the transaction begins by raising the tokens that were read. A website is left unchanged
 * if its token changed, another process counts it, or it was deleted.
 */
export class SmallDaySealing {
  constructor(
    private readonly database: Database,
    private readonly counters: WebsiteCounters,
    private readonly attempts: WebsiteAttempts,
  ) {}

  /** Returns the websites with other work, and those that must be tried alone. */
  async seal(websiteIds: number[], over: OverDays): Promise<number[]> {
    const websites = websiteIds.map((websiteId) => ({ websiteId, days: [] }));
    const small = await this.halving(websites, (some) => this.readSmallDays(some, over));
    const { oneConnection } = this.database.dialect;
    const most = oneConnection ? MOST_ON_ONE_CONNECTION : DUE_AT_ONCE;
    const sealed = new Set<number>();
    for (const group of inPieces(small, most, BYTES_AT_ONCE, ({ bytes }) => bytes))
      for (const websiteId of await this.halving(group, (some) => this.sealTogether(some, over)))
        sealed.add(websiteId);
    return websiteIds.filter((websiteId) => !sealed.has(websiteId));
  }

  /** If work on many websites fails, each half is tried, until the failing website is alone and suspended. */
  private async halving<W extends WebsiteInWork, T>(
    websites: W[],
    work: (some: W[]) => Promise<T[]>,
  ): Promise<T[]> {
    if (websites.length === 0 || this.attempts.isStopped || this.attempts.isInOutage()) return [];
    try {
      return await work(websites);
    } catch (error) {
      if (websites.length === 1) return this.putAside(websites[0]!, error);
      if (await this.database.isOutage(error)) throw error;
    }
    const middle = Math.ceil(websites.length / 2);
    return [
      ...(await this.halving(websites.slice(0, middle), work)),
      ...(await this.halving(websites.slice(middle), work)),
    ];
  }

  /** Suspends the website as if it had been sealed alone. A removal by retention is no failure. */
  private async putAside({ websiteId, days }: WebsiteInWork, error: unknown): Promise<[]> {
    const numbers = days.map(({ day }) => day);
    if (!(error instanceof DaysChanged))
      await this.attempts.putAside(websiteId, 'close day', error, numbers.length > 0 ? numbers : undefined);
    return [];
  }

  private async readSmallDays(some: WebsiteInWork[], over: OverDays): Promise<SmallDays[]> {
    const ids = some.map(({ websiteId }) => websiteId);
    const websites = await this.database.read((manager) => readDaysOfWebsites(manager, ids));
    const small = websites
      .filter(({ websiteId }) => !this.isPaused(websiteId))
      .flatMap((website) => smallDaysOf(website, over) ?? [])
      .filter(({ websiteId, days }) => !days.some(({ day }) => this.isPaused(websiteId, day)));
    const held = await this.readHeld(small, over);
    return small.filter(({ websiteId }) => !held.has(websiteId));
  }

  /** The websites with days whose hits a reader must read before. */
  private async readHeld(small: SmallDays[], { now, sealBefore }: OverDays): Promise<Set<number>> {
    const days = small.flatMap(({ websiteId, days }) =>
      days.map(({ day, hits }) => ({ websiteId, day, hits })),
    );
    const held = await holdUnread(this.database, days, { now, from: firstHeldDay(sealBefore) });
    return new Set(held.map(({ websiteId }) => websiteId));
  }

  private isPaused(websiteId: number, day?: number): boolean {
    return this.attempts.isPaused(websiteId, 'close day', day);
  }

  private async sealTogether(websites: SmallDays[], over: OverDays): Promise<number[]> {
    const stored = await this.readBatches(websites);
    const prepared: SealedWebsite[] = [];
    for (const website of websites) {
      const days = await this.prepare(website, stored, over);
      if (days) prepared.push({ website, days });
    }
    const ids = prepared.map(({ website }) => website.websiteId);
    return this.counters.together(ids, (idle) => {
      const own = new Set(idle);
      return this.write(
        prepared.filter(({ website }) => own.has(website.websiteId)),
        over,
      );
    });
  }

  /** By website and day. */
  private async readBatches(websites: SmallDays[]): Promise<Map<string, StoredBatch[]>> {
    const stored = new Map<string, StoredBatch[]>();
    for (const [day, websiteIds] of byDay(websites))
      for (const batch of await readBatchesOfDay(this.database, day, websiteIds)) {
        const key = keyOf(batch.websiteId, day);
        const own = stored.get(key) ?? [];
        stored.set(key, own);
        own.push(batch);
      }
    return stored;
  }

  /** Undefined if the website cannot be sealed with the others. */
  private async prepare(
    website: SmallDays,
    stored: Map<string, StoredBatch[]>,
    over: OverDays,
  ): Promise<PreparedDay[] | undefined> {
    const { websiteId, token, days } = website;
    const sealed: PreparedDay[] = [];
    try {
      for (const [part, { day, hits }] of days.entries()) {
        const batches = stored.get(keyOf(websiteId, day)) ?? [];
        // Another process may have sealed the day since it was found, or retention may have removed hits.
        if (batches.reduce((sum, { size }) => sum + size, 0) !== hits) return undefined;
        const place = { websiteId, day, segment: token + 1, part, forgetAt: over.forgetAt(day) };
        sealed.push(await prepareSmallDay(place, batches));
      }
      return sealed;
    } catch (error) {
      await this.putAside(website, error);
      return undefined;
    }
  }

  /** Returns the websites whose days were sealed. */
  private async write(websites: SealedWebsite[], over: OverDays): Promise<number[]> {
    if (websites.length === 0) return [];
    const written = await this.database.write(async (manager) => {
      const fenced = await this.fenceWebsites(manager, websites);
      await replaceBatches(
        manager,
        fenced.flatMap(({ days }) => days),
        over.now,
      );
      await note(manager, fenced, over);
      return fenced;
    });
    for (const { website } of written) DAYS.add(website.days.length, 'sealed');
    for (const { website } of written)
      for (const { day } of website.days) this.attempts.noteSuccess(website.websiteId, 'close day', day);
    return written.map(({ website }) => website.websiteId);
  }

  /**
   * Invalidates the leases of the websites whose batches are unchanged. The owner's name is used once, to recognise
   * them.
   */
  private async fenceWebsites(manager: Transaction, websites: SealedWebsite[]): Promise<SealedWebsite[]> {
    const owner = randomUUID();
    const ids = websites.map(({ website }) => website.websiteId);
    const tokens = websites.flatMap(({ website }) => [website.websiteId, website.token]);
    const raised = await changedBy(
      manager,
      `UPDATE counting SET owner = ?, token = token + 1, expires_at = 0
      WHERE website_id IN ${placeholdersFor(ids)} AND ${leaseIsFree(this.database)}
        AND token = CASE website_id ${'WHEN ? THEN ? '.repeat(ids.length)}END`,
      [owner, ...ids, this.counters.owner, ...tokens],
    );
    if (raised === websites.length) return websites;
    const rows = await manager.query<{ website_id: number | string }[]>(
      `SELECT website_id FROM counting WHERE website_id IN ${placeholdersFor(ids)} AND owner = ?`,
      [...ids, owner],
    );
    const fenced = new Set(rows.map(({ website_id }) => Number(website_id)));
    return websites.filter(({ website }) => fenced.has(website.websiteId));
  }
}

async function note(manager: Transaction, websites: SealedWebsite[], over: OverDays): Promise<void> {
  for (const [dueAt, own] of groupedBy(websites, ({ website }) => website.dueAt)) {
    const ids = own.map(({ website }) => website.websiteId);
    await noteDays(manager, ids, { sealedBefore: over.sealBefore, dueAt });
  }
}

function byDay(websites: SmallDays[]): Map<number, number[]> {
  const pairs = websites.flatMap(({ websiteId, days }) => days.map(({ day }) => ({ day, websiteId })));
  const groups = groupedBy(pairs, ({ day }) => day);
  return new Map([...groups].map(([day, own]) => [day, own.map(({ websiteId }) => websiteId)]));
}

function keyOf(websiteId: number, day: number): string {
  return `${websiteId} ${day}`;
}
