import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { bytesOfPool } from '../common/byte-budget';
import { VISITOR_BYTES } from '../common/visitor-bytes';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import type { Queryable } from '../database/rows';
import { DayBuilder } from '../storage/day-builder';
import { type ColumnDay, DaysChanged, insertColumnDay, removeColumnDay, unname } from '../storage/hit-chunks';
import { partsOfDay, type Reading } from '../storage/hits-in-columns';
import { DamagedBatch, type HitColumns } from '../storage/hits/batch';
import {
  forgottenBatches,
  hitsBetween,
  HitsRemoved,
  removeBatchesBefore,
  sizeOfBatches,
} from '../storage/hits/batches';
import { columnsOfStretch } from '../storage/hits/columns-of-stretch';
import { DamagedVisitors, rowsOfVisitors, VisitorHashes } from '../storage/hits/day-visitors';
import { Partition } from '../storage/hits/partition';
import { batchesFrom, type HitsOfDay, isAsItWas, keptDay } from '../storage/kept-hits';
import { encodedPart, HITS_OF_PART } from '../storage/part-format';
import { rowsOfPart } from '../storage/part-rows';
import { WebsiteTexts } from '../storage/text-codes';
import { BYTES_AT_ONCE, ChunkWriter, type ColumnTurn, type ColumnWork } from './column-work';

export interface ClosingLimits {
  /** About how many hits a part has; more only where one visitor has more. */
  hits: number;
  /** Of the texts in a part. */
  textBytes: number;
  /** What parts that are made in one reading of a day take in memory together. */
  bytesTogether: number;
  /** What a transaction writes or removes. */
  bytesAtOnce: number;
}

const LIMITS: ClosingLimits = {
  bytesAtOnce: BYTES_AT_ONCE,
  hits: HITS_OF_PART,
  textBytes: 16 * 1024 * 1024,
  bytesTogether: bytesOfPool('sealing') / 2,
};

/** Its texts are its own, so that they go with a part that is put off. */
interface BuiltPart {
  builder: DayBuilder;
  texts: WebsiteTexts;
}

/** Hits of a day that follow one another, as they stand in it. */
interface DayPiece {
  hits: HitColumns;
  /** The place of the first of them. */
  first: number;
  /** Which of them are asked for, by their numbers. */
  rows: { from: number; before: number };
}

/**
 * Turns the hits of a day into columns: those of its batches and, where it has columns already, those of these. It covers
 * the hits that there were when it began; what comes meanwhile stays in batches. While the salt of the day lives, the
 * hashes of its visitors are kept beside the columns, so that late hits find their visitors.
 */
