import { isTooOld } from '../../ground/memory/hashes-in-memory';
import { CacheMeasure } from '../../ground/memory/cache-measure';
import { bytesOfCache, bytesOfQuery, type CacheSize } from '../../ground/memory/memory-limits';
import type { Span } from '../../hits/calendar';
import type { DayBuilder } from '../segments/day-builder';
import type { Part } from '../segments/part';
import type { LateHits } from '../batches/late-hits';
import { PartTexts } from '../segments/part-texts';
import { bytesOfBlock, type HitBlock } from '../../hits/hit-block';
import { type TakeMemory, UNBOUNDED, WebsiteTexts } from '../../hits/codes/text-codes';
import type { Values } from '../../questions/plan/values-from-columns';
import type { PartCache } from './part-reader';
import { SealedCounts } from '../../asking/answer/sealed-counts';
import { WebsiteValues } from '../../asking/select/website-values';

/** Rows leave room for counts and the codes of texts: these are small, and making them takes longer than reading rows. */
const SHARE_OF_ROWS = 6 / 8;
const SHARE_OF_COUNTS = 1 / 8;
/** The memory of a part's text codes besides their arrays. */
const BYTES_OF_TEXTS = 500;

export interface CachedDay {
  day: number;
  /** Undefined if the day is only read in part. */
  columns: HitBlock | undefined;
  /** The place of the first of these hits in the day. Earlier hits are in columns. */
  first: number;
  /** Tells which hits the earlier ones are. */
  version: number;
  /** Continues an open day, or a day that is only read in part. */
  builder: DayBuilder | undefined;
  /** The number of its batches without hashes. If it has increased, the day is read again. */
  forgotten: number;
  /** The hits as late hits, if the day was sealed before. */
  late?: LateHits | undefined;
}

/** The cached state of a website. */
export interface KnownWebsite {
  readonly values: WebsiteValues;
  readonly sealedCounts: SealedCounts;
  readonly days: ReadonlyMap<number, CachedDay>;
}

class CachedWebsite implements KnownWebsite {
  readonly values: WebsiteValues;
  readonly sealedCounts: SealedCounts;
  readonly days = new Map<number, CachedDay>();
  /** When each day was cached. */
  private readonly cachedAt = new Map<number, number>();
  readonly parts = new Map<string, { part: Part; bytes: number }>();
  readonly texts = new Map<string, { texts: PartTexts; days: number[]; bytes: number }>();
  private bytesOfDays = 0;
  private bytesOfParts = 0;
  private bytesOfTexts = 0;

  constructor({ maxTextBytes, takeMemory }: ColumnCacheOptions, maxCountBytes: number) {
    this.sealedCounts = new SealedCounts(maxCountBytes);
    this.values = new WebsiteValues(new WebsiteTexts(maxTextBytes, takeMemory), takeMemory);
  }

  get bytes(): number {
    return (
      this.values.bytes + this.sealedCounts.bytes + this.bytesOfDays + this.bytesOfParts + this.bytesOfTexts
    );
  }

  setTexts(name: string, { texts, days }: Part): void {
    this.removeTexts(name);
    const bytes = BYTES_OF_TEXTS + texts.bytes;
    this.texts.set(name, { texts, days, bytes });
    this.bytesOfTexts += bytes;
  }

  /** Returns the size of the removed texts. */
  removeTexts(name: string): number {
    const bytes = this.texts.get(name)?.bytes ?? 0;
    this.texts.delete(name);
    this.bytesOfTexts -= bytes;
    return bytes;
  }

  setPart(name: string, part: Part): void {
    const { bytes } = part;
    this.parts.set(name, { part, bytes });
    this.bytesOfParts += bytes;
  }

  /** Returns the size of the removed part. */
  removePart(name: string): number {
    const bytes = this.parts.get(name)?.bytes ?? 0;
    this.parts.delete(name);
    this.bytesOfParts -= bytes;
    return bytes;
  }

  set(cached: CachedDay): void {
    this.remove(cached.day);
    this.days.set(cached.day, cached);
    this.cachedAt.set(cached.day, performance.now());
    this.bytesOfDays += bytesOf(cached);
  }

  remove(day: number): CachedDay | undefined {
    const known = this.days.get(day);
    if (known) this.bytesOfDays -= bytesOf(known);
    this.days.delete(day);
    this.cachedAt.delete(day);
    return known;
  }

  /** Builders have hashes. */
  dropHashes(): void {
    for (const [day, { builder }] of this.days)
      if (builder && isTooOld(this.cachedAt.get(day)!)) this.remove(day);
  }

  /** Removes days and parts outside of the requested range one by one, and yields the size of each. */
  *removed(requested: Span): Generator<number> {
    for (const [day, cached] of this.days) {
      if (overlaps([day], requested)) continue;
      this.remove(day);
      yield bytesOf(cached);
    }
    for (const [name, { part }] of this.parts)
      if (!overlaps(part.days, requested)) yield this.removePart(name);
    // Last, because parts use them.
    for (const [name, { days }] of this.texts) if (!overlaps(days, requested)) yield this.removeTexts(name);
  }
}

