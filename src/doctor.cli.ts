import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type INestApplicationContext } from '@nestjs/common';
import { version } from '../package.json';
import type { DatabaseAddress } from '../engine/database/connections/address';
import { placeOf } from '../engine/database/connections/waiting-for-server';
import { Database } from '../engine/database/database';
import type { Moves } from '../engine/database/hit-settings';
import { Jobs } from '../engine/database/jobs';
import { CommandError, Problem } from '../engine/ground/errors';
import { measuredHere } from '../engine/ground/measures';
import { SettingError } from '../engine/ground/setting-error';
import { HitStore, type Warning } from '../engine/port';
import { type Commands, printTable, type WithServices } from './common/commands/command';
import { Settings } from './config/settings';
import { connect } from './database/connect';
import { describePlaces } from './derive/geography/geography';
import { Readiness } from './health/readiness';
import { hasMailServer, SmtpSession } from './mail/smtp-session';
import { CLIENT_HEADER, METRICS_PATH } from './metrics/metrics.controller';

/** What a line is about. */
type About = 'configured' | 'reachable' | 'waiting' | 'large' | 'wrong';
type Line = [about: About, what: string, found: string];

const ANSWER_MS = 5000;
const MIB = 1024 ** 2;
const LEAST_FREE_BYTES = 512 * MIB;
/** What waits, by the name of its measure. */
const WAITING: Record<string, string> = {
  inbox_hits: 'hits to be counted',
  inbox_oldest_seconds: 'seconds that the oldest of them waited',
  websites_waiting: 'websites with work on their days',
  forgetting_due: 'days whose visitors are to be forgotten',
  jobs_due: 'jobs that are due',
  jobs_failing: 'jobs that failed and are tried again',
};

export const doctorCommand: Commands = (command, run, environment) => {
  command.action(async () => {
    const settings = new Settings(environment);
    const service = await ofService(settings);
    const lines: Line[] = [
      ...configured(settings),
      ...service.lines,
      ...(await ofMails(settings)),
      ...(await ofDatabase(run, settings, service.warnings)),
    ];
    const [wrong, others] = [lines.filter(isWrong), lines.filter((line) => !isWrong(line))];
    printTable(['ABOUT', 'WHAT', 'FOUND'], [...others, ...wrong]);
    if (wrong.length > 0)
      throw new CommandError(`${wrong.length} ${wrong.length === 1 ? 'thing is' : 'things are'} wrong`);
  });
};

function isWrong([about]: Line): boolean {
  return about === 'wrong';
}

function configured(settings: Settings): Line[] {
  const { database, secretFile, baseUrl, trustProxy, clientIpHeader, timezone, smtp, reports } = settings;
  const { archiveDays, statsDays, geoDb } = settings;
  const days = (own: number | undefined) => (own === undefined ? 'for ever' : `${own} days`);
  const proxies = trustProxy === undefined ? 'none' : [trustProxy].flat().join(', ');
  const found: [what: string, found: string][] = [
    ['version', `${version}, Node.js ${process.versions.node}`],
    ['DATABASE_URL', placeOf(database)],
    ['SECRET_FILE', secretFile],
    ['BASE_URL', baseUrl ?? 'not set'],
    ['TRUST_PROXY', clientIpHeader === undefined ? proxies : `${proxies}, which send ${clientIpHeader}`],
    ['TIMEZONE', timezone],
    ['GEO_DB', describePlaces(geoDb)],
    ['SMTP_URL', smtp ? `${smtp.host}:${smtp.port}, reports ${reports}` : 'not set, so no mail is sent'],
    ['HITS_URL', homeIn(settings.moves)],
    ['kept', `hits ${days(archiveDays)}, statistics ${days(statsDays)}`],
  ];
  return found.map(([what, text]) => ['configured', what, text]);
}

/** Where the hits of old days live, without a password. */
function homeIn(moves: Moves | undefined): string {
  if (!moves) return 'not set, hits are columns';
  if (!moves.home) return 'rows';
  const { kind, host, port, database, table } = moves.home;
  return `the table ${database}.${table} of ${kind} at ${host}:${port}`;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { status?: string; code?: string; warnings?: Warning[] };
}

/** Undefined without an answer in time. */
async function answerOf(
  address: string,
  headers: Record<string, string> = {},
): Promise<Answered | undefined> {
  try {
    const answer = await fetch(address, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get('Content-Type') ?? '');
    const body = (isJson ? JSON.parse(text) : {}) as Answered['body'];
    return { status: answer.status, headers: answer.headers, body };
  } catch {
    return undefined;
  }
}

interface Looked {
  readonly lines: Line[];
  /** Undefined if the service is not ready. */
  readonly warnings: Warning[] | undefined;
}

