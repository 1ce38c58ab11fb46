import type { Database } from '../../engine/database/database';
import { NDJSON } from '../../engine/hits/files/file-formats';
import type { HitLine } from '../../engine/hits/files/hit-lines';
import { DaySelection } from '../../engine/columns/hits/day-selection';
import { HitsReading } from '../../engine/columns/hits/hits-reading';
import { QueryAnswering } from '../../engine/columns/answering/query-answering';
import { WorkingMemory } from '../../engine/asking/memory/working-memory';
import { Zone } from '../../engine/questions/plan/buckets';
import { ColumnCache } from '../../engine/columns/read/column-cache';
import { type Filter, filterOf, type ResolvedFilter } from '../../engine/questions/parse/filter';
import { parseFilterSyntax } from '../../engine/questions/parse/filter-syntax';
import { ownerAsks } from './owner-asks';
import type { Span } from '../../engine/hits/calendar';
import { PATIENCE_MS } from './until';

const ZONE = new Zone('UTC');
const LIMIT = { patienceMs: PATIENCE_MS, check: () => undefined };

/** The pages of a day's hits that a filter selects, in reading order. */
export async function selectedPages(
  database: Database,
  websiteId: number,
  day: number,
  segment: string,
): Promise<string[]> {
  const filter = filterOf(parseFilterSyntax(segment) as ResolvedFilter[])!;
  const lines = await exportedLines(database, ZONE, websiteId, { from: day, to: day }, filter);
  return lines.map(({ page }) => page);
}

/** The exported hits that a filter selects, in reading order. */
export async function exportedLines(
  database: Database,
  zone: Zone,
  websiteId: number,
  range: Span,
  filter: Filter,
): Promise<HitLine[]> {
  const [cache, memory] = [new ColumnCache(), new WorkingMemory()];
  const answering = new QueryAnswering(database, cache, zone, memory);
  const hits = new HitsReading(database, new DaySelection(cache, zone, memory, answering));
  const { seenIf } = ownerAsks(1);
  const version = await hits.version({ seenIf, websiteId, range }, LIMIT);
  const { pieces } = await hits.lines({ seenIf, websiteId, version, filter, type: NDJSON }, LIMIT);
  const read: Buffer[] = [];
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next())
    read.push(piece.value as Buffer);
  return linesIn(Buffer.concat(read));
}

export function linesIn(file: Buffer): HitLine[] {
  const lines = file.toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as HitLine);
}

/** Page views, visitors and visits of a span of days, and the visitors by country and by referrer. */
export async function answersOf(
  database: Database,
  websiteId: number,
  days: Span,
  cache = new ColumnCache(),
): Promise<unknown[]> {
  const answering = new QueryAnswering(database, cache, ZONE, new WorkingMemory());
  const hitQuery = {
    range: { days },
    previous: undefined,
    filter: undefined,
    fill: false,
    order: [],
    skip: 0,
    take: 10,
  };
  const { answers } = await answering.answer(
    {
      asker: ownerAsks(1),
      websiteId,
      statsFrom: 0,
      hitQueries: [
        { ...hitQuery, dimensions: [], metrics: ['pageviews', 'visitors', 'visits', 'seconds'] },
        { ...hitQuery, dimensions: ['country'], metrics: ['visitors'] },
        { ...hitQuery, dimensions: ['referrer'], metrics: ['visitors'] },
      ],
    },
    PATIENCE_MS,
    () => undefined,
  );
  return answers.map(({ rows: { metrics }, sums }) => [sums, ...metrics.map((counts) => [...counts])]);
}
