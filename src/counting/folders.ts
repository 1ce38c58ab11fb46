import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bytesFor } from '../common/byte-budget';
import { KeyedMutex } from '../common/mutex';
import type { Database } from '../database/database';
import { WriteGroup } from '../database/write-group';
import type { ValueLimits } from '../storage/value-limits';
import { CountingLease, LeaseLost } from './counting-lease';
import { Folder } from './folder';

/** As many as one fold takes on SQLite, so that a commit of several folds delays events no longer than one fold. */
const MAX_HITS_PER_COMMIT = 1000;

/** The folders of the websites that were counted last, as many as their caches fit into the memory for them. */
export class Folders {
  readonly owner = randomUUID();
  private readonly turns = new KeyedMutex<number>();
  private readonly open = new LRUCache<number, Folder>({
    maxSize: bytesFor('folders'),
    sizeCalculation: (folder) => folder.bytes,
  });

  /** SQLite's one connection commits in sequence, and each commit waits for the disk. */
  private readonly group: WriteGroup | undefined;

  constructor(
    private readonly database: Database,
    private readonly valueLimits: ValueLimits,
  ) {
    if (database.dialect.oneConnection) this.group = new WriteGroup(database, MAX_HITS_PER_COMMIT);
  }

  /**
   * One piece of work at a time on each website, since each use of its lease shows the token that the use before it
   * left. Undefined while another process holds the lease. After an error the folder's caches cannot be trusted.
   */
  run<T>(websiteId: number, work: (folder: Folder) => Promise<T>): Promise<T | undefined> {
    return this.turns.run(websiteId, async () => {
      const folder = await this.folderOf(websiteId);
      if (!folder) return undefined;
      try {
        const result = await work(folder);
        this.open.set(websiteId, folder);
        return result;
      } catch (error) {
        this.open.delete(websiteId);
        if (error instanceof LeaseLost) return undefined;
        throw error;
      }
    });
  }

  async release(): Promise<void> {
    await Promise.allSettled([...this.open.values()].map(({ lease }) => lease.release()));
    this.open.clear();
  }

  private async folderOf(websiteId: number): Promise<Folder | undefined> {
    const known = this.open.get(websiteId);
    if (known) return known;
    const lease = await CountingLease.take(this.database, websiteId, this.owner);
    return lease && new Folder(this.database, lease, this.valueLimits, this.group);
  }
}
