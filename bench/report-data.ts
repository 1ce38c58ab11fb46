import { dayText } from '../engine/ground/time/days';
import { insertRows } from '../engine/database/rows';
import type { Period } from '../src/reports/period';
import type { Hit } from '../engine/hits/hit';
import type { CountingProcess } from '../test/support/counting';
import { addHits, hitsOn, visitorsOn } from '../test/support/past-days';

const FIRST_ID = 1000;
const WEBSITE = ['id', 'user_id', 'domain', 'privacy', 'email', 'exclude_bots', 'created_at', 'updated_at'];
const PAGES = ['/', '/pricing', '/docs', '/blog/first', '/blog/second', '/about'];
const REFERRERS = [null, 'google.com', 'bing.com', 'news.example', 'social.example', null];
const COUNTRIES = ['DE', 'FR', 'US', 'IN', 'JP', 'DE'];

/** Websites of the first user with reports switched on, each with the same week of traffic. */
export async function fillReports(counting: CountingProcess, count: number, period: Period): Promise<void> {
  const { database } = counting;
  const ids = Array.from({ length: count }, (_, index) => FIRST_ID + index);
  const websites = ids.map((id) => [id, 1, `site${id}.example`, 1, 1, 1, 0, 0]);
  await database.write((manager) => insertRows(manager, 'websites', WEBSITE, websites), 60_000);
  const hits = hitsOf(period);
  for (const id of ids) await addHits(counting, id, hits);
}

function hitsOf({ from, to }: Period): Hit[] {
  const days = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const visits = days.flatMap((day, index) =>
    PAGES.flatMap((page, place) =>
      visitorsOn(dayText(day), 10 + index, { page, referrer: REFERRERS[place]!, country: COUNTRIES[place]! }),
    ),
  );
  return [...visits, ...['Sign up', 'Download'].flatMap((event) => hitsOn(dayText(from), 5, { event }))];
}
