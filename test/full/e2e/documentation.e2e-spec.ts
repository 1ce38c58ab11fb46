import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { ApiClient } from '../../support/api-client';
import { CommandHost } from '../../support/command-host';
import { blocksOf, blockWith, ROOT } from '../../support/documentation';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { MailServer } from '../../support/mail-server';
import { freePort } from '../../support/free-port';
import { type Service, startService } from '../../support/programs';
import { SECRET_FILE } from '../../support/secret-file';
import { until } from '../../support/until';
import { serve, type WebServer } from '../../support/web-server';

const KEY = 'the-key-of-the-documentation';
const PAGES = [
  'README.md',
  'docs/api.md',
  'docs/goals.md',
  'docs/mcp.md',
  'docs/tracker.md',
  'docs/pages.md',
  'docs/reports.md',
  'docs/alerts.md',
  'docs/webhooks.md',
];
/** Other files run its blocks. */
const DEPLOYMENT = 'docs/deployment.md';
/** CI itself, and the tests of npm's scripts and of the package, run the commands that install, build, start or test. */
const preparation = (commands: string) => `
set -euo pipefail
curl() { command curl -sS --fail-with-body "$@"; }
npx() { :; }
npm() {
  case "$*" in
    ci | test | start | 'run -s mail-server' | 'run -s package') ;;
    "run -s cli -- "*) printf '%s\\0' "\${@:5}" | curl --data-binary @- ${commands} ;;
    *) command npm --prefix "${ROOT}" "$@" ;;
  esac
}
`;
/** What a reader may do in the console between two blocks: ids go on, so that no block can rely on those to come. */
const CLICK = `
clicked=$(curl -H 'Authorization: Bearer ${KEY}' http://127.0.0.1:3000/api/v1/websites -d domain=clicked-$RANDOM-$RANDOM.test |
  sed 's/.*"id":\\([0-9]*\\).*/\\1/')
curl -o /dev/null -H 'Authorization: Bearer ${KEY}' http://127.0.0.1:3000/api/v1/websites/$clicked -X DELETE
`;
const REPAIR = 'npm run -s cli -- user update owner@example.com --email admin@localhost';

