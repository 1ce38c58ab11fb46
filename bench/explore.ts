import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DAY_MS, dayText } from '../engine/ground/time/days';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import type { Database } from '../engine/database/database';
import { EntityDatabase } from '../src/database/entity-database';
import { DayBuilder } from '../engine/columns/segments/day-builder';
import { inChunks, insertAll } from '../engine/database/rows';
import { BatchBuilder } from '../engine/columns/batches/batch-builder';
import { BATCH_LIMITS, batchInsertions } from '../engine/columns/batches/batches';
import { insertColumnDay, partInsertion } from '../engine/columns/segments/hit-segments';
import { encodePart } from '../engine/columns/segments/part-format';
import { rowsOfPart } from '../engine/columns/segments/part-rows';
import { WebsiteTexts } from '../engine/hits/codes/text-codes';
import { DatabaseServer } from '../test/support/database-server';
import { askerOf, at, besideQueries, FRESH_DAYS, end, type HitQuery, untilInColumns } from './asking';
import { timeGoals } from './goals';
import { clickHouse, type ColumnStore, duckDb, type InSql, lineOf } from './column-stores';
import { command, KEPT } from './read-data';
import { BATCH_HITS, newBatches } from './new-batches';
import { engine, machine, milepost, record, residentMiB, table } from './service';
import { hitsOf } from './year-of-hits';

const DOMAIN = 'year.example';
const DAYS = 365;
const MILLIONS = Number(process.env.MILLIONS ?? 10);
const HITS_OF_DAY = Math.round((MILLIONS * 1_000_000) / DAYS);
const LAST_DAY = Math.floor(Date.now() / DAY_MS) - FRESH_DAYS;
const YEAR: [string, string] = [dayText(LAST_DAY - DAYS + 1), dayText(LAST_DAY)];
/** Days after the year, whose hits are in batches: their age, and their share of a usual day's hits. */
const RECENT = [
  { ago: 2, share: 0.14 },
  { ago: 1, share: 0.14 },
  { ago: 0, share: 0.02 },
];
const RECENT_DAYS = RECENT.map(({ ago, share }) => ({
  day: Math.floor(Date.now() / DAY_MS) - ago,
  hits: Math.round(share * MILLIONS * 1_000_000),
}));
const ALL_HITS = HITS_OF_DAY * DAYS + RECENT_DAYS.reduce((sum, { hits }) => sum + hits, 0);
const HIT_TABLES = ['hit_batches', 'batch_visitors', 'hit_days', 'hit_columns', 'day_visitors'];
const TURNS = 7;
/** The smallest holds next to nothing of a year, the default some of it, the largest all of it. */
const DEFAULT_CACHE_MB = '128';
const CACHE_MB = ['32', DEFAULT_CACHE_MB, '512'];

interface Asked {
  words: string;
  days: number;
  ask: HitQuery;
  /** The metric of the first row that is compared. */
  metric: string;
  sql: InSql;
}

function requested(
  words: string,
  body: object,
  select: string,
  days = DAYS,
  duckdb = select,
  last = LAST_DAY,
): Asked {
  const range = [dayText(last - days + 1), dayText(last)];
  const { metrics } = body as { metrics: string[] };
  const metric = metrics[0]!;
  const inDays = `day BETWEEN ${last - days + 1} AND ${last}`;
  const within = (sql: string, hits: string) =>
    sql.replace('FROM hits', `FROM ${hits}`).replace('IN_DAYS', inDays);
  const ask = { body: { ...body, range, order_by: [[metric, 'desc']], per_page: 10 } };
  return {
    words,
    days,
    ask,
    metric,
    sql: { clickhouse: within(select, 'year.hits'), duckdb: within(duckdb, 'hits') },
  };
}

