import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { DayBuilder } from '../storage/day-builder';
import { DaysChanged, insertColumnDay, removeColumnDay } from '../storage/hit-chunks';
import type { Reading } from '../storage/hits-in-columns';
import { batchesFrom, type HitsOfDay, isAsItWas, keptDay } from '../storage/kept-hits';
import { PartMerge } from '../storage/merged-part';
import { encodedPart, HITS_OF_PART } from '../storage/part-format';
import { DamagedColumns, rowsOfPart } from '../storage/part-rows';
import { DamagedBatch } from '../storage/hits/batch';
import { forgottenBatches, HitsRemoved, removeBatches, sizeOfBatches } from '../storage/hits/batches';
import { Partition } from '../storage/hits/partition';
import { WebsiteTexts } from '../storage/text-codes';
import { between, ChunkWriter, type ColumnTurn, type ColumnWork, removeUnknown } from './column-work';

export interface ClosingLimits {
  /** About how many hits a part has; more only where one visitor has more. */
  hits: number;
  /** Of the texts in a part. */
  textBytes: number;
  /** What parts that are made in one reading of a day take in memory together. */
  bytesTogether: number;
  bytesAtOnce?: number;
}

const LIMITS: ClosingLimits = {
  hits: HITS_OF_PART,
  textBytes: 16 * 1024 * 1024,
  bytesTogether: 48 * 1024 * 1024,
};

/** Its texts are its own, so that they go with a part that is put off. */
interface BuiltPart {
  builder: DayBuilder;
  texts: WebsiteTexts;
}

/**
 * Turns the batches of a day into columns, without the hashes of its visitors. Nobody can tell them by then, so no hit of
 * theirs comes any more. Where the day has columns already, as one that is filled a second time, its parts come first.
 */
export class DayClosing implements ColumnWork {
  private readonly limits: ClosingLimits;

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly kept: HitsOfDay,
    /** The number of the chunk. */
    private readonly chunk: number,
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
      if (error instanceof HitsRemoved && (await isAsItWas(this.database, this.websiteId, this.kept)))
        throw error.asDamage();
      if (!(error instanceof DaysChanged || error instanceof HitsRemoved)) throw error;
    }
  }

  private async close(turn: ColumnTurn): Promise<void> {
    const { database, websiteId, kept, limits } = this;
    if (kept.hits === 0) throw new DamagedBatch({ websiteId, day: kept.day, firstHit: 0 });
    if (!(await removeUnknown(turn, database, websiteId, limits.bytesAtOnce))) return;
    const writer = new ChunkWriter(turn, limits.bytesAtOnce);
    const moved = await this.moved(turn, writer);
    if (moved === undefined) return;
    const forgotten = await forgottenBatches(database, websiteId, kept.day);
    const added = await this.added(turn, writer, moved);
    if (added === undefined) return;
    if (!(await writer.finish((manager) => this.finish(manager, moved + added, forgotten)))) return;
    if (moved > 0) await removeUnknown(turn, database, websiteId, limits.bytesAtOnce);
  }

  /** The parts that the day has in columns already; how many, or undefined where there is no turn any more. */
  private async moved(turn: ColumnTurn, writer: ChunkWriter): Promise<number | undefined> {
    const { database, websiteId, chunk } = this;
    const { day, columns } = this.kept;
    if (!columns) return 0;
    const merge = new PartMerge(database, websiteId, between(turn));
    const parts = columns.lastPart - columns.firstPart + 1;
    for (let part = 0; part < parts; part++) {
      const source = {
        chunk: columns.chunk,
        part: columns.firstPart + part,
        days: [day],
        hits: columns.hits,
      };
      const encoded = await merge.merged([source]);
      if (!encoded || !(await writer.add(rowsOfPart({ websiteId, chunk, part }, encoded), day)))
        return undefined;
    }
    if (merge.hitsOf(day) !== columns.hits)
      throw new DamagedColumns({ websiteId, chunk: columns.chunk, part: columns.lastPart }, day);
    return parts;
  }

  /** Turns batches into parts; how many, or undefined where there is no turn any more. */
  private async added(turn: ColumnTurn, writer: ChunkWriter, firstPart: number): Promise<number | undefined> {
    const { database, websiteId, chunk, kept, limits } = this;
    const { hits, bytes } = await sizeOfBatches(database, websiteId, kept.day);
    const partition = new Partition(
      Math.max(Math.ceil(hits / limits.hits), Math.ceil(bytes / limits.textBytes)),
    );
    let part = firstPart;
    let found = 0;
    for (let first = 0; first < partition.parts;) {
      const built = await this.built(turn, partition, first);
      if (!built) return undefined;
      first += built.length;
      for (let one = built.shift(); one; one = built.shift()) {
        if (one.builder.hits === 0) continue;
        found += one.builder.hits;
        const columns = await encodedPart([one.builder.columns()], one.texts);
        const rows = rowsOfPart({ websiteId, chunk, part: part++ }, columns);
        if (!(await writer.add(rows, kept.day)) || !(await turn.goOn())) return undefined;
      }
    }
    if (found !== kept.hits - this.first) throw new DaysChanged();
    return part - firstPart;
  }

  /** Some parts from one on, as many as fit into memory, from one reading; undefined where there is no turn any more. */
  private async built(
    turn: ColumnTurn,
    partition: Partition,
    first: number,
  ): Promise<BuiltPart[] | undefined> {
    const { database, websiteId, kept, limits } = this;
    const parts = Array.from({ length: partition.parts - first }, (): BuiltPart => {
      const texts = new WebsiteTexts(Infinity);
      return { builder: new DayBuilder(kept.day, texts), texts };
    });
    const read: Reading = (work) => work(database);
    let place = this.first;
    for await (const batch of batchesFrom(read, websiteId, kept.day, place, kept.hits)) {
      const { firstHit, size } = batch.key;
      // One that was merged meanwhile may begin before the place.
      const rows = { from: place - firstHit, before: Math.min(size, kept.hits - firstHit) };
      const divided = partition.divided(batch, firstHit, rows);
      for (const [index, { builder }] of parts.entries()) {
        builder.add(divided[first + index]!);
        await yieldIfNeeded();
      }
      place = firstHit + rows.before;
      while (parts.length > 1 && bytesOf(parts) > limits.bytesTogether) parts.pop();
      if (!(await turn.goOn())) return undefined;
    }
    return parts;
  }

  private async finish(manager: EntityManager, parts: number, forgotten: number): Promise<void> {
    const { websiteId, chunk, kept } = this;
    const { day } = kept;
    const now = await keptDay(manager, websiteId, day);
    if (!isDeepStrictEqual(now, kept)) throw new DaysChanged();
    // Hashes that were forgotten between two readings put hits into other parts, which were made before or not at all.
    if ((await forgottenBatches(manager, websiteId, day)) !== forgotten) throw new DaysChanged();
    await removeColumnDay(manager, websiteId, day);
    const columns = { chunk, firstPart: 0, lastPart: parts - 1, hits: kept.hits };
    await insertColumnDay(manager, websiteId, day, columns);
    await removeBatches(manager, websiteId, day);
  }
}

function bytesOf(parts: BuiltPart[]): number {
  return parts.reduce((sum, { builder, texts }) => sum + builder.bytes + texts.bytes, 0);
}
