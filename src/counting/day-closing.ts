import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { DayBuilder } from '../storage/day-columns';
import type { Prepared } from '../storage/day-counts';
import { DayOutline, MOST_HITS_OF_PART, type PartLimits, type VisitorRange } from '../storage/day-outline';
import { insertColumnDay, insertParts, removeUnfinished } from '../storage/hit-chunks';
import { hitsFrom, type HitsOfDay, keptDay, type SomeHits } from '../storage/kept-hits';
import { encodedPart } from '../storage/part-format';
import { type PartRow, rowsOfPart } from '../storage/part-rows';
import { HitsRemoved } from '../storage/pieces';
import { WebsiteTexts } from '../storage/text-codes';

/** About what is in memory while a part is written: texts, and some bytes for each column of a hit. */
const LIMITS: ClosingLimits = {
  hits: MOST_HITS_OF_PART,
  textSize: 16 * 1024 * 1024,
  bytesAtOnce: 2 * 1024 * 1024,
};

export interface ClosingLimits extends PartLimits {
  /** What a transaction writes, so that it is short. */
  bytesAtOnce: number;
}

/** The website's turn, under its unbroken lease; both say whether there still is one. */
export interface ClosingTurn {
  goOn: () => Promise<boolean>;
  write: (work: Prepared) => Promise<boolean>;
}

/** The hits that were read are not all that the day has, so nothing of them is removed. */
class DayChanged extends Error {}

/**
 * Turns the pieces of a day into columns, without the hashes of its visitors. Nobody can tell them by then, so no hit of
 * theirs comes any more. What is prepared is written under a number that no reader knows; the last transaction makes it
 * known and removes the pieces. Wherever the work breaks off, the pieces are there, and it is begun anew.
 */
export class DayClosing {
  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly kept: HitsOfDay,
    /** The number of the chunk. */
    private readonly chunk: number,
    private readonly limits = LIMITS,
  ) {}

  get day(): number {
    return this.kept.day;
  }

  /** Mostly outside of the website's turn, which is taken to write, and to keep the lease alive. */
  async run(turn: ClosingTurn): Promise<void> {
    try {
      await this.close(turn);
    } catch (error) {
      if (!(error instanceof DayChanged || error instanceof HitsRemoved)) throw error;
    }
  }

  private async close(turn: ClosingTurn): Promise<void> {
    const { websiteId, day } = this;
    const outline = new DayOutline();
    for await (const { hits } of this.hits()) {
      outline.add(hits);
      if (!(await turn.goOn())) return;
    }
    if (!(await turn.write((manager) => removeUnfinished(manager, websiteId, day)))) return;
    const parts = outline.parts(this.limits);
    let rows: PartRow[] = [];
    for (const [part, visitors] of parts.entries()) {
      const own = await this.rowsOf(part, visitors, outline, turn);
      if (!own) return;
      if (rows.length > 0 && bytesOf(rows) + bytesOf(own) > this.limits.bytesAtOnce) {
        if (!(await turn.write((manager) => insertParts(manager, rows, day)))) return;
        rows = [];
      }
      rows.push(...own);
    }
    await turn.write(async (manager) => {
      await insertParts(manager, rows, day);
      await this.finish(manager, parts.length);
    });
  }

  /** Undefined where there is no turn any more. */
  private async rowsOf(
    part: number,
    visitors: VisitorRange,
    outline: DayOutline,
    turn: ClosingTurn,
  ): Promise<PartRow[] | undefined> {
    const texts = new WebsiteTexts(Infinity);
    const builder = new DayBuilder(this.day, texts);
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
    const { websiteId, day, chunk, kept } = this;
    const { hits, columns } = await keptDay(manager, websiteId, day);
    if (hits !== kept.hits || columns) throw new DayChanged();
    await insertColumnDay(manager, websiteId, day, { chunk, firstPart: 0, lastPart: parts - 1, hits });
    await manager.query('DELETE FROM hit_pieces WHERE website_id = ? AND day = ?', [websiteId, day]);
  }
}

function bytesOf(rows: PartRow[]): number {
  return rows.reduce((sum, { data }) => sum + data.length, 0);
}
