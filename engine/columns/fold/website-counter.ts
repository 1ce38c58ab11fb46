import { isDeepStrictEqual } from 'node:util';
import { Counter, Durations } from '../../ground/measures';
import type { DayClock } from '../../ground/time/day-clock';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import { changedBy, inChunks, insertAll, type Insertion, type Transaction } from '../../database/rows';
import { readClosedDays, type DaysNoted, noteDays, raiseCountsVersion } from '../closed-days';
import { CHECKPOINTS } from '../checkpoints/checkpoint-rules';
import { droppedInsertion } from '../../hits/events/dropped-events';
import { removeSpans } from '../rollups/rollup-rows';
import type { WriteGroup } from '../../database/connections/write-group';
import { BrowserIds } from './browser-ids';
import { readArchivedFrom } from '../stored-days';
import { type NamesByDay, storeNames } from '../../hits/events/property-names';
import { CheckpointWork, type DaysWithCheckpoints } from '../upkeep/checkpoint-work';
import type { ColumnWork, Prepared } from '../upkeep/column-work';
import type { CountingLease } from '../leases/counting-lease';
import { sealAt } from '../seal/sealing-times';
import { firstForgottenAt, withoutForgottenVisitors } from './forgotten-visitors';
import { type FoldLimits, hitsOf, INBOX_INDEX, type InboxRow, readInbox } from './inbox-reader';
import { BatchWriter } from './batch-writer';
import { PropertyNames } from './website-properties';
import type { EmptyDays } from '../upkeep/division-work';
import { type DaysToClose, nextColumnWork } from '../upkeep/next-column-work';

const LIMITS: FoldLimits = { rows: 4000, hits: 5000, bytes: 2 * 1024 * 1024 };
/** While a fold is applied on the one connection, no event can be accepted. */
const LIMITS_ON_ONE_CONNECTION: FoldLimits = { rows: 1000, hits: 1000, bytes: 512 * 1024 };
const IDS_PER_DELETE = 1000;

const FOLDS = new Durations('fold_seconds', 'Folds of the inbox of a website.');
const HITS = new Counter(
  'folded_hits_total',
  'Hits that folds moved out of the inbox, those with known ids included.',
);
const BATCHES = new Counter('batches_total', 'Batches that folds wrote.');
/** A past day without a new hit for this time is complete. */
const QUIET_MS = 10_000;
/** It limits how long merging delays the next fold. */
const MAX_PASSES = 4;
const BYTES_PER_COUNTER = 4096;
/** What merges and new rollups replace uses storage meanwhile. */
const WORKS_BETWEEN_REMOVALS = 16;

interface PreparedFold {
  ids: number[];
  hits: number;
  days: Set<number>;
  /** Closed days whose rollups do not cover the hits. */
  lateDays: number[];
  changesClosedDays: boolean;
  dropped: Insertion;
  batches: Insertion[];
  propertyNames: NamesByDay;
  /** The first moment at which one of its visitors is forgotten. */
  validUntil: number;
  /** Set if the fold changes the stored progress of the website's days. */
  noted: DaysNoted | undefined;
}

/** Valid while the lease is unbroken. */
type CounterCaches = {
  propertyNames: PropertyNames;
  batches: BatchWriter;
};

/** Rows were removed after they were read, or their visitors were forgotten, so the fold was rolled back. */
class InboxChanged extends Error {}

/**
 * Moves the hits of a website from its inbox into batches. A fold is prepared without a transaction, because only the
 * holder of the lease removes rows of the inbox and adds batches. One short transaction applies it. If anything changed
 * in between, that transaction fails as a whole: by the fence, the number of removed rows, or a primary key.
 */
export class WebsiteCounter {
  /** Tells whether rows were left after the last fold. */
  hasMore = false;
  private caches: CounterCaches;
  private readonly browserIds: BrowserIds;
  private columnWork: ColumnWork | undefined;
  private columnWorks = 0;
  private checkpointWork: CheckpointWork | undefined;
  /** The place up to which a day needs no further look for checkpoints. */
  private readonly checkedTo = new Map<number, number>();
  /** Days whose counts are too large for further checkpoints. */
  private readonly tooLarge = new Set<number>();
  private readonly emptyDays: EmptyDays = new Map();
  private readonly limits: FoldLimits;
  /** Read on demand. */
  private noted: DaysNoted | undefined;
  /** The first day of the last fold, and the moment of its sealing. */
  private first = { day: NaN, sealAt: 0 };
  private readonly foldedAt = new Map<number, number>();

  constructor(
    private readonly database: Database,
    readonly lease: CountingLease,
    private readonly clock: DayClock,
    /** Commits folds of several websites together. */
    private readonly group?: WriteGroup,
    /** Until then, any day may have got hits. */
    private readonly filledBefore = performance.now(),
  ) {
    this.caches = this.emptyCaches();
    this.browserIds = new BrowserIds(lease.websiteId);
    this.limits = database.dialect.oneConnection ? LIMITS_ON_ONE_CONNECTION : LIMITS;
  }

