import type { CountingService } from '../../engine/columns/counting.service';
import { STAT_NAMES, type StatName } from '../../engine/hits/stat-names';
import type { ApiClient } from './api-client';
import { campaignOf, type LoadClients, referrerOf, type UniqueEvent } from './load-clients';
import { until } from './until';

type Counts = Map<string, number>;

const DAY_MS = 86_400_000;
/** Each visitor has one value of these on a day. */
export const OF_VISITORS = [
  'browser',
  'operating_system',
  'device',
  'language',
  'screen_resolution',
  'continent',
  'country',
  'city',
] as const satisfies StatName[];

/** A zone in which it is around noon, so that the day does not change during a test. */
export function timezoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  if (ahead === 0) return 'UTC';
  return `Etc/GMT${ahead < 0 ? '+' : '-'}${Math.abs(ahead)}`;
}

/** Seals all past days of a website, and rolls them up. */
export async function closeDays(counting: CountingService, websiteId: number, today?: number): Promise<void> {
  await until(async () => (await counting.settle(websiteId, today)) !== 'more', 0);
}

/** Waits until everything acknowledged so far is in the numbers. */
export async function untilCounted(api: ApiClient, websiteId: number, since = Date.now()): Promise<void> {
  await until(async () => (await countedAt(api, websiteId)) > since, 50);
}

/** The moment up to which events are in the numbers; 0 if it is unknown. */
export async function countedAt(api: ApiClient, websiteId: number): Promise<number> {
  const { status, body } = await api.get(`${statsPath(websiteId, 'pageview')}&per_page=10`);
  return status === 200 ? Date.parse(body.meta.as_of) : 0;
}

/** Waits until this number of dropped events is in the numbers. */
export async function untilDropped(api: ApiClient, websiteId: number, count: number): Promise<void> {
  const path = `/api/v1/stats/${websiteId}?name=dropped&from=1970-01-01&to=9999-12-31`;
  await until(async () => (await api.get(path)).body.meta.sum === count, 50);
}

/** Compares the counts of every name with the events and answers of a crowd. */
export async function expectCountedOnce(
  api: ApiClient,
  websiteId: number,
  crowd: Pick<LoadClients, 'acknowledged' | 'unanswered'>,
): Promise<void> {
  await untilCounted(api, websiteId);
  const counts = {} as Record<StatName, Counts>;
  for (const name of STAT_NAMES) counts[name] = await countsOf(api, websiteId, name);
  const sent = [...crowd.acknowledged, ...crowd.unanswered];
  const counted = sent.filter(({ name, value }) => counts[name].has(value));

  expect([...crowd.acknowledged].filter(({ name, value }) => counts[name].get(value) !== 1)).toEqual([]);
  expect([...counts.page, ...counts.event].filter(([, hits]) => hits !== 1)).toEqual([]);
  expect(counts.page.size + counts.event.size).toBe(counted.length);
  expect(sum(counts.pageview)).toBe(counts.page.size);
  expectVisitors(counts, counted);
}

function expectVisitors(counts: Record<StatName, Counts>, counted: UniqueEvent[]): void {
  const visitors = [...new Set(counted.map(({ visitor }) => visitor))];
  expect(sum(counts.visitor)).toBe(visitors.length);
  for (const name of [...OF_VISITORS, 'referrer'] as const)
    expect([name, sum(counts[name])]).toEqual([name, visitors.length]);
  const referrers = visitors.map((visitor) => referrerOf(visitor)?.replace('www.', '') ?? '(direct)');
  expect(counts.referrer).toEqual(tally(referrers));
  expect(counts.campaign).toEqual(tally(visitors.map(campaignOf)));
}

/** All at once, because each page would be searched from the beginning. */
async function countsOf(api: ApiClient, websiteId: number, name: StatName): Promise<Counts> {
  const headers = { Accept: 'application/x-ndjson' };
  const { status, text } = await api.get(statsPath(websiteId, name), { headers });
  expect(status).toBe(200);
  const lines = text.split('\n').filter((line) => line !== '');
  const rows = lines.map((line) => JSON.parse(line) as { value: string; count: number });
  return new Map(rows.map(({ value, count }) => [value, count]));
}

/** Includes today, whatever day that is in the service's zone. */
function statsPath(websiteId: number, name: StatName): string {
  const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
  return `/api/v1/stats/${websiteId}?name=${name}&from=${day(-1)}&to=${day(1)}`;
}

function tally(values: (string | undefined)[]): Counts {
  const counts: Counts = new Map();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function sum(counts: Counts): number {
  return [...counts.values()].reduce((total, hits) => total + hits, 0);
}
