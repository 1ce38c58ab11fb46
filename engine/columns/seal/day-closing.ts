import { isDeepStrictEqual } from 'node:util';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { SALT_OUTLIVES_DAY_MS } from '../../hits/rules/salt-lifetime';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import type { Queryable, Transaction, Reading } from '../../database/rows';
import { DamagedDay } from '../damaged-hits';
import {
  DaysChanged,
  detachVisitors,
  HOMES,
  insertColumnDay,
  isRemote,
  removeColumnDay,
} from '../segments/hit-segments';
import { DamagedBatch, type HitColumns } from '../batches/batch';
import {
  readForgetAtOfBatches,
  countForgottenBatches,
  countHitsBetween,
  HitsRemoved,
  removeBatchesBefore,
  readSizeOfBatches,
} from '../batches/batches';
import { checkHashes, DamagedVisitors, readForgetAtOfDay, rowsOfVisitors } from '../ordering/day-visitors';
import { closeDaysBefore, raiseCountsVersion } from '../closed-days';
import { VersionClaimed } from '../homes/remote-versions';
import { HitSums } from '../ordering/hit-sums';
import { SealingDiffers, sumParts } from '../ordering/written-sums';
import { type HitsOfDay, isUnmoved, readDay } from '../stored-days';
import { MAX_TEXT_BYTES } from '../rollups/counted-day';
import { noteForgottenDay } from '../rollups/rollup-rows';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import {
  DAYS,
  pauseIn,
  SegmentWriter,
  TurnEnded,
  type ColumnTurn,
  type ColumnWork,
} from '../upkeep/column-work';
import { DividedDay } from './divided-day';
import { type HitPiece, HitsToSeal } from './hits-to-seal';
import { type DayPartition, PartitionWriter } from './partition-writer';
import { SEALING_LIMITS, SEALING_MEMORY, type SealingLimits } from './sealing-memory';

/** Visitors have different numbers of hits, so partitions of the same average size differ. */
const PARTITION_FULLNESS = 0.9;
/** A smaller day is written, read back and named in one transaction. */
const SMALL_BYTES = 256 * 1024;

/** The size of the written day, and the sums of the hits that were read for it. */
interface WrittenDay {
  parts: number;
  visitors: number;
  sums: HitSums;
}

/**
 * Seals a day: turns the hits of its batches, and of its earlier columns, into columns. It covers the hits at its
 * start; later hits stay in batches. While the salt of the day lives, the hashes of its visitors are stored beside the
 * columns, so that late hits find their visitors. The hits are read once. If they exceed one part, they are divided by
 * visitor into partitions, and one partition after the other becomes parts. The partitions of a large day are read from
 * fragments: once for each column, if all columns together exceed the memory. The result is read back, and its sums are
 * compared with those of the hits.
 */
