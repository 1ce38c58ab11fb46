import type { ChunkDays } from './hit-chunks';
import type { HitsOfDay } from '../kept-hits';

export interface RunLimits {
  hits: number;
  /** From the first to the last one: of a website with few hits a chunk is written anew often, as its days expire. */
  days: number;
}

/** About a month of a website with 10 million hits a year: a question about one month reads no more than that. */
const LIMITS: RunLimits = { hits: 1024 * 1024, days: 64 };

/** The chunks of days that follow one another, in their order. */
export function chunksOf(days: HitsOfDay[]): ChunkDays[] {
  const chunks: ChunkDays[] = [];
  for (const { day, columns } of days) {
    if (!columns) continue;
    if (chunks.at(-1)?.chunk !== columns.chunk) chunks.push({ chunk: columns.chunk, days: [], hits: 0 });
    const last = chunks.at(-1)!;
    last.days.push({ day, columns });
    last.hits += columns.hits;
  }
  return chunks;
}

/** The chunks before, between and behind some days. */
export function chunksBetween(chunks: ChunkDays[], days: number[]): ChunkDays[][] {
  const before = ({ days: [first] }: ChunkDays, day: number) => first!.day < day;
  return [...days, Infinity].map((day, index) =>
    chunks.filter((chunk) => before(chunk, day) && !before(chunk, days[index - 1] ?? 0)),
  );
}

/**
 * The chunks that have to become one, if any: one and those behind it, which together have as many hits. So one that is
 * not full has more than all behind it, which makes them few, and a hit is moved about as many times as a number
 * doubles from a day's hits to those of a full chunk.
 */
export function dueRun(chunks: ChunkDays[], own: Partial<RunLimits> = {}): ChunkDays[] | undefined {
  const limits = { ...LIMITS, ...own };
  for (let end = chunks.length; end > 1; end--) {
    const run = runBefore(chunks, end, limits);
    if (run.length > 1) return run;
  }
  return undefined;
}

function runBefore(chunks: ChunkDays[], end: number, limits: RunLimits): ChunkDays[] {
  const lastDay = chunks[end - 1]!.days.at(-1)!.day;
  let first = end - 1;
  let { hits } = chunks[first]!;
  for (let index = end - 2; index >= 0; index--) {
    const before = chunks[index]!;
    if (hits + before.hits > limits.hits || lastDay - before.days[0]!.day >= limits.days) break;
    if (before.hits <= hits) first = index;
    hits += before.hits;
  }
  return chunks.slice(first, end);
}
