import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { DayBuilder } from '../storage/day-builder';
import { DayOutline, MAX_HITS_OF_PART, type PartLimits, type VisitorRange } from '../storage/day-outline';
import { DaysChanged, insertColumnDay, removeColumnDay } from '../storage/hit-chunks';
import type { Reading, SomeHits } from '../storage/hits-in-columns';
import { batchesFrom, hitsFrom, type HitsOfDay, isAsItWas, keptDay } from '../storage/kept-hits';
import { PartMerge } from '../storage/merged-part';
import { encodedPart } from '../storage/part-format';
import { DamagedColumns, rowsOfPart } from '../storage/part-rows';
import { DamagedBatch } from '../storage/hits/batch';
import { HitsRemoved, removeBatches, sizeOfBatches } from '../storage/hits/batches';
import { WebsiteTexts } from '../storage/text-codes';
import { between, ChunkWriter, type ColumnTurn, type ColumnWork, removeUnknown } from './column-work';

const LIMITS: ClosingLimits = {
  hits: MAX_HITS_OF_PART,
  textSize: 16 * 1024 * 1024,
};
/** What parts that are made in one reading of a day take together. */
const MAX_BYTES_TOGETHER = 48 * 1024 * 1024;

export interface ClosingLimits extends PartLimits {
  bytesTogether?: number;
  bytesAtOnce?: number;
}

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
  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly kept: HitsOfDay,
    /** The number of the chunk. */
    private readonly chunk: number,
    private readonly limits = LIMITS,
  ) {}

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
    const { hits, bytes } = await sizeOfBatches(database, websiteId, kept.day);
    const isSmall = hits <= limits.hits && bytes <= limits.textSize;
    const added = isSmall
      ? await this.inOnePart(turn, writer, moved)
      : await this.inParts(turn, writer, moved);
    if (added === undefined) return;
    if (!(await writer.finish((manager) => this.finish(manager, moved + added)))) return;
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

  /** No hit is looked at by itself. */
  private async inOnePart(turn: ColumnTurn, writer: ChunkWriter, part: number): Promise<1 | undefined> {
    const { database, websiteId, chunk, kept, first } = this;
    const texts = new WebsiteTexts(Infinity);
    const builder = new DayBuilder(kept.day, texts);
    const read: Reading = (work) => work(database);
    for await (const batch of batchesFrom(read, websiteId, kept.day, first, kept.hits)) {
      builder.addBatch(batch, batch.key.firstHit - first, kept.hits - first);
      await yieldIfNeeded();
      if (!(await turn.goOn())) return undefined;
    }
    const columns = await encodedPart([builder.columns()], texts);
    const isWritten = await writer.add(rowsOfPart({ websiteId, chunk, part }, columns), kept.day);
    return isWritten ? 1 : undefined;
  }

  private async inParts(
    turn: ColumnTurn,
    writer: ChunkWriter,
    firstPart: number,
  ): Promise<number | undefined> {
    const { websiteId, chunk, kept, limits } = this;
    const outline = new DayOutline();
    for await (const { hits } of this.hits()) {
      outline.add(hits);
      if (!(await turn.goOn())) return undefined;
    }
    const ranges = outline.parts(limits);
    for (let part = 0; part < ranges.length;) {
      const built = await this.built(ranges.slice(part), outline, turn);
      if (!built) return undefined;
      for (let one = built.shift(); one; one = built.shift()) {
        const columns = await encodedPart([one.builder.columns()], one.texts);
        const rows = rowsOfPart({ websiteId, chunk, part: firstPart + part++ }, columns);
        if (!(await writer.add(rows, kept.day)) || !(await turn.goOn())) return undefined;
      }
    }
    return ranges.length;
  }

  /** The first of some parts, as many as fit into memory, from one reading; undefined where there is no turn any more. */
  private async built(
    ranges: VisitorRange[],
    outline: DayOutline,
    turn: ColumnTurn,
  ): Promise<BuiltPart[] | undefined> {
    const { bytesTogether = MAX_BYTES_TOGETHER } = this.limits;
    const parts = ranges.map((): BuiltPart => {
      const texts = new WebsiteTexts(Infinity);
      return { builder: new DayBuilder(this.kept.day, texts), texts };
    });
    outline.readAgain();
    for await (const { hits } of this.hits()) {
      const ofRanges = outline.ofRanges(hits, ranges.slice(0, parts.length));
      for (const [index, { builder }] of parts.entries()) builder.add(ofRanges[index]!);
      while (parts.length > 1 && bytesOf(parts) > bytesTogether) parts.pop();
      if (!(await turn.goOn())) return undefined;
    }
    return parts;
  }

  private async *hits(): AsyncGenerator<SomeHits> {
    const read: Reading = (work) => work(this.database);
    for await (const some of hitsFrom(read, this.websiteId, this.kept, this.first)) {
      yield some;
      await yieldIfNeeded();
    }
  }

  private async finish(manager: EntityManager, parts: number): Promise<void> {
    const { websiteId, chunk, kept } = this;
    const { day } = kept;
    const now = await keptDay(manager, websiteId, day);
    if (!isDeepStrictEqual(now, kept)) throw new DaysChanged();
    await removeColumnDay(manager, websiteId, day);
    const columns = { chunk, firstPart: 0, lastPart: parts - 1, hits: kept.hits };
    await insertColumnDay(manager, websiteId, day, columns);
    await removeBatches(manager, websiteId, day);
  }
}

function bytesOf(parts: BuiltPart[]): number {
  return parts.reduce((sum, { builder, texts }) => sum + builder.bytes + texts.bytes, 0);
}
