import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { dayText } from '../engine/ground/time/days';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import { EntityDatabase } from '../src/database/entity-database';
import { STAT_NAMES } from '../engine/hits/stat-names';
import { Website } from '../src/websites/website.entity';
import { DatabaseServer } from '../test/support/database-server';
import { rateOf } from './load';
import { command, copyHits, DAYS, filled, GROUPED, KEPT, type Site, SIZES } from './read-data';
import { engine, machine, milepost, record, type Server, table } from './service';

const RANGES = [365, 334, 30, 1];
/** 100 days begin and end inside a month, whichever day it is. */
const RANGES_OF_SIZES = [365, 100, 30];
const TIMES = 25;
/** Enough memory for the data that one GROUP BY reads and groups. */
const FOR_THE_FLOOR = ['--innodb-buffer-pool-size=2G', '--tmp-table-size=256M', '--max-heap-table-size=256M'];
/** MySQL remembers the sizes of tables for a day. */
const EXACT_SIZES = ['--loose-information-schema-stats-expiry=0'];

type Milliseconds = number;

interface Timing {
  median: Milliseconds;
  p99: Milliseconds;
}

/** The speed of reads of any range, of one and of ten million events, which are reused between runs. */
async function measure(): Promise<void> {
  const server = engine() !== 'sqlite' ? await startKept() : undefined;
  const url = server ? `${server.url}bench` : `sqlite:${KEPT}/bench.sqlite`;
  const environment = { ...process.env, DATABASE_URL: url };
  command(environment, 'migrate');
  const database = await open(url);
  let service: Server | undefined;
  try {
    const sites = await filled(database, environment);
    await copyHits(database, sites);
    const key = command(environment, 'key', 'create', 'bench@example.com').trim();
    service = await milepost({ DATABASE_URL: url });
    const reader = new Reader(service.address, key, database);
    await untilTidy(database);
    const rows = await timings(reader, database, sites);
    const ofSizes = await timingsOfSizes(reader, sites);
    record(
      `read-${engine()}`,
      [machine(), rows, await sizes(database), await rates(reader, sites), ofSizes].join('\n\n'),
    );
  } finally {
    service?.process.kill('SIGTERM');
    if (service) await once(service.process, 'exit');
    await database.writer.destroy();
    await server?.stop();
  }
}

async function startKept(): Promise<DatabaseServer> {
  const server = await DatabaseServer.kept(join(KEPT, engine()), [...FOR_THE_FLOOR, ...EXACT_SIZES]).start();
  const admin = await connect(new Settings({ DATABASE_URL: `${server.url}mysql` }).database, []);
  await admin.query('CREATE DATABASE IF NOT EXISTS bench');
  await admin.destroy();
  return server;
}

async function open(url: string): Promise<EntityDatabase> {
  return EntityDatabase.over(await connect(new Settings({ DATABASE_URL: url }).database, [Website]));
}

