import type { EntityManager } from 'typeorm';
import type { Span } from '../../storage/calendar';
import { DayBuilder, type DayColumns } from '../../storage/day-columns';
import type { ColumnDay } from '../../storage/hit-chunks';
import { type HitsOfDay, keptDays } from '../../storage/kept-hits';
import { ScratchArray } from '../../storage/part';
import { DamagedColumns } from '../../storage/part-rows';
import { nextPieces, unpackHits } from '../../storage/pieces';
import type { CachedDay, ColumnCache, KnownWebsite } from './column-cache';
import type { Check } from './check';
import { PartReader } from './part-reader';

/** Where the columns of a website's days come from. */
export interface ColumnSource {
  /** The days that have hits, in their order. */
  days(): Promise<number[]>;
  /** The hits of a day; each visitor has all of its hits in one of them, which is there until the next one is. */
  columns(day: number): AsyncIterable<DayColumns>;
}

/** Reads columns, turns pieces of hits into some, and keeps these. */
export class HitSource implements ColumnSource {
  private kept = new Map<number, HitsOfDay>();
  private parts!: PartReader;
  private readonly scratch = new ScratchArray();

  constructor(
    private readonly manager: EntityManager,
    private readonly cache: ColumnCache,
    private readonly known: KnownWebsite,
    private readonly websiteId: number,
    private readonly asked: Span,
    /** The numbers of the columns that are needed. */
    private readonly needed: readonly number[],
    /** Days from it on go on growing. */
    private readonly openFrom: number,
    private readonly check: Check,
  ) {}

  async days(): Promise<number[]> {
    const { manager, websiteId, asked, needed, known, cache } = this;
    const days = await keptDays(manager, websiteId, asked);
    this.kept = new Map(days.map((day) => [day.day, day]));
    for (const { day, columns } of days)
      if (known.days.get(day)?.first !== (columns?.hits ?? 0)) cache.take(websiteId, day);
    this.parts = new PartReader(manager, websiteId, days, needed, cache.parts(websiteId, asked));
    return days.map(({ day }) => day);
  }

  /** Of a day that has hits, or none. */
  hitsOf(day: number): HitsOfDay {
    return this.kept.get(day) ?? { day, hits: 0, columns: undefined };
  }

  async *columns(day: number): AsyncGenerator<DayColumns> {
    const { hits, columns } = this.hitsOf(day);
    if (columns) yield* this.inParts(day, columns);
    const first = columns?.hits ?? 0;
    if (hits > first) yield await this.inPieces(day, first, hits);
  }

  private async *inParts(
    day: number,
    { chunk, firstPart, lastPart, hits }: ColumnDay,
  ): AsyncGenerator<DayColumns> {
    let found = 0;
    for (let part = firstPart; part <= lastPart; part++) {
      this.check();
      const read = await this.parts.part({ chunk, part });
      found += read.hitsOf(day);
      if (read.hitsOf(day) > 0) yield read.columnsOf(day, this.scratch);
    }
    if (found !== hits) throw new DamagedColumns({ websiteId: this.websiteId, chunk, part: lastPart }, day);
  }

  /** Hits of a day are only ever added behind the others, so a day is known whole by their number. */
  private async inPieces(day: number, first: number, hits: number): Promise<DayColumns> {
    const known = this.known.days.get(day);
    if (known?.first === first && known.columns?.hits === hits - first) return known.columns;
    const taken = this.cache.take(this.websiteId, day);
    const builder =
      (taken?.first === first ? taken.builder : undefined) ?? new DayBuilder(day, this.known.values.texts);
    try {
      await this.readOn(builder, day, first, hits);
    } catch (error) {
      // Who asks again after a deadline has less to wait for.
      this.keep({ day, columns: undefined, first, builder });
      throw error;
    }
    const columns = builder.columns();
    this.keep({ day, columns, first, builder: day >= this.openFrom ? builder : undefined });
    return columns;
  }

  private async readOn(builder: DayBuilder, day: number, first: number, hits: number): Promise<void> {
    while (first + builder.hits < hits)
      for (const piece of await nextPieces(this.manager, this.websiteId, day, first + builder.hits)) {
        this.check();
        builder.add(await unpackHits(piece, first + builder.hits, hits));
      }
  }

  private keep(day: CachedDay): void {
    this.cache.keep(this.websiteId, this.known, day, this.asked);
  }
}
