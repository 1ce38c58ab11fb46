import type { EntityManager } from 'typeorm';
import { inPieces } from '../database/rows';
import type { Counters } from '../storage/dictionary.query';
import type { Segment, SegmentKey } from '../storage/segment-format';
import { segmentsWithKeys } from '../storage/segment-rows';
import { segmentsQuery } from './counters.query';
import type { RangePlan } from './range-plan';

/** Segments up to this size are read together with their keys, so that most ranges take one statement. */
const MAX_SMALL_BYTES = 64 * 1024;
const MAX_KEYS_PER_READ = 128;
const MAX_BYTES_PER_READ = 4 * 1024 * 1024;

/** The segments that cover a range; however long it is, few of them are in memory at once. */
export async function* coveringSegments(
  manager: EntityManager,
  counters: Counters,
  plan: RangePlan,
): AsyncGenerator<Segment> {
  for (let after: SegmentKey | undefined, more = true; more;) {
    const rows = await segmentsQuery(manager, counters, plan, MAX_SMALL_BYTES, after)
      .limit(MAX_KEYS_PER_READ)
      .getRawMany<SizedSegment>();
    const large: (SegmentKey & { bytes: number })[] = [];
    for (const { bytes, data, ...key } of rows) {
      if (data) yield { ...key, ...counters, data };
      else large.push({ ...key, ...counters, bytes: Number(bytes) });
    }
    for (const piece of inPieces(large, Infinity, MAX_BYTES_PER_READ, ({ bytes }) => bytes))
      yield* await segmentsWithKeys(manager, piece);
    const last = rows.at(-1);
    after = last && { ...last, ...counters };
    more = rows.length === MAX_KEYS_PER_READ;
  }
}

interface SizedSegment extends Omit<Segment, 'websiteId' | 'name' | 'data'> {
  bytes: number | string;
  data: Buffer | null;
}
