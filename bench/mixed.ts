import { setTimeout as sleep } from 'node:timers/promises';
import { dayText } from '../engine/ground/time/days';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import { DatabaseServer, serverKind } from '../test/support/database-server';
import { load } from './load';
import { command } from './read-data';
import { machine, milepost, record, residentMiB, type Server, table } from './service';

const EVENTS = '1000000';
const DAYS = '365';
const RUN_S = Number(process.env.SECONDS ?? 180);
const EVENTS_PER_SECOND = Number(process.env.RATE ?? 4000);
const QUIET_S = 20;
const BETWEEN_READS_MS = 50;
const NAMES = ['page', 'visitor', 'country', 'browser', 'city', 'referrer'];

interface Reads {
  times: number[];
  failed: number;
}

/** The latency of reads while events arrive, and whether the service's memory grows. */
async function measure(): Promise<void> {
  const database = await new DatabaseServer(undefined, ['--innodb-buffer-pool-size=1G']).start();
  let service: Server | undefined;
  try {
    const admin = await connect(new Settings({ DATABASE_URL: `${database.url}mysql` }).database, []);
    await admin.query('CREATE DATABASE bench');
    await admin.destroy();
    const environment = { ...process.env, DATABASE_URL: `${database.url}bench` };
    const key = command(environment, 'user', 'create', 'bench@example.com').trim().split('\n').at(-1)!;
    command(environment, 'demo', '--domain', 'bench.example', '--events', EVENTS, '--days', DAYS);
    service = await milepost(environment);
    const reader = { address: service.address, key };
    await readFor(reader, QUIET_S);
    const alone = await readFor(reader, QUIET_S);
    report(alone, await underLoad(service, reader));
  } finally {
    service?.process.kill('SIGKILL');
    await database.remove();
  }
}

interface UnderLoad {
  reads: Reads;
  accepted: number;
  failed: number;
  /** Resident memory in MiB at each tenth of the time. */
  memory: number[];
}

interface Reader {
  address: string;
  key: string;
}

async function underLoad(service: Server, reader: Reader): Promise<UnderLoad> {
  const loading = load(service.address, 'id', { seconds: RUN_S, eventsPerSecond: EVENTS_PER_SECOND });
  const memory: number[] = [];
  const sampling = (async () => {
    for (let tenth = 0; tenth < 10; tenth++) {
      await sleep(RUN_S * 100);
      memory.push(residentMiB(service));
    }
  })();
  const reads = await readFor(reader, RUN_S);
  const [{ accepted, failed }] = await Promise.all([loading, sampling]);
  return { reads, accepted, failed, memory };
}

async function readFor({ address, key }: Reader, seconds: number): Promise<Reads> {
  const until = Date.now() + seconds * 1000;
  const today = Math.floor(Date.now() / 86_400_000);
  const reads: Reads = { times: [], failed: 0 };
  for (let turn = 0; Date.now() < until; turn++) {
    const days = [1, 7, 30, 365][turn % 4]!;
    const name = NAMES[turn % NAMES.length]!;
    const since = performance.now();
    const answer = await fetch(
      `${address}/api/v1/stats/1?name=${name}&from=${dayText(today - days + 1)}&to=${dayText(today)}`,
      { headers: { Authorization: `Bearer ${key}` } },
    );
    await answer.text();
    if (answer.status === 200) reads.times.push(performance.now() - since);
    else reads.failed++;
    await sleep(BETWEEN_READS_MS);
  }
  return reads;
}

function quantile({ times }: Reads, share: number): string {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length * share)]!.toFixed(1);
}

function report(alone: Reads, { reads, accepted, failed, memory }: UnderLoad): void {
  const rows = (
    [
      ['no events', alone],
      [`${Math.round(accepted / RUN_S)} events a second`, reads],
    ] as const
  ).map(([what, of]) => [what, of.times.length, of.failed, quantile(of, 0.5), quantile(of, 0.99)]);
  record(
    `mixed-${serverKind()}`,
    [
      `${machine()} ${RUN_S} seconds, ${accepted} events (${failed} failed).`,
      '',
      table(['reads while there are', 'reads', 'failed', 'median ms', 'p99 ms'], rows),
      '',
      `Resident memory at each tenth of the time, MiB: ${memory.map((size) => Math.round(size)).join(', ')}.`,
    ].join('\n'),
  );
}

void measure();
