import {
  bytesOfCache,
  bytesOfPool,
  bytesOfScanned,
  type CacheSize,
  type PoolName,
} from '../../ground/memory/memory-limits';
import { ByteCache } from '../../ground/memory/byte-cache';
import { HASHES_IN_MEMORY, isTooOld } from '../../ground/memory/hashes-in-memory';
import type { StatName } from '../../hits/stat-names';
import type { CachedHashes } from '../checkpoints/cached-hashes';
import type { CountedDay } from '../rollups/counted-day';
import type { TextName } from '../rollups/counted-names';
import { DistinctTexts } from '../rollups/texts/distinct-texts';
import { Sums } from '../../hits/sums';
import { ColumnCache } from '../read/column-cache';
import { LargeDays } from './large-days';
import { DayValues, TextValues } from './values/name-values';

/** The count of each value, by code. Cached sums are shared and must not be changed. */
export interface CountedSums {
  readonly sums: Sums;
  /** The number of days on which the limit merged values. */
  readonly limitedDays: number;
  /** The days with visitors who were forgotten too early to count once. */
  readonly forgotten: readonly number[];
}

/** Counts in progress. */
export interface Counting {
  readonly sums: Sums;
  limitedDays: number;
  readonly forgotten: number[];
}

export function nothingCounted(): Counting {
  return { sums: new Sums(), limitedDays: 0, forgotten: [] };
}

interface VersionedSums extends CountedSums {
  readonly version: string;
}

/** The codes of a day's texts among the values of their names. */
export interface CodesOfTexts {
  readonly valuesId: number;
  codes: Uint32Array;
  size: number;
}

/** An open day, as of its last count. */
export interface CachedOpenDay {
  readonly counted: CountedDay;
  /** The number of its batches without hashes. If it has increased, the day is counted again. */
  readonly forgotten: number;
  readonly hashes: CachedHashes;
  readonly codes: Map<TextName, CodesOfTexts>;
}

/** The entries that were used last, and in addition the last entry that is too large for its share of the caches. */
class CacheWithLarge<V extends NonNullable<unknown>> {
  private readonly entries: ByteCache<V>;
  private large: { key: string; value: V; setAt: number } | undefined;

  constructor(
    private readonly maxSize: CacheSize,
    /** For large entries. Without it, none is kept. */
    private readonly pool: PoolName | undefined,
    private readonly threads: number,
    private readonly bytesOf: (value: V) => number,
    maxAgeMs?: number,
  ) {
    this.entries = new ByteCache(maxSize, bytesOf, maxAgeMs);
  }

  get(key: string): V | undefined {
    return this.large?.key === key ? this.large.value : this.entries.get(key);
  }

  set(key: string, value: V): void {
    this.delete(key);
    const bytes = this.bytesOf(value);
    if (bytes < bytesOfCache(this.maxSize) / 2) this.entries.set(key, value);
    else if (this.pool && bytes <= bytesOfPool(this.pool) / this.threads)
      this.large = { key, value, setAt: performance.now() };
  }

  delete(key: string): void {
    this.entries.delete(key);
    if (this.large?.key === key) this.large = undefined;
  }

  deleteLarge(): void {
    this.large = undefined;
  }

  dropOld(): void {
    this.entries.dropOld();
    if (this.large && isTooOld(this.large.setAt)) this.large = undefined;
  }
}

/**
 * The cached state of the fourteen names in a thread. Sums are valid for one version, which each query reads in its
 * snapshot.
 */
export class PlainCache {
  /** All `threads` share the memory for large entries; those that scan share the memory for all of them. */
  constructor(threads = 1, isScanning = false) {
    const sizeOf = (name: 'sums' | 'values' | 'openDays' | 'plainColumns'): CacheSize =>
      isScanning ? { maxBytes: bytesOfScanned(name, threads), name: 'scannedNames' } : name;
    const { maxAgeMs } = HASHES_IN_MEMORY;
    const [largeValues, largeDays] = isScanning
      ? (['largeScannedValues', undefined] as const)
      : (['largeValues', 'largeDays'] as const);
    this.values = new CacheWithLarge(sizeOf('values'), largeValues, threads, ({ bytes }) => bytes);
    this.days = new CacheWithLarge(sizeOf('openDays'), largeDays, threads, bytesOfDay, maxAgeMs);
    this.sums = new ByteCache(sizeOf('sums'), ({ sums }) => sums.counts.byteLength);
    this.sizeOfColumns = sizeOf('plainColumns');
    this.columns = new ByteCache(this.sizeOfColumns, ({ bytes }) => bytes, maxAgeMs);
  }

  readonly dayValues = new DayValues();
  /** The reasons for dropped events. */
  readonly dropped = new TextValues('dropped', new DistinctTexts());
  private readonly values: CacheWithLarge<TextValues>;
  private readonly days: CacheWithLarge<CachedOpenDay>;
  private readonly sizeOfColumns: CacheSize;
  private readonly columns: ByteCache<ColumnCache>;
  readonly largeDays = new LargeDays();
  private readonly sums: ByteCache<VersionedSums>;

  async sumsOf(key: string, version: string, load: () => Promise<CountedSums>): Promise<CountedSums> {
    const known = this.sums.get(key);
    if (known?.version === version) return known;
    const counted = await load();
    this.sums.set(key, { ...counted, version });
    return counted;
  }

  valuesOf(websiteId: number, generation: number, name: StatName): TextValues | undefined {
    return this.values.get(`${websiteId} ${generation} ${name}`);
  }

  /** Also call it when values have grown. */
  setValues(websiteId: number, generation: number, name: StatName, values: TextValues): void {
    this.values.set(`${websiteId} ${generation} ${name}`, values);
  }

  /** Takes a day out while it is counted further. After an error it may be incomplete. */
  takeDay(websiteId: number, day: number): CachedOpenDay | undefined {
    const key = `${websiteId} ${day}`;
    const known = this.days.get(key);
    this.days.delete(key);
    return known;
  }

  /** The column cache of a website, for one query at a time. */
  takeColumns(websiteId: number): ColumnCache {
    const known = this.columns.get(String(websiteId));
    this.columns.delete(String(websiteId));
    return known ?? new ColumnCache({ maxSize: this.sizeOfColumns, maxTextBytes: Infinity });
  }

  setColumns(websiteId: number, columns: ColumnCache): void {
    columns.dropHashes();
    if (columns.bytes > 0) this.columns.set(String(websiteId), columns);
  }

  /** Drops hashes of visitors that were not used for a while. */
  dropHashes(): void {
    this.days.dropOld();
    this.columns.dropOld();
  }

  setDay(websiteId: number, day: number, cached: CachedOpenDay): void {
    this.days.set(`${websiteId} ${day}`, cached);
  }

  /** Call it before a large day is counted anew. */
  deleteLargeDay(): void {
    this.days.deleteLarge();
  }
}

function bytesOfDay({ counted, hashes, codes }: CachedOpenDay): number {
  let bytes = counted.bytes + hashes.bytes;
  for (const own of codes.values()) bytes += own.codes.byteLength;
  return bytes;
}
