import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../engine/ground/time/days';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import type { Database } from '../engine/database/database';
import { insertAll, insertRows } from '../engine/database/rows';
import type { Hit } from '../engine/hits/hit';
import { batchInsertions, type NewBatch } from '../engine/columns/batches/batches';
import { CountingProcess, forgottenAt } from '../test/support/counting';
import { DatabaseServer } from '../test/support/database-server';
import { at, SEALED_AFTER_MS } from './asking';
import { load, type Load } from './load';
import type { LoopDelay } from './loop-delay';
import { newBatches, stateOfOpenDay } from './new-batches';
import { engine, loopDelay, machine, milepost, record, residentMiB, ROOT, table } from './service';
import { hitsOf } from './year-of-hits';

const WEBSITES = Number(process.env.WEBSITES ?? 100_000);
const EVENTS_PER_SECOND = Number(process.env.RATE ?? 300);
/** Of a hundred websites. Their days are also divided into blocks. */
const SHARED = Number(process.env.SHARED ?? 50);
const MAX_S = Number(process.env.MAX_SECONDS ?? 1800);
const KEY = 'the-key-of-the-benchmark-of-small-days';
const HITS_OF_DAY = 10;
/** The result of folds of single hits: eight were merged. */
const BATCH_SIZES = [8, 1, 1];
const FIRST_WEBSITE = 1_000_001;
const AT_ONCE = 500;
const ACTIVE_WEBSITES = 300;
const LOOK_EVERY_MS = 250;
const COUNT_EVERY_MS = 2000;
const NOW = Date.now();
/** The last day that must be sealed now. */
const DAY = Math.floor((NOW - SEALED_AFTER_MS) / DAY_MS) - 1;
const LOAD = {
  connections: 16,
  eventsPerSecond: EVENTS_PER_SECOND,
  websites: ACTIVE_WEBSITES,
  seconds: 20,
};
const EVENT_COLUMNS = [
  'events',
  'sent',
  'failed',
  'p50; p99; highest p99 of 20 s, ms',
  '`as_of` behind: p50; p99; max ms',
  'event loop held: p99; max ms',
];
const SIZE_COLUMNS = ['', 'rows a website and day', 'bytes a hit', 'rows, bytes a website and day'];
const TABLES = [
  'hit_batches',
  'batch_visitors',
  'hit_days',
  'hit_columns',
  'day_visitors',
  'rollup_spans',
  'counting',
  'closed_days',
  'day_blocks',
];
const WEBSITE = ['id', 'user_id', 'domain', 'privacy', 'email', 'exclude_bots', 'created_at', 'updated_at'];
const IDS = Array.from({ length: WEBSITES }, (_, index) => FIRST_WEBSITE + index);
const isShared = (id: number) => id % 100 < SHARED;

/** Some seven visitors have ten hits, at their times. */
function* daysOfWebsites(): Generator<Hit[]> {
  let hits: Hit[] = [];
  for (;;) {
    let [visitor, own] = ['', 0];
    for (const hit of hitsOf(DAY, 100_000)) {
      own = hit.visitor === visitor ? own + 1 : 0;
      visitor = hit.visitor;
      if (own > hit.at % 2) continue;
      hits.push(hit);
      if (hits.length < HITS_OF_DAY) continue;
      yield hits.sort((one, other) => one.at - other.at);
      hits = [];
    }
  }
}

function chunksOf(hits: readonly Hit[]): Hit[][] {
  let first = 0;
  return BATCH_SIZES.map((size) => hits.slice(first, (first += size)));
}

/** Continues where it stopped. */
async function fill(database: Database): Promise<void> {
  const [row] = await database.query<{ last: number | string | null }[]>(
    'SELECT MAX(website_id) AS last FROM counting WHERE website_id >= ?',
    [FIRST_WEBSITE],
  );
  const days = daysOfWebsites();
  const end = FIRST_WEBSITE + WEBSITES;
  for (let first = Math.max(FIRST_WEBSITE, Number(row!.last ?? 0) + 1); first < end; first += AT_ONCE) {
    const ids = Array.from({ length: Math.min(AT_ONCE, end - first) }, (_, index) => first + index);
    const batches: NewBatch[] = [];
    for (const websiteId of ids) {
      const chunks = chunksOf(days.next().value as Hit[]);
      batches.push(...(await newBatches({ websiteId, day: DAY, forgetAt: forgottenAt(DAY) }, chunks)));
    }
    await database.write((manager) =>
      insertAll(manager, [...batchInsertions(batches), ...stateOfOpenDay(ids, DAY)]),
    );
    const filled = ids.at(-1)! - FIRST_WEBSITE + 1;
    if (filled % 10_000 < AT_ONCE) process.stderr.write(`${filled} websites\n`);
  }
}

