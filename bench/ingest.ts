import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { freePort, MariaDbServer } from '../test/support/mariadb-server';

interface Load {
  accepted: number;
  rate: number;
  p50: number;
  p99: number;
  failed: number;
}

const ROOT = join(__dirname, '../../..');
const KEY = 'the-key-of-the-benchmark-of-events';
/** As `npm run start:prod` has it; all three servers get it. */
const AS_STARTED = '--max-semi-space-size=32';
const WARM_UP_S = 3;
const RUN_S = Number(process.env.SECONDS ?? 15);
const ROUNDS = 5;
const BURST_S = Number(process.env.BURST_SECONDS ?? 30);

/** How fast events are taken in, against servers that do nothing in the same run. */
async function measure(): Promise<void> {
  const database = await new MariaDbServer().start();
  const children: ChildProcess[] = [];
  const serve = async (
    file: string,
    parameters: string[],
    environment: Record<string, string>,
    port: number,
  ) => {
    children.push(
      spawn(process.execPath, [AS_STARTED, file, ...parameters], {
        env: { ...process.env, ...environment },
        stdio: 'ignore',
      }),
    );
    await untilOpen(`http://127.0.0.1:${port}/`);
    return { address: `http://127.0.0.1:${port}`, pid: children.at(-1)!.pid! };
  };
  try {
    const [barePort, nestPort, port] = [await freePort(), await freePort(), await freePort()];
    const bare = await serve(join(__dirname, 'floors.js'), ['bare', String(barePort)], {}, barePort);
    const nest = await serve(join(__dirname, 'floors.js'), ['nest', String(nestPort)], {}, nestPort);
    const milepost = await serve(join(ROOT, 'dist/src/main.js'), [], await settings(database, port), port);
    await register(milepost.address);
    const results = await inTurns([
      ['bare node:http, answering nothing', bare.address],
      ['Nest + Express, answering nothing', nest.address],
      ['Milepost on MariaDB', milepost.address],
    ]);
    await untilCounted(milepost.address);
    const burst = await run(milepost.address, BURST_S);
    const counted = await untilCounted(milepost.address);
    report(results, burst, counted, residentMiB(milepost.pid));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await database.remove();
  }
}

async function settings(database: MariaDbServer, port: number): Promise<Record<string, string>> {
  const connection = await createConnection(database.url);
  await connection.query('CREATE DATABASE bench');
  await connection.end();
  return {
    DATABASE_URL: `${database.url}bench`,
    PORT: String(port),
    BOOTSTRAP_API_KEY: KEY,
    TRUST_PROXY: '1',
    LOG_LEVEL: 'warn',
  };
}

async function register(address: string): Promise<void> {
  await fetch(`${address}/api/v1/websites`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEY}` },
    body: new URLSearchParams({ domain: 'bench.example' }),
  });
}

async function run(address: string, seconds: number): Promise<Load> {
  const parameters = [join(__dirname, 'load.js'), address, String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return JSON.parse(stdout) as Load;
}

/** Each in several short rounds, so that whatever else the machine does falls on all of them. */
async function inTurns(servers: [name: string, address: string][]): Promise<[string, Load][]> {
  for (const [, address] of servers) await run(address, WARM_UP_S);
  const loads: Load[][] = servers.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, [, address]] of servers.entries())
      loads[index]!.push(await run(address, Math.ceil(RUN_S / ROUNDS)));
  return servers.map(([name], index) => [name, medians(loads[index]!)]);
}

function medians(loads: Load[]): Load {
  const median = (field: keyof Load) =>
    loads.map((load) => load[field]).sort((one, other) => one - other)[Math.floor(loads.length / 2)]!;
  return {
    accepted: median('accepted'),
    rate: median('rate'),
    p50: median('p50'),
    p99: median('p99'),
    failed: median('failed'),
  };
}

/** Seconds until nothing of the website waits any more. */
async function untilCounted(address: string): Promise<number> {
  const startedAt = Date.now();
  const query = 'name=pageview&from=2020-01-01&to=2999-12-31';
  for (;;) {
    const asked = Date.now();
    const answer = await fetch(`${address}/api/v1/stats/1?${query}`, {
      headers: { Authorization: `Bearer ${KEY}` },
    });
    const { meta } = (await answer.json()) as { meta: { as_of: string } };
    if (Date.parse(meta.as_of) >= asked - 5) return (Date.now() - startedAt) / 1000;
    await sleep(100);
  }
}

async function untilOpen(address: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await fetch(address);
      return;
    } catch (error) {
      if (attempt > 150) throw error;
      await sleep(100);
    }
  }
}

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

function report(results: [string, Load][], burst: Load, counted: number, resident: number): void {
  const [, floor] = results[0]!;
  const rows = results.map(
    ([name, { rate, p50, p99 }]) =>
      `| ${name} | ${Math.round(rate)} | ${(rate / floor.rate).toFixed(2)} | ${p50} | ${p99} |`,
  );
  const table = [
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpus()[0]!.model.trim()}), Node ${process.versions.node}, 64 connections, load generator on the same cores.`,
    '',
    '| server | events/s | × bare | p50 ms | p99 ms |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `After a burst of ${BURST_S} s (${burst.accepted} events, ${burst.failed} failed) all were counted ${counted.toFixed(1)} s after its end. Resident memory then: ${Math.round(resident)} MiB.`,
  ].join('\n');
  process.stdout.write(`${table}\n`);
  const file = join(ROOT, 'docs/performance.md');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/(<!-- ingest -->\n)[^]*?(\n<!-- end of ingest -->)/, `$1\n${table}\n$2`));
}

void measure();