const mails = new MailServer();
let database: FreshDatabase;
let service: Service;
let folder: string;
let port: number;
/** Runs the commands of `npm run cli`. The demo's command uses npm itself. */
let commands: WebServer;
const host = new CommandHost();
beforeAll(async () => {
  [database, port] = [await freshDatabase(), await freePort()];
  await mails.start();
  const RPC_URL = `tcp://127.0.0.1:${port}`;
  const more = { RPC_URL, WEBHOOK_ALLOW: '127.0.0.1', ...sendingMails() };
  service = await startService({ DATABASE_URL: database.url, BOOTSTRAP_API_KEY: KEY, ...more });
  folder = mkdtempSync(join(tmpdir(), 'milepost-documentation-'));
  await clickBefore();
  commands = await serve((request, response) => {
    void text(request)
      .then((words) => host.run(words.split('\0').slice(0, -1), environment()))
      .then(({ code, stdout, stderr }) => response.writeHead(code === 0 ? 200 : 500).end(stdout + stderr));
  });
});
afterAll(async () => {
  commands.close();
  await host.stop();
  await service.program.stop();
  await mails.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const environment = () => ({
  DATABASE_URL: database.url,
  SECRET_FILE,
  ...sendingMails(),
  KEY,
});

const sendingMails = () => ({ SMTP_URL: mails.url, MAIL_FROM: 'stats@example.com' });

/** What a reader has clicked before the first block. */
async function clickBefore(): Promise<void> {
  const api = new ApiClient(service.address, KEY);
  const { id } = (await api.post('/api/v1/websites', { form: { domain: 'before.example' } })).body.data;
  const filters = [['is', 'page', ['/']]];
  const alert = { name: 'Before', condition: 'silent' };
  const hook = { url: 'https://before.example/', events: ['alert'] };
  const answers = [
    await api.post(`/api/v1/websites/${id}/goals`, { json: { name: 'Before', filters } }),
    await api.post(`/api/v1/websites/${id}/saved-filters`, { json: { name: 'Before', filters } }),
    await api.post(`/api/v1/websites/${id}/alerts`, { json: alert }),
    await api.post('/api/v1/webhooks', { json: hook }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
}

function run(program: string, parameters: string[], cwd: string): Promise<string> {
  const env = { PATH: process.env.PATH, ...environment() };
  return promisify(execFile)(program, parameters, { cwd, env }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    },
  );
}

/** The reader of the first round leaves out the demo, as README allows. */
function scriptOf(round: number): string {
  const blocks = PAGES.flatMap(blocksOf)
    .filter(({ language, isNotRun }) => language === 'sh' && !isNotRun)
    .map(({ text }) => text);
  const script = [preparation(commands.address), ...blocks, REPAIR]
    .join(`\n${CLICK}\n`)
    .replaceAll('http://127.0.0.1:3000', service.address)
    .replaceAll('mp_…', KEY)
    .replace('npm run -s demo', round === 1 ? '' : 'npm run -s demo -- --events 1000 --days 3');
  return round === 1 ? script : script.replaceAll(/^.* (user create|-d domain=example\.com)( .*)?$/gm, '');
}

it.each([1, 2])('all commands of the documentation work, in their order: round %i', async (round) => {
  await run('bash', ['--norc', '-c', scriptOf(round)], folder);
});

it.each([
  ['docs/mcp.md', 'ts', 'StreamableHTTP', 'await client.close();', 'demo.example'],
  ['docs/messages.md', 'ts', 'ClientProxyFactory', 'console.log(data); milepost.close();', 'visitors'],
  ['docs/messages.md', 'js', 'node:net', '', 'demo.example'],
])('the program of %s in %s works', async (page, language, part, end, answer) => {
  const { body } = await new ApiClient(service.address, KEY).get('/api/v1/websites?search=demo.example');
  const program = ['const key = process.env.KEY;', blockWith(page, language, part), end]
    .join('\n')
    .replaceAll('website_id: 1', `website_id: ${body.data[0].id}`)
    .replaceAll('http://127.0.0.1:3000', service.address)
    .replaceAll('4000', String(port));
  const printed = await run(process.execPath, ['--input-type=module', '-e', program], ROOT);
  expect(printed).toContain(answer);
});

it('the receiver of docs/webhooks.md tells signed deliveries from others', async () => {
  const [api, own] = [new ApiClient(service.address, KEY), await freePort()];
  const url = `http://127.0.0.1:${own}/`;
  const { id, secret } = (await api.post('/api/v1/webhooks', { json: { url, events: ['alert'] } })).body.data;
  const program = blockWith('docs/webhooks.md', 'js', 'isFromMilepost').replaceAll('4000', String(own));
  const receiver = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret },
  });
  try {
    const statusOf = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', body: '{}', headers }).then(
        ({ status }) => status,
        () => undefined,
      );
    await until(async () => (await statusOf({})) === 401);
    const wrong = `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`;
    expect(await statusOf({ 'Milepost-Signature': wrong })).toBe(401);
    const printed = once(receiver.stdout, 'data');
    const path = (await api.post(`/api/v1/webhooks/${id}/test`)).headers.get('Location')!;
    expect(String(await printed)).toMatch(/^delivery \d+: test\n$/);
    await until(async () => (await api.get(path)).body.data.last_status === 204);
  } finally {
    receiver.kill();
  }
});

it('the mail server of the README prints the mails that it gets', async () => {
  const server = spawn(process.execPath, [join(ROOT, 'scripts/mail-server.mjs'), '0']);
  try {
    const printed: string[] = [];
    server.stdout.on('data', (data) => printed.push(String(data)));
    const url = await until(() => /smtp:\S+\d/.exec(printed.join(''))?.[0]);
    const mail = { from: 'stats@example.com', to: 'müller@example.com', subject: 'Übersicht', text: 'Grüße' };
    await createTransport(url).sendMail(mail);
    await until(() => printed.join('').includes('Grüße'));
    expect(printed.join('')).toContain('\nTo: müller@example.com\nSubject: Übersicht\n\nGrüße\n');
  } finally {
    server.kill();
  }
});

it('every command is run, or the line above it says why not', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const withCommands = ['README.md', ...pages.map((name) => `docs/${name}`)].filter((page) =>
    blocksOf(page).some(({ language, isNotRun }) => language === 'sh' && !isNotRun),
  );
  expect(withCommands.sort()).toEqual([...PAGES, DEPLOYMENT].sort());
});
