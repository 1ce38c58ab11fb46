import type { ApiClient } from './api-client';
import { untilCounted } from './counted';

export interface Range {
  from: string;
  to: string;
}

export interface Counted {
  entries: { value: string; count: number }[];
  total: number;
  sum: number;
}

const EVER: Range = { from: '1970-01-01', to: '9999-12-31' };

/** The moment up to which a website's numbers are complete. */
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

/** The count of each value of a name, once everything is counted. */
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
