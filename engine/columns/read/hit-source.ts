import type { Queryable, Reading } from '../../database/rows';
import type { Span } from '../../hits/calendar';
import { DayBuilder } from '../segments/day-builder';
import { HOMES, isRemote, partName } from '../segments/hit-segments';
import { homeOf } from '../homes/homes';
import { RowsMissing } from '../../rows/row-home';
import type { ColumnName } from '../../hits/hit-columns';
import { Batch } from '../batches/batch';
import { countForgottenBatches, HitsRemoved, readNextBatches } from '../batches/batches';
import { LateHits } from '../batches/late-hits';
import { findNumbersInDay } from '../batches/late-visitors';
import { type HitsOfDay, readDays, lateHits } from '../stored-days';
import { ScratchArray } from '../segments/part';
import { DamagedColumns } from '../segments/part-rows';
import { columnOf } from '../segments/part-format';
import { readRowsOfDay } from '../../rows/row-days';
import { MovedDays } from './moved-days';
import type { HitsWithRows, PartialQuery } from '../../asking/partial';
import type { Zone } from '../../questions/plan/buckets';
import type { HitQuery } from '../../questions/plan/hit-query';
import type { WebsiteTexts } from '../../hits/codes/text-codes';
import { bytesOfBlock, type HitBlock } from '../../hits/hit-block';
import type { AreInSameRanges } from '../../questions/plan/range-days';
import type { CachedDay, ColumnCache, KnownWebsite } from './column-cache';
import { type Check, pause } from '../../ground/deadline-check';
import { PeakMemory } from '../../asking/memory/peak-memory';
import { PartReader, partsOf } from './part-reader';
import { blocksOf } from './blocks';

/** The requested hits of a website. */
interface NeededHits {
  readonly websiteId: number;
  readonly known: KnownWebsite;
  readonly span: Span;
  readonly areAlike: AreInSameRanges;
  /** The numbers of the needed columns. */
  readonly needed: readonly number[];
  /** Days from it on are open. */
  readonly openFrom: number;
}

/** Ordering takes about half of the memory of the hits in addition. */
const ORDERED_TIMES = 1.5;

/** The hits of a day in batches, and their places among the hits in columns. */
type WholeDay = { columns: HitBlock; late: LateHits | undefined };

/** The state of a day's batches, for comparison with a cached day. */
type HitsInBatches = Pick<CachedDay, 'day' | 'first' | 'version' | 'forgotten'>;

/** Reads columns, builds columns from batches, and caches both. */
export class HitSource implements HitsWithRows {
  /** Days with batches without hashes: a visitor counts once for each of these batches. */
  readonly forgotten = new Set<number>();
  /** The number of hits of each day that were found in columns, and the number of visitors of a day with late hits. */
  private readonly found = new Map<number, number>();
  private readonly visitors = new Map<number, number>();
  /** Late hits that were read. The cache may have no room for them. */
  private readonly late = new Map<number, LateHits>();
  private readonly scratch = new ScratchArray();
  private readonly names: ColumnName[];

  constructor(
    private readonly reader: Queryable,
    private readonly cache: ColumnCache,
    private readonly needs: NeededHits,
    private readonly check: Check,
    /** For one day at a time, and for late hits. Views of the blocks use it too. */
    private readonly memory = new PeakMemory(),
  ) {
    this.names = needs.needed.map(columnOf);
  }

  get texts(): WebsiteTexts {
    return this.needs.known.values.texts;
  }

  /** The days with hits, in order. */
  async days(): Promise<HitsOfDay[]> {
    const { websiteId, span, known } = this.needs;
    const { cache } = this;
    const days = await readDays(this.reader, websiteId, span);
    for (const { day, columns, version } of days) {
      const cached = known.days.get(day);
      if (cached?.first !== (columns?.hits ?? 0) || cached.version !== version) cache.take(websiteId, day);
    }
    cache.retain(websiteId, new Set(partsOf(days).map(partName)), span);
    return days;
  }

  /** The hits of some days. A visitor has all hits in one block. A block is valid until the next one. */
  async *all(days: HitsOfDay[]): AsyncGenerator<HitBlock> {
    yield* this.inHomes(days);
    yield* this.inBatches(days);
  }

  async *outsideOfRows(days: HitsOfDay[]): AsyncGenerator<HitBlock> {
    yield* this.inHomes(days.filter((stored) => !isInRowsHere(stored)));
    yield* this.inBatches(days);
  }

