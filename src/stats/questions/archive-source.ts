import type { EntityManager } from 'typeorm';
import { ARCHIVE_BEGIN, archivedFolds, archivedPiece, unpackHits } from '../../storage/archive';
import type { Span } from '../../storage/calendar';
import { DayBuilder, type DayColumns } from '../../storage/day-columns';
import type { WebsiteTexts } from '../../storage/text-codes';
import type { CachedDay, ColumnCache } from './column-cache';
import type { Check } from './scan';

/** Where the columns of a website's days come from. */
export interface ColumnSource {
  readonly texts: WebsiteTexts;
  /** The days that have hits, in their order. */
  days(): Promise<number[]>;
  columns(day: number): Promise<DayColumns>;
}

/** Turns the archive into columns, and keeps them. */
export class ArchiveSource implements ColumnSource {
  readonly texts: WebsiteTexts;
  private readonly known: ReadonlyMap<number, CachedDay>;
  private lastFolds = new Map<number, number>();

  constructor(
    private readonly manager: EntityManager,
    private readonly cache: ColumnCache,
    private readonly websiteId: number,
    private readonly asked: Span,
    /** Days from it on go on growing. */
    private readonly openFrom: number,
    private readonly check: Check,
  ) {
    const { texts, days } = cache.website(websiteId);
    this.texts = texts;
    this.known = days;
  }

  async days(): Promise<number[]> {
    this.lastFolds = await archivedFolds(this.manager, this.websiteId, this.asked);
    return [...this.lastFolds.keys()];
  }

  /** Rows of a day are only ever added behind the others, so a day whose last fold is known is known whole. */
  async columns(day: number): Promise<DayColumns> {
    const known = this.known.get(day);
    if (known?.position.fold === this.lastFolds.get(day)) return known!.columns;
    const read = await this.read(day, this.cache.take(this.websiteId, day));
    this.cache.keep(this.websiteId, read, this.asked);
    return read.columns;
  }

  private async read(day: number, known: CachedDay | undefined): Promise<CachedDay> {
    const builder = known?.builder ?? new DayBuilder(day, this.texts);
    let position = known?.builder ? known.position : ARCHIVE_BEGIN;
    for (let isLast = false; !isLast;) {
      const piece = await archivedPiece(this.manager, this.websiteId, day, position);
      for (const packed of piece.packed) {
        this.check();
        builder.add(await unpackHits(packed));
      }
      ({ position, isLast } = piece);
    }
    return { columns: builder.columns(), position, builder: day >= this.openFrom ? builder : undefined };
  }
}
