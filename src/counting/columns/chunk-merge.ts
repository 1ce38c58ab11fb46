import type { Database } from '../../database/database';
import { chunksBetween, chunksOf, dueRun, type RunLimits } from '../../storage/segments/chunk-runs';
import {
  type ChunkDays,
  type DayInColumns,
  DaysChanged,
  moveDays,
  type PartRange,
} from '../../storage/segments/hit-chunks';
import { keptDays, keptFrom } from '../../storage/kept-hits';
import { daysOfPart, PartMerge, type SourcePart } from '../../storage/segments/merged-part';
import { DamagedColumns, rowsOfPart } from '../../storage/segments/part-rows';
import { between, ChunkWriter, type ColumnTurn, type ColumnWork } from './column-work';

export interface MergeLimits extends Partial<RunLimits> {
  /** What the texts of a part take in memory. */
  textBytes: number;
  bytesAtOnce?: number;
}

const LIMITS: MergeLimits = { textBytes: 24 * 1024 * 1024 };

/** Makes one chunk of some that follow one another, without the days in them that are not kept any more. */
export class ChunkMerge implements ColumnWork {
  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly chunks: ChunkDays[],
    /** The number of the new chunk. */
    private readonly chunk: number,
    private readonly limits: MergeLimits,
  ) {}

  get days(): number[] {
    return daysOf(this.chunks);
  }

  async run(turn: ColumnTurn): Promise<void> {
    try {
      await this.merge(turn);
    } catch (error) {
      if (!(error instanceof DaysChanged)) throw error;
    }
  }

  private async merge(turn: ColumnTurn): Promise<void> {
    const { websiteId, chunk } = this;
    const { textBytes, bytesAtOnce } = this.limits;
    const merge = new PartMerge(this.database, websiteId, between(turn));
    const groups = await merge.grouped(sourcesOf(this.chunks), textBytes);
    if (!groups) return;
    const writer = new ChunkWriter(turn, bytesAtOnce);
    for (const [part, sources] of groups.entries()) {
      const columns = await merge.merged(sources);
      if (!columns) return;
      const rows = rowsOfPart({ websiteId, chunk, part }, columns);
      if (!(await writer.add(rows, Math.max(...sources.flatMap(({ days }) => days))))) return;
    }
    this.check(merge);
    const places = this.places(groups);
    await writer.finish((manager) => moveDays(manager, websiteId, this.chunks, places));
  }

  /** What is missing in a part must not be missing unseen from then on. */
  private check(merge: PartMerge): void {
    for (const { day, columns } of this.chunks.flatMap(({ days }) => days))
      if (merge.hitsOf(day) !== columns.hits)
        throw new DamagedColumns({ ...columns, websiteId: this.websiteId, part: columns.lastPart }, day);
  }

  /** In which parts of the new chunk each day is. */
  private places(groups: SourcePart[][]): Map<number, PartRange> {
    const places = new Map<number, PartRange>();
    for (const [part, sources] of groups.entries())
      for (const day of sources.flatMap(({ days }) => days)) {
        const firstPart = places.get(day)?.firstPart ?? part;
        places.set(day, { chunk: this.chunk, firstPart, lastPart: part });
      }
    return places;
  }
}

function sourcesOf(chunks: ChunkDays[]): SourcePart[] {
  const sources = new Map<string, SourcePart>();
  for (const { day, columns } of chunks.flatMap(({ days }) => days)) {
    const { chunk, firstPart, lastPart, hits } = columns;
    for (let part = firstPart; part <= lastPart; part++) {
      const name = `${chunk} ${part}`;
      const source = sources.get(name) ?? { chunk, part, days: [], hits: 0 };
      source.days.push(day);
      source.hits += Math.ceil(hits / (lastPart - firstPart + 1));
      sources.set(name, source);
    }
  }
  return [...sources.values()];
}

interface LeftDays {
  /** Days that stay in batches for now. */
  left: number[];
  /** Columns of later days may be made anew. */
  before: number;
  /** Days that are put aside for now: they are damaged. */
  isPaused?: (day: number) => boolean;
}

/** What is to be merged next, and the days that are left out of it. */
interface NextMerge {
  merge: ChunkMerge | undefined;
  leftOut: number[];
}

/**
 * The next chunks that have to become one, or one of which a day is not kept any more. Days that are left out are to be
 * merged between those of other days, so that a chunk has days that follow one another.
 */
export async function nextMerge(
  database: Database,
  websiteId: number,
  chunk: number,
  { left, before, isPaused = () => false }: LeftDays,
  limits = LIMITS,
): Promise<NextMerge> {
  const all = chunksOf(await keptDays(database, websiteId, { to: before - 1 }));
  const aside = all.filter((own) => daysOf([own]).some(isPaused));
  const leftOut = [...left, ...daysOf(aside)].sort((one, other) => one - other);
  const chunks = all.filter((own) => !aside.includes(own));
  const due = chunksBetween(chunks, leftOut).map((some) => dueRun(some, limits));
  const run = due.find((some) => some) ?? (await expiredRun(database, websiteId, chunks));
  return { merge: run && new ChunkMerge(database, websiteId, run, chunk, limits), leftOut };
}

function daysOf(chunks: ChunkDays[]): number[] {
  return chunks.flatMap(({ days }) => days.map(({ day }) => day));
}

/** The first chunk, where it begins with a day that is not kept any more. */
async function expiredRun(
  database: Database,
  websiteId: number,
  [first]: ChunkDays[],
): Promise<ChunkDays[] | undefined> {
  if (!first || (await keptFrom(database, websiteId)) === 0) return undefined;
  const [{ day, columns }] = first.days as [DayInColumns];
  const [begin] = await daysOfPart(database, { websiteId, chunk: first.chunk, part: columns.firstPart }, day);
  return begin! < day ? [first] : undefined;
}