  private async *inHomes(days: HitsOfDay[]): AsyncGenerator<HitBlock> {
    for (const some of runsOf(days)) yield* isInRows(some[0]!) ? this.inRows(some) : this.inColumns(some);
    this.checkFound(days);
  }

  /** Rows are not counted for each answer: the snapshot that names a day has them. */
  countRows(days: HitsOfDay[], hitQuery: HitQuery, zone: Zone): AsyncGenerator<PartialQuery> {
    const { reader, check, memory } = this;
    const moved = days.filter(isInRowsHere).map(({ day, columns }) => ({ day, hits: columns!.hits }));
    const around = { websiteId: this.needs.websiteId, zone, check, memory };
    return new MovedDays(reader, hitQuery, hitQuery.statements!, around).count(moved);
  }

  /** The hits of some days in columns, with late hits of the same visitors. */
  private async *inColumns(days: HitsOfDay[]): AsyncGenerator<HitBlock> {
    const parts = partsOf(days);
    const { websiteId, needed, span, areAlike } = this.needs;
    const lateDays = new Map(
      days.filter((stored) => lateHits(stored) > 0).map((stored) => [stored.day, stored]),
    );
    const partReader = new PartReader(
      this.reader,
      websiteId,
      parts,
      needed,
      this.cache.parts(websiteId, span),
    );
    const areScannedTogether: AreInSameRanges = (day, other) =>
      !lateDays.has(day) && !lateDays.has(other) && areAlike(day, other);
    try {
      for (const key of parts) {
        this.check();
        const part = await partReader.part(key);
        for (const day of key.days) this.found.set(day, this.foundOf(day) + part.hitsOf(day));
        for (const days of blocksOf(part, key.days, areScannedTogether)) {
          const late = lateDays.get(days[0]!);
          const hits = late && (await this.lateHitsOf(late));
          const block = part.block(days, this.scratch);
          yield hits ? this.withLate(block, hits) : block;
        }
      }
    } finally {
      partReader.release();
    }
  }

  /** The hits of some days in rows. Their visitors are forgotten, so no late hit is of one. */
  private async *inRows(days: HitsOfDay[]): AsyncGenerator<HitBlock> {
    const { needs, names, texts, check, memory } = this;
    const reserve = (bytes: number) => memory.reserve(bytes);
    for (const { day, columns } of days) {
      const key = { websiteId: needs.websiteId, day, version: columns!.segment };
      const read: Reading = (work) => work(this.reader);
      const home = homeOf(columns!.home);
      for await (const { block } of readRowsOfDay(home, read, key, { names, texts, check, reserve })) {
        this.check();
        this.found.set(day, this.foundOf(day) + block.hits);
        yield block;
      }
    }
  }

  /** The hits of some days outside of columns, except late hits of visitors in columns. */
  private async *inBatches(days: HitsOfDay[]): AsyncGenerator<HitBlock> {
    for (const stored of days) {
      this.check();
      if (stored.hits === (stored.columns?.hits ?? 0)) continue;
      const block =
        lateHits(stored) > 0
          ? (await this.lateHitsOf(stored)).others()
          : (await this.ofBatches(stored)).columns;
      if (block) yield block;
    }
  }

  foundOf(day: number): number {
    return this.found.get(day) ?? 0;
  }

  /** Throws if hits in columns are missing. */
  private checkFound(days: HitsOfDay[]): void {
    for (const { day, columns } of days) {
      if (!columns || this.foundOf(day) === columns.hits) continue;
      if (isRemote(columns.home)) throw new RowsMissing(day);
      const { segment, lastPart: part } = columns;
      throw new DamagedColumns({ websiteId: this.needs.websiteId, segment, part }, day);
    }
  }

  private withLate(block: HitBlock, late: LateHits): HitBlock {
    const { day, hits } = block.days[0]!;
    const visitors = this.visitors.get(day) ?? 0;
    this.visitors.set(day, visitors + block.visitors);
    return late.among(block, visitors, this.foundOf(day) - hits);
  }

  private async lateHitsOf(stored: HitsOfDay): Promise<LateHits> {
    const known = this.late.get(stored.day);
    if (known) return known;
    const { late } = await this.ofBatches(stored);
    this.late.set(stored.day, late!);
    this.memory.retain(late!.bytes);
    return late!;
  }

