import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dayText } from '../engine/ground/time/days';
import { insertRows } from '../engine/database/rows';
import { periodAround, periodBefore } from '../src/reports/period';
import { CountingProcess } from '../test/support/counting';
import { MailServer } from '../test/support/mail-server';
import { cpuSeconds } from '../test/support/processes';
import { fillReports } from './report-data';
import { command } from './read-data';
import { machine, milepost, record, residentMiB, type Server, table } from './service';

const WEBSITES = Number(process.env.WEBSITES ?? 10_000);
const READ_S = Number(process.env.SECONDS ?? 60);
const USUAL_RATE = 300;
const FASTEST = 60_000;
const BETWEEN_READS_MS = 50;

interface Run {
  sent: number;
  seconds: number;
  cpuSeconds: number;
  reads: number[];
  memory: number[];
}

/** The service's processor time and memory for 10,000 reports, and the latency of reads meanwhile. */
async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bench-'));
  const sink = await new MailServer().start();
  sink.keepsNothing = true;
  const environment = { DATABASE_URL: `sqlite:${folder}/milepost.sqlite`, RATE_LIMIT: 'off' };
  try {
    const key = await fill(environment);
    const mail = {
      SMTP_URL: sink.url,
      MAIL_FROM: 'stats@example.com',
      BASE_URL: 'https://stats.example.com',
    };
    const reads = (rate: number, reports: 'weekly' | 'off') =>
      run({ ...environment, ...mail, MAIL_RATE: String(rate), REPORTS: reports }, sink, key);
    const alone = await reads(USUAL_RATE, 'off');
    const usual = await reads(USUAL_RATE, 'weekly');
    const all = await run({ ...environment, ...mail, MAIL_RATE: String(FASTEST) }, sink);
    report(alone, usual, all);
  } finally {
    await sink.stop();
    rmSync(folder, { recursive: true });
  }
}

async function fill(environment: Record<string, string>): Promise<string> {
  const all = { ...process.env, ...environment };
  command(all, 'migrate');
  const key = command(all, 'user', 'create', 'bench@example.com').trim();
  command(all, 'demo', '--domain', 'read.example', '--events', '100000', '--days', '30');
  const counting = await CountingProcess.start(environment.DATABASE_URL!);
  const period = periodBefore(periodAround(Math.floor(Date.now() / 86_400_000), 'weekly'));
  await fillReports(counting, WEBSITES, period);
  // A new rhythm would begin with the next period.
  await counting.database.write((manager) =>
    insertRows(manager, 'report_periods', ['every', 'first_day', 'planned_at'], [['weekly', 0, Date.now()]]),
  );
  await counting.stop();
  return key;
}

/** Reads for a while or, without a key, waits until nothing is left to send. */
async function run(environment: Record<string, string>, sink: MailServer, key?: string): Promise<Run> {
  const service = await milepost(environment);
  const [since, before, cpu] = [performance.now(), sink.accepted, cpuSeconds(service.process.pid!)];
  const result: Run = { sent: 0, seconds: 0, cpuSeconds: 0, reads: [], memory: [] };
  const measured = () => {
    result.sent = sink.accepted - before;
    result.seconds = (performance.now() - since) / 1000;
    result.cpuSeconds = cpuSeconds(service.process.pid!) - cpu;
    result.memory.push(residentMiB(service));
  };
  try {
    if (key !== undefined) {
      result.reads = await readFor(service.address, key);
      measured();
      return result;
    }
    for (let last = -1; result.sent !== last || result.sent === 0;) {
      last = result.sent;
      await sleep(5000);
      measured();
    }
    return result;
  } finally {
    await end(service);
  }
}

/** A clean end releases its lease, for which the next run would wait. */
async function end(service: Server): Promise<void> {
  service.process.kill('SIGTERM');
  await once(service.process, 'exit');
}

async function readFor(address: string, key: string): Promise<number[]> {
  const until = Date.now() + READ_S * 1000;
  const today = Math.floor(Date.now() / 86_400_000);
  const times: number[] = [];
  while (Date.now() < until) {
    const days = [1, 7, 30][times.length % 3]!;
    const since = performance.now();
    const answer = await fetch(
      `${address}/api/v1/stats/1?name=page&from=${dayText(today - days + 1)}&to=${dayText(today)}`,
      { headers: { Authorization: `Bearer ${key}` } },
    );
    await answer.text();
    if (answer.status !== 200) throw new Error(`a read was answered with ${answer.status}`);
    times.push(performance.now() - since);
    await sleep(BETWEEN_READS_MS);
  }
  return times;
}

function report(alone: Run, usual: Run, all: Run): void {
  const cost = (all.cpuSeconds / all.sent) * 1000;
  const quantile = ({ reads }: Run, share: number) =>
    [...reads].sort((one, other) => one - other)[Math.floor(reads.length * share)]!.toFixed(1);
  const rows = [
    ['no reports', alone] as const,
    [`${Math.round((usual.sent / usual.seconds) * 60)} reports a minute`, usual] as const,
  ].map(([what, of]) => [
    what,
    of.reads.length,
    quantile(of, 0.5),
    quantile(of, 0.99),
    ((of.cpuSeconds / of.seconds) * 100).toFixed(1),
  ]);
  record(
    'reports',
    [
      machine(),
      '',
      `${all.sent} reports as fast as they are taken: ${Math.round(all.seconds)} s, ${cost.toFixed(1)} ms of processor time each ` +
        `(${((cost * USUAL_RATE) / 600).toFixed(1)} % of one core at ${USUAL_RATE} a minute). ` +
        `Resident memory every 5 seconds, MiB: from ${Math.round(all.memory[0]!)} to ${Math.round(all.memory.at(-1)!)}, ` +
        `at most ${Math.round(Math.max(...all.memory))}.`,
      '',
      table(['reads while there are', 'reads', 'median ms', 'p99 ms', '% of one core'], rows),
    ].join('\n'),
  );
}

void measure();
