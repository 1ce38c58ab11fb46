import type { Database } from '../database/database';
import { closedDays, noteUnused } from '../storage/closed-days';
import { DIMENSIONS } from '../storage/dimensions';
import { freeIds, type MayGoOn, unusedIds } from '../storage/unused-values';
import type { CountingLease } from './counting-lease';

const CODES = Object.values(DIMENSIONS)
  .map(({ code }) => code)
  .sort((one, other) => one - other);
/** Values are removed in pieces that do not keep a fold waiting for long. */
const MAX_FREED = 5000;
const BYTES_PER_FOUND = 8;
const BYTES_PER_COUNTED = 40;
/** All segments of a name are read in one snapshot. */
const SEARCH_PATIENCE_MS = 300_000;

/**
 * Frees the numbers of values that no counter uses, one name after the other. They are searched for in a snapshot while
 * the website's events are counted; what was counted since then is left out. That is safe while the lease is unbroken,
 * since nobody else counts.
 */
export class UnusedNumbers {
  /** The names that are still to be searched; undefined before a search. */
  private names: number[] | undefined;
  private name = 0;
  private found: number[] = [];
  private readonly countedSince = new Set<number>();

  constructor(
    private readonly database: Database,
    private readonly lease: CountingLease,
  ) {}

  /** About how much memory it takes. */
  get bytes(): number {
    return BYTES_PER_FOUND * this.found.length + BYTES_PER_COUNTED * this.countedSince.size;
  }

  /** Whether a search was begun, of which not all was freed. */
  get isUnderWay(): boolean {
    return this.names !== undefined;
  }

  /** To be called after each fold, with the rows that it added to. */
  noteCounted(counters: unknown[][]): void {
    if (this.name === 0) return;
    for (const [, name, , id] of counters) if (name === this.name) this.countedSince.add(id as number);
  }

  /** Begins again: counters were removed, so more values may be unused. */
  restart(): void {
    this.names = undefined;
    this.searchIn(0, []);
  }

  /**
   * Frees a piece of what was found, in the website's turn. False where there is nothing to do, and itself where a
   * search has to come first.
   */
  async freeSome(): Promise<boolean | this> {
    const { database, lease } = this;
    const { websiteId } = lease;
    const { unusedFrom } = await closedDays(database, websiteId);
    if (unusedFrom === 0) return false;
    this.names ??= CODES.filter((code) => code >= unusedFrom);
    if (this.found.length === 0 && this.names.length > 0) return this;
    const { name } = this;
    const ids = this.found.splice(-MAX_FREED).filter((id) => !this.countedSince.has(id));
    const isLast = this.found.length === 0 && this.names.length === 0;
    await database.write(async (manager) => {
      await lease.fence(manager);
      if (ids.length > 0)
        await freeIds(
          manager,
          { websiteId, name },
          ids.sort((one, other) => one - other),
        );
      await noteUnused(manager, websiteId, isLast ? 0 : name);
    });
    lease.committed();
    if (isLast) this.restart();
    return true;
  }

  /** Searches for unused numbers, up to the first name that has any; other work may have its turn meanwhile. */
  async search(mayGoOn: MayGoOn): Promise<void> {
    const { names } = this;
    while (names && names === this.names && this.found.length === 0 && names.length > 0) {
      this.searchIn(names[0]!, []);
      const counters = { websiteId: this.lease.websiteId, name: this.name };
      const found = await this.database.readApart(
        (manager) => unusedIds(manager, counters, mayGoOn),
        SEARCH_PATIENCE_MS,
      );
      if (!found || names !== this.names) return;
      names.shift();
      this.found = found;
    }
  }

  /** Numbers that are counted from now on are left out. */
  private searchIn(name: number, found: number[]): void {
    this.name = name;
    this.found = found;
    this.countedSince.clear();
  }
}
