import type { EntityManager } from 'typeorm';
import type { DayClock } from '../common/day-clock';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { changedBy, inChunks, insertAll, type Insertion } from '../database/rows';
import { closedDays, type ColumnsNoted, noteColumns } from '../storage/closed-days';
import { applyCounts, type Increment, type PreparedCounts, prepareCounts } from '../storage/counters';
import { Dictionary } from '../storage/dictionary';
import type { DroppedCount } from '../storage/dropped';
import type { Hit } from '../storage/hit';
import type { WriteGroup } from '../database/write-group';
import { withoutDuplicates } from './browser-ids';
import { type NamesByDay, storeNames } from '../storage/property-names';
import { VALUE_LIMITS, type ValueLimits } from '../storage/value-limits';
import type { Prepared } from '../storage/day-counts';
import type { ColumnWork } from './column-work';
import type { CountingLease } from './counting-lease';
import { sealAt } from './kept';
import { fold, Increments, type UniqueKey, uniqueKeysOf, withUniqueKeys } from './fold';
import { type Calendar, MAX_OPEN_ROWS, packOpenDay, packSome } from './packer';
import { firstForgottenAt, withoutForgottenVisitors } from './forgotten-visitors';
import { type FoldLimits, INBOX_INDEX, readInbox } from './inbox-reader';
import { BatchWriter } from './batch-writer';
import { PropertyNames } from './property-names';
import { UniqueIndex } from './unique-index';
import { UnusedNumbers } from './unused-numbers';
import { type DaysToClose, nextColumnWork } from './untold-days';

const LIMITS: FoldLimits = { rows: 4000, hits: 5000, bytes: 2 * 1024 * 1024 };
/** While a fold is applied on the one connection, no event can be accepted. */
const LIMITS_ON_ONE_CONNECTION: FoldLimits = { rows: 1000, hits: 1000, bytes: 512 * 1024 };
const HITS_PER_SLICE = 250;
const IDS_PER_DELETE = 1000;
/** A past day of which no hit came for so long is complete. */
const QUIET_MS = 10_000;
/** Bounds how long packing delays the next fold. */
const MAX_PASSES = 4;
const BYTES_PER_FOLDER = 4096;

interface PreparedFold {
  ids: number[];
  hits: number;
  /** How many rows of counters are added at most. */
  rows: number;
  days: Set<number>;
  counts: PreparedCounts;
  eventIds: Insertion;
  seen: Insertion;
  batches: Insertion[];
  propertyNames: NamesByDay;
  /** When the first of its visitors is forgotten. */
  validUntil: number;
  /** Where one of its days comes before those that columns were noted for, or has to become columns earlier. */
  reopens: ColumnsNoted | undefined;
}

/** What is right while the lease is unbroken. */
type FolderCaches = {
  dictionary: Dictionary;
  seen: UniqueIndex;
  propertyNames: PropertyNames;
  batches: BatchWriter;
};

/** The rows that were read are not all there any more, or visitors of theirs are forgotten, so the fold was rolled back. */
class InboxChanged extends Error {}

/**
 * Moves the hits of one website from its inbox into its counters and the batches of its days. A fold is prepared without a
 * transaction, since only the holder of the lease removes rows of the inbox and adds values and keys. Then one short
 * transaction applies it. Where anything changed in between, the fence, the number of removed rows or a primary key
 * makes that transaction fail as a whole.
 */
export class Folder {
  /** Whether the last fold left rows behind. */
  hasMore = false;
  /** At most so many rows of counters were added since no open day had too many; unknown of a new folder. */
  private unpackedRows = MAX_OPEN_ROWS;
  readonly unused: UnusedNumbers;
  private caches: FolderCaches;
  private columnWork: ColumnWork | undefined;
  private readonly limits: FoldLimits;
  /** Looked up when it is needed. */
  private columns: ColumnsNoted | undefined;
  /** The first day of the last fold, and when it gets columns. */
  private first = { day: NaN, sealAt: 0 };
  private readonly openedAt = performance.now();
  private readonly foldedAt = new Map<number, number>();

  constructor(
    private readonly database: Database,
    readonly lease: CountingLease,
    private readonly clock: DayClock,
    private readonly valueLimits: ValueLimits = VALUE_LIMITS,
    /** Where folds of several websites are committed together. */
    private readonly group?: WriteGroup,
  ) {
    this.unused = new UnusedNumbers(database, lease);
    this.caches = this.emptyCaches();
    this.limits = database.dialect.oneConnection ? LIMITS_ON_ONE_CONNECTION : LIMITS;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    const parts = [...Object.values(this.caches), this.unused];
    return parts.reduce((sum, { bytes }) => sum + bytes, BYTES_PER_FOLDER);
  }

