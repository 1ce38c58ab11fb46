import type { Database } from '../../src/database/database';
import { QuestionAnswering } from '../../src/stats/questions/answering';
import { Zone } from '../../src/stats/questions/buckets';
import { ColumnCache } from '../../src/stats/questions/column-cache';
import { owner } from '../../src/stats/viewer';
import type { Span } from '../../src/storage/calendar';

/** Page views, visitors and visits of some days, and the visitors by country and by referrer. */
export async function answersOf(
  database: Database,
  websiteId: number,
  days: Span,
  cache = new ColumnCache(1),
): Promise<unknown[]> {
  const answering = new QuestionAnswering(database, cache, new Zone('UTC'));
  const question = {
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
      viewer: owner(1),
      websiteId,
      keptFrom: 0,
      questions: [
        { ...question, dimensions: [], metrics: ['pageviews', 'visitors', 'visits', 'seconds'] },
        { ...question, dimensions: ['country'], metrics: ['visitors'] },
        { ...question, dimensions: ['referrer'], metrics: ['visitors'] },
      ],
    },
    60_000,
    () => undefined,
  );
  return answers.map(({ rows: { metrics }, sums }) => [sums, ...metrics.map((counts) => [...counts])]);
}
