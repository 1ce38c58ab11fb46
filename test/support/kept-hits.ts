import type { Database } from '../../src/database/database';
import type { Hit } from '../../src/storage/hit';
import { hitsOfDay, keptDays } from '../../src/storage/pieces';

/** All that is kept of a website's hits, in the order of acceptance. */
export function keptHits(database: Database, websiteId: number): Promise<Hit[]> {
  return database.read(async (manager) => {
    const hits: Hit[] = [];
    for (const day of await keptDays(manager, websiteId))
      for await (const some of hitsOfDay(manager, websiteId, day)) hits.push(...some);
    return hits;
  });
}
