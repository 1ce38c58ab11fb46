import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { DayBuilder } from '../storage/day-builder';
import { DayOutline, MAX_HITS_OF_PART, type PartLimits, type VisitorRange } from '../storage/day-outline';
import { DaysChanged, insertColumnDay } from '../storage/hit-chunks';
import type { SomeHits } from '../storage/hits-in-columns';
import { hitsFrom, type HitsOfDay, isAsItWas, keptDay } from '../storage/kept-hits';
import { encodedPart } from '../storage/part-format';
import { type PartRow, rowsOfPart } from '../storage/part-rows';
import { DamagedPiece, HitsRemoved } from '../storage/pieces';
import { WebsiteTexts } from '../storage/text-codes';
import { ChunkWriter, type ColumnTurn, type ColumnWork, removeUnknown } from './column-work';

/** About what is in memory while a part is written: texts, and some bytes for each column of a hit. */
const LIMITS: ClosingLimits = {
  hits: MAX_HITS_OF_PART,
  textSize: 16 * 1024 * 1024,
};

export interface ClosingLimits extends PartLimits {
  bytesAtOnce?: number;
}

/**
 * Turns the pieces of a day into columns, without the hashes of its visitors. Nobody can tell them by then, so no hit of
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
    const { database, websiteId, kept, limits } = this;
    if (kept.hits === 0) throw new DamagedPiece({ websiteId, day: kept.day, firstHit: 0 });
    const outline = new DayOutline();
    for await (const { hits } of this.hits()) {
      outline.add(hits);
      if (!(await turn.goOn())) return;
    }
    if (!(await removeUnknown(turn, database, websiteId, limits.bytesAtOnce))) return;
    const parts = outline.parts(limits);
    const writer = new ChunkWriter(turn, limits.bytesAtOnce);
    for (const [part, visitors] of parts.entries()) {
      const rows = await this.rowsOf(part, visitors, outline, turn);
      if (!rows || !(await writer.add(rows, kept.day))) return;
    }
    await writer.finish((manager) => this.finish(manager, parts.length));
  }

  /** Undefined where there is no turn any more. */
  private async rowsOf(
    part: number,
    visitors: VisitorRange,
    outline: DayOutline,
    turn: ColumnTurn,
  ): Promise<PartRow[] | undefined> {
    const texts = new WebsiteTexts(Infinity);
    const builder = new DayBuilder(this.kept.day, texts);
    for await (const { hits, end } of this.hits()) {
      builder.add(outline.ofVisitors(hits, end - hits.length, visitors));
      if (!(await turn.goOn())) return undefined;
    }
    const columns = await encodedPart([builder.columns()], texts);
    return rowsOfPart({ websiteId: this.websiteId, chunk: this.chunk, part }, columns);
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
    await manager.query('DELETE FROM hit_pieces WHERE website_id = ? AND day = ?', [websiteId, day]);
  }
}
