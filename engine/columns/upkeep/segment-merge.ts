import type { Database } from '../../database/database';
import {
  segmentsBetween,
  segmentsOf,
  RUN_LIMITS,
  segmentsToMerge,
  type RunLimits,
} from '../segments/segment-merge-rules';
import {
  type SegmentDays,
  type DayInColumns,
  DaysChanged,
  moveDays,
  type PartRange,
} from '../segments/hit-segments';
import { readDays, readArchivedFrom } from '../stored-days';
import { daysOfPart, PartMerge, type SourcePart } from '../segments/merged-part';
import { DamagedColumns, rowsOfPart } from '../segments/part-rows';
import { SEALING_LIMITS, SEALING_MEMORY } from '../seal/sealing-memory';
import { goOnAfterYield, SegmentWriter, type ColumnTurn, type ColumnWork } from './column-work';

export interface MergeLimits extends Partial<RunLimits> {
  /** The limit for the texts of a part in memory. */
  textBytes: number;
  bytesAtOnce?: number;
}

const LIMITS: MergeLimits = { textBytes: 24 * 1024 * 1024 };

/** Merges consecutive segments into one, and leaves out days that are no longer current. */
export class SegmentMerge implements ColumnWork {
  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly segments: SegmentDays[],
    /** The number of the new segment. */
    private readonly segment: number,
    private readonly limits = LIMITS,
  ) {}

  get days(): number[] {
    return daysOf(this.segments);
  }

  async run(turn: ColumnTurn): Promise<void> {
    try {
      const hits = this.segments.reduce((sum, own) => sum + own.hits, 0);
      // More only if one day fills a segment alone.
      const bytes = hits > RUN_LIMITS.hits ? SEALING_LIMITS.largestBytes : SEALING_LIMITS.dayBytes;
      await SEALING_MEMORY.takeDuring(bytes, turn.goOn, () => this.merge(turn));
    } catch (error) {
      if (!(error instanceof DaysChanged)) throw error;
    }
  }

  private async merge(turn: ColumnTurn): Promise<void> {
    const { websiteId, segment } = this;
    const { textBytes, bytesAtOnce } = this.limits;
    const merge = new PartMerge(this.database, websiteId, goOnAfterYield(turn));
    const groups = await merge.group(sourcesOf(this.segments), textBytes);
    if (!groups) return;
    const writer = new SegmentWriter(turn, bytesAtOnce);
    for (const [part, sources] of groups.entries()) {
      const columns = await merge.merge(sources);
      if (!columns) return;
      const rows = rowsOfPart({ websiteId, segment, part }, columns);
      if (!(await writer.add(rows, Math.max(...sources.flatMap(({ days }) => days))))) return;
    }
    this.check(merge);
    const places = this.places(groups);
    await writer.finish((manager) => moveDays(manager, websiteId, this.segments, places));
  }

  /** Throws if hits are missing in a part. Otherwise the loss would go unnoticed from now on. */
  private check(merge: PartMerge): void {
    for (const { day, columns } of this.segments.flatMap(({ days }) => days))
      if (merge.hitsOf(day) !== columns.hits)
        throw new DamagedColumns({ ...columns, websiteId: this.websiteId, part: columns.lastPart }, day);
  }

  /** The parts of the new segment that have each day. */
  private places(groups: SourcePart[][]): Map<number, PartRange> {
    const places = new Map<number, PartRange>();
    for (const [part, sources] of groups.entries())
      for (const day of sources.flatMap(({ days }) => days)) {
        const firstPart = places.get(day)?.firstPart ?? part;
        places.set(day, { segment: this.segment, firstPart, lastPart: part });
      }
    return places;
  }
}

function sourcesOf(segments: SegmentDays[]): SourcePart[] {
  const sources = new Map<string, SourcePart>();
  for (const { day, columns } of segments.flatMap(({ days }) => days)) {
    const { segment, firstPart, lastPart, hits } = columns;
    for (let part = firstPart; part <= lastPart; part++) {
      const name = `${segment} ${part}`;
      const source = sources.get(name) ?? { segment, part, days: [], hits: 0 };
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
  /** Columns of later days may still be rewritten. */
  before: number;
  /** Damaged days, which are suspended. */
  isPaused?: (day: number) => boolean;
}

/** The next merge, and the days without it. */
interface NextMerge {
  merge: SegmentMerge | undefined;
  leftOut: number[];
}

/**
 * The next segments to merge, or a segment that begins with an expired day. Suspended days are not merged: the segments
 * between them are, so that each segment has consecutive days.
 */
export async function nextMerge(
  database: Database,
  websiteId: number,
  segment: number,
  { left, before, isPaused = () => false }: LeftDays,
  limits = LIMITS,
): Promise<NextMerge> {
  const all = segmentsOf(await readDays(database, websiteId, { to: before - 1 }));
  const aside = all.filter((own) => daysOf([own]).some(isPaused));
  const leftOut = [...left, ...daysOf(aside)].sort((one, other) => one - other);
  const segments = all.filter((own) => !aside.includes(own));
  const due = segmentsBetween(segments, leftOut).map((some) => segmentsToMerge(some, limits));
  const run = due.find((some) => some) ?? (await findExpiredRun(database, websiteId, segments));
  return { merge: run && new SegmentMerge(database, websiteId, run, segment, limits), leftOut };
}

function daysOf(segments: SegmentDays[]): number[] {
  return segments.flatMap(({ days }) => days.map(({ day }) => day));
}

/** The first segment, if it begins with an expired day. */
async function findExpiredRun(
  database: Database,
  websiteId: number,
  [first]: SegmentDays[],
): Promise<SegmentDays[] | undefined> {
  if (!first || (await readArchivedFrom(database, websiteId)) === 0) return undefined;
  const [{ day, columns }] = first.days as [DayInColumns];
  const [begin] = await daysOfPart(
    database,
    { websiteId, segment: first.segment, part: columns.firstPart },
    day,
  );
  return begin! < day ? [first] : undefined;
}
