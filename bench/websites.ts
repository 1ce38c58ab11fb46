import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import { DatabaseServer, serverKind } from '../test/support/database-server';
import { cpuSeconds } from '../test/support/processes';
import { load, type Load, type LoadOptions } from './load';
import { machine, milepost, record, type Server, table } from './service';

const KEY = 'the-key-of-the-benchmark-of-websites';
const RUN_S = Number(process.env.SECONDS ?? 30);
const EVENTS_PER_SECOND = Number(process.env.RATE ?? 1000);
const WEBSITES = 300;
const PROCESSES = 4;
/** Until everything is compiled, and each website has its lease. */
const WARM_UP_S = Number(process.env.WARM_UP_SECONDS ?? 15);
const LOOK_EVERY_MS = 100;
const MAX_WAIT_MS = 120_000;

interface Run {
  what: string;
  events: number;
  failed: number;
  /** The delay of `as_of` of the most delayed website, in milliseconds, at each poll. */
  behind: number[];
  /** Seconds from the last event until nothing was waiting. */
  countedAfter: number;
  folds: number;
  /** Processor time per event, in microseconds. */
  service: number;
  database: number | undefined;
}

/** Counting of many active websites, and of one that several processes receive events for. */
async function measure(): Promise<void> {
  const runs = [...(await onSqlite()), ...(await onServer())];
  const rows = runs.map((run) => [
    run.what,
    run.events,
    run.failed,
    `${quantile(run.behind, 0.5)}, ${quantile(run.behind, 0.99)}, ${quantile(run.behind, 1)}`,
    run.countedAfter.toFixed(1),
    run.folds,
    run.service.toFixed(0),
    run.database?.toFixed(0) ?? '',
  ]);
  record(
    `websites-${serverKind()}`,
    [
      `${machine()} ${RUN_S} seconds, ${EVENTS_PER_SECOND} events a second with ids.`,
      '',
      table(
        [
          '',
          'events',
          'failed',
          'behind: p50, p99, max ms',
          'counted after s',
          'folds',
          'µs an event',
          'µs of the server',
        ],
        rows,
      ),
    ].join('\n'),
  );
}

async function onSqlite(): Promise<Run[]> {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bench-'));
  try {
    return await withServices(`sqlite:${join(folder, 'bench.sqlite')}`, 1, undefined, async (bench) => [
      await bench.run('SQLite, 1 website', undefined),
      await bench.run(`SQLite, ${WEBSITES} websites`, WEBSITES),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function onServer(): Promise<Run[]> {
  const server = serverKind() === 'mysql' ? 'MySQL' : 'MariaDB';
  const database = await new DatabaseServer().start();
  try {
    const admin = await connect(new Settings({ DATABASE_URL: `${database.url}mysql` }).database, []);
    for (const name of ['one', 'several']) await admin.query(`CREATE DATABASE ${name}`);
    await admin.destroy();
    const alone = await withServices(`${database.url}one`, 1, database, async (bench) => [
      await bench.run(`${server}, 1 website`, undefined),
      await bench.run(`${server}, ${WEBSITES} websites`, WEBSITES),
    ]);
    const several = await withServices(`${database.url}several`, PROCESSES, database, async (bench) => [
      await bench.run(`${server}, 1 website, ${PROCESSES} processes`, undefined),
    ]);
    return [...alone, ...several];
  } finally {
    await database.remove();
  }
}

async function withServices(
  url: string,
  size: number,
  database: DatabaseServer | undefined,
  work: (bench: Bench) => Promise<Run[]>,
): Promise<Run[]> {
  const services: Server[] = [];
  let looker: DataSource | undefined;
  try {
    while (services.length < size)
      services.push(await milepost({ DATABASE_URL: url, BOOTSTRAP_API_KEY: KEY }));
    looker = await connect(new Settings({ DATABASE_URL: url }).database, []);
    await register(services[0]!.address);
    return await work(new Bench(services, looker, database));
  } finally {
    for (const { process: child } of services) child.kill('SIGKILL');
    await looker?.destroy();
  }
}

async function register(address: string): Promise<void> {
  const domains = Array.from({ length: WEBSITES }, (_, index) => `bench${index + 1}.example`);
  for (const domain of ['bench.example', ...domains])
    await fetch(`${address}/api/v1/websites`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${KEY}` },
      body: new URLSearchParams({ domain }),
    });
}

/** Services on one database, and direct access to their inboxes. */
class Bench {
  constructor(
    private readonly services: Server[],
    private readonly looker: DataSource,
    private readonly database: DatabaseServer | undefined,
  ) {}

  async run(what: string, websites: number | undefined): Promise<Run> {
    const options = {
      connections: 16,
      eventsPerSecond: EVENTS_PER_SECOND / this.services.length,
      ...(websites !== undefined && { websites }),
    };
    await this.load({ ...options, seconds: WARM_UP_S });
    await this.untilCounted();
    const before = { ...this.cpu(), folds: await this.folds() };
    const behind: number[] = [];
    let isRunning = true;
    const looking = (async () => {
      while (isRunning) {
        behind.push(await this.oldestMs());
        await sleep(LOOK_EVERY_MS);
      }
    })();
    const loads = await this.load({ ...options, seconds: RUN_S });
    const countedAfter = await this.untilCounted();
    isRunning = false;
    await looking;
    const after = { ...this.cpu(), folds: await this.folds() };
    const events = loads.reduce((sum, { accepted }) => sum + accepted, 0);
    const perEvent = (seconds: number) => (seconds * 1e6) / events;
    return {
      what,
      events,
      failed: loads.reduce((sum, { failed }) => sum + failed, 0),
      behind,
      countedAfter,
      folds: after.folds - before.folds,
      service: perEvent(after.service - before.service),
      database: this.database && perEvent(after.database - before.database),
    };
  }

  private cpu(): { service: number; database: number } {
    const service = this.services.reduce((sum, { process: { pid } }) => sum + cpuSeconds(pid!), 0);
    return { service, database: this.database ? cpuSeconds(this.database.pid) : 0 };
  }

  private load(options: LoadOptions): Promise<Load[]> {
    return Promise.all(this.services.map(({ address }) => load(address, 'id', options)));
  }

  private async folds(): Promise<number> {
    const [row] = await this.looker.query<{ folds: number | string }[]>(
      'SELECT SUM(folds) AS folds FROM counting',
    );
    return Number(row!.folds);
  }

  /** The age of the oldest event; `as_of` is the millisecond before it. */
  private async oldestMs(): Promise<number> {
    const now = this.database
      ? 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)'
      : "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    const [row] = await this.looker.query<{ waited: number | null }[]>(
      `SELECT ${now} - MIN(accepted_at) AS waited FROM inbox`,
    );
    return Number(row!.waited ?? 0);
  }

  private async untilCounted(): Promise<number> {
    const startedAt = Date.now();
    while ((await this.oldestMs()) > 0) {
      if (Date.now() - startedAt > MAX_WAIT_MS) throw new Error('events are not counted');
      await sleep(LOOK_EVERY_MS);
    }
    return (Date.now() - startedAt) / 1000;
  }
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

void measure();
