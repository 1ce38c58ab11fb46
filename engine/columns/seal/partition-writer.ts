import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { WaitingPool } from '../../ground/memory/waiting-pool';
import { DayBuilder } from '../segments/day-builder';
import {
  COLUMN_NAMES,
  COLUMNS_OF_HITS,
  COLUMNS_OF_VISITORS,
  kindOf,
  type ColumnName,
  COLUMNS,
} from '../../hits/hit-columns';
import { HitSums } from '../ordering/hit-sums';
import { orderByHits } from '../ordering/columns-of-block';
import { encodeColumn, encodePart, STRUCTURE } from '../segments/part-format';
import { DEFLATE_LEVELS } from '../../hits/codes/packed-numbers';
import { rowsOfColumn, rowsOfPart } from '../segments/part-rows';
import { type HitBlock, leastOf } from '../../hits/hit-block';
import type { WebsiteTexts } from '../../hits/codes/text-codes';
import type { SegmentWriter } from '../upkeep/column-work';
import { LastingFailure } from '../leases/website-failures';
import type { HitPiece } from './hits-to-seal';
import type { SealingLimits } from './sealing-memory';
import { slicedCodes } from '../../hits/codes/code-list';
import type { ColumnCodes } from '../../hits/codes/column-codes';

/** A column's codes, besides the ordered codes and those in the builder. */
const TIMES_IN_MEMORY = 2;
/** While the hits of visitors are ordered, and then while one column is. */
const BYTES_OF_ORDERED_HIT = 32;

/** Some visitors of a day with all of their hits. Each call reads them again. */
export interface DayPartition {
  texts: WebsiteTexts;
  pieces: AsyncGenerator<HitPiece>;
}

/** The destination of a day's parts. */
interface DayInSegment {
  websiteId: number;
  day: number;
  segment: number;
}

/**
 * A visitor has more hits or texts than fit into memory. They stay in batches until their visitors are forgotten, which
 * divides them.
 */
export class VisitorTooLarge extends LastingFailure {
  constructor(hits: number) {
    super(`one visitor has ${hits} hits or more, which exceed the memory for sealing`);
  }
}

/** Writes the partitions of a day as parts. */
export class PartitionWriter {
  parts = 0;
  visitors = 0;
  hits = 0;
  readonly sums = new HitSums();

  constructor(
    private readonly day: DayInSegment,
    private readonly limits: SealingLimits,
    private readonly memory: WaitingPool,
    private readonly writer: SegmentWriter,
    private readonly goOn: () => Promise<boolean>,
    private readonly writeHashes: (firstVisitor: number, hashes: Buffer) => Promise<boolean>,
  ) {}

  /** Returns false if the work must end. */
  async write(partition: () => DayPartition): Promise<boolean> {
    const { limits, memory, goOn } = this;
    const { texts, pieces } = partition();
    const builder = await this.build(pieces, texts);
    if (builder) return this.writeWhole(builder, texts);
    const { dayBytes, largestBytes } = limits;
    const work = () => this.writeByColumns(partition);
    return (await memory.replaceDuring(dayBytes, largestBytes, goOn, work)) ?? false;
  }

  /** Undefined if the hits exceed the memory. */
  private async build(
    pieces: AsyncGenerator<HitPiece>,
    texts: WebsiteTexts,
  ): Promise<DayBuilder | undefined> {
    const { partitionBytes } = this.limits;
    const before = bytesOfTexts(texts);
    const builder = new DayBuilder(this.day.day, texts);
    for await (const piece of pieces) {
      addTo(builder, piece);
      if (TIMES_IN_MEMORY * builder.bytes + bytesOfTexts(texts) - before > partitionBytes) return undefined;
      await yieldIfNeeded();
    }
    return builder;
  }

  private async writeWhole(builder: DayBuilder, texts: WebsiteTexts): Promise<boolean> {
    const { websiteId, segment, day } = this.day;
    this.hits += builder.hits;
    if (builder.hits === 0) return true;
    const columns = await builder.buildColumns();
    this.sums.addVisitorsOf(columns, texts);
    for (const group of rowGroups(columns, this.limits.hits)) {
      const rows = rowsOfPart({ websiteId, segment, part: this.parts++ }, await encodePart([group], texts));
      if (!(await this.writer.add(rows, day)) || !(await this.goOn())) return false;
    }
    return this.writeVisitors(columns, builder.hashes());
  }

