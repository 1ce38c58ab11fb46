import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { DayBuilder } from '../storage/day-builder';
import { DayOutline, MAX_HITS_OF_PART, type PartLimits, type VisitorRange } from '../storage/day-outline';
import { DaysChanged, insertColumnDay } from '../storage/hit-chunks';
import type { SomeHits } from '../storage/hits-in-columns';
import { batchesFrom, hitsFrom, type HitsOfDay, isAsItWas, keptDay } from '../storage/kept-hits';
import { encodedPart } from '../storage/part-format';
import { rowsOfPart } from '../storage/part-rows';
import { DamagedBatch } from '../storage/hits/batch';
import { HitsRemoved, removeBatches, sizeOfBatches } from '../storage/hits/batches';
import { WebsiteTexts } from '../storage/text-codes';
import { ChunkWriter, type ColumnTurn, type ColumnWork, removeUnknown } from './column-work';

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
 * theirs comes any more.
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
    const { database, websiteId, chunk, kept, limits } = this;
    if (kept.hits === 0) throw new DamagedBatch({ websiteId, day: kept.day, firstHit: 0 });
    const { hits, bytes } = await sizeOfBatches(database, websiteId, kept.day);
    if (hits <= limits.hits && bytes <= limits.textSize) return this.closeInOnePart(turn);
    const outline = new DayOutline();
    for await (const { hits } of this.hits()) {
      outline.add(hits);
      if (!(await turn.goOn())) return;
    }
    if (!(await removeUnknown(turn, database, websiteId, limits.bytesAtOnce))) return;
    const ranges = outline.parts(limits);
    const writer = new ChunkWriter(turn, limits.bytesAtOnce);
    for (let part = 0; part < ranges.length;) {
      const built = await this.built(ranges.slice(part), outline, turn);
      if (!built) return;
      for (let one = built.shift(); one; one = built.shift()) {
        const columns = await encodedPart([one.builder.columns()], one.texts);
        const rows = rowsOfPart({ websiteId, chunk, part: part++ }, columns);
        if (!(await writer.add(rows, kept.day)) || !(await turn.goOn())) return;
      }
    }
    await writer.finish((manager) => this.finish(manager, ranges.length));
  }

  /** No hit is looked at by itself. */
  private async closeInOnePart(turn: ColumnTurn): Promise<void> {
    const { database, websiteId, chunk, kept, limits } = this;
    const texts = new WebsiteTexts(Infinity);
    const builder = new DayBuilder(kept.day, texts);
    for await (const batch of batchesFrom((work) => work(database), websiteId, kept.day, 0, kept.hits)) {
      builder.addBatch(batch, batch.key.firstHit, kept.hits);
      await yieldIfNeeded();
      if (!(await turn.goOn())) return;
    }
    if (!(await removeUnknown(turn, database, websiteId, limits.bytesAtOnce))) return;
    const columns = await encodedPart([builder.columns()], texts);
    const writer = new ChunkWriter(turn, limits.bytesAtOnce);
    if (!(await writer.add(rowsOfPart({ websiteId, chunk, part: 0 }, columns), kept.day))) return;
    await writer.finish((manager) => this.finish(manager, 1));
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
    for await (const some of hitsFrom((work) => work(this.database), this.websiteId, this.kept)) {
      yield some;
      await yieldIfNeeded();
    }
  }

  private async finish(manager: EntityManager, parts: number): Promise<void> {
    const { websiteId, chunk, kept } = this;
    const { day } = kept;
    const { hits, columns } = await keptDay(manager, websiteId, day);
    if (hits !== kept.hits || columns) throw new DaysChanged();
    await insertColumnDay(manager, websiteId, day, { chunk, firstPart: 0, lastPart: parts - 1, hits });
    await removeBatches(manager, websiteId, day);
  }
}

function bytesOf(parts: BuiltPart[]): number {
  return parts.reduce((sum, { builder, texts }) => sum + builder.bytes + texts.bytes, 0);
}
