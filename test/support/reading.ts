import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client';

export interface Range {
  from: string;
  to: string;
}

export interface Counted {
  entries: { value: string; count: number }[];
  total: number;
  sum: number;
}

const PATIENCE_MS = 10_000;
const EVER: Range = { from: '1970-01-01', to: '9999-12-31' };

/** Waits until all that was acknowledged before is in the numbers. */
export async function untilCounted(api: ApiClient, websiteId: number): Promise<void> {
  const acknowledged = Date.now();
  while ((await asOf(api, websiteId)) <= acknowledged) {
    if (Date.now() > acknowledged + PATIENCE_MS) throw new Error('what was acknowledged is not counted');
    await sleep(20);
  }
}

/** The moment up to which the numbers of a website are complete. */
export async function asOf(api: ApiClient, websiteId: number): Promise<number> {
  return Date.parse((await show(api, websiteId, 'visitor', EVER)).meta.as_of);
}

export async function counted(
  api: ApiClient,
  websiteId: number,
  name: string,
  range: Range = EVER,
): Promise<Counted> {
  const { data, meta } = await show(api, websiteId, name, range);
  const entries = data.map(({ value, count }: { value: string; count: number }) => ({ value, count }));
  return { entries, total: meta.total, sum: meta.sum };
}

/** What was counted under a name, once everything is: each value with its count. */
export async function countsOf(api: ApiClient, websiteId: number, name: string): Promise<object> {
  await untilCounted(api, websiteId);
  const { entries } = await counted(api, websiteId, name);
  return Object.fromEntries(entries.map(({ value, count }) => [value, count]));
}

async function show(api: ApiClient, websiteId: number, name: string, { from, to }: Range): Promise<any> {
  const { body } = await api.get(
    `/api/v1/stats/${websiteId}?name=${name}&from=${from}&to=${to}&per_page=100`,
  );
  return body;
}