/** The running service, as this command sees it and those behind its public address. */
async function ofService(settings: Settings): Promise<Looked> {
  const { baseUrl } = settings;
  const local = localAddressOf(settings);
  const here = await readinessOf('service', local);
  const outside = baseUrl === undefined ? undefined : await readinessOf('BASE_URL', baseUrl);
  const warnings = here.warnings ?? outside?.warnings;
  const client = warnings ? await clientSeen(baseUrl ?? local, settings.metricsToken) : [];
  return { lines: [...here.lines, ...(outside?.lines ?? []), ...client], warnings };
}

function localAddressOf({ host, port }: Settings): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function readinessOf(what: string, address: string): Promise<Looked> {
  const answer = await answerOf(`${address}/health/ready`);
  if (answer?.status === 200 && answer.body.status === 'ok')
    return { lines: [['reachable', what, `${address} is ready`]], warnings: answer.body.warnings ?? [] };
  const found = answer ? `status ${answer.status} ${answer.body.code ?? ''}`.trim() : 'no answer';
  return { lines: [['wrong', what, `${address}: ${found}`]], warnings: undefined };
}

/** Only an operator learns it from the service. */
async function clientSeen(address: string, metricsToken: string | undefined): Promise<Line[]> {
  const token: Record<string, string> =
    metricsToken === undefined ? {} : { Authorization: `Bearer ${metricsToken}` };
  const answer = await answerOf(`${address}${METRICS_PATH}`, token);
  const seen = answer?.headers.get(CLIENT_HEADER);
  if (seen) return [['reachable', 'client', `the service sees this command at the address ${seen}`]];
  const advice =
    metricsToken === undefined
      ? 'set METRICS_TOKEN for the service and this command to learn what address it sees'
      : `${address}${METRICS_PATH} does not say what address it sees (${answer ? `status ${answer.status}` : 'no answer'})`;
  return [['reachable', 'client', advice]];
}

async function ofMails(settings: Settings): Promise<Line[]> {
  if (!hasMailServer(settings)) return [];
  const session = new SmtpSession(settings.smtp!);
  try {
    await session.open();
    return [['reachable', 'mail server', 'accepts the sign-in']];
  } catch (error) {
    return [['wrong', 'mail server', (error as Error).message]];
  } finally {
    session.close();
  }
}

/** Without a service that answers, its warnings are those that the database tells. */
async function ofDatabase(
  run: WithServices,
  settings: Settings,
  known: Warning[] | undefined,
): Promise<Line[]> {
  try {
    await assertReachable(settings.database);
    return await run(async (services) => [
      ...(await sizes(services, settings)),
      ...(await waiting(services)),
      ...warned(known ?? (await get(services, Readiness).warnings())),
    ]);
  } catch (error) {
    if (!(error instanceof SettingError || error instanceof Problem)) throw error;
    return [['wrong', 'database', error.message]];
  }
}

/** Commands wait for a server that is still starting. */
async function assertReachable(address: DatabaseAddress): Promise<void> {
  if (address.kind === 'sqlite') return;
  const source = await connect(address, [], ANSWER_MS);
  await source.destroy();
}

async function sizes(services: INestApplicationContext, { database: address }: Settings): Promise<Line[]> {
  const database = get(services, Database);
  const begunAt = performance.now();
  const [row] = await database.query<{ bytes: number | string | null }[]>(database.dialect.size);
  const tookMs = Math.round(performance.now() - begunAt);
  const lines: Line[] = [
    ['reachable', 'database', `answered in ${tookMs} ms`],
    ['large', 'database', `about ${inMib(Number(row!.bytes ?? 0))}`],
  ];
  if (address.kind !== 'sqlite') return lines;
  const { bavail, bsize } = statfsSync(dirname(address.path));
  const free = bavail * bsize;
  return [...lines, [free < LEAST_FREE_BYTES ? 'wrong' : 'large', 'free on its disk', inMib(free)]];
}

async function waiting(services: INestApplicationContext): Promise<Line[]> {
  await Promise.all([get(services, HitStore).look(), get(services, Jobs).look()]);
  const lines = measuredHere().flatMap(({ name, series }) => {
    const what = WAITING[name];
    if (what === undefined) return [];
    const some = series.filter(({ values }) => values[0]! >= 1);
    return some.map(({ labels, values }): Line => {
      const about = labels.length > 0 ? `${what}: ${labels.join(', ')}` : what;
      return ['waiting', about, Math.round(values[0]!).toLocaleString('en')];
    });
  });
  return lines.length > 0 ? lines : [['waiting', 'hits, days and jobs', 'nothing']];
}

function warned(warnings: readonly Warning[]): Line[] {
  return warnings.map(({ code, website_id, detail }) => [
    'wrong',
    website_id === undefined ? code : `${code}, website ${website_id}`,
    detail,
  ]);
}

function inMib(bytes: number): string {
  return `${(bytes / MIB).toLocaleString('en', { maximumFractionDigits: 1 })} MiB`;
}

function get<T>(services: INestApplicationContext, type: abstract new (...parameters: never[]) => T): T {
  return services.get<T>(type, { strict: false });
}
