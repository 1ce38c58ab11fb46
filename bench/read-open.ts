import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { dayText } from '../engine/ground/time/days';
import { DatabaseServer } from '../test/support/database-server';
import { cpuSeconds } from '../test/support/processes';
import { engine, loopDelay, machine, milepost, record, type Server, table } from './service';

const KEY = 'the-key-of-the-benchmark-of-an-open-day';
const DOMAIN = 'open.example';
const PAGES = 200_000;
const PER_BATCH = 1000;
const EVENTS_PER_SECOND = 300;
const BATCH_EVERY_MS = 100;
const READS = 150;
const BETWEEN_READS_MS = 20;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

/** The speed of reads of a day with very many pages while events arrive. */
async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bench-'));
  const database = engine() !== 'sqlite' ? await new DatabaseServer().start() : undefined;
  let service: Server | undefined;
  try {
    if (database) await create(database);
    const url = database ? `${database.url}bench` : `sqlite:${folder}/bench.sqlite`;
    service = await milepost({ DATABASE_URL: url, BOOTSTRAP_API_KEY: KEY, SECRET_FILE: `${folder}/secret` });
    const id = await register(service);
    await fill(service, id);
    record(`read-open-day-${engine()}`, await report(service, id));
  } finally {
    service?.process.kill('SIGKILL');
    await database?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function create(database: DatabaseServer): Promise<void> {
  const connection = await createConnection(database.url);
  await connection.query('CREATE DATABASE bench');
  await connection.end();
}

const headers = { Authorization: `Bearer ${KEY}`, Accept: 'application/json' };

async function register({ address }: Server): Promise<number> {
  const answer = await fetch(`${address}/api/v1/websites`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ domain: DOMAIN }),
  });
  return ((await answer.json()) as { data: { id: number } }).data.id;
}

/** Each page once, in another order than that of their names. */
async function fill(service: Server, id: number): Promise<void> {
  for (let from = 0; from < PAGES; from += PER_BATCH) {
    const pages = Array.from({ length: PER_BATCH }, (_, index) => ((from + index) * 7919) % PAGES);
    await send(service, id, pages);
  }
  while ((await list(service, id, '')).sum < PAGES) await sleep(500);
}

async function send({ address }: Server, id: number, pages: number[]): Promise<void> {
  const events = pages.map((page) => ({
    id: randomUUID(),
    url: `https://${DOMAIN}/articles/${page % 100}/page-${page}`,
    ip: `10.0.${page % 50}.${page % 97}`,
    user_agent: AGENT,
  }));
  const answer = await fetch(`${address}/api/v1/websites/${id}/events`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ events }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}

async function list({ address }: Server, id: number, query: string): Promise<{ sum: number }> {
  const today = dayText(Math.floor(Date.now() / 86_400_000));
  const path = `/api/v1/stats/${id}?name=page&from=${today}&to=${today}${query}`;
  const answer = await fetch(address + path, { headers });
  const { meta } = (await answer.json()) as { meta: { sum: number } };
  return meta;
}

async function report(service: Server, id: number): Promise<string> {
  const rows: (string | number)[][] = [];
  const loads: number[] = [];
  const random = (most: number) => Math.floor(Math.random() * most) + 1;
  const hitQueries: [what: string, query: () => string][] = [
    ['the first page', () => ''],
    ['any page', () => `&page=${random(PAGES / 10)}`],
    ['any of the first pages by value', () => `&sort_by=value&page=${random(20)}`],
  ];
  for (const busy of [false, true])
    for (const [what, query] of hitQueries) {
      const { times, delay, cpuMs } = await timed(service, id, query, busy);
      loads.push(loadavg()[0]!);
      rows.push([
        what,
        busy ? EVENTS_PER_SECOND : 0,
        quantile(times, 0.5),
        quantile(times, 0.99),
        cpuMs.toFixed(1),
        `${delay.p50.toFixed(1)}, ${delay.p99.toFixed(1)}, ${delay.max.toFixed(0)}`,
      ]);
    }
  const head = [
    'page of a day with 200,000 pages',
    'events/s',
    'median ms',
    'p99 ms',
    'processor ms a read',
    'loop p50, p99, max ms',
  ];
  const [least, most] = [Math.min(...loads), Math.max(...loads)];
  return `${machine()} Load average: ${least.toFixed(1)} to ${most.toFixed(1)}.\n\n${table(head, rows)}`;
}

async function timed(service: Server, id: number, query: () => string, busy: boolean) {
  const sending = { stopped: !busy };
  const sender = sendSteadily(service, id, sending);
  for (let warmUp = 0; warmUp < 20; warmUp++) await list(service, id, query());
  await loopDelay(service);
  const times: number[] = [];
  const { pid } = service.process;
  const cpuBefore = cpuSeconds(pid!);
  while (times.length < READS) {
    const since = performance.now();
    await list(service, id, query());
    times.push(performance.now() - since);
    await sleep(BETWEEN_READS_MS);
  }
  const cpuMs = (1000 * (cpuSeconds(pid!) - cpuBefore)) / READS;
  const delay = await loopDelay(service);
  sending.stopped = true;
  await sender;
  return { times, delay, cpuMs };
}

async function sendSteadily(service: Server, id: number, sending: { stopped: boolean }): Promise<void> {
  const each = (EVENTS_PER_SECOND * BATCH_EVERY_MS) / 1000;
  while (!sending.stopped) {
    const pages = Array.from({ length: each }, () => Math.floor(Math.random() * PAGES));
    await Promise.all([send(service, id, pages), sleep(BATCH_EVERY_MS)]);
  }
}

function quantile(times: number[], share: number): string {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length * share)]!.toFixed(1);
}

void measure();
