import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import { DatabaseServer, serverKind } from '../test/support/database-server';
import { askerOf, at, type HitQuery, untilInColumns } from './asking';
import { EVENTS_PER_BATCH, type Kind, load, type Load } from './load';
import { command } from './read-data';
import { machine, milepost, record, residentMiB, type Server, table } from './service';

const EVENTS_OF_YEAR = process.env.EVENTS ?? '1000000';
const RUN_S = Number(process.env.SECONDS ?? 20);
const TURNS = Number(process.env.TURNS ?? 3);
const LOOK_EVERY_MS = 1000;
const PEOPLE = 20;
/** Like the console. */
const PERSON_LOOKS_EVERY_MS = 5000;
const MAX_WAIT_MS = 120_000;
const BATCH_CONNECTIONS = 4;
const RATES: { kind: Kind; eventsPerSecond: number }[] = [
  { kind: 'id', eventsPerSecond: 2000 },
  { kind: 'batch', eventsPerSecond: 5000 },
  { kind: 'batch', eventsPerSecond: 10_000 },
];
const COUNTRIES = ['DE', 'US', 'FR', 'GB', 'BR'];
const HIT_QUERIES = COUNTRIES.flatMap((country) => [
  { metrics: ['visitors'], dimensions: ['page'], filters: [['is', 'country', [country]]], range: '12mo' },
  {
    metrics: ['visits', 'bounce_rate'],
    dimensions: ['entry_page'],
    filters: [['is', 'country', [country]]],
    range: '12mo',
  },
]);

interface Look {
  ms: number;
  isWhole: boolean;
}

interface Times {
  live: number[];
  hitQueries: number[];
  refused: number;
}

interface Reader {
  service: Server;
  key: string;
}

/** The latency of live visitors while events arrive, and that of events while people view them. */
async function measure(): Promise<void> {
  const database = await new DatabaseServer(undefined, ['--innodb-buffer-pool-size=1G']).start();
  let service: Server | undefined;
  try {
    const admin = await connect(new Settings({ DATABASE_URL: `${database.url}mysql` }).database, []);
    await admin.query('CREATE DATABASE bench');
    await admin.destroy();
    const url = `${database.url}bench`;
    const environment = { ...process.env, DATABASE_URL: url };
    const key = command(environment, 'user', 'create', 'bench@example.com').trim().split('\n').at(-1)!;
    command(environment, 'demo', '--domain', 'bench.example', '--events', EVENTS_OF_YEAR, '--days', '365');
    await untilInColumns(url);
    service = await milepost({ DATABASE_URL: url });
    const reader = { service, key };
    const looks = await looksBesideEvents(reader);
    record(
      `live-${serverKind()}`,
      [`${machine()} Load average: ${Math.round(loadavg()[0]!)}.`, '', looks].join('\n'),
    );
    record(`live-people-${serverKind()}`, [machine(), '', await eventsBesidePeople(reader)].join('\n'));
  } finally {
    service?.process.kill('SIGKILL');
    await database.remove();
  }
}

async function looksBesideEvents(reader: Reader): Promise<string> {
  const rows: (string | number)[][] = [];
  for (const { kind, eventsPerSecond } of RATES) {
    const alone = await sent(reader, kind, { eventsPerSecond });
    const since = performance.now();
    while (!(await look(reader)).isWhole && performance.now() < since + MAX_WAIT_MS)
      await sleep(LOOK_EVERY_MS);
    const running = sent(reader, kind, { eventsPerSecond });
    const looks: Look[] = [];
    for (const until = performance.now() + RUN_S * 1000; performance.now() < until;) {
      const next = sleep(LOOK_EVERY_MS);
      looks.push(await look(reader));
      await next;
    }
    const beside = await running;
    const times = looks.map(({ ms }) => ms);
    rows.push([
      `${eventsPerSecond}${kind === 'batch' ? ', in batches' : ''}`,
      ...[alone, beside].map(({ accepted, p99 }) => `${Math.round(accepted / RUN_S)}, ${p99}`),
      alone.failed + beside.failed,
      looks.length,
      at(times, 0.5),
      at(times, 1),
      looks.filter(({ isWhole }) => !isWhole).length,
    ]);
  }
  const head = [
    'events/s',
    'nobody looks: events/s, p99 ms',
    'one looks: events/s, p99 ms',
    'failed',
    'looks',
    'median ms',
    'slowest ms',
    'incomplete',
  ];
  return table(head, rows);
}

