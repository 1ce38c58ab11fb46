import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ApiClient } from '../../support/api-client';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { Program, type Service, startService } from '../../support/programs';
import { SECRET_FILE } from '../../support/secret-file';
import { until } from '../../support/until';

let database: FreshDatabase;
const running: Service[] = [];
beforeEach(async () => void (database = await freshDatabase()));
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ program }) => program.stop('SIGKILL')));
  await database.drop();
});

async function start(): Promise<Service> {
  const service = await startService({ DATABASE_URL: database.url });
  running.push(service);
  return service;
}

const statusWith = async ({ address }: Service, key: string) =>
  (await new ApiClient(address, key).get('/api/v1/websites')).status;

/** Linux and BSD differ in the parameters of `script`. */
const onTerminal = (...command: string[]) =>
  process.platform === 'linux' ? ['-qfc', command.join(' '), '/dev/null'] : ['-q', '/dev/null', ...command];

describe('the first start', () => {
  it('shows the key on a terminal, and keeps it in a file', async () => {
    const environment = { DATABASE_URL: database.url, PORT: '0', SECRET_FILE, PATH: process.env.PATH! };
    const main = join(__dirname, '../../../dist/src/main.js');
    const service = spawn('script', onTerminal(process.execPath, main), {
      env: environment,
      detached: true,
    });
    let shown = '';
    for await (const data of service.stdout) if ((shown += String(data)).includes('stats/1')) break;
    process.kill(-service.pid!, 'SIGKILL');
    expect(shown).toMatch(/^Its data are in \S+, its secret in \S+\r?$/m);
    const [, key] = /^ {2}(mp_[\w-]{32})\r?$/m.exec(shown)!;
    const [, file] = /^Your API key, also in (.*), a file that you may delete:/m.exec(shown)!;
    expect(readFileSync(file!, 'utf8')).toBe(`${key}\n`);
    expect(statSync(file!).mode & 0o777).toBe(0o600);
    rmSync(file!);
  });

  it('knows the key of the settings as soon as the port is open', async () => {
    const [port, key] = [await freePort(), 'a-key-of-at-least-thirty-two-characters'];
    const environment = { DATABASE_URL: database.url, PORT: String(port), BOOTSTRAP_API_KEY: key };
    const program = new Program('main.js', [], environment);
    const api = new ApiClient(`http://127.0.0.1:${port}`, key);
    const first = await until(() => api.get('/api/v1/websites').catch(() => undefined), 1);
    expect(first.status).toBe(200);
    await program.stop();
  });

  it('leaves the key of another database where it is, and says at a later start how to make one if its own is lost', async () => {
    const other = join(dirname(new URL(database.url).pathname), 'first-key');
    writeFileSync(other, "another database's\n");
    const first = await start();
    const [, file] = await first.program.prints(/^Your API key is in (.*)\. Read it/m);
    expect(file).toMatch(/\/first-key\.milepost\w*$/);
    expect(readFileSync(other, 'utf8')).toBe("another database's\n");
    await first.program.stop();
    const key = readFileSync(file!, 'utf8').trim();
    for (const path of [file!, other]) rmSync(path);
    const second = await start();
    await second.program.prints(/create another:\n\n {2}npm run -s cli -- key create admin@localhost/);
    expect(await statusWith(second, key)).toBe(200);
  });
});

describe('a setting that cannot be used', () => {
  it.each([
    ['PORT', 'abc'],
    ['PORT', '65536'],
    ['HOST', 'no host'],
    ['BASE_URL', 'stats.example.com'],
    ['BOOTSTRAP_API_KEY', 'too-short'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TIMEZONE', 'Mars/Olympus'],
    ['RESPECT_OPT_OUT', 'yes'],
    ['RATE_LIMIT', 'fast'],
    ['LOG_LEVEL', 'loud'],
    ['ARCHIVE_DAYS', '0'],
    ['DATABASE_URL', 'postgres://user:secret@host/name'],
    ['DATABASE_URL', 'mysql://host/name'],
    ['DATABASE_URL', 'nonsense'],
  ])('stops the start with one line: %s=%s', async (name, value) => {
    const ended = await new Program('main.js', [], {
      DATABASE_URL: database.url,
      PORT: '0',
      [name]: value,
    }).end();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(new RegExp(`^${name}: .+\n$`));
    expect(ended.stderr).not.toContain('secret');
  });
});

it('waits for a database server that is not there yet', async () => {
  const port = await freePort();
  const program = new Program('main.js', [], {
    DATABASE_URL: `mysql://user:secret@127.0.0.1:${port}/name`,
    PORT: '0',
  });
  await program.prints(/127\.0\.0\.1:\d+\/name cannot be reached \(ECONNREFUSED\), trying again in 1 s/);
  expect((await program.stop()).stdout).not.toContain('secret');
});