/** Sends one request after the other over one connection. */
class Reader {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    readonly address: string,
    readonly key: string,
    private readonly database: EntityDatabase,
  ) {}

  async time(site: Site, query: string, cold: boolean, turns = TIMES): Promise<Timing> {
    const times: Milliseconds[] = [];
    for (let turn = 0; turn < turns; turn++) times.push(await this.timeOnce(site, query, cold));
    return timingOf(times);
  }

  async timeOnce(site: Site, query: string, cold: boolean): Promise<Milliseconds> {
    if (cold) await this.forget(site);
    return this.timeOf(`/api/v1/stats/${site.id}?${query}`);
  }

  /** A single `SELECT` behind the same guard. */
  timeFloor({ id }: Site): Promise<Milliseconds> {
    return this.timeOf(`/api/v1/websites/${id}`);
  }

  private async timeOf(path: string): Promise<Milliseconds> {
    const since = performance.now();
    await this.get(path);
    return performance.now() - since;
  }

  private get(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${this.key}` };
      request(this.address + path, { agent: this.agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
        response.resume().on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  }

  /** The service closes an idle connection; a client blocked by SQLite's GROUP BY would not notice. */
  hangUp(): void {
    this.agent.destroy();
  }

  /** Invalidates caches of closed days, as a late hit would. */
  private forget({ id }: Site): Promise<unknown> {
    return this.database.write((manager) =>
      manager.query('UPDATE closed_days SET version = version + 1 WHERE website_id = ?', [id]),
    );
  }
}

/** Waits for the service's housekeeping of the filled websites. */
async function untilTidy(database: EntityDatabase): Promise<void> {
  const longAgo = Date.now() / 86_400_000 - 4;
  const left = () =>
    database.read((manager) =>
      manager.query<object[]>('SELECT 1 FROM batch_visitors WHERE day < ? LIMIT 1', [longAgo]),
    );
  while ((await left()).length > 0) await sleep(1000);
}

function timingOf(times: Milliseconds[]): Timing {
  const sorted = [...times].sort((one, other) => one - other);
  return { median: sorted[Math.floor(sorted.length / 2)]!, p99: sorted[Math.floor(sorted.length * 0.99)]! };
}

async function timings(reader: Reader, database: EntityDatabase, [one, ten]: Site[]): Promise<string> {
  const hitQueries: [what: string, query: string, floor?: (typeof GROUPED)[number]][] = [
    ...GROUPED.map((name): [string, string, typeof name] => [name, `name=${name}`, name]),
    ...STAT_NAMES.filter((name) => !(GROUPED as readonly string[]).includes(name)).map(
      (name): [string, string] => [name, `name=${name}`],
    ),
    ['page, the last page', 'name=page&per_page=10&page=1999'],
    ['page by value', 'name=page&sort_by=value'],
    ['page by value, in the middle', 'name=page&sort_by=value&page=1000'],
    ['page, search "blog"', 'name=page&search=blog'],
    ['page, search "/"', 'name=page&search=/'],
  ];
  // Everything must be compiled, as in a service that has answered for a minute.
  for (const until = Date.now() + 60_000; Date.now() < until;)
    for (const [, query] of hitQueries)
      for (const days of RANGES) {
        await reader.time(one!, `${query}&${rangeOf(one!, days)}`, true, 1);
        await reader.time(ten!, `${query}&${rangeOf(ten!, days)}`, true, 1);
      }
  const rows: string[][] = [];
  for (const [what, query, floor] of hitQueries)
    for (const days of RANGES) {
      process.stderr.write(`${what}, ${days} days\n`);
      const small = await reader.time(one!, `${query}&${rangeOf(one!, days)}`, true);
      const cold = await reader.time(ten!, `${query}&${rangeOf(ten!, days)}`, true);
      const warm = await reader.time(ten!, `${query}&${rangeOf(ten!, days)}`, false);
      const grouped = floor && (await groupBy(database, ten!, floor, days));
      reader.hangUp();
      rows.push([
        what,
        String(days),
        inMs(cold),
        inMs(warm),
        `${(cold.median / small.median).toFixed(2)} ×`,
        grouped ? `${Math.round(grouped)} ms, 1/${Math.round(grouped / cold.median)}` : '',
      ]);
    }
  return table(
    ['name', 'days', 'not cached: median, p99 ms', 'cached: median, p99 ms', 'to 1 million', 'one GROUP BY'],
    rows,
  );
}

/** The fourteen names over several ranges, of websites of each size. */
async function timingsOfSizes(reader: Reader, sites: Site[]): Promise<string> {
  const bySize = [...sites].sort((one, other) => SIZES[other.domain] - SIZES[one.domain]);
  const rows: string[][] = [];
  for (const days of RANGES_OF_SIZES) {
    process.stderr.write(`all sizes, ${days} days\n`);
    const cold = await timingsOfNames(reader, bySize, days, true);
    const warm = await timingsOfNames(reader, bySize, days, false);
    const largest = middleOf(cold[0]!.names);
    for (const [index, { domain }] of bySize.entries()) {
      const { names, floors } = cold[index]!;
      const toFloor = middleOf(warm[index]!.names) / middleOf(warm[index]!.floors);
      rows.push([
        String(days),
        Math.round(SIZES[domain] / DAYS).toLocaleString('en'),
        `${middleOf(names).toFixed(1)}, ${Math.max(...names).toFixed(1)}`,
        `${(middleOf(names) / largest).toFixed(2)} ×`,
        `${(middleOf(names) / middleOf(floors)).toFixed(2)} ×`,
        `${toFloor.toFixed(2)} ×`,
      ]);
    }
  }
  const head = ['not cached: median, slowest name ms', 'to the largest website', 'to one SELECT'];
  return table(['days', 'hits a day', ...head, 'cached: to one SELECT'], rows);
}

/**
 * The median of each name for each website, and of a single `SELECT` behind the same guard. The websites take turns, so
 * that other work on the machine slows all of them down.
 */
async function timingsOfNames(reader: Reader, sites: Site[], days: number, cold: boolean) {
  const all = sites.map(() => ({ names: [] as Milliseconds[], floors: [] as Milliseconds[] }));
  for (const name of STAT_NAMES.filter((own) => own !== 'dropped')) {
    const times = sites.map(() => ({ names: [] as Milliseconds[], floors: [] as Milliseconds[] }));
    for (let turn = 0; turn < TIMES; turn++)
      for (const [index, site] of sites.entries()) {
        const query = `name=${name}&${rangeOf(site, days)}`;
        times[index]!.names.push(await reader.timeOnce(site, query, cold));
        times[index]!.floors.push(await reader.timeFloor(site));
      }
    for (const [index, { names, floors }] of times.entries()) {
      all[index]!.names.push(middleOf(names));
      all[index]!.floors.push(middleOf(floors));
    }
  }
  return all;
}

function middleOf(times: Milliseconds[]): Milliseconds {
  return timingOf(times).median;
}

function inMs({ median, p99 }: Timing): string {
  return `${median.toFixed(1)}, ${p99.toFixed(1)}`;
}

function rangeOf({ lastDay }: Site, days: number): string {
  // All days are closed; 334 days begin and end inside a month.
  const to = days === 334 ? lastDay - 15 : lastDay - 1;
  return `from=${dayText(to - days + 1)}&to=${dayText(to)}`;
}

async function groupBy(
  database: EntityDatabase,
  { id, lastDay }: Site,
  name: string,
  days: number,
): Promise<Milliseconds> {
  const to = days === 334 ? lastDay - 15 : lastDay - 1;
  const since = performance.now();
  const { useIndex } = database.dialect;
  await database.read(
    (manager) =>
      manager.query(
        `SELECT ${name}, COUNT(*) AS hits FROM bench_hits ${useIndex(`bench_hits_${name}`)}
        WHERE website_id = ? AND day BETWEEN ? AND ? AND ${name} IS NOT NULL
        GROUP BY ${name} ORDER BY hits DESC LIMIT 10`,
        [id, to - days + 1, to],
      ),
    300_000,
  );
  return performance.now() - since;
}

async function sizes(database: EntityDatabase): Promise<string> {
  const events = Object.values(SIZES).reduce((sum, size) => sum + size, 0);
  const bytes = await Promise.all(
    [
      ['rollups', 'rollup_spans', 'value_texts', 'closed_days'],
      ['hit_batches', 'batch_visitors', 'hit_columns', 'hit_days'],
    ].map(async (tables) => {
      const sizes = await Promise.all(tables.map((name) => bytesOf(database, name)));
      return sizes.reduce((sum, size) => sum + size, 0) / events;
    }),
  );
  const [rollups, hits] = bytes as [number, number];
  return `Bytes an event, with all indexes: ${rollups.toFixed(1)} for the rollups and their texts, ${(rollups + hits).toFixed(1)} together with the hits.`;
}

async function bytesOf(database: EntityDatabase, name: string): Promise<number> {
  const sql =
    engine() === 'sqlite'
      ? 'SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name = ?)'
      : 'SELECT data_length + index_length AS bytes FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?';
  const [row] = await database.read((manager) => manager.query<{ bytes: unknown }[]>(sql, [name]), 60_000);
  return Number(row!.bytes);
}

async function rates({ address, key }: Reader, [, ten]: Site[]): Promise<string> {
  const { id, lastDay } = ten!;
  const path = (from: number) =>
    `/api/v1/stats/${id}?name=page&from=${dayText(from)}&to=${dayText(lastDay - 1)}`;
  const kept = await rateOf(address, [path(lastDay - 365)], key);
  // More ranges in turn than are cached.
  const ranges = Array.from({ length: 800 }, (_, index) => path(lastDay - 365 - index));
  const anew = await rateOf(address, ranges, key);
  return `Page over 365 days with 16 connections: ${anew} requests a second not cached, ${kept} cached.`;
}

void measure();
