import type { Database } from '../../src/database/database';
import { archivedDays, archivedHits } from '../../src/storage/archive';
import type { Hit } from '../../src/storage/hit';

/** All that is kept of a website's hits, in the order of acceptance. */
export function keptHits(database: Database, websiteId: number): Promise<Hit[]> {
  return database.read(async (manager) => {
    const hits: Hit[] = [];
    for (const { day } of await archivedDays(manager, websiteId))
      for await (const some of archivedHits(manager, websiteId, day)) hits.push(...some);
    return hits;
  });
}
