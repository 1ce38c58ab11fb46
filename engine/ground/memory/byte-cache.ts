import { LRUCache } from 'lru-cache';
import { bytesOfCache, type CacheSize } from './memory-limits';
import { CacheMeasure } from './cache-measure';

/** The overhead of an entry besides its key and value. */
const BYTES_PER_ENTRY = 150;
const BYTES_PER_CHARACTER = 2;
const BYTES_PER_NUMBER = 16;

/** The most recently used results, within a byte limit. A result that exceeds the limit is not cached. */
export class ByteCache<V extends NonNullable<unknown>, K extends string | number = string> {
  private cached: LRUCache<K, V> | undefined;
  private readonly measure: CacheMeasure;

  constructor(
    private readonly maxSize: CacheSize,
    private readonly bytesOf: (value: V) => number,
    /** Entries leave this long after they were set. Without it, they leave only for others. */
    private readonly maxAgeMs = 0,
  ) {
    this.measure = new CacheMeasure(maxSize);
  }

  get size(): number {
    return this.entries.size;
  }

  get bytes(): number {
    return this.entries.calculatedSize;
  }

  get(key: K): V | undefined {
    const known = this.entries.get(key);
    this.measure.look(known !== undefined);
    return known;
  }

  getOrMake(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }

  set(key: K, value: V): void {
    // Setting the same object again would not update its size, though it may have grown.
    this.entries.delete(key);
    const bytesOfKey = typeof key === 'string' ? BYTES_PER_CHARACTER * key.length : BYTES_PER_NUMBER;
    const size = BYTES_PER_ENTRY + bytesOfKey + this.bytesOf(value);
    this.entries.set(copyOf(key), value, { size });
    this.measure.holds(this.bytes);
  }

  delete(key: K): void {
    this.entries.delete(key);
    this.measure.holds(this.bytes);
  }

  /** Old entries are not found, but take memory until they are dropped. */
  dropOld(): void {
    this.entries.purgeStale();
    this.measure.holds(this.bytes);
  }

  clear(): void {
    this.entries.clear();
    this.measure.holds(0);
  }

  /** Created at the first use, because caches of modules exist before the settings are read. */
  private get entries(): LRUCache<K, V> {
    return (this.cached ??= new LRUCache({ maxSize: bytesOfCache(this.maxSize), ttl: this.maxAgeMs }));
  }
}

/** The approximate memory of a text. */
export function bytesOfText(text: string | null): number {
  return text === null ? 0 : 24 + BYTES_PER_CHARACTER * text.length;
}

/** A slice of a header or body would hold the whole text in memory; a concatenated text does not. */
function copyOf<K extends string | number>(key: K): K {
  return typeof key === 'string' ? (` ${key}`.slice(1) as K) : key;
}
