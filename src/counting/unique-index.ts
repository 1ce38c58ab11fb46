import { bytesFor } from '../common/byte-budget';
import { yieldIfNeeded } from '../common/yield-if-needed';
import { inChunks, type Insertion, type Queryable } from '../database/rows';
import type { UniqueKey } from './fold';

export const BYTES_PER_KEY = 90;
const KEYS_PER_SORT = 1000;

/**
 * The keys of one website that were counted on days that are not forgotten yet. Only the holder of the website's lease
 * adds keys, so they are looked up before the transaction that inserts them. The cache is valid while the lease is
 * unbroken.
 */
export class UniqueIndex {
  private known = new UniqueKeySet();
  private found = new UniqueKeySet();
  private added = new UniqueKeySet();

  begin(): void {
    this.found = new UniqueKeySet();
    this.added = new UniqueKeySet();
  }

  /** Looks up which of the keys are in the tables. */
  async look(reader: Queryable, websiteId: number, keys: Iterable<UniqueKey>): Promise<void> {
    const unknown = new UniqueKeySet();
    for (const key of keys) if (!this.has(key)) unknown.add(key);
    for (const [day, hashes] of unknown.days)
      for (const chunk of inChunks([...hashes], 500)) {
        const rows = await reader.query<{ hash: Buffer }[]>(
          `SELECT hash FROM seen WHERE website_id = ? AND day = ? AND hash IN (${chunk.map(() => '?').join(', ')})`,
          [websiteId, day, ...chunk.map(bytesOf)],
        );
        for (const { hash } of rows) this.found.add({ day, hash: hash.toString('base64url') });
      }
  }

  /** True for the first claim of a key that was looked up. */
  claim(key: UniqueKey): boolean {
    if (this.has(key)) return false;
    this.added.add(key);
    return true;
  }

  /** The rows of all keys that were claimed. */
  insertion(websiteId: number): Promise<Insertion> {
    return insertionOf(websiteId, [...this.added]);
  }

  remember(): void {
    if (this.bytes > bytesFor('folders') / 2) this.known = new UniqueKeySet();
    for (const keys of [this.found, this.added]) for (const key of keys) this.known.add(key);
    this.begin();
  }

  /** About how much memory the cache takes. */
  get bytes(): number {
    return this.known.size * BYTES_PER_KEY;
  }

  private has(key: UniqueKey): boolean {
    return this.known.has(key) || this.found.has(key) || this.added.has(key);
  }
}

class UniqueKeySet {
  readonly days = new Map<number, Set<string>>();

  get size(): number {
    return [...this.days.values()].reduce((sum, hashes) => sum + hashes.size, 0);
  }

  has({ day, hash }: UniqueKey): boolean {
    return this.days.get(day)?.has(hash) ?? false;
  }

  add({ day, hash }: UniqueKey): void {
    let hashes = this.days.get(day);
    if (!hashes) this.days.set(day, (hashes = new Set()));
    hashes.add(hash);
  }

  *[Symbol.iterator](): Generator<UniqueKey> {
    for (const [day, hashes] of this.days) for (const hash of hashes) yield { day, hash };
  }
}

/** Sorted in pieces only: hashes scatter over the whole index anyway, and one sort of all would hold the event loop. */
async function insertionOf(websiteId: number, keys: UniqueKey[]): Promise<Insertion> {
  const rows: unknown[][] = [];
  for (const chunk of inChunks(keys, KEYS_PER_SORT)) {
    const sorted = chunk.map(({ day, hash }) => ({ day, hash: bytesOf(hash) }));
    sorted.sort((one, other) => one.day - other.day || Buffer.compare(one.hash, other.hash));
    for (const { day, hash } of sorted) rows.push([websiteId, day, hash]);
    await yieldIfNeeded();
  }
  return { table: 'seen', columns: ['website_id', 'day', 'hash'], rows };
}

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, 'base64url');
}
