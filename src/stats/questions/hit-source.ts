import type { EntityManager } from 'typeorm';
import type { Span } from '../../storage/calendar';
import { DayBuilder, type DayColumns } from '../../storage/day-columns';
import { keptDays, nextPieces, unpackHits } from '../../storage/pieces';
import type { CachedDay, ColumnCache, KnownWebsite } from './column-cache';
import type { Check } from './check';

/** Where the columns of a website's days come from. */
export interface ColumnSource {
  /** The days that have hits, in their order. */
  days(): Promise<number[]>;
  columns(day: number): Promise<DayColumns>;
}

/** Turns the kept hits into columns, and keeps these. */
export class HitSource implements ColumnSource {
  private hits = new Map<number, number>();

  constructor(
    private readonly manager: EntityManager,
    private readonly cache: ColumnCache,
    private readonly known: KnownWebsite,
    private readonly websiteId: number,
    private readonly asked: Span,
    /** Days from it on go on growing. */
    private readonly openFrom: number,
    private readonly check: Check,
  ) {}

  async days(): Promise<number[]> {
    const days = await keptDays(this.manager, this.websiteId, this.asked);
    this.hits = new Map(days.map(({ day, hits }) => [day, hits]));
    return days.map(({ day }) => day);
  }

  /** Hits of a day are only ever added behind the others, so a day is known whole by their number. */
  async columns(day: number): Promise<DayColumns> {
    const known = this.known.days.get(day);
    if (known?.columns.hits === this.hits.get(day)) return known!.columns;
    const read = await this.read(day, this.cache.take(this.websiteId, day));
    this.cache.keep(this.websiteId, read, this.asked);
    return read.columns;
  }

  private async read(day: number, known: CachedDay | undefined): Promise<CachedDay> {
    const builder = known?.builder ?? new DayBuilder(day, this.known.values.texts);
    const hits = this.hits.get(day)!;
    while (builder.hits < hits)
      for (const piece of await nextPieces(this.manager, this.websiteId, day, builder.hits)) {
        this.check();
        builder.add(await unpackHits(piece, builder.hits, hits));
      }
    return { columns: builder.columns(), builder: day >= this.openFrom ? builder : undefined };
  }
}
