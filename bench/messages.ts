import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { type ClientProxy, ClientProxyFactory, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { freePort } from '../test/support/free-port';
import { machine, milepost, record, ROOT, table } from './service';

const KEY = 'the-key-of-the-benchmark-of-messages';
const REQUESTS = Number(process.env.REQUESTS ?? 4000);
/** Both ways alternate, so that a slow moment of the machine affects both. */
const ROUNDS = 4;
/** From two users, because a user may have at most 18 concurrent reads. */
const CONCURRENT = 32;
const PAGES = 500;
const COUNTED_AFTER_MS = 3000;
const QUERY = { name: 'page', from: '2020-01-01', to: '2999-12-31', per_page: '10' };

interface Answer {
  data: object[];
  meta: Record<string, unknown>;
}
interface Caller {
  key: string;
  websiteId: number;
}
type Ask = (caller: Caller) => Promise<Answer>;

/** The same page of statistics over HTTP and over TCP. */
async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bench-'));
  const port = await freePort();
  const database = { DATABASE_URL: `sqlite:${join(folder, 'bench.sqlite')}` };
  const service = await milepost({
    ...database,
    BOOTSTRAP_API_KEY: KEY,
    RPC_URL: `tcp://127.0.0.1:${port}`,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT });
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port },
  });
  try {
    const callers = [
      await fill(service.address, KEY, 'one.example'),
      await fill(service.address, await otherKey(database), 'other.example'),
    ];
    const ways: Record<string, Ask> = { HTTP: overHttp(service.address, agent), TCP: overTcp(client) };
    for (const caller of callers) await expectSameAnswers(Object.values(ways), caller);
    const rows: (string | number)[][] = [];
    for (const concurrent of [1, CONCURRENT]) {
      const times = await inTurns(ways, callers, concurrent);
      for (const [way, taken] of Object.entries(times))
        rows.push([way, concurrent, taken.length, quantile(taken, 0.5), quantile(taken, 0.99)]);
    }
    record('messages', `${machine()}\n\n${table(['', 'at once', 'requests', 'median ms', 'p99 ms'], rows)}`);
  } finally {
    client.close();
    agent.destroy();
    service.process.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

async function otherKey(database: Record<string, string>): Promise<string> {
  const parameters = [join(ROOT, 'dist/src/cli.js'), 'user', 'create', 'other@example.com'];
  const options = { env: { ...process.env, ...database } };
  return (await promisify(execFile)(process.execPath, parameters, options)).stdout.trim();
}

async function fill(address: string, key: string, domain: string): Promise<Caller> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const post = async (path: string, fields: object): Promise<unknown> => {
    const answer = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(fields) });
    return answer.json();
  };
  const { data } = (await post('/api/v1/websites', { domain })) as { data: { id: number } };
  const events = Array.from({ length: PAGES }, (_, page) => ({
    id: randomUUID(),
    url: `https://${domain}/page/${page}`,
    ip: `203.0.113.${page % 250}`,
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
  }));
  await post(`/api/v1/websites/${data.id}/events`, { events });
  await sleep(COUNTED_AFTER_MS);
  return { key, websiteId: data.id };
}

function overHttp(address: string, agent: Agent): Ask {
  const query = new URLSearchParams(QUERY).toString();
  return ({ key, websiteId }) =>
    new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${key}` };
      get(`${address}/api/v1/stats/${websiteId}?${query}`, { agent, headers }, (answer) => {
        text(answer).then((body) => {
          if (answer.statusCode === 200) resolve(JSON.parse(body) as Answer);
          else reject(new Error(body));
        }, reject);
      }).on('error', reject);
    });
}

function overTcp(client: ClientProxy): Ask {
  return ({ key, websiteId }) =>
    firstValueFrom(client.send<Answer>('stats.show', { key, website_id: websiteId, ...QUERY }));
}

async function expectSameAnswers(ways: Ask[], caller: Caller): Promise<void> {
  const [one, other] = await Promise.all(ways.map((ask) => ask(caller)));
  const shown = ({ data, meta }: Answer) => ({ data, meta: { ...meta, as_of: '' } });
  if (one!.meta.sum !== PAGES || !isDeepStrictEqual(shown(one!), shown(other!)))
    throw new Error(`the answers differ: ${JSON.stringify([one, other])}`);
}

async function inTurns(
  ways: Record<string, Ask>,
  callers: Caller[],
  concurrent: number,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  for (const ask of Object.values(ways)) await timesOf(ask, callers, concurrent);
  for (let round = 0; round < ROUNDS; round++)
    for (const [way, ask] of Object.entries(ways))
      (times[way] ??= []).push(...(await timesOf(ask, callers, concurrent)));
  return times;
}

async function timesOf(ask: Ask, callers: Caller[], concurrent: number): Promise<number[]> {
  const times: number[] = [];
  let left = REQUESTS / ROUNDS;
  const askInTurn = async (caller: Caller) => {
    while (left-- > 0) {
      const startedAt = performance.now();
      await ask(caller);
      times.push(performance.now() - startedAt);
    }
  };
  const lines = Array.from({ length: concurrent }, (_, line) => callers[line % callers.length]!);
  await Promise.all(lines.map(askInTurn));
  return times;
}

function quantile(values: number[], share: number): string {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(2);
}

void measure();
