import type { Queryable } from '../../database/rows';
import { Batch, type StoredBatch } from '../batches/batch';
import { endOf, HitsRemoved, readNextBatches } from '../batches/batches';
import { DayBuilder } from '../segments/day-builder';
import type { HitBlock } from '../../hits/hit-block';
import type { HitsOfDay } from '../stored-days';
import { columnOf } from '../segments/part-format';
import { type Check, pause } from '../../ground/deadline-check';
import type { PeakMemory } from '../../asking/memory/peak-memory';
import type { ColumnCache } from '../read/column-cache';
import { HitSource } from '../read/hit-source';

type Needs = ConstructorParameters<typeof HitSource>[2];

/** Ordering takes about half of the memory of the hits in addition. */
const ORDERED_TIMES = 1.5;

/** A day with hits that were not read, and the place of the first of them. */
export interface NewDay {
  stored: HitsOfDay;
  place: number;
}

/** A block with new hits, and the range of their places. The block may have other hits too. */
export interface NewBlock {
  hits: HitBlock;
  placeOf: (hit: number) => number;
  from: number;
  before: number;
}

/** Reads the new hits of days. */
export class NewHits {
  /** The place after the last hit that was read of the last day. */
  end = 0;
  private source: HitSource | undefined;

  constructor(
    private readonly reader: Queryable,
    private readonly cache: ColumnCache,
    private readonly needs: Needs,
    private readonly check: Check,
    private readonly memory: PeakMemory,
    /** Tells whether a hit can be judged without the other hits of its visitor. */
    private readonly areSingle: boolean,
  ) {}

  /** Some of the new hits of a day: at most about this number, unless their visitors' other hits are needed. */
  async *of(day: NewDay, most: number): AsyncGenerator<NewBlock> {
    if (this.areSingle) yield* this.single(day, most);
    else yield* this.amongOthers(day);
  }

  private async *single({ stored: { day, hits }, place }: NewDay, most: number): AsyncGenerator<NewBlock> {
    this.end = place;
    const last = Math.min(hits, place + most);
    const { websiteId, known, needed } = this.needs;
    while (this.end < last) {
      const builder = new DayBuilder(day, known.values.texts, needed.map(columnOf));
      const from = this.end;
      let first: number | undefined;
      for (const stored of await this.readNext(websiteId, day, from)) {
        await pause(this.check);
        first ??= stored.firstHit;
        builder.add(await Batch.open(stored), stored.firstHit - first);
        this.end = endOf(stored);
        this.memory.reserve(Math.ceil(ORDERED_TIMES * builder.bytes));
      }
      const block = await builder.buildColumns(undefined, () => pause(this.check));
      const { accepted } = block;
      yield { hits: block, placeOf: (hit) => first! + accepted![hit]!, from, before: this.end };
    }
  }

  private async readNext(websiteId: number, day: number, place: number): Promise<StoredBatch[]> {
    try {
      return await readNextBatches(this.reader, websiteId, day, place);
    } catch (error) {
      // Nothing is removed within a snapshot.
      throw error instanceof HitsRemoved ? error.asDamage() : error;
    }
  }

  /** All hits of the day are looked at, because they decide what the new ones reach. */
  private async *amongOthers({ stored, place }: NewDay): AsyncGenerator<NewBlock> {
    this.end = stored.hits;
    if (place === stored.hits) return;
    const source = await this.wholeDays();
    let begin = 0;
    for await (const block of source.all([stored])) {
      const { accepted } = block;
      const first = begin;
      // A block of columns without late hits has no new ones.
      if (accepted)
        yield { hits: block, placeOf: (hit) => first + accepted[hit]!, from: place, before: stored.hits };
      begin = source.foundOf(stored.day);
    }
  }

  private async wholeDays(): Promise<HitSource> {
    if (this.source) return this.source;
    const { reader, cache, needs, check, memory } = this;
    this.source = new HitSource(reader, cache, needs, check, memory);
    // It drops what is cached of days that have changed.
    await this.source.days();
    return this.source;
  }
}