const TOP = 'ORDER BY c DESC LIMIT 10';
const VISITORS = 'count(DISTINCT (day, visitor)) c';
const PAGES = {
  metrics: ['pageviews'],
  dimensions: ['page'],
  filters: [
    ['is', 'country', ['DE']],
    ['is', 'device', ['mobile']],
  ],
};
const PAGES_SQL = `SELECT page, count(*) c FROM hits WHERE IN_DAYS AND country = 'DE' AND device = 'mobile' AND event = '' GROUP BY page ${TOP}`;
/** Each visitor's hits of a day by time, cut at pauses of more than half an hour. */
const VISITS_SQL = `SELECT arrayFirst(hit -> hit.3 = '', visit).2 entry, countIf(length(visit) = 1 AND visit[1].3 = '') bounces,
  sum(visit[-1].1 - visit[1].1) seconds, count() c
  FROM (SELECT arraySort(hit -> hit.1, groupArray((moment, page, event))) own,
      arrayJoin(arraySplit((hit, pause) -> pause > 1800, own,
        arrayDifference(arrayMap(hit -> toInt64(hit.1), own)))) visit
    FROM hits WHERE IN_DAYS GROUP BY day, visitor)
  GROUP BY entry ${TOP}`;
const VISITS_DUCKDB = `SELECT entry, sum(bounce), sum(duration), count(*) c FROM (
    SELECT first(page ORDER BY moment) FILTER (WHERE event = '') entry, CAST(count(*) = 1 AND min(event) = '' AS INTEGER) bounce,
      max(moment) - min(moment) AS duration
    FROM (SELECT *, sum(begins) OVER (PARTITION BY day, visitor ORDER BY moment ROWS UNBOUNDED PRECEDING) visit FROM (
      SELECT day, visitor, moment, page, event,
        CAST(moment - coalesce(lag(moment) OVER (PARTITION BY day, visitor ORDER BY moment), 0) > 1800 AS INTEGER) begins
      FROM hits WHERE IN_DAYS)) GROUP BY day, visitor, visit)
  GROUP BY entry ${TOP}`;

const ASKED: Asked[] = [
  requested('pages where country and device', PAGES, PAGES_SQL),
  requested(
    'pages where browser is the most frequent one',
    { metrics: ['pageviews'], dimensions: ['page'], filters: [['is', 'browser', ['Chrome']]] },
    `SELECT page, count(*) c FROM hits WHERE IN_DAYS AND browser = 'Chrome' AND event = '' GROUP BY page ${TOP}`,
  ),
  requested('pages where country and device', PAGES, PAGES_SQL, 30),
  requested(
    'browsers (visitors) where country',
    { metrics: ['visitors'], dimensions: ['browser'], filters: [['is', 'country', ['DE']]] },
    `SELECT browser, ${VISITORS} FROM hits WHERE IN_DAYS AND country = 'DE' GROUP BY browser ${TOP}`,
  ),
  requested(
    'countries of the visitors who saw a page',
    { metrics: ['visitors'], dimensions: ['country'], filters: [['is', 'page', ['/pricing']]] },
    `SELECT country, ${VISITORS} FROM hits WHERE IN_DAYS AND page = '/pricing' GROUP BY country ${TOP}`,
  ),
  requested(
    'country and device (visitors) where browser',
    { metrics: ['visitors'], dimensions: ['country', 'device'], filters: [['is', 'browser', ['Firefox']]] },
    `SELECT country, device, ${VISITORS} FROM hits WHERE IN_DAYS AND browser = 'Firefox' GROUP BY country, device ${TOP}`,
  ),
  requested(
    'visits, bounces, durations by entry page',
    { metrics: ['visits', 'bounces', 'seconds'], dimensions: ['entry_page'] },
    VISITS_SQL,
    DAYS,
    VISITS_DUCKDB,
  ),
  requested(
    'page views by the hour',
    { metrics: ['pageviews'], dimensions: ['hour'] },
    `SELECT intDiv(moment, 3600) hour, count(*) c FROM hits WHERE IN_DAYS AND event = '' GROUP BY hour ${TOP}`,
    DAYS,
    `SELECT moment // 3600 AS hour, count(*) c FROM hits WHERE IN_DAYS AND event = '' GROUP BY hour ${TOP}`,
  ),
];

