import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { MariaDbServer } from '../test/support/mariadb-server';
import { machine, milepost, record, residentMiB, serve, type Server, table } from './service';

interface Load {
  accepted: number;
  rate: number;
  p50: number;
  p99: number;
  failed: number;
}

const KEY = 'the-key-of-the-benchmark-of-events';
/** Until everything is compiled; a service that has run for a minute is what matters. */
const WARM_UP_S = 10;
const RUN_S = Number(process.env.SECONDS ?? 30);
const BURST_S = Number(process.env.BURST_SECONDS ?? 30);

/** How fast events are taken in, against servers that do nothing in the same run. */
async function measure(): Promise<void> {
  const database = await new MariaDbServer().start();
  const servers: Server[] = [];
  try {
    const connection = await createConnection(database.url);
    await connection.query('CREATE DATABASE bench');
    await connection.end();
    const floors = join(__dirname, 'floors.js');
    servers.push(await serve(floors, ['bare']), await serve(floors, ['nest']));
    servers.push(await milepost({ DATABASE_URL: `${database.url}bench`, BOOTSTRAP_API_KEY: KEY }));
    const [bare, nest, service] = servers as [Server, Server, Server];
    await register(service.address);
    const results = await oneAfterTheOther([
      ['bare node:http, answering nothing', bare.address],
      ['Nest + Express, answering nothing', nest.address],
      ['Milepost on MariaDB', service.address],
    ]);
    await untilCounted(service.address);
    const burst = await run(service.address, BURST_S);
    const counted = await untilCounted(service.address);
    report(results, burst, counted, residentMiB(service));
  } finally {
    for (const { process: child } of servers) child.kill('SIGKILL');
    await database.remove();
  }
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

async function oneAfterTheOther(servers: [name: string, address: string][]): Promise<[string, Load][]> {
  const results: [string, Load][] = [];
  for (const [name, address] of servers) {
    await run(address, WARM_UP_S);
    results.push([name, await run(address, RUN_S)]);
  }
  return results;
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

function report(results: [string, Load][], burst: Load, counted: number, resident: number): void {
  const [, floor] = results[0]!;
  const rows = results.map(([name, { rate, p50, p99 }]) => [
    name,
    Math.round(rate),
    (rate / floor.rate).toFixed(2),
    p50,
    p99,
  ]);
  record(
    'ingest',
    [
      `${machine()} 64 connections.`,
      '',
      table(['server', 'events/s', '× bare', 'p50 ms', 'p99 ms'], rows),
      '',
      `After a burst of ${BURST_S} s (${burst.accepted} events, ${burst.failed} failed) all were counted ${counted.toFixed(1)} s after its end. Resident memory then: ${Math.round(resident)} MiB.`,
    ].join('\n'),
  );
}

void measure();
