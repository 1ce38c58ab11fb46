import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { changedBy, inPieces, insertAll, placesFor } from '../database/rows';
import { noteSealed } from '../storage/closed-days';
import { DayBuilder } from '../storage/day-builder';
import { type ColumnDay, columnDayInsertion, DaysChanged, partInsertion } from '../storage/hit-chunks';
import { Batch, type StoredBatch } from '../storage/hits/batch';
import { batchesOfDay, type DayInBatches, removeBatchesOfDay } from '../storage/hits/batches-of-websites';
import { rowsOfVisitors, visitorInsertion, type VisitorRow } from '../storage/hits/day-visitors';
import { encodedPart } from '../storage/part-format';
import { type PartRow, rowsOfPart } from '../storage/part-rows';
import { WebsiteTexts } from '../storage/text-codes';
import { BYTES_AT_ONCE } from './column-work';
import { isFree } from './counting-lease';
import type { Folders } from './folders';
import type { OverDays } from './kept';
import { daysOfWebsites, type SmallDays, smallDaysOf } from './small-days';
import type { WebsiteAttempts } from './website-attempts';

/** In one transaction. While it is written on the one connection, no event can be accepted. */
const MOST_WEBSITES = 200;
const MOST_WEBSITES_ON_ONE_CONNECTION = 50;

/** A small day as it is written. */
interface SealedDay {
  websiteId: number;
  day: number;
  columns: ColumnDay;
  parts: PartRow[];
  visitors: VisitorRow[];
  /** What it replaces. */
  batches: number;
  hashes: number;
}

interface SealedWebsite {
  website: SmallDays;
  days: SealedDay[];
}

/**
 * Seals the small days of many websites in one transaction. What it writes is prepared without a lease: each use of a
 * website's lease raises its token, and the transaction begins by raising the tokens that were read. A website whose
 * token is another one by then, that another process counts, or that is not there any more is left as it is.
 */
export class SmallDaySealing {
  constructor(
    private readonly database: Database,
    private readonly folders: Folders,
    private readonly attempts: WebsiteAttempts,
  ) {}

  /** The websites of which something else is to be done, or that have to be tried by themselves. */
  async seal(websiteIds: number[], over: OverDays): Promise<number[]> {
    const websites = await this.database.read((manager) => daysOfWebsites(manager, websiteIds));
    const small = websites
      .filter(({ websiteId }) => !this.isPaused(websiteId))
      .flatMap((website) => smallDaysOf(website, over) ?? [])
      .filter(({ websiteId, days }) => !days.some(({ day }) => this.isPaused(websiteId, day)));
    const { oneConnection } = this.database.dialect;
    const most = oneConnection ? MOST_WEBSITES_ON_ONE_CONNECTION : MOST_WEBSITES;
    const sealed = new Set<number>();
    for (const some of inPieces(small, most, BYTES_AT_ONCE, ({ bytes }) => bytes))
      for (const websiteId of await this.sealTogether(some, over)) sealed.add(websiteId);
    return websiteIds.filter((websiteId) => !sealed.has(websiteId));
  }

  private isPaused(websiteId: number, day?: number): boolean {
    return this.attempts.isPaused(websiteId, 'close day', day);
  }

  private async sealTogether(websites: SmallDays[], over: OverDays): Promise<number[]> {
    const stored = await this.storedBatches(websites);
    const prepared: SealedWebsite[] = [];
    for (const website of websites) {
      const days = await this.prepared(website, stored, over);
      if (days) prepared.push({ website, days });
    }
    const ids = prepared.map(({ website }) => website.websiteId);
    return this.folders.together(ids, (idle) => {
      const own = new Set(idle);
      return this.write(
        prepared.filter(({ website }) => own.has(website.websiteId)),
        over,
      );
    });
  }

  /** By website and day. */
  private async storedBatches(websites: SmallDays[]): Promise<Map<string, StoredBatch[]>> {
    const stored = new Map<string, StoredBatch[]>();
    for (const [day, websiteIds] of byDay(websites))
      for (const batch of await batchesOfDay(this.database, day, websiteIds)) {
        const key = keyOf(batch.websiteId, day);
        const own = stored.get(key) ?? [];
        stored.set(key, own);
        own.push(batch);
      }
    return stored;
  }

  /** A website that fails is put aside, as it is where it is sealed by itself. */
  private async prepared(
    website: SmallDays,
    stored: Map<string, StoredBatch[]>,
    over: OverDays,
  ): Promise<SealedDay[] | undefined> {
    const { websiteId, days } = website;
    const sealed: SealedDay[] = [];
    const work = async () => {
      for (const [part, own] of days.entries())
        sealed.push(await sealedDay(website, own, part, stored.get(keyOf(websiteId, own.day)) ?? [], over));
      // Retention may have removed some of them since they were counted.
      return sealed.every(({ columns }, index) => columns.hits === days[index]!.hits);
    };
    const numbers = days.map(({ day }) => day);
    return (await this.attempts.run(websiteId, 'close day', work, numbers)) ? sealed : undefined;
  }