interface Size {
  rows: number;
  bytes: number;
}

/** The sizes of the filled websites' hits and of further data. */
async function sizes(database: Database): Promise<Map<string, Size>> {
  const all = new Map<string, Size>();
  for (const name of TABLES) {
    const [row] = await database.query<{ n: number | string }[]>(
      `SELECT COUNT(*) AS n FROM ${name} WHERE website_id >= ?`,
      [FIRST_WEBSITE],
    );
    all.set(name, { rows: Number(row!.n), bytes: await bytesOf(database, name) });
  }
  return all;
}

async function bytesOf(database: Database, name: string): Promise<number> {
  if (database.dialect.oneConnection) {
    const [row] = await database.query<{ bytes: number | null }[]>(
      `SELECT SUM(stat.pgsize - stat.unused) AS bytes FROM dbstat stat JOIN sqlite_master own ON own.name = stat.name
      WHERE own.tbl_name = ?`,
      [name],
    );
    return Number(row!.bytes ?? 0);
  }
  await database.query(`ANALYZE TABLE ${name}`);
  const [row] = await database.query<{ bytes: number | string }[]>(
    `SELECT data_length + index_length AS bytes FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = ?`,
    [name],
  );
  return Number(row!.bytes);
}

function sizeRow(what: string, all: Map<string, Size>, days: number): (string | number)[] {
  const ofHits = [...all].filter(([name]) => name !== 'counting' && name !== 'closed_days');
  const rows = ofHits.reduce((sum, [, own]) => sum + own.rows, 0);
  const bytes = ofHits.reduce((sum, [, own]) => sum + own.bytes, 0);
  const named = ofHits
    .filter(([, own]) => own.rows > 0)
    .map(([name, own]) => `${name} ${(own.rows / days).toFixed(2)}, ${Math.round(own.bytes / days)}`);
  return [what, (rows / days).toFixed(2), (bytes / days / HITS_OF_DAY).toFixed(1), named.join('; ')];
}

/** Polls the age of the oldest event until some work is done. */
function looksDuring<T>(
  database: Database,
  work: Promise<T>,
): { work: Promise<T>; behind: Promise<number[]> } {
  let isRunning = true;
  void work.then(() => (isRunning = false));
  const look = async () => {
    const behind: number[] = [];
    while (isRunning) {
      const [oldest] = await database.query<{ waited: number | string | null }[]>(
        `SELECT ${database.dialect.now} - MIN(accepted_at) AS waited FROM inbox`,
      );
      behind.push(Number(oldest!.waited ?? 0));
      await sleep(LOOK_EVERY_MS);
    }
    return behind;
  };
  return { work, behind: look() };
}

interface Progress {
  /** Until all days were sealed. */
  sealedS: number;
  /** Until those of shared websites were divided, too. */
  seconds: number;
  unsealed: number;
  undivided: number;
}

async function untilDivided(database: Database): Promise<Progress> {
  const since = performance.now();
  let sealedS: number | undefined;
  for (;;) {
    const unsealed = await countOf(database, 'closed_days WHERE website_id >= ? AND sealed_before <= ?', DAY);
    const divided = await countOf(database, 'day_blocks WHERE website_id >= ? AND day = ?', DAY);
    const undivided = IDS.filter(isShared).length - divided;
    const seconds = (performance.now() - since) / 1000;
    if (unsealed === 0) sealedS ??= seconds;
    process.stderr.write(`${seconds.toFixed(0)} s: ${unsealed} to seal, ${undivided} to divide\n`);
    if (unsealed + undivided === 0 || seconds > MAX_S)
      return { sealedS: sealedS ?? seconds, seconds, unsealed, undivided };
    await sleep(COUNT_EVERY_MS);
  }
}

async function countOf(database: Database, rows: string, day: number): Promise<number> {
  const [row] = await database.query<{ n: number | string }[]>(`SELECT COUNT(*) AS n FROM ${rows}`, [
    FIRST_WEBSITE,
    day,
  ]);
  return Number(row!.n);
}

function progressText({ sealedS, seconds, unsealed, undivided }: Progress): string {
  const butFor = (left: number) => (left > 0 ? `, but for ${left}` : '');
  return (
    `${WEBSITES} websites were sealed within ${sealedS.toFixed(0)} seconds${butFor(unsealed)}, and the days of ` +
    `${SHARED}% of them, which are shared, divided within ${seconds.toFixed(0)}${butFor(undivided)}`
  );
}