  /**
   * The hits of a day outside of columns. Hits are only added at the end while the hits in columns are the same, and
   * visitors only forgotten, so the numbers of both tell whether a cached day is current.
   */
  private async ofBatches(stored: HitsOfDay): Promise<WholeDay> {
    const { day, hits, version, columns: inColumns } = stored;
    const forgotten = await countForgottenBatches(this.reader, this.needs.websiteId, day);
    if (forgotten > 0) this.forgotten.add(day);
    const own = { day, first: inColumns?.hits ?? 0, version, forgotten };
    const known = this.knownWhole(own, hits);
    if (known) return known;
    const { builder, columns: before } = this.begun(own);
    let columns: HitBlock;
    try {
      await this.readOn(builder, own, hits, before ? bytesOfBlock(before) : 0);
      columns = await builder.buildColumns(before, this.pause);
    } catch (error) {
      // After a deadline, a repeated query continues from here.
      this.cacheDay({ ...own, columns: undefined, builder });
      // Nothing is removed within a snapshot.
      throw error instanceof HitsRemoved ? error.asDamage() : error;
    }
    const late = lateHits(stored) > 0 ? await this.lateOf(stored, columns, builder) : undefined;
    const goesOn = day >= this.needs.openFrom;
    this.cacheDay({ ...own, columns, builder: goesOn ? builder : undefined, late });
    return { columns, late };
  }

  private knownWhole(own: HitsInBatches, hits: number): WholeDay | undefined {
    const known = this.needs.known.days.get(own.day);
    if (!isOf(known, own) || known.columns?.hits !== hits - own.first) return undefined;
    return this.hasNeeded(known.columns) ? { columns: known.columns, late: known.late } : undefined;
  }

  private async lateOf({ day, columns }: HitsOfDay, late: HitBlock, builder: DayBuilder): Promise<LateHits> {
    const { hits, sealing } = columns!;
    const sealed = { websiteId: this.needs.websiteId, day, sealing: sealing! };
    const numbers = await findNumbersInDay(this.reader, sealed, late.visitors, builder, this.check);
    return new LateHits(late, numbers, hits);
  }

  private hasNeeded({ codes }: HitBlock): boolean {
    return this.names.every((name) => codes[name]);
  }

  /** The state of an earlier read, taken out of the cache. */
  private begun(own: HitsInBatches): { builder: DayBuilder; columns?: HitBlock | undefined } {
    const taken = this.cache.take(this.needs.websiteId, own.day);
    const known = isOf(taken, own) ? taken : undefined;
    const others = Object.keys(known?.columns?.codes ?? {}) as ColumnName[];
    const builder = known?.builder ?? new DayBuilder(own.day, this.texts, others);
    builder.need(this.names);
    return { builder, columns: known?.builder && known.columns };
  }

  private async readOn(
    builder: DayBuilder,
    { day, first }: HitsInBatches,
    hits: number,
    bytesBefore: number,
  ): Promise<void> {
    const { reader, needs } = this;
    const reserve = () => this.memory.reserve(Math.ceil(ORDERED_TIMES * builder.bytes) + bytesBefore);
    reserve();
    while (first + builder.next < hits)
      for (const stored of await readNextBatches(reader, needs.websiteId, day, first + builder.next)) {
        await this.pause();
        if (stored.firstHit < hits)
          builder.add(await Batch.open(stored), stored.firstHit - first, hits - first);
        reserve();
      }
  }

  private readonly pause = () => pause(this.check);

  private cacheDay(day: CachedDay): void {
    const { websiteId, known, span } = this.needs;
    this.cache.keep(websiteId, known, day, span);
  }
}

/** Consecutive days whose hits are in columns or nowhere but in batches, and those in rows. */
function runsOf(days: readonly HitsOfDay[]): HitsOfDay[][] {
  const runs: HitsOfDay[][] = [];
  for (const stored of days) {
    const last = runs.at(-1);
    if (last && isInRows(last[0]!) === isInRows(stored)) last.push(stored);
    else runs.push([stored]);
  }
  return runs;
}

function isInRows({ columns }: HitsOfDay): boolean {
  return columns !== undefined && columns.home !== HOMES.columns;
}

/** Tells whether statements of the service's own database can count the day. */
function isInRowsHere({ columns }: HitsOfDay): boolean {
  return columns?.home === HOMES.rows;
}

function isOf(cached: CachedDay | undefined, own: HitsInBatches): cached is CachedDay {
  const { first, version, forgotten } = own;
  return cached?.first === first && cached.version === version && cached.forgotten === forgotten;
}