  /** Whether there is work in progress, which would have to be done anew by another folder. */
  get isWorking(): boolean {
    return this.columnWork !== undefined || this.unused.isUnderWay;
  }

  /** What is in them is read again when it is needed. */
  dropCaches(): void {
    this.caches = this.emptyCaches();
  }

  /**
   * Call after an error: nobody knows whether a transaction was committed. Columns in progress say nothing about that:
   * what they replace is compared once more in the transaction that replaces it.
   */
  distrust(): void {
    this.lease.doubt();
    this.columns = undefined;
    this.dropCaches();
    this.unused.restart();
  }

  /** Folds a piece of the inbox; returns how many hits it took. */
  foldSome(hits = this.limits.hits): Promise<number> {
    const fold = () => this.foldOnce(hits);
    return this.group?.join(fold) ?? fold();
  }

  private async foldOnce(hits: number): Promise<number> {
    const prepared = await this.prepare({ ...this.limits, hits });
    if (!prepared) return 0;
    try {
      const apply = (manager: EntityManager) => this.apply(manager, prepared);
      await (this.group?.write(apply, prepared.hits) ?? this.database.write(apply));
    } catch (error) {
      if (error instanceof InboxChanged) return 0;
      throw error;
    }
    this.lease.committed();
    for (const cache of Object.values(this.caches)) cache.remember();
    this.unused.noteCounted(prepared.counts.counters.rows);
    this.unpackedRows += prepared.rows;
    this.noteDays(prepared.days);
    this.columns = prepared.reopens ?? this.columns;
    return prepared.hits;
  }

  /**
   * Packs the next piece of closed days, or frees numbers of unused values. False where there is nothing to do, and the
   * unused numbers where they have to be searched for.
   */
  async pack(calendar: Calendar): Promise<boolean | UnusedNumbers> {
    const packed = await packSome(this.database, this.lease, calendar);
    if (packed?.removesCounts) this.unused.restart();
    return packed !== undefined || this.unused.freeSome();
  }

  /** What has to become columns or other ones. */
  async nextColumns(days: DaysToClose): Promise<ColumnWork | undefined> {
    this.columns = undefined;
    this.columnWork = (await nextColumnWork(this.database, this.lease, days)) || undefined;
    return this.columnWork;
  }

  /** Whether hits of a day came of late, as far as this folder knows. */
  isFilled(day: number): boolean {
    return performance.now() - (this.foldedAt.get(day) ?? this.openedAt) < QUIET_MS;
  }

  /** Writes what was prepared of columns; false where the lease was lost since then. */
  async writeColumns(work: ColumnWork, prepared: Prepared): Promise<boolean> {
    if (this.columnWork !== work) return false;
    await this.database.write(async (manager) => {
      await this.lease.fence(manager);
      await prepared(manager);
    });
    this.lease.committed();
    for (const day of work.days) this.caches.batches.forget(day);
    return true;
  }

  /** The work has ended, done or not. */
  endColumns(work: ColumnWork): void {
    if (this.columnWork === work) this.columnWork = undefined;
  }

  /** Keeps the lease alive while columns are prepared; false where it was lost since then. */
  async goOnWith(work: ColumnWork): Promise<boolean> {
    await this.lease.renewIfDue();
    return this.columnWork === work;
  }

  /** Packs rows of an open day where folds may have left many. */
  async packOpenDay(): Promise<void> {
    for (let pass = 0; pass < MAX_PASSES && this.unpackedRows >= MAX_OPEN_ROWS; pass++)
      if (!(await packOpenDay(this.database, this.lease))) this.unpackedRows = 0;
  }

  /** Merges batches where folds have left many. */
  async mergeBatches(): Promise<void> {
    const isLeftOut = (day: number) => this.columnWork?.days.includes(day) ?? false;
    for (let pass = 0; pass < MAX_PASSES && (await this.caches.batches.mergeSome(isLeftOut)); pass++);
  }

  private noteDays(days: Iterable<number>): void {
    const now = performance.now();
    for (const [day, at] of this.foldedAt) if (now - at >= QUIET_MS) this.foldedAt.delete(day);
    for (const day of days) this.foldedAt.set(day, now);
  }