async function register(address: string): Promise<void> {
  for (let index = 1; index <= ACTIVE_WEBSITES; index++)
    await fetch(`${address}/api/v1/websites`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${KEY}` },
      body: new URLSearchParams({ domain: `bench${index}.example` }),
    });
}

/** Makes the filled websites known, some of them as public ones. They belong to the first user. */
async function registerFilled(database: Database): Promise<void> {
  const rows = IDS.map((id) => [id, 1, `small${id}.example`, isShared(id) ? 0 : 1, 0, 1, NOW, NOW]);
  await database.write((manager) => insertRows(manager, 'websites', WEBSITE, rows), 60_000);
}

/** Sends events until `ended` is settled. */
async function loadUntil(address: string, ended: Promise<unknown>): Promise<Load[]> {
  const loads: Load[] = [];
  let isRunning = true;
  void ended.then(() => (isRunning = false));
  while (isRunning) loads.push(await load(address, 'id', LOAD));
  return loads;
}

function loadRow(
  what: string,
  loads: Load[],
  behind: number[],
  { p99, max }: LoopDelay,
): (string | number)[] {
  const medians = loads.map((own) => own.p50);
  const p99s = loads.map((own) => own.p99);
  return [
    what,
    loads.reduce((sum, { accepted }) => sum + accepted, 0),
    loads.reduce((sum, { failed }) => sum + failed, 0),
    `${at(medians, 0.5)}; ${at(p99s, 0.5)}; ${at(p99s, 1)}`,
    `${at(behind, 0.5)}; ${at(behind, 0.99)}; ${at(behind, 1)}`,
    `${p99.toFixed(0)}; ${max.toFixed(0)}`,
  ];
}

async function measure(url: string): Promise<void> {
  const one = await CountingProcess.start(url);
  const before = await sizes(one.database);
  await moveDue(one, DAY_MS);
  const service = await milepost({ DATABASE_URL: url, BOOTSTRAP_API_KEY: KEY });
  try {
    await register(service.address);
    await registerFilled(one.database);
    await load(service.address, 'id', LOAD);
    await loopDelay(service);
    const quiet = looksDuring(one.database, load(service.address, 'id', LOAD));
    const alone = loadRow('alone', [await quiet.work], await quiet.behind, await loopDelay(service));
    await moveDue(one, -DAY_MS);
    const sealing = looksDuring(one.database, untilDivided(one.database));
    const loads = await loadUntil(service.address, sealing.work);
    const progress = await sealing.work;
    const beside = loadRow('while days are sealed', loads, await sealing.behind, await loopDelay(service));
    const after = await sizes(one.database);
    const figures = [
      ['before', before],
      ['sealed', after],
    ] as const;
    record(
      `small-days-${engine()}`,
      [
        `${machine()} Load average: ${Math.round(loadavg()[0]!)}. ${progressText(progress)}, beside ` +
          `${EVENTS_PER_SECOND} events a second; the service took ${residentMiB(service).toFixed(0)} MiB.`,
        '',
        table(EVENT_COLUMNS, [alone, beside]),
        '',
        table(
          SIZE_COLUMNS,
          figures.map(([what, all]) => sizeRow(what, all, WEBSITES)),
        ),
      ].join('\n'),
    );
  } finally {
    service.process.kill('SIGKILL');
    await one.stop();
  }
}

/** Makes all days due at one moment. */
async function moveDue(one: CountingProcess, milliseconds: number): Promise<void> {
  await one.execute('UPDATE closed_days SET due_at = due_at + ? WHERE website_id >= ?', [
    milliseconds,
    FIRST_WEBSITE,
  ]);
}

async function onSqlite(): Promise<void> {
  const kept = join(ROOT, 'bench/data');
  mkdirSync(kept, { recursive: true });
  const filled = join(kept, `small-days-${WEBSITES}-${DAY}.sqlite`);
  if (!existsSync(filled)) {
    const one = await CountingProcess.start(`sqlite:${filled}.filling`);
    await fill(one.database);
    await one.database.emptyLog();
    await one.stop();
    renameSync(`${filled}.filling`, filled);
  }
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bench-'));
  try {
    copyFileSync(filled, join(folder, 'bench.sqlite'));
    await measure(`sqlite:${join(folder, 'bench.sqlite')}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function onServer(): Promise<void> {
  const server = await new DatabaseServer(undefined, ['--innodb-buffer-pool-size=512M']).start();
  try {
    const admin = await connect(new Settings({ DATABASE_URL: `${server.url}mysql` }).database, []);
    await admin.query('CREATE DATABASE bench');
    await admin.destroy();
    const one = await CountingProcess.start(`${server.url}bench`);
    await fill(one.database);
    await one.stop();
    await measure(`${server.url}bench`);
  } finally {
    await server.remove();
  }
}

void (engine() !== 'sqlite' ? onServer() : onSqlite());
