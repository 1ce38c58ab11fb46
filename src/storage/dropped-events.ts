import type { EntityManager } from 'typeorm';
import type { Dialect } from '../database/dialect';
import type { Insertion } from '../database/rows';
import type { Span } from './calendar';
import type { DroppedCount } from './dropped';

/** What was dropped on the days of a range. */
export async function droppedCounts(
  manager: EntityManager,
  websiteId: number,
  { from, to }: Span,
): Promise<{ reason: string; count: number }[]> {
  const rows = await manager
    .createQueryBuilder()
    .select('reason')
    .addSelect('SUM(count)', 'count')
    .from('dropped_events', 'dropped')
    .where('website_id = :websiteId AND day BETWEEN :from AND :to', { websiteId, from, to })
    .groupBy('reason')
    .getRawMany<{ reason: string; count: number | string }>();
  return rows.map(({ reason, count }) => ({ reason, count: Number(count) }));
}

/** Adds to what there is of each day and reason. */
export function droppedInsertion(
  { addIfThere }: Dialect,
  websiteId: number,
  dropped: readonly DroppedCount[],
): Insertion {
  const counts = new Map<string, [number, string, number]>();
  for (const { day, reason, count } of dropped) {
    const key = `${day} ${reason}`;
    counts.set(key, [day, reason, count + (counts.get(key)?.[2] ?? 0)]);
  }
  return {
    table: 'dropped_events',
    columns: ['website_id', 'day', 'reason', 'count'],
    rows: Array.from(counts.values(), (row) => [websiteId, ...row]),
    ending: addIfThere('dropped_events', 'website_id, day, reason', 'count'),
  };
}
