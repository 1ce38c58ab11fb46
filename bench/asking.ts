import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../engine/ground/time/days';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import { EntityDatabase } from '../src/database/entity-database';
import { cpuSeconds } from '../test/support/processes';
import { milepost, type Server } from './service';

/** Days that still receive events: today and the two days before. */
export const FRESH_DAYS = 3;
/** A day is sealed this long after its end. */
export const SEALED_AFTER_MS = 35 * 60_000;
const OTHER_REQUESTS = 1500;
const MAX_WAIT_MS = 30 * 60_000;

export type HitQuery = { query: string } | { body: object; route?: 'funnel' | 'journey' };
type Condition = [operator: string, name: string, values: string[]];
/** Any answer with rows. */
export interface AnswerBody {
  data: Record<string, unknown>[];
}

/** Queries the first website of a user, once the query thread runs. */
export async function askerOf(
  { address }: Server,
  key: string,
): Promise<(hitQuery: HitQuery) => Promise<AnswerBody>> {
  const headers = { Authorization: `Bearer ${key}`, Accept: 'application/json' };
  const list = (await (await fetch(`${address}/api/v1/websites`, { headers })).json()) as {
    data: { id: number }[];
  };
  const path = `${address}/api/v1/stats/${list.data[0]!.id}`;
  let sent = 0;
  const send = async (repeated: HitQuery) => {
    const hitQuery = asNew(repeated, ++sent);
    const answer = await ('query' in hitQuery
      ? fetch(`${path}?${hitQuery.query}`, { headers })
      : fetch(`${path}/${hitQuery.route ?? 'query'}`, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(hitQuery.body),
        }));
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
    return JSON.parse(text) as AnswerBody;
  };
  await send({ body: { metrics: ['visitors'], range: ['1970-01-01', '1970-01-01'] } });
  return send;
}

/** The same query with a value that no hit has, because what was counted on sealed days is cached. */
function asNew(hitQuery: HitQuery, number: number): HitQuery {
  const unknown = `unknown-${number}`;
  if ('query' in hitQuery) {
    const query = new URLSearchParams(hitQuery.query);
    if (query.has('filter')) query.set('filter', `${query.get('filter')};country!=${unknown}`);
    return { query: query.toString() };
  }
  const { filters, dimensions } = hitQuery.body as { filters?: Condition[]; dimensions?: string[] };
  const [first, ...others] = filters ?? [];
  if (hitQuery.route || dimensions?.[0] === 'hour') return hitQuery;
  const changed: Condition[] =
    first?.[0] === 'is'
      ? [[first[0], first[1], [...first[2], unknown]], ...others]
      : [['is_not', 'country', [unknown]], ...(filters ?? [])];
  return { ...hitQuery, body: { ...hitQuery.body, filters: changed } };
}

/** Lets a service seal past days, and describes the result. */
export async function untilInColumns(url: string): Promise<string> {
  const database = await EntityDatabase.over(await connect(new Settings({ DATABASE_URL: url }).database, []));
  const service = await milepost({ DATABASE_URL: url });
  const one = async (sql: string) => (await database.query<Record<string, unknown>[]>(sql))[0]!;
  const before = Math.floor((Date.now() - SEALED_AFTER_MS) / DAY_MS);
  for (const since = performance.now(); ; await sleep(1000)) {
    const { done } = await one('SELECT COALESCE(MIN(sealed_before), 0) AS done FROM closed_days');
    if (Number(done) >= before) break;
    if (performance.now() > since + MAX_WAIT_MS) throw new Error('the days were not sealed in time');
  }
  await end(service);
  const { hits, segments } = await one(
    'SELECT SUM(hits) AS hits, COUNT(DISTINCT segment) AS segments FROM hit_days',
  );
  const { bytes } = await one('SELECT SUM(LENGTH(data)) AS bytes FROM hit_columns');
  await database.writer.destroy();
  const each = (Number(bytes) / Number(hits)).toFixed(1);
  return `In columns: ${Number(hits).toLocaleString('en')} hits, segments: ${Number(segments)}, ${each} bytes a hit.`;
}

/** The latency of other requests alone, and beside a sequence of queries. */
export async function besideQueries(
  { address }: Server,
  key: string,
  hitQueries: HitQuery[],
  ask: (hitQuery: HitQuery) => Promise<unknown>,
): Promise<string> {
  const day = new Date().toISOString().slice(0, 10);
  const paths = [
    'websites',
    ...['page', 'country'].map((name) => `stats/1?name=${name}&from=${day}&to=${day}`),
  ];
  const send = async (path: string) => {
    const since = performance.now();
    const answer = await fetch(`${address}/api/v1/${path}`, { headers: { Authorization: `Bearer ${key}` } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return performance.now() - since;
  };
  const sendAll = async () => {
    const times: number[] = [];
    for (let turn = 0; turn < OTHER_REQUESTS; turn++) times.push(await send(paths[turn % paths.length]!));
    return times;
  };
  await sendAll();
  const alone = await sendAll();
  let isOver = false;
  const asking = (async () => {
    for (let turn = 0; !isOver; turn++) await ask(hitQueries[turn % hitQueries.length]!);
  })();
  const beside = await sendAll();
  isOver = true;
  await asking;
  const words = (times: number[]) => `${at(times, 0.5)} ms (p99 ${at(times, 0.99)})`;
  return `Other requests: ${words(alone)} alone, ${words(beside)} beside a stream of these queries.`;
}

/** The result of work, and the processor time that it used, in seconds. */
export async function costing<T>(pid: number, work: () => Promise<T>): Promise<[T, number]> {
  const before = cpuSeconds(pid);
  const result = await work();
  return [result, cpuSeconds(pid) - before];
}

export async function end({ process: child }: Server): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export function at(times: number[], share: number): string {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1);
}