  /** The websites whose days were sealed. */
  private async write(websites: SealedWebsite[], over: OverDays): Promise<number[]> {
    if (websites.length === 0) return [];
    try {
      return await this.database.write(async (manager) => {
        const fenced = await this.fenced(manager, websites);
        await insertDays(
          manager,
          fenced.flatMap(({ days }) => days),
          over.now,
        );
        await removeBatches(
          manager,
          fenced.flatMap(({ days }) => days),
        );
        await note(manager, fenced, over);
        return fenced.map(({ website }) => website.websiteId);
      });
    } catch (error) {
      if (error instanceof DaysChanged) return [];
      throw error;
    }
  }

  /** Uses the leases of websites up, those whose batches are as they were. The owner's name is used once, to tell them. */
  private async fenced(manager: EntityManager, websites: SealedWebsite[]): Promise<SealedWebsite[]> {
    const owner = randomUUID();
    const ids = websites.map(({ website }) => website.websiteId);
    const tokens = websites.flatMap(({ website }) => [website.websiteId, website.token]);
    const raised = await changedBy(
      manager,
      `UPDATE counting SET owner = ?, token = token + 1, expires_at = 0
      WHERE website_id IN ${placesFor(ids)} AND ${isFree(this.database)}
        AND token = CASE website_id ${'WHEN ? THEN ? '.repeat(ids.length)}END`,
      [owner, ...ids, this.folders.owner, ...tokens],
    );
    if (raised === websites.length) return websites;
    const rows = await manager.query<{ website_id: number | string }[]>(
      `SELECT website_id FROM counting WHERE website_id IN ${placesFor(ids)} AND owner = ?`,
      [...ids, owner],
    );
    const fenced = new Set(rows.map(({ website_id }) => Number(website_id)));
    return websites.filter(({ website }) => fenced.has(website.websiteId));
  }
}

async function sealedDay(
  { websiteId, token }: SmallDays,
  { day }: DayInBatches,
  part: number,
  stored: StoredBatch[],
  over: OverDays,
): Promise<SealedDay> {
  const texts = new WebsiteTexts(Infinity);
  const builder = new DayBuilder(day, texts);
  for (const batch of stored) {
    builder.add(await Batch.open(batch));
    await yieldIfNeeded();
  }
  const chunk = token + 1;
  const parts = rowsOfPart({ websiteId, chunk, part }, await encodedPart([builder.columns()], texts));
  const hashes = stored.filter((batch) => batch.hashes).length;
  // Where some visitors are forgotten, further hits of theirs would not find them.
  const sealing = hashes === stored.length ? chunk : null;
  const of = { websiteId, day, sealing: chunk, forgetAt: over.forgetAt(day) };
  return {
    websiteId,
    day,
    columns: { chunk, firstPart: part, lastPart: part, hits: builder.hits, sealing },
    parts,
    visitors: sealing === null ? [] : rowsOfVisitors(of, 0, builder.hashes(), true),
    batches: stored.length,
    hashes,
  };
}

async function insertDays(manager: EntityManager, days: SealedDay[], sealedAt: number): Promise<void> {
  for (const [day, own] of groupedBy(days, ({ day }) => day))
    await insertAll(manager, [
      partInsertion(
        own.flatMap(({ parts }) => parts),
        day,
      ),
      columnDayInsertion(own, sealedAt),
      visitorInsertion(own.flatMap(({ visitors }) => visitors)),
    ]);
}

/** Only retention removes batches, and hashes, of a website whose token is as it was. */
async function removeBatches(manager: EntityManager, days: SealedDay[]): Promise<void> {
  for (const [day, own] of groupedBy(days, ({ day }) => day)) {
    const removed = await removeBatchesOfDay(
      manager,
      day,
      own.map(({ websiteId }) => websiteId),
    );
    const [batches, hashes] = [sumOf(own, 'batches'), sumOf(own, 'hashes')];
    if (removed.batches !== batches || removed.hashes !== hashes) throw new DaysChanged();
  }
}

async function note(manager: EntityManager, websites: SealedWebsite[], over: OverDays): Promise<void> {
  for (const [dueAt, own] of groupedBy(websites, ({ website }) => website.dueAt)) {
    const ids = own.map(({ website }) => website.websiteId);
    await noteSealed(manager, ids, { sealedBefore: over.sealBefore, dueAt });
  }
}

function byDay(websites: SmallDays[]): Map<number, number[]> {
  const pairs = websites.flatMap(({ websiteId, days }) => days.map(({ day }) => ({ day, websiteId })));
  const groups = groupedBy(pairs, ({ day }) => day);
  return new Map([...groups].map(([day, own]) => [day, own.map(({ websiteId }) => websiteId)]));
}

function groupedBy<T>(items: T[], key: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const own = groups.get(key(item)) ?? [];
    groups.set(key(item), own);
    own.push(item);
  }
  return groups;
}

function sumOf(days: SealedDay[], count: 'batches' | 'hashes'): number {
  return days.reduce((sum, own) => sum + own[count], 0);
}

function keyOf(websiteId: number, day: number): string {
  return `${websiteId} ${day}`;
}
