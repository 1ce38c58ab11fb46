import { bytesFor, bytesOfPool, type CacheName, type PoolName } from '../../common/memory/pools';
import { ByteCache } from '../../common/memory/byte-cache';
import type { StatName } from '../../storage/stat-names';
import type { CachedHashes } from '../../storage/checkpoints/cached-hashes';
import type { CountedDay } from '../../storage/rollups/counted-day';
import type { TextName } from '../../storage/rollups/counted-names';
import { TextList } from '../../storage/rollups/texts/text-list';
import { Sums } from '../../storage/sums';
import { UNBOUNDED } from '../../storage/encoding/text-codes';
import { ColumnCache } from '../queries/read/column-cache';
import { DayValues, TextValues } from './values/name-values';

/** How often each value was counted, by code. Sums that are kept are shared, so nobody may change them. */
export interface CountedSums {
  readonly sums: Sums;
  /** On how many days values were counted together because of the limit. */
  readonly limitedDays: number;
  /** Days some of whose visitors were forgotten too early to be counted once. */
  readonly forgotten: readonly number[];
}

/** The same, while it is counted. */
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

/** The codes that the texts of a day have among the values of their names. */
export interface CodesOfTexts {
  readonly valuesId: number;
  codes: Uint32Array;
  size: number;
}

/** A day that goes on, as it was counted last. */
export interface CachedOpenDay {
  readonly counted: CountedDay;
  /** How many of its batches had lost their visitors: it is counted anew where more have. */
  readonly forgotten: number;
  readonly hashes: CachedHashes;
  readonly codes: Map<TextName, CodesOfTexts>;
}

/** The entries that were used last, and beside them the last one that is too large for their share of the caches. */
class CacheWithLarge<V extends NonNullable<unknown>> {
  private readonly entries: ByteCache<V>;
  private large: { key: string; value: V } | undefined;

  constructor(
    private readonly cache: CacheName,
    private readonly pool: PoolName,
    private readonly threads: number,
    private readonly bytesOf: (value: V) => number,
  ) {
    this.entries = new ByteCache(cache, bytesOf);
  }

  get(key: string): V | undefined {
    return this.large?.key === key ? this.large.value : this.entries.get(key);
  }

  set(key: string, value: V): void {
    this.delete(key);
    const bytes = this.bytesOf(value);
    if (bytes < bytesFor(this.cache) / 2) this.entries.set(key, value);
    else if (bytes <= bytesOfPool(this.pool) / this.threads) this.large = { key, value };
  }

  delete(key: string): void {
    this.entries.delete(key);
    if (this.large?.key === key) this.large = undefined;
  }
}

/** What a thread has read of the fourteen names. Sums hold for one version, which is read in the snapshot of each query. */
export class PlainCache {
  /** `threads` share what large entries take. */
  constructor(threads = 1) {
    this.values = new CacheWithLarge('values', 'largeValues', threads, ({ bytes }) => bytes);
    this.days = new CacheWithLarge('openDays', 'largeDays', threads, bytesOfDay);
  }

  readonly dayValues = new DayValues();
  /** The reasons for which events are dropped. */
  readonly dropped = new TextValues('dropped', new TextList());
  private readonly values: CacheWithLarge<TextValues>;
  private readonly days: CacheWithLarge<CachedOpenDay>;
  private readonly columns = new ByteCache<ColumnCache>('plainColumns', ({ bytes }) => bytes);
  private readonly sums = new ByteCache<VersionedSums>('sums', ({ sums }) => sums.counts.byteLength);

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

  /** Also where they have grown. */
  setValues(websiteId: number, generation: number, name: StatName, values: TextValues): void {
    this.values.set(`${websiteId} ${generation} ${name}`, values);
  }

  /** Taken out while it is read on: what an error leaves of it may not be true. */
  takeDay(websiteId: number, day: number): CachedOpenDay | undefined {
    const key = `${websiteId} ${day}`;
    const known = this.days.get(key);
    this.days.delete(key);
    return known;
  }

  /** Columns of a website, which a query has for itself. */
  takeColumns(websiteId: number): ColumnCache {
    const known = this.columns.get(String(websiteId));
    this.columns.delete(String(websiteId));
    return known ?? new ColumnCache(1, UNBOUNDED, 'plainColumns');
  }

  setColumns(websiteId: number, columns: ColumnCache): void {
    if (columns.bytes > 0) this.columns.set(String(websiteId), columns);
  }

  setDay(websiteId: number, day: number, cached: CachedOpenDay): void {
    this.days.set(`${websiteId} ${day}`, cached);
  }
}

function bytesOfDay({ counted, hashes, codes }: CachedOpenDay): number {
  let bytes = counted.bytes + hashes.bytes;
  for (const own of codes.values()) bytes += own.codes.byteLength;
  return bytes;
}