function bytesOf({ columns, builder, late }: CachedDay): number {
  const bytes = columns ? bytesOfBlock(columns) : 0;
  return (late?.bytes ?? bytes) + (builder?.bytes ?? 0);
}

function overlaps(days: number[], { from, to }: Span): boolean {
  return days.some((day) => day >= from && day <= to);
}

interface ColumnCacheOptions {
  /** Its limit, and how many caches have it together. */
  readonly maxSize: CacheSize;
  readonly shares: number;
  /** The limit for the texts of a website. */
  readonly maxTextBytes: number;
  /** Takes memory for texts during a query. Texts that stay are part of the cache. */
  readonly takeMemory: TakeMemory;
}

const DEFAULTS: ColumnCacheOptions = {
  maxSize: 'columns',
  shares: 1,
  maxTextBytes: bytesOfQuery('texts'),
  takeMemory: UNBOUNDED,
};

/**
 * The columns that were read last, within a memory limit. If a website exceeds it, the first requested days stay, so
 * that the next query need not read everything again.
 */
export class ColumnCache {
  private readonly websites = new Map<number, CachedWebsite>();

  private readonly options: ColumnCacheOptions;
  /** Those of plain names are parts of another cache. */
  private readonly measure: CacheMeasure | undefined;

  constructor(options: Partial<ColumnCacheOptions> = {}) {
    this.options = { ...DEFAULTS, ...options };
    if (this.options.maxSize === 'columns') this.measure = new CacheMeasure('columns');
  }

  get bytes(): number {
    return [...this.websites.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The cached website, valid until the next call. It is read again if requested values were merged. */
  website(websiteId: number, requested: Values[]): KnownWebsite {
    const known = this.websites.get(websiteId);
    const isWhole = known && !requested.some((values) => known.values.isFull(values));
    this.measure?.look(isWhole ?? false);
    const website = isWhole
      ? known
      : new CachedWebsite(this.options, Math.ceil(SHARE_OF_COUNTS * this.maxBytes));
    if (website.values.trim()) website.sealedCounts.clear();
    this.websites.delete(websiteId);
    this.websites.set(websiteId, website);
    return website;
  }

  /** Takes a day out to continue reading it. */
  take(websiteId: number, day: number): CachedDay | undefined {
    return this.websites.get(websiteId)!.remove(day);
  }

  /** Caches a day if the website is unchanged and there is room, or other days can make room. */
  keep(websiteId: number, known: KnownWebsite, cached: CachedDay, requested: Span): void {
    if (this.websites.get(websiteId) !== known) return;
    const needed = this.bytes + bytesOf(cached) - this.maxBytes;
    if (this.madeRoom(websiteId, needed, requested)) this.websites.get(websiteId)!.set(cached);
  }

  /** The parts of the website. They are cached as days are. */
  parts(websiteId: number, requested: Span): PartCache {
    const website = this.websites.get(websiteId)!;
    return {
      get: (name) => website.parts.get(name)?.part,
      texts: (name) => website.texts.get(name)?.texts ?? new PartTexts(website.values.texts),
      set: (name, part) => {
        website.removePart(name);
        website.setTexts(name, part);
        if (this.madeRoom(websiteId, this.bytes + part.bytes - SHARE_OF_ROWS * this.maxBytes, requested))
          website.setPart(name, part);
        else if (!this.madeRoom(websiteId, this.bytes - this.maxBytes, requested)) website.removeTexts(name);
      },
    };
  }

  /** Removes parts of the requested days that are not named here: their days have moved. */
  retain(websiteId: number, names: ReadonlySet<string>, requested: Span): void {
    const website = this.websites.get(websiteId)!;
    for (const [name, { part }] of website.parts)
      if (!names.has(name) && overlaps(part.days, requested)) website.removePart(name);
    for (const [name, { days }] of website.texts)
      if (!names.has(name) && overlaps(days, requested)) website.removeTexts(name);
  }

  /** Call it after reading, because texts grow. */
  trim(websiteId: number, requested: Span): void {
    if (!this.madeRoom(websiteId, this.bytes - this.maxBytes, requested)) {
      this.websites.get(websiteId)?.sealedCounts.clear();
      if (this.bytes > this.maxBytes) this.websites.delete(websiteId);
    }
    this.measure?.holds(this.bytes);
  }

  /** Drops days with hashes of visitors that were cached a while ago. */
  dropHashes(): void {
    for (const website of this.websites.values()) website.dropHashes();
  }

  forget(websiteId: number): void {
    this.websites.delete(websiteId);
  }

  private get maxBytes(): number {
    return bytesOfCache(this.options.maxSize) / this.options.shares;
  }

  private madeRoom(websiteId: number, needed: number, requested: Span): boolean {
    let missing = needed;
    if (missing <= 0) return true;
    for (const bytes of this.removed(websiteId, requested)) if ((missing -= bytes) <= 0) return true;
    return false;
  }

  /** Removes other websites, then days outside of the requested range, and yields the size of each. */
  private *removed(websiteId: number, requested: Span): Generator<number> {
    for (const [id, { bytes }] of this.websites) {
      if (id === websiteId) continue;
      this.websites.delete(id);
      yield bytes;
    }
    yield* this.websites.get(websiteId)?.removed(requested) ?? [];
  }
}