async function look({ service, key }: Reader): Promise<Look> {
  const since = performance.now();
  const answer = await fetch(`${service.address}/api/v1/stats/1/live`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const { meta } = (await answer.json()) as { meta: { warnings?: { code: string }[] } };
  const isWhole = !meta.warnings?.some(({ code }) => code === 'live_incomplete');
  return { ms: performance.now() - since, isWhole };
}

/** Counted in events. */
async function sent(
  { service, key }: Reader,
  kind: Kind,
  options: { eventsPerSecond?: number },
): Promise<Load> {
  const { eventsPerSecond } = options;
  const each = kind === 'batch' ? EVENTS_PER_BATCH : 1;
  const measured = await load(service.address, kind, {
    seconds: RUN_S,
    key,
    ...(eventsPerSecond && { eventsPerSecond: eventsPerSecond / each }),
    ...(kind === 'batch' && { connections: BATCH_CONNECTIONS }),
  });
  return { ...measured, accepted: measured.accepted * each, rate: measured.rate * each };
}

/** Alternates runs alone and beside people, at the highest rate. */
async function eventsBesidePeople(reader: Reader): Promise<string> {
  const loads: Record<'alone' | 'beside', Load[]> = { alone: [], beside: [] };
  const times: Times = { live: [], hitQueries: [], refused: 0 };
  const ask = await askerOf(reader.service, reader.key);
  for (let turn = 0; turn < TURNS; turn++) {
    loads.alone.push(await sent(reader, 'id', {}));
    const people = new People(reader, ask, times);
    loads.beside.push(await sent(reader, 'id', {}));
    await people.leave();
  }
  const rowOf = (name: string, of: Load[], ...own: string[]) => [
    name,
    at(
      of.map(({ rate }) => rate),
      0.5,
    ),
    at(
      of.map(({ p50 }) => p50),
      0.5,
    ),
    at(
      of.map(({ p99 }) => p99),
      0.5,
    ),
    of.reduce((sum, { failed }) => sum + failed, 0),
    ...own,
  ];
  const both = (own: number[]) => `${at(own, 0.5)}, ${at(own, 0.99)}`;
  const head = [
    '',
    'events/s',
    'p50 ms',
    'p99 ms',
    'failed',
    'live: median, p99 ms',
    'queries: median, p99 ms',
  ];
  const rows = [
    rowOf('nobody looks', loads.alone, '', ''),
    rowOf(`${PEOPLE} people look`, loads.beside, both(times.live), both(times.hitQueries)),
  ];
  return [
    table(head, rows),
    '',
    `Queries refused because too many were waiting: ${times.refused}. Resident memory: ${Math.round(residentMiB(reader.service))} MiB.`,
  ].join('\n');
}

/** People who view live visitors, and query the year in between. */
class People {
  private areHere = true;
  private readonly all: Promise<void>[];

  constructor(
    private readonly reader: Reader,
    private readonly ask: (hitQuery: HitQuery) => Promise<unknown>,
    private readonly times: Times,
  ) {
    this.all = Array.from({ length: PEOPLE }, (_, index) => this.person(index));
  }

  async leave(): Promise<void> {
    this.areHere = false;
    await Promise.all(this.all);
  }

  private async person(index: number): Promise<void> {
    await sleep((index * PERSON_LOOKS_EVERY_MS) / PEOPLE);
    for (let turn = index; this.areHere; turn++) {
      const next = sleep(PERSON_LOOKS_EVERY_MS);
      this.times.live.push((await look(this.reader)).ms);
      const since = performance.now();
      await this.ask({ body: HIT_QUERIES[turn % HIT_QUERIES.length]! }).then(
        () => this.times.hitQueries.push(performance.now() - since),
        () => this.times.refused++,
      );
      await next;
    }
  }
}

void measure();
