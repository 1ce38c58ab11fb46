import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { VISITOR_BYTES } from '../engine/ground/visitor-bytes';
import { Settings } from '../src/config/settings';
import type { ColumnTurn, ColumnWork } from '../engine/columns/upkeep/column-work';
import type { DaysToClose } from '../engine/columns/upkeep/next-column-work';
import { connect } from '../src/database/connect';
import { inChunks, insertAll } from '../engine/database/rows';
import { PlainAnswering } from '../engine/columns/plain/plain-answering';
import { QueryAnswering } from '../engine/columns/answering/query-answering';
import { Zone } from '../engine/questions/plan/buckets';
import { ColumnCache } from '../engine/columns/read/column-cache';
import type { HitQuery } from '../engine/questions/plan/hit-query';
import { askerOf, owner } from '../src/stats/viewers/viewer';
import type { Hit } from '../engine/hits/hit';
import { encodeBatch } from '../engine/columns/batches/batch';
import { BatchBuilder } from '../engine/columns/batches/batch-builder';
import { batchInsertions } from '../engine/columns/batches/batches';
import { CHECKPOINTS } from '../engine/columns/checkpoints/checkpoint-rules';
import { raiseCountsVersion } from '../engine/columns/closed-days';
import { VALUE_LIMITS } from '../engine/hits/rules/value-limits';
import { CountingProcess, daysOver, forgottenAt, TODAY } from '../test/support/counting';
import { DatabaseServer } from '../test/support/database-server';
import { at } from './asking';
import { BATCH_HITS } from './new-batches';
import { engine, machine, record, ROOT, table } from './service';
import { hitsOf } from './year-of-hits';

const SIZES = (process.env.MILLIONS ?? '1 10').split(' ').map((millions) => Number(millions) * 1_000_000);
const HITS_AT_ONCE = 500_000;
const LATE_SHARE = 0.01;
/** For visitors who are in no slice of the day. */
const OTHER_SLICE = -1;
const DAY = TODAY - 1;
const SEALED: DaysToClose = { ...daysOver(DAY + 1), before: 0, finalBefore: 0 };
const FINAL: DaysToClose = { ...SEALED, finalBefore: DAY + 1 };
const TURNS = 9;
const COLD_TURNS = 5;
/** As many as are behind the last checkpoint on average. */
const BEHIND_CHECKPOINTS = CHECKPOINTS.hits / 2;
const FURTHER_HITS = 300;
const FLOOR_TURNS = 200;
const FLOOR_PAUSE_MS = 10;

/** Each slice has visitors of its own. */
function* slices(size: number): Generator<Hit[]> {
  for (let from = 0, slice = 0; from < size; from += HITS_AT_ONCE, slice++)
    yield inSlice(hitsOf(DAY, Math.min(HITS_AT_ONCE, size - from)), slice);
}

function inSlice(hits: Hit[], slice: number): Hit[] {
  const known = new Map<string, string>();
  return hits.map((hit) => {
    const visitor = known.get(hit.visitor) ?? hashOf(hit.visitor, slice);
    known.set(hit.visitor, visitor);
    return { ...hit, visitor };
  });
}

/** Evenly distributed, like a keyed hash. */
function hashOf(visitor: string, slice: number): string {
  const hash = createHash('md5').update(`${visitor} ${slice}`).digest();
  return hash.subarray(0, VISITOR_BYTES).toString('base64url');
}

/** Late hits alternate between known and new visitors. */
function lateHits(size: number): Hit[] {
  const [known, others] = [inSlice(hitsOf(DAY, size), 0), inSlice(hitsOf(DAY, size), OTHER_SLICE)];
  return known.map((hit, index) => (index % 2 === 0 ? hit : others[index]!));
}

async function fill(one: CountingProcess, websiteId: number, hits: Hit[], first: number): Promise<void> {
  let firstHit = first;
  for (const some of inChunks(
    hits.sort((a, b) => a.at - b.at),
    BATCH_HITS,
  )) {
    const builder = new BatchBuilder();
    builder.add(some);
    const key = { websiteId, day: DAY, firstHit, size: some.length };
    const encoded = await encodeBatch(key, builder.columns());
    const { bytes, data } = encoded;
    const sizes = { bytes, storedBytes: data.length, lastAt: some.at(-1)!.at, forgetAt: forgottenAt(DAY) };
    const insertions = batchInsertions([{ ...key, ...sizes, encoded }]);
    await one.database.write((manager) => insertAll(manager, insertions));
    firstHit += some.length;
  }
}

