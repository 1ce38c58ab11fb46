import { randomUUID } from 'node:crypto';
import { bytesFor } from '../../common/memory/byte-budget';
import type { DayClock } from '../../common/time/day-clock';
import { KeyedMutex } from '../../common/threads/mutex';
import type { Database } from '../../database/database';
import { LeaseLost } from '../../database/lease';
import { WriteGroup } from '../../database/connections/write-group';
import { CountingLease } from '../websites/counting-lease';
import { Folder } from './folder';

/** As many as one fold takes on SQLite, so that a commit of several folds delays events no longer than one fold. */
const MAX_HITS_PER_COMMIT = 1000;

interface OpenFolder {
  folder: Folder;
  /** As measured after its last turn. */
  bytes: number;
}

/** The folders of the websites that were counted last, as many as fit into the memory for them. */
export class Folders {
  readonly owner = randomUUID();
  private readonly maxBytes = bytesFor('folders');
  private readonly turns = new KeyedMutex<number>();
  /** The one that had its turn last comes last. */
  private readonly open = new Map<number, OpenFolder>();
  private readonly inTurn = new Set<number>();
  private usedBytes = 0;

  /** SQLite's one connection commits in sequence, and each commit waits for the disk. */
  private readonly group: WriteGroup | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: DayClock,
  ) {
    if (database.dialect.oneConnection) this.group = new WriteGroup(database, MAX_HITS_PER_COMMIT);
  }

  /** About how much memory all of them take. */
  get bytes(): number {
    return this.usedBytes;
  }

  /**
   * One piece of work at a time on each website, since each use of its lease shows the token that the use before it
   * left. Undefined while another process holds the lease.
   */
  run<T>(websiteId: number, work: (folder: Folder) => Promise<T>): Promise<T | undefined> {
    return this.turns.run(websiteId, async () => {
      this.inTurn.add(websiteId);
      try {
        const folder = await this.folderOf(websiteId);
        return folder && (await this.inFolder(websiteId, folder, work));
      } finally {
        this.inTurn.delete(websiteId);
        this.makeRoom();
      }
    });
  }

  /**
   * One piece of work on several websites that nobody works on, in the turn of all of them. It may use their leases up,
   * so their folders are dropped.
   */
  async together<T>(websiteIds: number[], work: (idle: number[]) => Promise<T>): Promise<T> {
    const idle = websiteIds.filter((id) => !this.inTurn.has(id) && !this.known(id)?.isWorking);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const begun = idle.map(
      (id) =>
        new Promise<void>((begin) => {
          void this.turns.run(id, () => {
            begin();
            return ended;
          });
        }),
    );
    await Promise.all(begun);
    try {
      return await work(idle);
    } finally {
      for (const id of idle) this.remove(id);
      end();
    }
  }

  /** The folder of a website, if there is one; its lease may be lost by now. */
  known(websiteId: number): Folder | undefined {
    return this.open.get(websiteId)?.folder;
  }

  async release(): Promise<void> {
    await Promise.allSettled([...this.open.values()].map(({ folder }) => folder.lease.release()));
    for (const websiteId of [...this.open.keys()]) this.remove(websiteId);
  }

  private async inFolder<T>(
    websiteId: number,
    folder: Folder,
    work: (folder: Folder) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work(folder);
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.remove(websiteId);
        return undefined;
      }
      folder.distrust();
      throw error;
    } finally {
      if (this.known(websiteId) === folder) this.put(websiteId, folder);
    }
  }

  private async folderOf(websiteId: number): Promise<Folder | undefined> {
    const known = this.known(websiteId);
    if (await known?.lease.isUnbroken()) return known;
    this.remove(websiteId);
    const lease = await CountingLease.take(this.database, websiteId, this.owner);
    if (!lease) return undefined;
    const folder = new Folder(this.database, lease, this.clock, this.group);
    this.put(websiteId, folder);
    return folder;
  }

  /** Measures it, and puts it last. */
  private put(websiteId: number, folder: Folder): void {
    this.remove(websiteId);
    const { bytes } = folder;
    this.open.set(websiteId, { folder, bytes });
    this.usedBytes += bytes;
  }

  private remove(websiteId: number): void {
    this.usedBytes -= this.open.get(websiteId)?.bytes ?? 0;
    this.open.delete(websiteId);
  }

  /**
   * Removes those whose last turn is longest ago; their leases end by themselves, unless they are taken anew before. One
   * with work in progress stays, without its caches.
   */
  private makeRoom(): void {
    for (const [websiteId, open] of this.open) {
      if (this.usedBytes <= this.maxBytes) return;
      if (this.inTurn.has(websiteId)) continue;
      if (open.folder.isWorking) this.shrink(open);
      else this.remove(websiteId);
    }
  }

  private shrink(open: OpenFolder): void {
    open.folder.dropCaches();
    this.usedBytes += open.folder.bytes - open.bytes;
    open.bytes = open.folder.bytes;
  }
}