export class DayClosing implements ColumnWork {
  private readonly limits: ClosingLimits;
  /** Of the batches, with the hashes of their visitors. */
  private storedBytes = 0;
  /** Batches without these. */
  private forgotten = 0;

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly kept: HitsOfDay,
    /** The number of the chunk. */
    private readonly chunk: number,
    /** When its visitors are forgotten; undefined where they are already. */
    private readonly forgetAt: number | undefined,
    limits: Partial<ClosingLimits> = {},
  ) {
    this.limits = { ...LIMITS, ...limits };
  }

  get days(): number[] {
    return [this.kept.day];
  }

  /** The place of the first hit that is in no column. */
  private get first(): number {
    return this.kept.columns?.hits ?? 0;
  }

  async run(turn: ColumnTurn): Promise<void> {
    try {
      await this.close(turn);
    } catch (error) {
      if (error instanceof DaysChanged) return;
      if (!(error instanceof HitsRemoved || error instanceof DamagedVisitors)) throw error;
      // Days are removed, and visitors forgotten, whoever works on them.
      const isDamaged = await isAsItWas(this.database, this.websiteId, this.kept);
      if (!isDamaged) return;
      if (error instanceof HitsRemoved) throw error.asDamage();
      if (this.forgetAt !== undefined) throw error;
      // These hashes are of no use for longer: the day is closed without them next.
      await turn.write((manager) => unname(manager, this.websiteId, this.kept.day));
    }
  }

  private async close(turn: ColumnTurn): Promise<void> {
    const { database, websiteId, kept } = this;
    if (kept.hits === 0) throw new DamagedBatch({ websiteId, day: kept.day, firstHit: 0 });
    this.forgotten = await this.countForgotten(database);
    const writer = new ChunkWriter(turn, this.limits.bytesAtOnce);
    const parts = await this.write(turn, writer);
    if (parts === undefined) return;
    await writer.finish((manager) => this.finish(manager, parts));
  }

  /** Writes all parts; how many, or undefined where there is no turn any more. */
  private async write(turn: ColumnTurn, writer: ChunkWriter): Promise<number | undefined> {
    const { websiteId, chunk, kept } = this;
    const partition = new Partition(await this.partsNeeded());
    let [part, visitors, found] = [0, 0, 0];
    for (let first = 0; first < partition.parts;) {
      const built = await this.built(turn, partition, first);
      if (!built) return undefined;
      first += built.length;
      for (let one = built.shift(); one; one = built.shift()) {
        const { builder, texts } = one;
        if (builder.hits === 0) continue;
        found += builder.hits;
        const columns = builder.columns();
        const rows = rowsOfPart({ websiteId, chunk, part: part++ }, await encodedPart([columns], texts));
        if (!(await writer.add(rows, kept.day))) return undefined;
        if (!(await this.writeVisitors(writer, visitors, builder.hashes()))) return undefined;
        visitors += columns.visitors;
        if (!(await turn.goOn())) return undefined;
      }
    }
    if (found !== kept.hits) throw new DaysChanged();
    return (await this.writeVisitors(writer, visitors, Buffer.alloc(0))) ? part : undefined;
  }

  private async partsNeeded(): Promise<number> {
    const { database, websiteId, kept, limits } = this;
    const { bytes, storedBytes } = await sizeOfBatches(database, websiteId, kept.day);
    this.storedBytes = storedBytes + VISITOR_BYTES * (kept.hits - this.first);
    const before = kept.columns ? kept.columns.lastPart - kept.columns.firstPart + 1 : 0;
    return Math.max(
      Math.ceil(kept.hits / limits.hits),
      // A day has as many parts as its texts take, and shares its only one with other days.
      Math.ceil(bytes / limits.textBytes) + Math.max(0, before - 1),
    );
  }

  private async writeVisitors(writer: ChunkWriter, firstVisitor: number, hashes: Buffer): Promise<boolean> {
    const { websiteId, chunk: sealing, kept, forgetAt } = this;
    if (!this.keepsHashes) return true;
    const sealed = { websiteId, day: kept.day, sealing, forgetAt: forgetAt! };
    return writer.addVisitors(rowsOfVisitors(sealed, firstVisitor, hashes));
  }

  /** Some parts from one on, as many as fit into memory, from one reading; undefined where there is no turn any more. */
  private async built(
    turn: ColumnTurn,
    partition: Partition,
    first: number,
  ): Promise<BuiltPart[] | undefined> {
    const { kept, limits } = this;
    const parts = Array.from({ length: partition.parts - first }, (): BuiltPart => {
      const texts = new WebsiteTexts(Infinity);
      return { builder: new DayBuilder(kept.day, texts), texts };
    });
    for await (const piece of this.pieces()) {
      const divided = partition.divided(piece.hits, piece.first, piece.rows);
      for (const [index, { builder }] of parts.entries()) {
        builder.add(divided[first + index]!);
        await yieldIfNeeded();
      }
      while (parts.length > 1 && bytesOf(parts) > limits.bytesTogether) parts.pop();
      if (!(await turn.goOn())) return undefined;
    }
    return parts;
  }

  /** All hits of the day, in their order. */
  private async *pieces(): AsyncGenerator<DayPiece> {
    const { database, websiteId, kept } = this;
    const read: Reading = (work) => work(database);
    if (kept.columns) yield* this.columns(read, kept.columns);
    let place = this.first;
    for await (const batch of batchesFrom(read, websiteId, kept.day, place, kept.hits)) {
      const { firstHit, size } = batch.key;
      // One that was merged meanwhile may begin before the place.
      const rows = { from: place - firstHit, before: Math.min(size, kept.hits - firstHit) };
      yield { hits: batch, first: firstHit, rows };
      place = firstHit + rows.before;
    }
  }

  private async *columns(read: Reading, columns: ColumnDay): AsyncGenerator<DayPiece> {
    const { database, websiteId, kept } = this;
    const { sealing } = columns;
    const known =
      sealing === null ? undefined : new VisitorHashes(database, { websiteId, day: kept.day, sealing });
    let first = 0;
    for await (const { stretch, texts } of partsOfDay(read, websiteId, kept.day, columns)) {
      const hashes = await known?.next(stretch.visitors);
      for (const hits of columnsOfStretch(stretch, texts, hashes)) {
        yield { hits, first, rows: { from: 0, before: hits.hits } };
        first += hits.hits;
        await yieldIfNeeded();
      }
    }
  }

  /** Where some visitors are forgotten, further hits of theirs would not find them, and those without a hash look alike. */
  private get keepsHashes(): boolean {
    const { forgetAt, forgotten, kept } = this;
    return forgetAt !== undefined && forgotten === 0 && kept.columns?.sealing !== null;
  }

  private countForgotten(reader: Queryable): Promise<number> {
    const { websiteId, kept } = this;
    return forgottenBatches(reader, websiteId, kept.day, kept.hits);
  }

  private async finish(manager: EntityManager, parts: number): Promise<void> {
    const { websiteId, chunk, kept } = this;
    const { day, hits } = kept;
    const now = await keptDay(manager, websiteId, day);
    if (!isDeepStrictEqual(now.columns, kept.columns)) throw new DaysChanged();
    if ((await hitsBetween(manager, websiteId, day, this.first, hits)) !== hits - this.first)
      throw new DaysChanged();
    // Hashes that were forgotten between two readings put hits into other parts, which were made before or not at all.
    if ((await this.countForgotten(manager)) !== this.forgotten) throw new DaysChanged();
    if (kept.columns) await removeColumnDay(manager, websiteId, day, kept.columns);
    const sealing = this.keepsHashes ? chunk : null;
    await insertColumnDay(manager, websiteId, day, {
      ...{ chunk, firstPart: 0, lastPart: parts - 1 },
      ...{ hits, sealing },
    });
    // More of them are left over. Rows of the last part are in the same transaction.
    if (this.storedBytes <= this.limits.bytesAtOnce / 2)
      await removeBatchesBefore(manager, websiteId, day, hits);
  }
}

function bytesOf(parts: BuiltPart[]): number {
  return parts.reduce((sum, { builder, texts }) => sum + builder.bytes + texts.bytes, 0);
}