const TODAY = RECENT_DAYS.at(-1)!.day;
const VISITORS_BODY = {
  metrics: ['visitors'],
  dimensions: ['browser'],
  filters: [['is', 'country', ['DE']]],
};
const VISITORS_SQL = `SELECT browser, ${VISITORS} FROM hits WHERE IN_DAYS AND country = 'DE' GROUP BY browser ${TOP}`;
/** Queries about the last days; the first time, a service has nothing cached. */
const ASKED_OF_RECENT: Asked[] = [
  requested(
    `pages where country and device, ${wordedHits(RECENT_DAYS)} of three days`,
    PAGES,
    PAGES_SQL,
    3,
    PAGES_SQL,
    TODAY,
  ),
  requested(
    `pages where country and device, ${wordedHits(RECENT_DAYS.slice(-1))} of today`,
    PAGES,
    PAGES_SQL,
    1,
    PAGES_SQL,
    TODAY,
  ),
  requested(
    `browsers (visitors) where country, ${wordedHits(RECENT_DAYS)} of three days`,
    VISITORS_BODY,
    VISITORS_SQL,
    3,
    VISITORS_SQL,
    TODAY,
  ),
];

function wordedHits(days: { hits: number }[]): string {
  const hits = days.reduce((sum, own) => sum + own.hits, 0);
  return `${hits.toLocaleString('en')} hits`;
}

/** The speed of queries about a year of hits, compared with two column databases with the same hits. */
async function measure(): Promise<void> {
  // The stored data depend on the last day.
  const folder = join(KEPT, `year-${MILLIONS}-${LAST_DAY}`);
  mkdirSync(folder, { recursive: true });
  const server = engine() !== 'sqlite' ? await startKept(folder) : undefined;
  const url = server ? `${server.url}bench_year` : `sqlite:${folder}/milepost.sqlite`;
  try {
    const file = await writtenHits(folder);
    const key = await filled(url);
    const columns = await untilInColumns(url);
    const stores = [clickHouse(join(folder, 'clickhouse'), file), await duckDb(join(folder, 'duckdb'), file)];
    const all = [...ASKED, ...ASKED_OF_RECENT];
    const times = new Map<Asked, string[]>(all.map((one) => [one, []]));
    const counts = new Map<Asked, number>();
    for (const store of stores) await timeStore(store, times, counts);
    let memory = 0;
    let others = '';
    const first: string[] = [];
    for (const cacheMb of CACHE_MB) {
      const service = await milepost({ DATABASE_URL: url, CACHE_MB: cacheMb });
      const ask = await askerOf(service, key);
      first.push(await timeMilepost(ask, times, counts));
      memory = Math.max(memory, residentMiB(service));
      if (cacheMb === DEFAULT_CACHE_MB) {
        const hitQueries = ASKED.map((one) => one.ask);
        others = await besideQueries(service, key, hitQueries, ask);
      }
      await end(service);
    }
    const head = [
      'query',
      'days',
      ...stores.map(({ words }) => words),
      ...CACHE_MB.map((mb) => `CACHE_MB=${mb}`),
    ];
    const rows = all.map((one) => [one.words, one.days, ...times.get(one)!]);
    const sizes = await Promise.all(
      stores.map(async (store) => `${store.words}: ${((await store.bytes()) / ALL_HITS).toFixed(1)}`),
    );
    record(
      `explore-${engine()}`,
      [
        machine(),
        '',
        table(head, rows),
        '',
        `${columns} ${sizes.join(', ')}. Resident memory: at most ${Math.round(memory)} MiB. Load average: ${loadavg()[0]!.toFixed(0)}.`,
        '',
        `The first query about the last three days after a start, with nothing cached: ${first.join(', ')} ms.`,
        '',
        others,
      ].join('\n'),
    );
    const service = await milepost({ DATABASE_URL: url });
    const goals = await timeGoals(service, key, YEAR, await askerOf(service, key));
    record(`goals-${engine()}`, [machine(), '', goals].join('\n'));
    await end(service);
  } finally {
    await server?.stop();
  }
}

async function startKept(folder: string): Promise<DatabaseServer> {
  const server = await DatabaseServer.kept(join(folder, engine()), []).start();
  const admin = await connect(new Settings({ DATABASE_URL: `${server.url}mysql` }).database, []);
  await admin.query('CREATE DATABASE IF NOT EXISTS bench_year');
  await admin.destroy();
  return server;
}

function daysOfYear(): number[] {
  return Array.from({ length: DAYS }, (_, index) => LAST_DAY - DAYS + 1 + index);
}