  /** The approximate memory. */
  get bytes(): number {
    return Object.values(this.caches).reduce((sum, { bytes }) => sum + bytes, BYTES_PER_COUNTER);
  }

  /** Tells whether work is in progress, which another counter would have to repeat. */
  get isWorking(): boolean {
    return this.columnWork !== undefined || this.checkpointWork !== undefined;
  }

  /** The caches are read again on demand. */
  dropCaches(): void {
    this.caches = this.emptyCaches();
  }

  /**
   * Call it after an error, because the transaction may or may not be committed. Column work is unaffected: its last
   * transaction compares what it replaces.
   */
  distrust(): void {
    this.lease.doubt();
    this.noted = undefined;
    this.checkedTo.clear();
    this.dropCaches();
  }

  /** Folds a piece of the inbox. Returns the number of hits. */
  foldSome(hits = this.limits.hits): Promise<number> {
    const fold = () => this.foldOnce(hits);
    return this.group?.join(fold) ?? fold();
  }

  private async foldOnce(hits: number): Promise<number> {
    const begunAt = performance.now();
    const prepared = await this.prepare({ ...this.limits, hits });
    if (!prepared) return 0;
    try {
      const apply = (manager: Transaction) => this.apply(manager, prepared);
      await (this.group?.write(apply, prepared.hits) ?? this.database.write(apply));
    } catch (error) {
      if (error instanceof InboxChanged) return 0;
      if (this.browserIds.areLookedUp || !this.database.isDuplicate(error)) throw error;
      this.browserIds.lookUpFromNowOn();
      await this.lease.renewIfDue();
      return this.foldOnce(hits);
    }
    this.lease.noteCommit();
    this.browserIds.remember();
    for (const cache of Object.values(this.caches)) cache.remember();
    this.noteDays(prepared.days);
    this.noted = prepared.noted ?? this.noted;
    FOLDS.add(performance.now() - begunAt);
    HITS.add(prepared.hits);
    for (const { table, rows } of prepared.batches) if (table === 'hit_batches') BATCHES.add(rows.length);
    return prepared.hits;
  }

  /** The next work on closed days. */
  async nextColumns(days: DaysToClose): Promise<ColumnWork | undefined> {
    this.noted = undefined;
    const leavesRemoval = this.columnWorks++ % WORKS_BETWEEN_REMOVALS !== 0;
    const own = { ...days, leavesRemoval, emptyDays: this.emptyDays };
    const next = await nextColumnWork(this.database, this.lease, own);
    this.columnWork = next || undefined;
    return this.columnWork;
  }

  /** Tells whether a day may have enough hits for its next checkpoint. */
  get isCheckpointDue(): boolean {
    return this.caches.batches.hits.some(
      ([day, hits]) => hits >= CHECKPOINTS.hits + (this.checkedTo.get(day) ?? 0),
    );
  }

  /** The next checkpoint of an open day. */
  async nextCheckpoint(days: DaysWithCheckpoints): Promise<CheckpointWork | undefined> {
    const { hits } = this.caches.batches;
    const own = { ...days, tooLarge: this.tooLarge };
    this.checkpointWork = await CheckpointWork.next(this.database, this.lease.websiteId, own);
    if (!this.checkpointWork)
      for (const [day, own] of hits) this.checkedTo.set(day, own - (own % CHECKPOINTS.hits));
    return this.checkpointWork;
  }

  /** Tells whether a day received hits recently, as far as this counter knows. */
  isFilled(day: number): boolean {
    return performance.now() - (this.foldedAt.get(day) ?? this.filledBefore) < QUIET_MS;
  }

  /** For the next counter of the website. */
  get lastFilledAt(): number {
    return Math.max(this.filledBefore, ...this.foldedAt.values());
  }

  /** Writes prepared columns. Returns false if the lease was lost since the preparation. */
  async writeColumns(work: ColumnWork, prepared: Prepared): Promise<boolean> {
    if (!this.works(work)) return false;
    await this.database.write(async (manager) => {
      await this.lease.fence(manager);
      await prepared(manager);
    });
    this.lease.noteCommit();
    this.noted = undefined;
    for (const day of work.days) this.caches.batches.forget(day);
    return true;
  }

  /** Call it when the work ended. */
  endColumns(work: ColumnWork): void {
    if (this.columnWork === work) this.columnWork = undefined;
    if (this.checkpointWork !== work) return;
    if (this.checkpointWork.isTooLarge) this.tooLarge.add(this.checkpointWork.key.day);
    this.checkpointWork = undefined;
  }

  /** Renews the lease during preparation. Returns false if it was lost. */
  async goOnWith(work: ColumnWork): Promise<boolean> {
    await this.lease.renewIfDue();
    return this.works(work);
  }

