import type { DayClock } from '../../ground/time/day-clock';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { changedBy, insertAll, type Insertion } from '../../database/rows';
import type { Database } from '../../database/database';
import type { Hit } from '../../hits/hit';
import { Batch, type BatchKey, type BatchMoments, encodeBatch } from '../batches/batch';
import { BatchBuilder } from '../batches/batch-builder';
import { batchesToMerge, fullnessOf, batchesForLaterMerges } from '../batches/batch-merge-rules';
import {
  BATCH_LIMITS,
  readBatchesBetween,
  batchInsertions,
  type BatchSpan,
  endOf,
  readLastBatches,
  type NewBatch,
} from '../batches/batches';
import { readDay } from '../stored-days';
import type { CountingLease } from '../leases/counting-lease';
import { forgetAt } from '../forget/forgetting';

/** More than stay small, so that a new counter can choose merges. */
const MAX_LOADED = 64;
/** More days than accept hits at the same time. */
const MAX_DAYS = 8;
const BYTES_PER_BATCH = 140;
const TABLES = ['hit_batches', 'batch_visitors'];

/** The hits of a row of the inbox. */
export interface InboxPiece {
  hits: Hit[];
  bytes: number;
  /** By the database's clock. */
  acceptedAt: number;
}

/** The last batches of a day. */
interface DayEnd {
  hits: number;
  batches: BatchSpan[];
}

/** A batch that gets further hits of the same fold. */
interface OpenBatch extends BatchMoments {
  builder: BatchBuilder;
  size: number;
  /** Of the rows of the inbox. */
  bytes: number;
}

/** The batches to merge changed, so the transaction was rolled back. */
class BatchesChanged extends Error {}

/**
 * Adds hits to their days, and merges small batches. Its knowledge is valid while the website's lease is unbroken: only
 * the holder changes batches, but retention may remove whole days.
 */
export class BatchWriter {
  private readonly days = new Map<number, DayEnd>();
  private added = new Map<number, DayEnd>();
  private open = new Map<number, OpenBatch>();
  private encoded: NewBatch[] = [];

  constructor(
    private readonly database: Database,
    private readonly lease: CountingLease,
    private readonly clock: DayClock,
  ) {}

  /** The approximate memory. */
  get bytes(): number {
    return [...this.days.values()].reduce(
      (sum, { batches }) => sum + (batches.length + 1) * BYTES_PER_BATCH,
      0,
    );
  }

  /** The number of hits of each recent day. */
  get hits(): [day: number, hits: number][] {
    return [...this.days].map(([day, { hits }]) => [day, hits]);
  }

  /** Discards the preparation of a transaction that was not committed. */
  begin(): void {
    this.added = new Map();
    this.open = new Map();
    this.encoded = [];
  }

  /** Adds hits in the order of their acceptance. */
  async add(piece: InboxPiece): Promise<void> {
    for (const [day, hits] of byDay(piece.hits)) {
      const known = this.open.get(day);
      if (known && known.bytes + piece.bytes > BATCH_LIMITS.storedBytes) await this.close(day, known);
      const open = this.open.get(day) ?? {
        builder: new BatchBuilder(),
        size: 0,
        bytes: 0,
        lastAt: 0,
        forgetAt: 0,
      };
      this.open.set(day, open);
      open.builder.add(hits);
      open.size += hits.length;
      open.bytes += piece.bytes;
      open.lastAt = Math.max(open.lastAt, lastIn(hits));
      open.forgetAt = Math.max(open.forgetAt, forgetAt(this.clock, day, piece.acceptedAt));
    }
  }

  /** The rows for the added hits. */
  async insertions(): Promise<Insertion[]> {
    for (const [day, open] of this.open) await this.close(day, open);
    return batchInsertions(this.encoded);
  }

  /** Call it after the commit. */
  remember(): void {
    for (const [day, end] of this.added) {
      this.days.delete(day);
      this.days.set(day, end);
    }
    for (const day of this.days.keys()) if (this.days.size > MAX_DAYS) this.days.delete(day);
    this.begin();
  }

  /** Call it when other work changed the day's batches. */
  forget(day: number): void {
    this.days.delete(day);
  }

  /** Merges batches if too many are small. Returns false if not. */
  async mergeSome(isLeftOut: (day: number) => boolean): Promise<boolean> {
    for (const [day, { batches }] of this.days) {
      const run = isLeftOut(day) ? undefined : batchesToMerge(batches);
      if (!run) continue;
      await this.merge(day, run);
      return true;
    }
    return false;
  }

