import type { EntityManager } from 'typeorm';
import type { Span } from '../../storage/calendar';
import { DayBuilder } from '../../storage/day-builder';
import { partName } from '../../storage/hit-chunks';
import type { ColumnName } from '../../storage/hit-columns';
import { Batch } from '../../storage/hits/batch';
import { HitsRemoved, nextBatches } from '../../storage/hits/batches';
import { type HitsOfDay, keptDays } from '../../storage/kept-hits';
import { ScratchArray } from '../../storage/part';
import { DamagedColumns } from '../../storage/part-rows';
import { columnOf, TIMES } from '../../storage/part-format';
import type { Stretch } from '../../storage/stretch';
import type { AreAskedAlike } from './asked-days';
import type { CachedDay, ColumnCache, KnownWebsite } from './column-cache';
import type { Check } from './check';
import { type AskedPart, PartReader, partsOf } from './part-reader';
import { stretchesOf } from './stretches';

/** Which hits of a website are asked for. */
export interface AskedHits {
  readonly websiteId: number;
  readonly known: KnownWebsite;
  readonly span: Span;
  readonly areAlike: AreAskedAlike;
  /** The numbers of the columns that are needed. */
  readonly needed: readonly number[];
  /** Days from it on go on growing. */
  readonly openFrom: number;
}

/** Reads columns, turns batches into some, and keeps these. */
export class HitSource {
  /** Days in batches some of whose visitors were forgotten: one counts once for each of its batches. */
  readonly forgotten = new Set<number>();
  /** How many hits of each day were found in columns. */
  private readonly found = new Map<number, number>();
  private readonly scratch = new ScratchArray();
  private readonly names: ColumnName[];

  constructor(
    private readonly manager: EntityManager,
    private readonly cache: ColumnCache,
    private readonly asked: AskedHits,
    private readonly check: Check,
  ) {
    this.names = asked.needed.filter((kind) => kind !== TIMES).map(columnOf);
  }

  /** The days that have hits, in their order. */
  async days(): Promise<HitsOfDay[]> {
    const { websiteId, span, known } = this.asked;
    const { cache } = this;
    const days = await keptDays(this.manager, websiteId, span);
    for (const { day, columns } of days)
      if (known.days.get(day)?.first !== (columns?.hits ?? 0)) cache.take(websiteId, day);
    cache.retain(websiteId, new Set(partsOf(days).map(partName)), span);
    return days;
  }

  /** The hits of some days; a visitor has all of its hits in one stretch, which is there until the next one is. */
  async *all(days: HitsOfDay[]): AsyncGenerator<Stretch> {
    yield* this.inParts(partsOf(days));
    this.checkFound(days);
    yield* this.inBatches(days);
  }

  /** What some parts have of their days. */
  async *inParts(parts: AskedPart[]): AsyncGenerator<Stretch> {
    const { websiteId, needed, span, areAlike } = this.asked;
    const reader = new PartReader(this.manager, websiteId, parts, needed, this.cache.parts(websiteId, span));
    for (const key of parts) {
      this.check();
      const part = await reader.part(key);
      for (const day of key.days) this.noteFound(day, part.hitsOf(day));
      for (const days of stretchesOf(part, key.days, areAlike)) yield part.stretch(days, this.scratch);
    }
  }

  /** The hits of some days that are in no columns. */
  async *inBatches(days: HitsOfDay[]): AsyncGenerator<Stretch> {
    for (const { day, hits, columns } of days) {
      this.check();
      const first = columns?.hits ?? 0;
      if (hits > first) yield await this.ofBatches(day, first, hits);
    }
  }

  noteFound(day: number, hits: number): void {
    this.found.set(day, (this.found.get(day) ?? 0) + hits);
  }

  foundOf(day: number): number {
    return this.found.get(day) ?? 0;
  }

  /** Whether all hits were found that these days have in columns. */
  checkFound(days: HitsOfDay[]): void {
    for (const { day, columns } of days) {
      if (!columns || this.foundOf(day) === columns.hits) continue;
      const { chunk, lastPart: part } = columns;
      throw new DamagedColumns({ websiteId: this.asked.websiteId, chunk, part }, day);
    }
  }

  /** Hits of a day are only ever added behind the others, so a day is known whole by their number. */
  private async ofBatches(day: number, first: number, hits: number): Promise<Stretch> {
    const known = this.asked.known.days.get(day);
    if (known?.isForgotten) this.forgotten.add(day);
    if (known?.first === first && known.columns?.hits === hits - first && this.hasNeeded(known.columns))
      return known.columns;
    const { builder, columns: before } = this.begun(day, first);
    try {
      await this.readOn(builder, day, first, hits);
    } catch (error) {
      // Who asks again after a deadline has less to wait for.
      this.keep({ day, columns: undefined, first, builder, isForgotten: this.forgotten.has(day) });
      // Nothing is removed within a snapshot.
      throw error instanceof HitsRemoved ? error.asDamage() : error;
    }
    const columns = builder.columns(before);
    const goesOn = day >= this.asked.openFrom;
    const isForgotten = this.forgotten.has(day);
    this.keep({ day, columns, first, builder: goesOn ? builder : undefined, isForgotten });
    return columns;
  }

  private hasNeeded({ codes }: Stretch): boolean {
    return this.names.every((name) => codes[name]);
  }

  /** What was read of a day before, taken out. */
  private begun(day: number, first: number): { builder: DayBuilder; columns?: Stretch | undefined } {
    const taken = this.cache.take(this.asked.websiteId, day);
    const known = taken?.first === first ? taken : undefined;
    const others = Object.keys(known?.columns?.codes ?? {}) as ColumnName[];
    const builder = known?.builder ?? new DayBuilder(day, this.asked.known.values.texts, others);
    builder.need(this.names);
    return { builder, columns: known?.builder && known.columns };
  }

  private async readOn(builder: DayBuilder, day: number, first: number, hits: number): Promise<void> {
    const { manager, asked } = this;
    while (first + builder.next < hits)
      for (const stored of await nextBatches(manager, asked.websiteId, day, first + builder.next)) {
        this.check();
        if (!stored.hashes) this.forgotten.add(day);
        if (stored.firstHit < hits)
          builder.add(await Batch.open(stored), stored.firstHit - first, hits - first);
      }
  }

  private keep(day: CachedDay): void {
    const { websiteId, known, span } = this.asked;
    this.cache.keep(websiteId, known, day, span);
  }
}