export class DayClosing implements ColumnWork {
  private readonly limits: SealingLimits;
  private readonly hits: HitsToSeal;
  /** The size of the batches and of their hashes. */
  private storedBytes = 0;
  /** The size of the texts of all batches. */
  private textBytes = 0;
  /** The number of batches without hashes. */
  private forgotten = 0;

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly stored: HitsOfDay,
    /** The number of the segment, or of the fragments before it. */
    private segment: number,
    /** When its visitors are forgotten. Undefined if they already are. */
    private readonly forgetAt: number | undefined,
    limits: Partial<SealingLimits> = {},
    private readonly memory = SEALING_MEMORY,
  ) {
    this.limits = { ...SEALING_LIMITS, ...limits };
    this.hits = new HitsToSeal(database, websiteId, stored);
  }

  get isRemote(): boolean {
    return isRemote(this.stored.columns?.home ?? HOMES.columns);
  }

  get days(): number[] {
    return [this.stored.day];
  }

  async run(turn: ColumnTurn): Promise<void> {
    try {
      await this.memory.takeDuring(this.limits.dayBytes, turn.goOn, () => this.close(turn));
    } catch (error) {
      if (error instanceof DaysChanged || error instanceof VersionClaimed || error instanceof TurnEnded)
        return;
      if (!(error instanceof HitsRemoved || error instanceof DamagedDay)) throw error;
      // Retention removes days and forgets visitors during the work.
      const isDamaged = await isUnmoved(this.database, this.websiteId, this.stored);
      if (!isDamaged) return;
      if (error instanceof HitsRemoved) throw error.asDamage();
      if (this.forgetAt !== undefined || !(error instanceof DamagedVisitors)) throw error;
      // These hashes are no longer usable: the next attempt seals the day without them.
      await turn.write(async (manager) => {
        await detachVisitors(manager, this.websiteId, this.stored.day);
        await this.noteChangedCounts(manager);
      });
    }
  }

  private async close(turn: ColumnTurn): Promise<void> {
    const { database, websiteId, stored, limits } = this;
    if (stored.hits === 0) throw new DamagedBatch({ websiteId, day: stored.day, firstHit: 0 });
    this.forgotten = await this.countForgotten(database);
    const writer = new SegmentWriter(turn, limits.bytesAtOnce);
    const divided = await this.divide(turn, writer);
    if (!divided) return;
    const written = await this.write(turn, writer, divided);
    if (!written) return;
    const isSmall = this.isSmall(writer);
    if (!isSmall) {
      if (!(await writer.flush())) return;
      await this.compare((work) => work(database), written, pauseIn(turn));
      if (!(await turn.goOn())) return;
    }
    const now = await this.database.now();
    const isSealed = await writer.finish(async (manager) => {
      if (isSmall) await this.compare((work) => work(manager), written);
      await this.finish(manager, written, isSmall, now);
    });
    if (isSealed) DAYS.add(1, 'sealed');
  }

  /** Divides the hits into partitions; a small day has one. Undefined if the lease was lost. */
  private async divide(turn: ColumnTurn, writer: SegmentWriter): Promise<(() => DayPartition)[] | undefined> {
    const { database, websiteId, stored, limits } = this;
    const hits = () => this.hits.countPieces(turn.goOn);
    const partitions = await this.countPartitions();
    if (partitions <= 1) return [() => ({ texts: new WebsiteTexts(Infinity), pieces: hits() })];
    const day = {
      websiteId,
      day: stored.day,
      segment: this.segment,
      forgetAt: await this.forgetFragmentsAt(),
    };
    const divided = new DividedDay(database, day, partitions, limits, writer);
    for await (const { hits: some, first, range } of hits())
      if (!(await divided.add(some, first, range))) return undefined;
    if (!(await divided.end())) return undefined;
    // The numbers are those of uses of the lease, and the fragments have used one.
    if (divided.isStored) this.segment++;
    return Array.from({ length: partitions }, (_, partition) => () => ({
      texts: divided.textsOfPartition(),
      pieces: wholeBatches(divided.hitsOf(partition)),
    }));
  }

  /** Writes all parts. Undefined if the lease was lost. */
  private async write(
    turn: ColumnTurn,
    writer: SegmentWriter,
    partitions: (() => DayPartition)[],
  ): Promise<WrittenDay | undefined> {
    const { websiteId, segment, stored, limits, memory } = this;
    const writeHashes = (firstVisitor: number, hashes: Buffer) =>
      this.writeVisitors(writer, firstVisitor, hashes);
    const day = { websiteId, day: stored.day, segment };
    const written = new PartitionWriter(day, limits, memory, writer, turn.goOn, writeHashes);
    for (const partition of partitions) if (!(await written.write(partition))) return undefined;
    if (!(await turn.goOn())) return undefined;
    if (written.hits !== stored.hits) throw new DaysChanged();
    written.sums.addAll(this.hits.sums);
    const { parts, visitors, sums } = written;
    return (await writeHashes(visitors, Buffer.alloc(0))) ? { parts, visitors, sums } : undefined;
  }

  /** Tells whether the day and its batches fit a short transaction. */
  private isSmall(writer: SegmentWriter): boolean {
    const most = Math.min(SMALL_BYTES, this.limits.bytesAtOnce);
    return !writer.hasWritten && writer.bytes + this.storedBytes <= most;
  }

  /** Reads the result back. A transaction needs no further turn. */
  private async compare(
    read: Reading,
    { parts, visitors, sums }: WrittenDay,
    pause = yieldIfNeeded,
  ): Promise<void> {
    const { websiteId, segment, stored } = this;
    const { day } = stored;
    const name = (await sumParts(read, { websiteId, segment, parts, day }, pause)).difference(sums);
    if (name !== undefined) throw new SealingDiffers(websiteId, day, name);
    if (!this.keepsHashes) return;
    const known = await read((reader) =>
      checkHashes(reader, { websiteId, day, sealing: segment }, pause),
    ).catch((error: unknown) => this.throwUnlessForgotten(error));
    if (known !== visitors) throw new SealingDiffers(websiteId, day, 'hashes');
  }

  /** If hashes were forgotten meanwhile, the next attempt leaves them out. */
  private async throwUnlessForgotten(error: unknown): Promise<never> {
    throw this.forgetAt! <= (await this.database.now()) ? new DaysChanged() : error;
  }

  private async countPartitions(): Promise<number> {
    const { database, websiteId, stored, limits } = this;
    const { bytes, storedBytes } = await readSizeOfBatches(database, websiteId, stored.day);
    this.textBytes = bytes;
    this.storedBytes = storedBytes + VISITOR_BYTES * (stored.hits - this.hits.first);
    const before = stored.columns ? stored.columns.lastPart - stored.columns.firstPart + 1 : 0;
    const fits = stored.hits <= limits.hits ? 1 : Math.ceil(stored.hits / (PARTITION_FULLNESS * limits.hits));
    // A day has as many parts as its texts need. A single part may be shared with other days.
    return Math.max(fits, Math.ceil(bytes / limits.textBytes) + Math.max(0, before - 1));
  }

  /** No hash outlives its salt, even if this work is never finished. */
  private async forgetFragmentsAt(): Promise<number> {
    const { database, websiteId, stored, forgetAt } = this;
    if (forgetAt !== undefined) return forgetAt;
    const sealing = stored.columns?.sealing ?? null;
    const moments = [
      await readForgetAtOfBatches(database, websiteId, stored.day),
      sealing === null
        ? undefined
        : await readForgetAtOfDay(database, { websiteId, day: stored.day, sealing }),
    ];
    const known = moments.filter((moment) => moment !== undefined);
    // The names of forgotten visitors are no hashes.
    return known.length > 0 ? Math.min(...known) : (await database.now()) + SALT_OUTLIVES_DAY_MS;
  }

  private async writeVisitors(writer: SegmentWriter, firstVisitor: number, hashes: Buffer): Promise<boolean> {
    const { websiteId, segment: sealing, stored, forgetAt } = this;
    if (!this.keepsHashes) return true;
    const sealed = { websiteId, day: stored.day, sealing, forgetAt: forgetAt! };
    return writer.addVisitors(rowsOfVisitors(sealed, firstVisitor, hashes));
  }

  /**
   * False if some visitors are forgotten: their further hits would not find them, and visitors without a hash look
   * alike.
   */
  private get keepsHashes(): boolean {
    const { forgetAt, forgotten, stored } = this;
    return forgetAt !== undefined && forgotten === 0 && stored.columns?.sealing !== null;
  }

  private countForgotten(reader: Queryable): Promise<number> {
    const { websiteId, stored } = this;
    return countForgottenBatches(reader, websiteId, stored.day, stored.hits);
  }

  /** A small day is written in the same transaction. */
  private async finish(
    manager: Transaction,
    written: WrittenDay,
    isSmall: boolean,
    sealedAt: number,
  ): Promise<void> {
    const { websiteId, segment, stored } = this;
    const { day, hits } = stored;
    const now = await readDay(manager, websiteId, day);
    if (!isDeepStrictEqual(now.columns, stored.columns)) throw new DaysChanged();
    if ((await countHitsBetween(manager, websiteId, day, this.hits.first, hits)) !== hits - this.hits.first)
      throw new DaysChanged();
    // If hashes were forgotten between two passes, hits moved to other partitions: some would be written twice, or not
    // at all.
    if ((await this.countForgotten(manager)) !== this.forgotten) throw new DaysChanged();
    if (stored.columns) await removeColumnDay(manager, websiteId, day, stored.columns);
    // An open day, and one with late hits, have other limits of values.
    if (hits > this.limits.maxValues || this.textBytes >= MAX_TEXT_BYTES)
      await this.noteChangedCounts(manager);
    const sealing = this.keepsHashes ? segment : null;
    const columns = {
      home: HOMES.columns,
      segment,
      firstPart: 0,
      lastPart: written.parts - 1,
      hits,
      sealing,
    };
    const later = Math.max(sealedAt, (stored.columns?.sealedAt ?? 0) + 1);
    await insertColumnDay(manager, websiteId, day, columns, later);
    if (this.forgotten > 0) await noteForgottenDay(manager, websiteId, day);
    // Larger numbers of batches are removed as leftovers.
    if (isSmall) await removeBatchesBefore(manager, websiteId, day, hits);
  }

  /** The answers of the day may change now. */
  private async noteChangedCounts(manager: Transaction): Promise<void> {
    await closeDaysBefore(manager, this.websiteId, this.stored.day + 1);
    await raiseCountsVersion(manager, this.websiteId);
  }
}

async function* wholeBatches(batches: AsyncGenerator<HitColumns>): AsyncGenerator<HitPiece> {
  for await (const hits of batches) yield { hits, range: { from: 0, before: hits.hits } };
}