/** The duration of sealing, of its transactions, the delay of the event loop, and the memory of the process. */
async function sealed(one: CountingProcess, websiteId: number, over: DaysToClose, hits: number) {
  const writes: number[] = [];
  const loop = monitorEventLoopDelay({ resolution: 1 });
  globalThis.gc!();
  let peak = 0;
  const memory = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
  const before = process.memoryUsage.rss();
  loop.enable();
  const [since, cpu] = [performance.now(), process.cpuUsage()];
  for (let next = await one.nextWork(websiteId, over); next.work; next = await one.nextWork(websiteId, over))
    await run(next.work, next.turn, writes);
  const ms = performance.now() - since;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(memory);
  loop.disable();
  const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);
  return [
    (ms / 1000).toFixed(1),
    `${((1000 * ms) / hits).toFixed(1)}; ${((user + system) / hits).toFixed(1)}`,
    writes.length,
    `${at(writes, 0.5)}; ${at(writes, 0.99)}; ${at(writes, 1)}`,
    `${(loop.percentile(99) / 1e6).toFixed(0)}; ${(loop.max / 1e6).toFixed(0)}`,
    `${mib(before)}; ${mib(peak)}`,
  ];
}

function run(work: ColumnWork, turn: ColumnTurn, writes: number[]): Promise<void> {
  const write: ColumnTurn['write'] = async (prepared) => {
    let since = 0;
    const done = await turn.write((manager) => {
      since = performance.now();
      return prepared(manager);
    });
    writes.push(performance.now() - since);
    return done;
  };
  return work.run({ ...turn, write });
}

/** The shortest transaction, and the event loop's delay caused by other processes of the machine. */
async function floor(one: CountingProcess): Promise<string> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const writes: number[] = [];
  for (let turn = 0; turn < FLOOR_TURNS; turn++) {
    const since = performance.now();
    await one.execute('UPDATE websites SET updated_at = ? WHERE id = 1', [turn]);
    writes.push(performance.now() - since);
    await sleep(FLOOR_PAUSE_MS);
  }
  loop.disable();
  const held = `${(loop.percentile(99) / 1e6).toFixed(0)}; ${(loop.max / 1e6).toFixed(0)}`;
  const each = `${at(writes, 0.5)}; ${at(writes, 0.99)}; ${at(writes, 1)}`;
  return `Of ${FLOOR_TURNS} transactions that change one small row, just before, with nothing else to do: each p50; p99; max ${each} ms, event loop held p99; max ${held} ms. Load average: ${loadavg()[0]!.toFixed(0)} before, LOAD_AFTER behind.`;
}

const RANGE = { days: { from: DAY, to: DAY } };
const REST = { range: RANGE, previous: undefined, filter: undefined, fill: false, skip: 0, take: 10 };
const HIT_QUERIES: HitQuery[] = [
  { ...REST, dimensions: ['browser'], metrics: ['visitors'], order: [] },
  { ...REST, dimensions: ['page'], metrics: ['pageviews'], order: [] },
];

/** The first time, and the median of further ones. */
async function requested(one: CountingProcess, websiteId: number): Promise<string> {
  const answering = new QueryAnswering(one.database, new ColumnCache(), new Zone('UTC'));
  const times: number[] = [];
  for (let turn = 0; turn <= TURNS; turn++) {
    const since = performance.now();
    const request = { asker: askerOf(owner(1)), websiteId, statsFrom: 0, hitQueries: HIT_QUERIES };
    await answering.answer(request, 60_000, () => undefined);
    times.push(performance.now() - since);
  }
  return `${times[0]!.toFixed(0)}; ${at(times.slice(1), 0.5)}`;
}

/** A plain query of the day before it is sealed: with nothing cached, and after further hits. */
async function open(one: CountingProcess, websiteId: number, size: number): Promise<string[]> {
  const since = performance.now();
  await one.writeCheckpoints(websiteId);
  const seconds = (performance.now() - since) / 1000;
  await fill(one, websiteId, inSlice(hitsOf(DAY, BEHIND_CHECKPOINTS), 0), size);
  const [cold, further]: [number[], number[]] = [[], []];
  let answering = new PlainAnswering(one.database, VALUE_LIMITS.newPerDay);
  for (let turn = 0; turn < COLD_TURNS; turn++) {
    answering = new PlainAnswering(one.database, VALUE_LIMITS.newPerDay);
    cold.push(await plain(answering, websiteId));
  }
  for (let turn = 0; turn < TURNS; turn++) {
    const first = size + BEHIND_CHECKPOINTS + turn * FURTHER_HITS;
    await fill(one, websiteId, inSlice(hitsOf(DAY, FURTHER_HITS), turn), first);
    // Sums are cached under a version.
    await one.database.write((manager) => raiseCountsVersion(manager, websiteId));
    further.push(await plain(answering, websiteId));
  }
  await one.execute('DELETE FROM hit_batches WHERE website_id = ? AND first_hit >= ?', [websiteId, size]);
  await one.execute('DELETE FROM batch_visitors WHERE website_id = ? AND first_hit >= ?', [websiteId, size]);
  const spread = (times: number[]) => `${at(times, 0.5)}; ${at(times, 1)}`;
  return [`${size / 1_000_000} million hits`, seconds.toFixed(1), spread(cold), spread(further)];
}

