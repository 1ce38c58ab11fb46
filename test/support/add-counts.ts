import type { EntityManager } from 'typeorm';
import type { Database } from '../../src/database/database';
import { applyCounts, type Increment, prepareCounts } from '../../src/storage/counters';
import { Dictionary } from '../../src/storage/dictionary';

/** Adds counts as a fold does, in the caller's transaction. */
export async function addCounts(
  { dialect }: Database,
  manager: EntityManager,
  websiteId: number,
  counts: Increment[],
): Promise<void> {
  const prepared = await prepareCounts(
    dialect,
    manager,
    websiteId,
    new Dictionary(dialect, websiteId),
    counts,
  );
  await applyCounts(manager, websiteId, prepared);
}
