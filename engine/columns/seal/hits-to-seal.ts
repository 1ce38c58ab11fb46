import type { Reading } from '../../database/rows';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import type { ColumnDay } from '../segments/hit-segments';
import { partsOfDay } from '../segments/hits-in-columns';
import type { HitColumns, HitRange } from '../batches/batch';
import { columnsOfBlock } from '../ordering/columns-of-block';
import { VisitorHashes } from '../ordering/day-visitors';
import { DecodedOnce } from '../batches/decoded-once';
import { HitSums } from '../ordering/hit-sums';
import { readBatchesFrom, type HitsOfDay } from '../stored-days';

/** Some hits of a batch. */
export interface HitPiece {
  hits: HitColumns;
  /** The hits of the batch that are included. */
  range: HitRange;
}

/** Consecutive hits of a day. */
interface DayPiece extends HitPiece {
  /** The place of the first hit. */
  first: number;
}

/** All hits of a day in order: those in columns, then those in batches. */
export class HitsToSeal {
  /** The sums of the hits of the last pass. */
  sums = new HitSums();

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly stored: HitsOfDay,
  ) {}

  /** The place of the first hit that is not in columns. */
  get first(): number {
    return this.stored.columns?.hits ?? 0;
  }

  /** Adds the pieces to the sums. It ends when `goOn` returns false. */
  async *countPieces(goOn: () => Promise<boolean>): AsyncGenerator<DayPiece> {
    this.sums = new HitSums();
    for await (const piece of this.pieces()) {
      const hits = new DecodedOnce(piece.hits, piece.first);
      this.sums.addHits(hits, piece.range);
      yield { ...piece, hits };
      await yieldIfNeeded();
      if (!(await goOn())) return;
    }
  }

  private async *pieces(): AsyncGenerator<DayPiece> {
    const { database, websiteId, stored } = this;
    const read: Reading = (work) => work(database);
    if (stored.columns) yield* this.columns(read, stored.columns);
    let place = this.first;
    for await (const batch of readBatchesFrom(read, websiteId, stored.day, place, stored.hits)) {
      const { firstHit, size } = batch.key;
      // A batch that was merged meanwhile may begin before the place.
      const range = { from: place - firstHit, before: Math.min(size, stored.hits - firstHit) };
      yield { hits: batch, first: firstHit, range };
      place = firstHit + range.before;
    }
  }

  private async *columns(read: Reading, columns: ColumnDay): AsyncGenerator<DayPiece> {
    const { database, websiteId, stored } = this;
    const { sealing } = columns;
    const known =
      sealing === null ? undefined : new VisitorHashes(database, { websiteId, day: stored.day, sealing });
    let first = 0;
    for await (const { block, texts } of partsOfDay(read, websiteId, stored.day, columns)) {
      const hashes = await known?.next(block.visitors);
      for (const hits of columnsOfBlock(block, texts, hashes)) {
        yield { hits, first, range: { from: 0, before: hits.hits } };
        first += hits.hits;
        await yieldIfNeeded();
      }
    }
  }
}
