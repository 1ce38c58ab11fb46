import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';

/*
 * ClickHouse over HTTP, as far as Milepost speaks it: chdb answers, one statement after the other. It takes the user and
 * the password of its arguments, and prints its port.
 */
const [user, password] = process.argv.slice(2);
const EXPECTED = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
/** Whatever else is in an address is a setting. */
const OWN = new Set(['query', 'query_id', 'database', 'default_format', 'wait_end_of_query']);

const folder = mkdtempSync(join(tmpdir(), 'milepost-clickhouse-'));
const session = new Session(folder);
let last = Promise.resolve();
/** Of the last statement. Most have the same. */
let current = {};

async function run(sql, settings) {
  const changes = [
    ...Object.keys(current)
      .filter((name) => !(name in settings))
      .map((name) => `${name} = DEFAULT`),
    ...Object.keys(settings)
      .filter((name) => settings[name] !== current[name])
      .map((name) => `${name} = '${settings[name]}'`),
  ];
  if (changes.length > 0) await session.queryAsync(`SET ${changes.join(', ')}`);
  current = settings;
  try {
    return await session.queryAsync(sql);
  } catch (error) {
    // What a statement wrote before it failed would come with the next answer.
    await session.queryAsync('SELECT 1');
    throw error;
  }
}

async function textOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function answer(request, response) {
  const { searchParams } = new URL(request.url, 'http://here');
  const body = await textOf(request);
  if (request.headers.authorization !== EXPECTED) throw refusal(516, 'Authentication failed');
  const settings = Object.fromEntries([...searchParams].filter(([name]) => !OWN.has(name)));
  const query = searchParams.get('query');
  const sql = query === null ? body : `${query}\n${body}`;
  const work = last.then(() => run(sql, settings));
  last = work.then(
    () => undefined,
    () => undefined,
  );
  const result = await work;
  const bytes = Buffer.from(result.bytes());
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes);
}

function refusal(code, message) {
  return Object.assign(new Error(message), { number: code });
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    const [, number = '1001'] = /^Code: (\d+)/.exec(error.message) ?? [];
    const code = error.number ?? error.code ?? number;
    const text = `Code: ${/^\d+$/.test(code) ? code : number}. DB::Exception: ${error.message} (ERROR)\n`;
    response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) }).end(text);
  });
});

process.on('SIGTERM', () => {
  session.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