  /**
   * Writes the same parts with one pass for each hit column. Readers of such parts need the texts of all columns in
   * memory.
   */
  private async writeByColumns(partition: () => DayPartition): Promise<boolean> {
    const { texts, pieces } = partition();
    const { columns, hashes } = await this.order(pieces, texts);
    this.hits += columns.hits;
    this.sums.addVisitorsOf(columns, texts);
    const kinds = [STRUCTURE, ...COLUMNS_OF_VISITORS.map(kindOf)];
    if (!(await this.writeColumns(columns, texts, kinds))) return false;
    let bytes = bytesOfTexts(texts);
    for (const name of COLUMNS_OF_HITS) {
      const own = partition();
      const before = bytes - bytesOfTexts(own.texts);
      const check = (hits: number) => this.checkRoom(hits, before + bytesOfTexts(own.texts));
      const codes = await orderByHits(own.pieces, name, own.texts.of[name], columns.accepted!, check);
      const column = { ...columns, codes: { [name]: codes } };
      if (!(await this.writeColumns(column, own.texts, [kindOf(name)]))) return false;
      bytes = before + bytesOfTexts(own.texts);
    }
    this.parts += [...rowGroups(columns, this.limits.hits)].length;
    return this.writeVisitors(columns, hashes);
  }

  /** The order of the hits, and the visitor columns. The memory for ordering is free afterwards. */
  private async order(pieces: AsyncGenerator<HitPiece>, texts: WebsiteTexts) {
    const builder = new DayBuilder(this.day.day, texts, COLUMNS_OF_VISITORS);
    for await (const piece of pieces) {
      addTo(builder, piece);
      this.checkRoom(builder.hits, bytesOfTexts(texts));
      await yieldIfNeeded();
    }
    return { columns: await builder.buildColumns(), hashes: builder.hashes() };
  }

  private checkRoom(hits: number, textBytes: number): void {
    const bytes = BYTES_OF_ORDERED_HIT * hits + textBytes;
    if (bytes > this.limits.largestBytes) throw new VisitorTooLarge(hits);
  }

  private async writeColumns(
    columns: HitBlock,
    texts: WebsiteTexts,
    kinds: readonly number[],
  ): Promise<boolean> {
    const { websiteId, segment, day } = this.day;
    let part = this.parts;
    for (const group of rowGroups(columns, this.limits.hits)) {
      for (const kind of kinds) {
        const encoded = await encodeColumn(kind, [group], texts, DEFLATE_LEVELS.each);
        const rows = rowsOfColumn({ websiteId, segment, part }, kind, encoded);
        if (!(await this.writer.add(rows, day)) || !(await this.goOn())) return false;
        await yieldIfNeeded();
      }
      part++;
    }
    return true;
  }

  private async writeVisitors({ visitors }: HitBlock, hashes: Buffer): Promise<boolean> {
    if (!(await this.writeHashes(this.visitors, hashes))) return false;
    this.visitors += visitors;
    return true;
  }
}

function addTo(builder: DayBuilder, { hits, range }: HitPiece): void {
  const first = builder.hits - range.from;
  builder.add(hits, first, first + range.before);
}

function bytesOfTexts({ of }: WebsiteTexts): number {
  return COLUMN_NAMES.reduce((sum, name) => sum + of[name].bytes, 0);
}

/** Divides the hits of a day into pieces of limited size. A visitor with more hits is a piece alone. */
function* rowGroups(day: HitBlock, maxHits: number): Generator<HitBlock> {
  const { begins, visitors, hits } = day;
  if (hits <= maxHits) {
    yield day;
    return;
  }
  for (let from = 0; from < visitors;) {
    let before = from + 1;
    while (before < visitors && begins[before + 1]! - begins[from]! <= maxHits) before++;
    yield ofVisitors(day, from, before);
    from = before;
  }
}

function ofVisitors({ days, begins, isKnown, isDirect, at, codes }: HitBlock, from: number, before: number) {
  const [first, end] = [begins[from]!, begins[before]!];
  const own: Partial<Record<ColumnName, ColumnCodes>> = {};
  for (const [name, { rows, codeOf }] of Object.entries(codes) as [ColumnName, ColumnCodes][])
    own[name] =
      COLUMNS[name].of === 'hit'
        ? { rows: slicedCodes(rows, first, end), codeOf }
        : { rows: slicedCodes(rows, from, before), codeOf };
  const moments = at.subarray(first, end);
  const sizes = { visitors: before - from, hits: end - first };
  return {
    ...sizes,
    days: [{ ...days[0]!, ...sizes, begin: leastOf(moments), firstVisitor: 0, firstHit: 0 }],
    begins: begins.subarray(from, before + 1).map((begin) => begin - first),
    isKnown: isKnown.subarray(from, before),
    isDirect: isDirect.subarray(from, before),
    at: moments,
    codes: own,
  } satisfies HitBlock;
}
