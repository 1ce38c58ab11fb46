import { LRUCache } from 'lru-cache';
import { bytesFor, type CacheName } from './byte-budget';

/** What a map takes for an entry besides the key's characters and the value. */
const BYTES_PER_ENTRY = 150;
const BYTES_PER_CHARACTER = 2;

/** The results for the keys used last, as many as their bytes allow. A result too large for that is not kept. */
export class ByteCache<V extends NonNullable<unknown>> {
  private cached: LRUCache<string, V> | undefined;

  constructor(
    private readonly name: CacheName | { readonly maxBytes: number },
    private readonly bytesOf: (value: V) => number,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get bytes(): number {
    return this.entries.calculatedSize;
  }

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  getOrMake(key: string, make: (key: string) => V): V {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }

  set(key: string, value: V): void {
    // A value that grew since it was set would keep its size otherwise.
    this.entries.delete(key);
    const size = BYTES_PER_ENTRY + BYTES_PER_CHARACTER * key.length + this.bytesOf(value);
    this.entries.set(copyOf(key), value, { size });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }

  /** Made at the first use: caches of modules exist before the settings are read. */
  private get entries(): LRUCache<string, V> {
    const { name } = this;
    const maxSize = typeof name === 'string' ? bytesFor(name) : name.maxBytes;
    return (this.cached ??= new LRUCache({ maxSize }));
  }
}

/** About what a text takes. */
export function bytesOfText(text: string | null): number {
  return text === null ? 0 : 24 + BYTES_PER_CHARACTER * text.length;
}

/** A part of a header or a body keeps all of it in memory; a text put together anew does not. */
function copyOf(text: string): string {
  return ` ${text}`.slice(1);
}