/** A file with the hits for the other databases. */
async function writtenHits(folder: string): Promise<string> {
  const file = join(folder, `${LAST_DAY}.tsv`);
  if (existsSync(file)) return file;
  const stream = createWriteStream(file);
  for (const day of daysOfYear())
    if (!stream.write(hitsOf(day, HITS_OF_DAY).map(lineOf).join(''))) await once(stream, 'drain');
  for (const { day, hits } of RECENT_DAYS)
    for (const some of inChunks(hitsOf(day, hits), BATCH_LIMITS.hits))
      if (!stream.write(some.map(lineOf).join(''))) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
  return file;
}

/** Fills the website if necessary, each day as one segment, and returns its owner's key. */
async function filled(url: string): Promise<string> {
  const environment = { ...process.env, DATABASE_URL: url };
  command(environment, 'migrate');
  try {
    return command(environment, 'key', 'create', 'bench@example.com').trim();
  } catch {
    const key = command(environment, 'user', 'create', 'bench@example.com').trim();
    command(environment, 'demo', '--domain', DOMAIN, '--events', '1000', '--days', '2');
    await fill(url);
    return key;
  }
}

async function fill(url: string): Promise<void> {
  const database = await EntityDatabase.over(await connect(new Settings({ DATABASE_URL: url }).database, []));
  const [website] = await database.query<{ id: number }[]>('SELECT id FROM websites WHERE domain = ?', [
    DOMAIN,
  ]);
  const websiteId = Number(website!.id);
  // The other databases do not have the demo's hits.
  for (const name of HIT_TABLES)
    await database.query(`DELETE FROM ${name} WHERE website_id = ?`, [websiteId]);
  for (const [index, day] of daysOfYear().entries()) {
    const texts = new WebsiteTexts(Infinity);
    const builder = new DayBuilder(day, texts);
    const hits = hitsOf(day, HITS_OF_DAY);
    const batch = new BatchBuilder();
    batch.add(hits);
    builder.add(batch.columns());
    const segment = index + 1;
    const rows = rowsOfPart({ websiteId, segment, part: 0 }, await encodePart([builder.columns()], texts));
    await database.write(async (manager) => {
      await insertAll(manager, [partInsertion(rows, day)]);
      const columns = {
        home: 0,
        segment,
        firstPart: 0,
        lastPart: 0,
        hits: hits.length,
        sealing: null,
      } as const;
      await insertColumnDay(manager, websiteId, day, columns, 0);
    });
  }
  for (const { day, hits } of RECENT_DAYS) await fillBatches(database, websiteId, day, hits);
  // Segment numbers come from the token and must continue after these; the days must be checked again.
  await database.query(`UPDATE counting SET token = token + ${2 * DAYS}`);
  await database.query('UPDATE closed_days SET sealed_before = 0, columns_before = 0, due_at = 0');
  await database.writer.destroy();
}

/** In the order of time, in batches that are merged as far as possible. */
async function fillBatches(database: Database, websiteId: number, day: number, size: number): Promise<void> {
  const hits = hitsOf(day, size).sort((one, other) => one.at - other.at);
  const forgetAt = Date.now() + DAY_MS;
  for (const batch of await newBatches({ websiteId, day, forgetAt }, inChunks(hits, BATCH_HITS)))
    await database.write((manager) => insertAll(manager, batchInsertions([batch])));
}

async function timeStore(
  store: ColumnStore,
  times: Map<Asked, string[]>,
  counts: Map<Asked, number>,
): Promise<void> {
  for (const one of times.keys()) {
    const turns: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const since = performance.now();
      agree(one, await store.ask(one.sql[store.name]), counts);
      turns.push(performance.now() - since);
    }
    times.get(one)!.push(at(turns, 0.5));
  }
}

async function timeMilepost(
  ask: Awaited<ReturnType<typeof askerOf>>,
  times: Map<Asked, string[]>,
  counts: Map<Asked, number>,
): Promise<string> {
  let first = '';
  for (const one of times.keys()) {
    const turns: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const since = performance.now();
      const { data } = await ask(one.ask);
      turns.push(performance.now() - since);
      agree(one, Number(data[0]![one.metric]), counts);
    }
    if (one === ASKED_OF_RECENT[0]) first = turns[0]!.toFixed(0);
    times.get(one)!.push(at(turns, 0.5));
  }
  return first;
}

function agree(one: Asked, count: number, counts: Map<Asked, number>): void {
  const known = counts.get(one) ?? count;
  if (known !== count) throw new Error(`${one.words}: ${known} and ${count}`);
  counts.set(one, count);
}

void measure();