  private async close(day: number, { builder, size, lastAt, forgetAt }: OpenBatch): Promise<void> {
    this.open.delete(day);
    const { hits, batches } = await this.endOf(day);
    const batch = await this.encode({ day, firstHit: hits, size }, { lastAt, forgetAt }, builder);
    this.encoded.push(batch);
    this.added.set(day, { hits: hits + size, batches: batchesForLaterMerges([...batches, spanOf(batch)]) });
  }

  private async endOf(day: number): Promise<DayEnd> {
    const known = this.added.get(day) ?? this.days.get(day);
    if (known) return known;
    const batches = await readLastBatches(this.database, this.lease.websiteId, day, MAX_LOADED);
    const last = batches.at(-1);
    const hits = last ? endOf(last) : (await readDay(this.database, this.lease.websiteId, day)).hits;
    return { hits, batches: batchesForLaterMerges(batches) };
  }

  private async merge(day: number, run: BatchSpan[]): Promise<void> {
    const { batches } = this.days.get(day)!;
    try {
      const at = batches.indexOf(run[0]!);
      const { merged, length } = await this.mergeBatches(day, run);
      this.days.get(day)!.batches = batchesForLaterMerges(batches.toSpliced(at, length, merged));
    } catch (error) {
      if (!(error instanceof BatchesChanged)) throw error;
      this.days.delete(day);
    }
  }

  /** Merges the first batches that fit into one: merged codes may need wider numbers. */
  private async mergeBatches(day: number, run: BatchSpan[]): Promise<{ merged: BatchSpan; length: number }> {
    for (let length = run.length; length > 1; length = Math.ceil(length / 2) - Number(length === 2)) {
      const merged = await this.write(day, run.slice(0, length));
      if (merged) return { merged, length };
    }
    return { merged: { ...run[0]!, storedBytes: BATCH_LIMITS.storedBytes }, length: 1 };
  }

  /**
   * Prepares the batch without a transaction. A short transaction removes exactly the batches that were read. Undefined
   * if the result is too large.
   */
  private async write(day: number, run: BatchSpan[]): Promise<BatchSpan | undefined> {
    const { websiteId } = this.lease;
    const [firstHit, lastHit] = [run[0]!.firstHit, run.at(-1)!.firstHit];
    const stored = await readBatchesBetween(this.database, websiteId, day, firstHit, lastHit);
    if (stored.length !== run.length || stored.some(({ hashes }) => !hashes)) throw new BatchesChanged();
    const builder = new BatchBuilder();
    for (const batch of stored) {
      builder.addColumns(await Batch.open(batch));
      await yieldIfNeeded();
    }
    const size = run.reduce((sum, own) => sum + own.size, 0);
    const moments = {
      lastAt: Math.max(...stored.map((own) => own.lastAt)),
      forgetAt: this.forgetAtOf(day, stored),
    };
    const merged = await this.encode({ day, firstHit, size }, moments, builder);
    if (fullnessOf(merged) > 1) return undefined;
    await this.database.write(async (manager) => {
      await this.lease.fence(manager);
      for (const table of TABLES) {
        const removed = await changedBy(
          manager,
          `DELETE FROM ${table} WHERE website_id = ? AND day = ? AND first_hit BETWEEN ? AND ?`,
          [websiteId, day, firstHit, lastHit],
        );
        if (removed !== run.length) throw new BatchesChanged();
      }
      await insertAll(manager, batchInsertions([merged]));
    });
    this.lease.noteCommit();
    return spanOf(merged);
  }

  /** Visitors who are forgotten with the day's salt are never kept for longer, whoever shares their batch. */
  private forgetAtOf(day: number, merged: readonly BatchMoments[]): number {
    const withSalt = forgetAt(this.clock, day, 0);
    const moments = merged.map((own) => own.forgetAt);
    return Math.min(...moments) <= withSalt ? withSalt : Math.max(...moments);
  }

  private async encode(
    place: Omit<BatchKey, 'websiteId'>,
    moments: BatchMoments,
    builder: BatchBuilder,
  ): Promise<NewBatch> {
    const key = { websiteId: this.lease.websiteId, ...place };
    const encoded = await encodeBatch(key, builder.columns());
    return { ...key, ...moments, encoded, bytes: encoded.bytes, storedBytes: encoded.data.length };
  }
}

function spanOf({ firstHit, size, bytes, storedBytes }: BatchSpan): BatchSpan {
  return { firstHit, size, bytes, storedBytes };
}

function byDay(hits: Hit[]): Iterable<[day: number, hits: Hit[]]> {
  const days = new Set(hits.map(({ day }) => day));
  if (days.size === 1) return [[hits[0]!.day, hits]];
  return Array.from(days, (day) => [day, hits.filter((hit) => hit.day === day)]);
}

function lastIn(hits: Hit[]): number {
  return hits.reduce((last, { at }) => Math.max(last, at), 0);
}
