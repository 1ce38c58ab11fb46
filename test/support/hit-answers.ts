import type { Database } from '../../src/database/database';
import { QueryAnswering } from '../../src/stats/queries/answer/query-answering';
import { Zone } from '../../src/stats/queries/plan/buckets';
import { ColumnCache } from '../../src/stats/queries/read/column-cache';
import { filterOf, type ResolvedFilter } from '../../src/stats/queries/parse/filter';
import { parseFilterSyntax } from '../../src/stats/queries/parse/filter-syntax';
import { askerOf, owner } from '../../src/stats/viewers/viewer';
import type { Span } from '../../src/storage/calendar';
import { keptHits } from './stored-days';
import { PATIENCE_MS } from './until';

const answeringOf = (database: Database, cache = new ColumnCache()) =>
  new QueryAnswering(database, cache, new Zone('UTC'));

/** The pages of a day's hits that a filter selects, in reading order. */
export async function selectedPages(
  database: Database,
  websiteId: number,
  day: number,
  segment: string,
): Promise<string[]> {
  const filter = filterOf(parseFilterSyntax(segment) as ResolvedFilter[])!;
  const request = { websiteId, day, filter };
  const { selected } = await answeringOf(database).select(request, PATIENCE_MS, () => undefined);
  const hits = await keptHits(database, websiteId);
  const ofDay = hits.filter((hit) => hit.day === day);
  expect(selected).toHaveLength(ofDay.length);
  return ofDay.filter((_, index) => selected[index] === 1).map(({ page }) => page);
}

/** Page views, visitors and visits of a span of days, and the visitors by country and by referrer. */
export async function answersOf(
  database: Database,
  websiteId: number,
  days: Span,
  cache = new ColumnCache(),
): Promise<unknown[]> {
  const answering = answeringOf(database, cache);
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
      asker: askerOf(owner(1)),
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
