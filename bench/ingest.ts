import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { DatabaseServer } from '../test/support/database-server';
import { EVENTS_PER_BATCH, type Kind, load, type Load } from './load';
import type { LoopDelay } from './loop-delay';
import {
  engine,
  loopDelay,
  machine,
  milepost,
  record,
  residentMiB,
  serve,
  type Server,
  table,
} from './service';

interface Measured extends Load {
  name: string;
  server: Server;
  eventsPerRequest: number;
  delay: LoopDelay;
}

interface Burst {
  load: Load;
  /** Seconds from its end until everything was counted. */
  countedAfter: number;
  pageviews: number;
  residentMiB: number;
}

const KEY = 'the-key-of-the-benchmark-of-events';
/** Until everything is compiled and most visitors are returning ones, as in a service that has run for a minute. */
const WARM_UP_S = Number(process.env.WARM_UP_SECONDS ?? 60);
const RUN_S = Number(process.env.SECONDS ?? 20);
const BURST_S = Number(process.env.BURST_SECONDS ?? 30);
const BATCH_CONNECTIONS = 4;

/** The rate at which events are accepted, compared with servers that do nothing in the same run. */
async function measure(): Promise<void> {
  if (engine() === 'sqlite') throw new Error('ENGINE=sqlite: events are measured on a server');
  const database = await new DatabaseServer().start();
  const servers: Server[] = [];
  const started = async (server: Promise<Server>) => {
    servers.push(await server);
    return servers.at(-1)!;
  };
  try {
    const connection = await createConnection(database.url);
    await connection.query('CREATE DATABASE bench');
    await connection.end();
    const floors = join(__dirname, 'floors.js');
    const bare = await started(serve(floors, ['bare']));
    const nest = await started(serve(floors, ['nest']));
    const service = await started(milepost({ DATABASE_URL: `${database.url}bench`, BOOTSTRAP_API_KEY: KEY }));
    await register(service.address);
    const results = [
      await warmAndRun('bare node:http, answering nothing', bare, 'id'),
      await warmAndRun('Nest + Express, answering nothing', nest, 'id'),
      await warmAndRun('Milepost, an id with each event', service, 'id'),
      await warmAndRun('Milepost, without ids', service, 'plain'),
      await warmAndRun('Milepost, a random id with each event', service, 'random'),
      await warmAndRun('Milepost, batches of 100 events', service, 'batch'),
    ];
    report(results, await burst(service));
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

/** Waits first, so that nothing from an earlier run is counted during a run. */
async function warmAndRun(name: string, server: Server, kind: Kind): Promise<Measured> {
  const isService = name.startsWith('Milepost');
  const options = { key: KEY, ...(kind === 'batch' && { connections: BATCH_CONNECTIONS }) };
  await load(server.address, kind, { ...options, seconds: WARM_UP_S });
  if (isService) await untilCounted(server.address);
  await loopDelay(server);
  const measured = await load(server.address, kind, { ...options, seconds: RUN_S });
  const delay = await loopDelay(server);
  if (isService) await untilCounted(server.address);
  return { name, server, delay, eventsPerRequest: kind === 'batch' ? EVENTS_PER_BATCH : 1, ...measured };
}

async function burst(service: Server): Promise<Burst> {
  const before = await countedPageviews(service.address);
  const measured = await load(service.address, 'id', { seconds: BURST_S });
  const countedAfter = await untilCounted(service.address);
  const pageviews = (await countedPageviews(service.address)) - before;
  return { load: measured, countedAfter, pageviews, residentMiB: residentMiB(service) };
}

interface Pageviews {
  data: { count: number }[];
  meta: { as_of: string };
}

async function pageviewsOf(address: string): Promise<Pageviews> {
  const answer = await fetch(`${address}/api/v1/stats/1?name=pageview&from=2020-01-01&to=2999-12-31`, {
    headers: { Authorization: `Bearer ${KEY}` },
  });
  return (await answer.json()) as Pageviews;
}

async function countedPageviews(address: string): Promise<number> {
  return (await pageviewsOf(address)).data.reduce((sum, { count }) => sum + count, 0);
}

/** Seconds until no hits of the website are waiting. */
async function untilCounted(address: string): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const requested = Date.now();
    const { meta } = await pageviewsOf(address);
    if (Date.parse(meta.as_of) >= requested - 5) return (Date.now() - startedAt) / 1000;
    await sleep(100);
  }
}

function report(results: Measured[], { load: sent, countedAfter, pageviews, residentMiB }: Burst): void {
  const [bare, nest] = results as [Measured, Measured];
  const rows = results.map(({ name, rate, eventsPerRequest, p50, p99, failed, delay }) => [
    name,
    Math.round(rate * eventsPerRequest),
    (rate / bare.rate).toFixed(2),
    (rate / nest.rate).toFixed(2),
    p50,
    p99,
    failed,
    `${delay.p50.toFixed(1)}, ${delay.p99.toFixed(1)}, ${delay.max.toFixed(0)}`,
  ]);
  const head = [
    'server',
    'events/s',
    '× bare',
    '× Nest',
    'p50 ms',
    'p99 ms',
    'failed',
    'loop p50, p99, max ms',
  ];
  record(
    `ingest-${engine()}`,
    [
      `${machine()} 64 connections; batches over ${BATCH_CONNECTIONS}. Ratios are of requests.`,
      '',
      table(head, rows),
      '',
      `After a burst of ${BURST_S} s (${sent.accepted} events with ids, ${sent.failed} failed) all were counted ` +
        `${countedAfter.toFixed(1)} s after its end: ${pageviews} page views. Resident memory then: ` +
        `${Math.round(residentMiB)} MiB.`,
    ].join('\n'),
  );
}

void measure();
