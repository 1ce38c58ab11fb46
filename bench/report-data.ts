import { createHash } from 'node:crypto';
import { dayText } from '../src/common/days';
import type { Database } from '../src/database/database';
import { insertRows } from '../src/database/rows';
import type { Period } from '../src/reports/period';
import { DIMENSIONS, type StatName } from '../src/storage/dimensions';

const AT_ONCE = 200;
const VALUES: Partial<Record<StatName, string[]>> = {
  page: ['/', '/pricing', '/docs', '/blog/first', '/blog/second', '/about'],
  referrer: ['(direct)', 'google.com', 'bing.com', 'news.example', 'social.example'],
  country: ['DE', 'FR', 'US', 'IN', 'JP'],
  event: ['Sign up', 'Download'],
};
const VALUE_COLUMNS = ['website_id', 'name', 'value_id', 'hash', 'value', 'folded', 'folded_label'];

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
      await insertRows(
        manager,
        'stat_values',
        VALUE_COLUMNS,
        ids.flatMap((id) => valuesOf(id, period)),
      );
      const counters = ['website_id', 'name', 'day', 'value_id', 'hits'];
      await insertRows(
        manager,
        'stat_counters',
        counters,
        ids.flatMap((id) => countersOf(id, period)),
      );
    }, 60_000);
  }
}

function daysOf({ from, to }: Period): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => dayText(from + index));
}

function valuesOf(id: number, period: Period): unknown[][] {
  const all = { ...VALUES, visitor: daysOf(period), pageview: daysOf(period) };
  return Object.entries(all).flatMap(([name, values]) =>
    values.map((value, index) => {
      const bytes = Buffer.from(value);
      const hash = createHash('sha256').update(value).digest();
      return [id, DIMENSIONS[name as StatName].code, index + 1, hash, bytes, bytes, null];
    }),
  );
}

function countersOf(id: number, period: Period): unknown[][] {
  const byDay = (['visitor', 'pageview'] as const).flatMap((name) =>
    daysOf(period).map((_, index) => [id, DIMENSIONS[name].code, period.from + index, index + 1, 10 + index]),
  );
  const byValue = Object.entries(VALUES).flatMap(([name, values]) =>
    values.map((_, index) => [id, DIMENSIONS[name as StatName].code, period.from, index + 1, 50 - index]),
  );
  return [...byDay, ...byValue];
}
