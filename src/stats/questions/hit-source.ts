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
    const hits = this.hits.get(day)!;
    if (known?.columns?.hits === hits) return known.columns;
    const builder =
      this.cache.take(this.websiteId, day)?.builder ?? new DayBuilder(day, this.known.values.texts);
    try {
      await this.readOn(builder, day, hits);
    } catch (error) {
      // Who asks again after a deadline has less to wait for.
      this.keep({ day, columns: undefined, builder });
      throw error;
    }
    const columns = builder.columns();
    this.keep({ day, columns, builder: day >= this.openFrom ? builder : undefined });
    return columns;
  }

  private async readOn(builder: DayBuilder, day: number, hits: number): Promise<void> {
    while (builder.hits < hits)
      for (const piece of await nextPieces(this.manager, this.websiteId, day, builder.hits)) {
        this.check();
        builder.add(await unpackHits(piece, builder.hits, hits));
      }
  }

  private keep(day: CachedDay): void {
    this.cache.keep(this.websiteId, this.known, day, this.asked);
  }
}