async function plain(answering: PlainAnswering, websiteId: number): Promise<number> {
  const since = performance.now();
  const request = {
    asker: askerOf(owner(1)),
    websiteId,
    statsFrom: 0,
    range: RANGE.days,
    previous: undefined,
  };
  const page = { name: 'page', order: { by: 'count', direction: 'desc' }, skip: 0, take: 10 } as const;
  const turn = { patienceMs: 60_000, check: () => undefined };
  const { names } = await answering.answer({ ...request, names: [page] }, turn);
  if (names[0]!.sum === 0) throw new Error('the day has no page views');
  return performance.now() - since;
}

/** In a separate process, so that its memory does not count for sealing. */
async function filled(url: string, websiteId: number, size: number, late: number): Promise<void> {
  const child = fork(__filename, [url, websiteId, size, late].map(String), { execArgv: [] });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error('the day was not filled');
}

async function fillHere([url, ...numbers]: string[]): Promise<void> {
  const [websiteId, size, late] = numbers.map(Number) as [number, number, number];
  const one = await CountingProcess.start(url!);
  let first = 0;
  for (const hits of late === 0 ? slices(size) : [lateHits(late)]) {
    await fill(one, websiteId, hits, late === 0 ? first : size);
    first += hits.length;
  }
  await one.stop();
}

async function measure(url: string) {
  const one = await CountingProcess.start(url);
  let least = '';
  const rows: (string | number)[][] = [];
  const openDays: string[][] = [];
  for (const [index, size] of SIZES.entries()) {
    const websiteId = 1 + index;
    await one.register(websiteId);
    await filled(url, websiteId, size, 0);
    if (index === 0) least = await floor(one);
    openDays.push(await open(one, websiteId, size));
    const name = `${size / 1_000_000} million hits`;
    rows.push([name, ...(await sealed(one, websiteId, SEALED, size)), await requested(one, websiteId)]);
    await filled(url, websiteId, size, LATE_SHARE * size);
    rows.push(['with 1 % of late hits', '', '', '', '', '', '', await requested(one, websiteId)]);
    const again = await sealed(one, websiteId, FINAL, (1 + LATE_SHARE) * size);
    rows.push(['sealed again with these', ...again, await requested(one, websiteId)]);
  }
  await one.stop();
  return { rows, openDays, least: least.replace('LOAD_AFTER', loadavg()[0]!.toFixed(0)) };
}

async function main(): Promise<void> {
  const folder = join(ROOT, 'bench/data');
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  const file = join(folder, 'sealing.sqlite');
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  const server = engine() !== 'sqlite' ? await new DatabaseServer().start() : undefined;
  if (server) {
    const admin = await connect(new Settings({ DATABASE_URL: `${server.url}mysql` }).database, []);
    await admin.query('CREATE DATABASE sealing');
    await admin.destroy();
  }
  const url = server ? `${server.url}sealing` : `sqlite:${file}`;
  const { rows, openDays, least } = await measure(url);
  const head = [
    '',
    'seconds',
    'µs a hit: by the clock; processor',
    'transactions',
    'each: p50; p99; max ms',
    'event loop held: p99; max ms',
    'MiB before; at most',
    'two queries, first; then, ms',
  ];
  const openHead = [
    'open day',
    'checkpoints written: seconds',
    'pages, nothing cached: median; max ms',
    `after ${FURTHER_HITS} further hits: median; max ms`,
  ];
  const tables = `${table(head, rows)}\n\n${table(openHead, openDays)}`;
  record(`sealing-${engine()}`, `${machine()} ${least}\n\n${tables}`);
  await server?.remove();
}

const args = process.argv.slice(2);
void (args.length > 0 ? fillHere(args) : main());
