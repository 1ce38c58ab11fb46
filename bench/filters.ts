import { loadavg } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DAY_MS, dayText } from '../engine/ground/time/days';
import { Settings } from '../src/config/settings';
import { connect } from '../src/database/connect';
import { DatabaseServer } from '../test/support/database-server';
import { askerOf, at, costing, FRESH_DAYS, end, type HitQuery, untilInColumns } from './asking';
import { command, KEPT } from './read-data';
import { engine, machine, milepost, record, residentMiB, type Server, table } from './service';

const DOMAIN = 'month.example';
const EVENTS = 1_000_000;
/** The number of days with a million events. */
const DAYS_FILLED = 31;
const DAYS = DAYS_FILLED - FRESH_DAYS;
const KEPT_TURNS = 25;

interface Asked {
  words: string;
  days: number;
  /** The age of the last day in days; by default the last sealed one. */
  ago?: number;
  ask: (range: { from: string; to: string }) => HitQuery;
}

const statistic = (name: string, filter: string): Asked['ask'] => {
  return (range) => ({ query: new URLSearchParams({ name, filter, ...range }).toString() });
};
const MOBILE_GERMANS = 'country==DE;device==mobile';

const funnel = (order: string, within: string, filters: object[]): Asked['ask'] => {
  const steps = filters.map((filter) => ({ filters: [filter] }));
  return ({ from, to }) => ({ route: 'funnel', body: { steps, order, within, range: [from, to] } });
};
const journey = (start: object | string): Asked['ask'] => {
  return ({ from, to }) => ({ route: 'journey', body: { from: start, steps: 5, range: [from, to] } });
};
const VIEW = ['is', 'event', [null]];
const BUYING = [
  ['is', 'page', ['/']],
  ['is', 'page', ['/pricing']],
  ['is', 'event', ['signup']],
];

const ASKED: Asked[] = [
  { words: 'pages where country and device', days: DAYS, ask: statistic('page', MOBILE_GERMANS) },
  { words: 'pages that contain a text', days: DAYS, ask: statistic('page', 'page=@docs') },
  { words: 'countries of visitors who saw a page', days: DAYS, ask: statistic('country', 'page==/pricing') },
  {
    words: 'visits, bounces, durations by entry page',
    days: DAYS,
    ask: ({ from, to }) => ({
      body: {
        metrics: ['visits', 'bounce_rate', 'visit_duration'],
        dimensions: ['entry_page'],
        filters: [['is', 'country', ['DE']]],
        range: [from, to],
      },
    }),
  },
  {
    words: 'visits by entry page',
    days: DAYS,
    ask: ({ from, to }) => ({
      body: { metrics: ['visits'], dimensions: ['entry_page'], range: [from, to] },
    }),
  },
  { words: 'funnel of three steps in a visit', days: DAYS, ask: funnel('open', 'visit', BUYING) },
  {
    words: 'funnel of eight page views in a row, in a day',
    days: DAYS,
    ask: funnel('strict', 'day', Array<object>(8).fill(VIEW)),
  },
  { words: 'journeys of five steps from the entry', days: DAYS, ask: journey('entry') },
  { words: 'journeys of five steps from a page', days: DAYS, ask: journey({ page: '/pricing' }) },
  {
    words: 'visitors by country and device',
    days: DAYS,
    ask: ({ from, to }) => ({
      body: { metrics: ['visitors'], dimensions: ['country', 'device'], range: [from, to] },
    }),
  },
  { words: 'pages where country and device', days: 1, ask: statistic('page', MOBILE_GERMANS) },
  {
    words: 'pages where country and device, up to yesterday',
    days: DAYS_FILLED - 1,
    ago: 1,
    ask: statistic('page', MOBILE_GERMANS),
  },
];

/** The speed of filters and queries on a month of a million events, which is reused between runs. */
async function measure(): Promise<void> {
  const server = engine() !== 'sqlite' ? await startKept() : undefined;
  const url = server ? `${server.url}bench_month` : `sqlite:${KEPT}/month.sqlite`;
  const environment = { ...process.env, DATABASE_URL: url };
  let service: Server | undefined;
  try {
    const key = fill(environment);
    const columns = await untilInColumns(url);
    const rows: (string | number)[][] = [];
    let memory = 0;
    for (const requested of ASKED) {
      service = await milepost({ DATABASE_URL: url });
      const ask = await askedOf(service, key);
      const { pid } = service.process;
      const [cold, ofCold] = await costing(pid!, () => ask(requested));
      const kept: number[] = [];
      const [, ofKept] = await costing(pid!, async () => {
        for (let turn = 0; turn < KEPT_TURNS; turn++) kept.push(await ask(requested));
      });
      memory = Math.max(memory, residentMiB(service));
      await end(service);
      service = undefined;
      rows.push([
        requested.words,
        requested.days,
        `${cold.toFixed(0)}, ${(1000 * ofCold).toFixed(0)}`,
        `${at(kept, 0.5)}, ${at(kept, 0.99)}`,
        ((1000 * ofKept) / KEPT_TURNS).toFixed(0),
      ]);
    }
    const head = [
      'query',
      'days',
      'nothing cached: ms, processor ms',
      'cached: median, p99 ms',
      'processor ms',
    ];
    record(
      `filters-${engine()}`,
      [
        machine(),
        '',
        table(head, rows),
        '',
        columns,
        `Resident memory: at most ${Math.round(memory)} MiB. Load average: ${loadavg()[0]!.toFixed(0)}.`,
      ].join('\n'),
    );
  } finally {
    if (service) await end(service);
    await server?.stop();
  }
}

async function startKept(): Promise<DatabaseServer> {
  const server = await DatabaseServer.kept(join(KEPT, `${engine()}-month`), []).start();
  const admin = await connect(new Settings({ DATABASE_URL: `${server.url}mysql` }).database, []);
  await admin.query('CREATE DATABASE IF NOT EXISTS bench_month');
  await admin.destroy();
  return server;
}

/** Fills the website the first time, and returns its owner's key. */
function fill(environment: NodeJS.ProcessEnv): string {
  command(environment, 'migrate');
  try {
    return command(environment, 'key', 'create', 'bench@example.com').trim();
  } catch {
    const key = command(environment, 'user', 'create', 'bench@example.com').trim();
    command(
      environment,
      'demo',
      '--domain',
      DOMAIN,
      '--events',
      String(EVENTS),
      '--days',
      String(DAYS_FILLED),
    );
    return key;
  }
}

/** Queries the last days of the website; returns the latency in milliseconds. */
async function askedOf(service: Server, key: string): Promise<(requested: Asked) => Promise<number>> {
  const send = await askerOf(service, key);
  const today = Math.floor(Date.now() / DAY_MS);
  return async ({ days, ago = FRESH_DAYS, ask }) => {
    const hitQuery = ask({ from: dayText(today - ago - days + 1), to: dayText(today - ago) });
    const since = performance.now();
    await send(hitQuery);
    return performance.now() - since;
  };
}

void measure();
