import type { Database } from '../../engine/database/database';
import type { Hit } from '../../engine/hits/hit';
import { readHitsFrom, readDays } from '../../engine/columns/stored-days';

/** All stored hits of a website, as each day has them. */
export function keptHits(database: Database, websiteId: number): Promise<Hit[]> {
  return database.read(async (manager) => {
    const hits: Hit[] = [];
    for (const day of await readDays(manager, websiteId))
      for await (const some of readHitsFrom((work) => work(manager), websiteId, day)) hits.push(...some.hits);
    return hits;
  });
}