  /** Merges batches that folds have left. */
  async mergeBatches(): Promise<void> {
    const isLeftOut = (day: number) => this.columnWork?.days.includes(day) ?? false;
    for (let pass = 0; pass < MAX_PASSES && (await this.caches.batches.mergeSome(isLeftOut)); pass++);
  }

  private works(work: ColumnWork): boolean {
    return this.columnWork === work || this.checkpointWork === work;
  }

  private noteDays(days: Iterable<number>): void {
    const now = performance.now();
    for (const [day, at] of this.foldedAt) if (now - at >= QUIET_MS) this.foldedAt.delete(day);
    for (const day of days) this.foldedAt.set(day, now);
  }

  private emptyCaches(): CounterCaches {
    const { database, lease, clock } = this;
    return {
      propertyNames: new PropertyNames(lease.websiteId),
      batches: new BatchWriter(database, lease, clock),
    };
  }

  private async prepare(limits: FoldLimits): Promise<PreparedFold | undefined> {
    const { propertyNames, batches } = this.caches;
    for (const cache of Object.values(this.caches)) cache.begin();
    const { websiteId } = this.lease;
    const { ids, rows, dropped, hasMore } = await readInbox(this.database, websiteId, limits);
    this.hasMore = hasMore;
    if (ids.length === 0) return undefined;
    await this.browserIds.begin(this.database, rows);
    const noted = (this.noted ??= await readClosedDays(this.database, websiteId));
    const { days, validUntil } = await this.addAll(rows);
    const isLate = (day: number) => day < noted.closedBefore;
    const lateDays = [...days].filter(isLate);
    return {
      ids,
      hits: rows.reduce((sum, { size }) => sum + size, dropped.length),
      days,
      lateDays,
      changesClosedDays: lateDays.length > 0 || dropped.some(({ day }) => isLate(day)),
      dropped: droppedInsertion(this.database.dialect, websiteId, dropped),
      batches: await batches.insertions(),
      propertyNames: propertyNames.prepared(),
      validUntil,
      noted: this.notedWith(noted, Math.min(...days)),
    };
  }

  /** Adds the hits of the rows to the caches. */
  private async addAll(rows: InboxRow[]): Promise<Pick<PreparedFold, 'days' | 'validUntil'>> {
    const { propertyNames, batches } = this.caches;
    const [now, days] = [Date.now(), new Set<number>()];
    const archivedFrom = await readArchivedFrom(this.database, this.lease.websiteId);
    let validUntil = Infinity;
    for (const row of rows) {
      const { acceptedAt } = row;
      const unique = this.browserIds.withoutDuplicates(row, hitsOf(this.lease.websiteId, row));
      const unforgotten = withoutForgottenVisitors(unique, acceptedAt, this.clock, now);
      validUntil = Math.min(validUntil, firstForgottenAt(unforgotten, acceptedAt, this.clock));
      // The rest of an archived day would look like the whole.
      const readable = unforgotten.filter(({ day }) => day >= archivedFrom);
      const hits = await propertyNames.limit(this.database, readable);
      for (const { day } of hits) days.add(day);
      await batches.add({ hits, bytes: row.hits.length, acceptedAt });
      await yieldIfNeeded();
    }
    return { days, validUntil };
  }

  /** Closes days before today, and makes days with new hits due. */
  private notedWith(noted: DaysNoted, first: number): DaysNoted | undefined {
    const closedBefore = Math.max(noted.closedBefore, this.clock.dayOf(Date.now()));
    if (first !== Infinity && first !== this.first.day)
      this.first = { day: first, sealAt: sealAt(this.clock, first) };
    const now = {
      closedBefore,
      sealedBefore: Math.min(first, noted.sealedBefore),
      columnsBefore: Math.min(first, noted.columnsBefore),
      dueAt: first === Infinity ? noted.dueAt : Math.min(this.first.sealAt, noted.dueAt),
    };
    return isDeepStrictEqual({ ...noted, ...now }, noted) ? undefined : { ...noted, ...now };
  }

  private async apply(manager: Transaction, fold: PreparedFold): Promise<void> {
    if (Date.now() >= fold.validUntil) throw new InboxChanged();
    await this.lease.fenceCounts(manager);
    // First, so that little is rolled back where an id exists.
    await this.browserIds.insert(manager);
    await this.remove(manager, fold.ids);
    const { websiteId } = this.lease;
    await insertAll(manager, [fold.dropped]);
    await removeSpans(manager, websiteId, fold.lateDays);
    if (fold.changesClosedDays) await raiseCountsVersion(manager, websiteId);
    if (fold.noted) await noteDays(manager, [websiteId], fold.noted);
    await insertAll(manager, fold.batches);
    await storeNames(manager, websiteId, fold.propertyNames);
  }

  /** Removes exactly the rows that were read, because ids are not committed in order. */
  private async remove(manager: Transaction, ids: number[]): Promise<void> {
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