  private emptyCaches(): FolderCaches {
    const { database, lease, clock } = this;
    return {
      dictionary: new Dictionary(database.dialect, lease.websiteId, this.valueLimits),
      seen: new UniqueIndex(),
      propertyNames: new PropertyNames(lease.websiteId),
      batches: new BatchWriter(database, lease, clock),
    };
  }

  private async prepare(limits: FoldLimits): Promise<PreparedFold | undefined> {
    const { dictionary, seen, propertyNames, batches } = this.caches;
    for (const cache of Object.values(this.caches)) cache.begin();
    const { websiteId } = this.lease;
    const { ids, pieces, dropped, hasMore } = await readInbox(this.database, websiteId, limits);
    this.hasMore = hasMore;
    if (ids.length === 0) return undefined;
    const unique = await withoutDuplicates(this.database, websiteId, pieces);
    const told = withoutForgottenVisitors(unique.pieces, this.clock, Date.now());
    const kept = await propertyNames.limit(this.database, told);
    const increments = await this.count(
      kept.flatMap((piece) => piece.hits),
      dropped,
    );
    const { dialect } = this.database;
    return {
      ids,
      hits: pieces.reduce((sum, piece) => sum + piece.hits.length, dropped.length),
      rows: increments.length,
      days: new Set(increments.map(({ day }) => day)),
      eventIds: unique.ids,
      counts: await prepareCounts(dialect, this.database, websiteId, dictionary, increments),
      seen: await seen.insertion(websiteId),
      batches: await batches.insertions(kept),
      propertyNames: propertyNames.prepared(),
      validUntil: firstForgottenAt(told, this.clock),
      reopens: await this.reopened(increments),
    };
  }

  private async reopened(increments: Increment[]): Promise<ColumnsNoted | undefined> {
    const noted = (this.columns ??= await closedDays(this.database, this.lease.websiteId));
    const first = increments.reduce((least, { day }) => Math.min(least, day), Infinity);
    if (first === Infinity) return undefined;
    if (first !== this.first.day) this.first = { day: first, sealAt: sealAt(this.clock, first) };
    const dueAt = this.first.sealAt;
    if (first >= noted.sealedBefore && first >= noted.columnsBefore && dueAt >= noted.dueAt) return undefined;
    return {
      sealedBefore: Math.min(first, noted.sealedBefore),
      columnsBefore: Math.min(first, noted.columnsBefore),
      dueAt: Math.min(dueAt, noted.dueAt),
    };
  }

  private async count(hits: Hit[], dropped: DroppedCount[]) {
    const increments = new Increments();
    for (const { day, reason, count } of dropped) increments.add('dropped', day, reason, count);
    const { seen } = this.caches;
    const isNew = (key: UniqueKey) => seen.claim(key);
    for (const slice of inChunks(hits, HITS_PER_SLICE)) {
      const withKeys = slice.map(withUniqueKeys);
      await seen.look(this.database, this.lease.websiteId, uniqueKeysOf(withKeys));
      fold(withKeys, isNew, increments);
      await yieldIfNeeded();
    }
    return [...increments.entries()];
  }

  private async apply(manager: EntityManager, fold: PreparedFold): Promise<void> {
    if (Date.now() >= fold.validUntil) throw new InboxChanged();
    await this.lease.fenceCounts(manager);
    await this.remove(manager, fold.ids);
    await insertAll(manager, [fold.eventIds, fold.seen]);
    await applyCounts(manager, this.lease.websiteId, fold.counts);
    if (fold.reopens !== undefined) await noteColumns(manager, [this.lease.websiteId], fold.reopens);
    await insertAll(manager, fold.batches);
    await storeNames(manager, this.lease.websiteId, fold.propertyNames);
  }

  /** Removes exactly the rows that were read: ids are not committed in their order. */
  private async remove(manager: EntityManager, ids: number[]): Promise<void> {
    const deletion = this.database.dialect.deleteByIndex('inbox', INBOX_INDEX);
    for (const some of inChunks(ids, IDS_PER_DELETE)) {
      const removed = await changedBy(
        manager,
        `${deletion} WHERE website_id = ? AND id IN (${some.map(() => '?').join(', ')})`,
        [this.lease.websiteId, ...some],
      );
      if (removed !== some.length) throw new InboxChanged();
    }
  }
}
