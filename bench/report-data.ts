import { dayText } from '../src/common/time/days';
import type { Database } from '../src/database/database';
import { insertRows } from '../src/database/rows';
import type { Period } from '../src/reports/period';
import type { StatName } from '../src/storage/stat-names';
import { addCounts, type Count } from '../test/support/add-counts';

const AT_ONCE = 200;
const VALUES: Partial<Record<StatName, string[]>> = {
  page: ['/', '/pricing', '/docs', '/blog/first', '/blog/second', '/about'],
  referrer: ['(direct)', 'google.com', 'bing.com', 'news.example', 'social.example'],
  country: ['DE', 'FR', 'US', 'IN', 'JP'],
  event: ['Sign up', 'Download'],
};

/** Websites of the first user with reports switched on, each with a week of traffic. */
export async function fillReports(database: Database, count: number, period: Period): Promise<void> {
  for (let first = 0; first < count; first += AT_ONCE) {
    const ids = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => 1000 + first + index);
    await database.write(async (manager) => {
      const website = [
        'id',
        'user_id',
        'domain',
        'privacy',
        'email',
        'exclude_bots',
        'created_at',
        'updated_at',
      ];
      const websites = ids.map((id) => [id, 1, `site${id}.example`, 1, 1, 1, 0, 0]);
      await insertRows(manager, 'websites', website, websites);
      for (const id of ids) await addCounts(database, manager, id, countsOf(period));
    }, 60_000);
  }
}

function countsOf({ from, to }: Period): Count[] {
  const byDay = (['visitor', 'pageview'] as const).flatMap((name) =>
    Array.from({ length: to - from + 1 }, (_, index): Count => {
      const day = from + index;
      return { name, day, value: dayText(day), hits: 10 + index };
    }),
  );
  const byValue = Object.entries(VALUES).flatMap(([name, values]) =>
    values.map((value, index): Count => ({ name: name as StatName, day: from, value, hits: 50 - index })),
  );
  return [...byDay, ...byValue];
}
