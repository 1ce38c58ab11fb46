import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { FIREFOX } from '../support/agents';
import { ApiClient } from '../support/api-client';
import { untilCounted } from '../support/counted';
import { change, select } from '../support/database-access';
import { engine, type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { freePort } from '../support/mariadb-server';
import { Program, type Service, startService } from '../support/programs';
import { RawSocket } from '../support/raw-socket';
import { SECRET_FILE } from '../support/secret-file';
import { until } from '../support/until';

let database: FreshDatabase;
const running: Service[] = [];
beforeEach(async () => void (database = await freshDatabase()));
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ program }) => program.stop('SIGKILL')));
  await database.drop();
});

const KEY = 'a-key-that-the-operator-chose';

async function start(environment: Record<string, string> = {}): Promise<Service> {
  const service = await startService({ DATABASE_URL: database.url, ...environment });
  running.push(service);
  return service;
}

const shell = async (command: string) => (await promisify(execFile)('sh', ['-c', command])).stdout;

const statusWith = async ({ address }: Service, key: string) =>
  (await new ApiClient(address, key).get('/api/v1/websites')).status;

describe('the first start', () => {
  const folders: string[] = [];
  const emptyFolder = () => {
    folders.push(mkdtempSync(join(tmpdir(), 'milepost-start-')));
    return folders.at(-1)!;
  };
  afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

  const placeOfKey = (folder: string) =>
    engine === 'sqlite' ? dirname(new URL(database.url).pathname) : folder;

  it('writes a key to a file that only its user can read, and prints where, with requests that work', async () => {
    const folder = emptyFolder();
    const first = await start({ SECRET_FILE: `${folder}/secret` });
    await first.program.prints(/stats\/1/);
    const { stdout } = first.program;
    expect(stdout).not.toContain('mp_');
    const file = /^Your API key is in (.*first-key)\./m.exec(stdout)![1]!;
    expect(dirname(file)).toBe(placeOfKey(folder));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const commands = stdout.match(/^ {2}(export|curl) .*$/gm)!;
    expect(await shell(commands.join(' && '))).toMatch(/"domain":"example\.com".*"name":"page"/s);

    const key = readFileSync(file, 'utf8').trim();
    expect(await statusWith(first, key)).toBe(200);
    await first.program.stop();
    const second = await start({ SECRET_FILE: `${folder}/secret` });
    expect(second.program.stdout).not.toContain('first-key');
    expect(await statusWith(second, key)).toBe(200);
  });

  it('shows the key on a terminal', async () => {
    const environment = { DATABASE_URL: database.url, PORT: '0', SECRET_FILE, PATH: process.env.PATH! };
    const main = join(__dirname, '../../dist/src/main.js');
    const service = spawn('script', ['-qfc', `${process.execPath} ${main}`, '/dev/null'], {
      env: environment,
      detached: true,
    });
    let shown = '';
    for await (const data of service.stdout) if ((shown += String(data)).includes('stats/1')) break;
    process.kill(-service.pid!, 'SIGKILL');
    expect(shown).toMatch(/^ {2}mp_[\w-]{32}\r?$/m);
    expect(shown).not.toContain('first-key');
  });

  it('leaves the key of another database where it is', async () => {
    const folder = emptyFolder();
    const other = join(placeOfKey(folder), 'first-key');
    writeFileSync(other, "another database's\n");
    const service = await start({ SECRET_FILE: `${folder}/secret` });
    const [, file] = await service.program.prints(/^Your API key is in (.*)\. Read it/m);
    expect(file).toMatch(/\/first-key\.milepost\w*$/);
    expect(await statusWith(service, readFileSync(file!, 'utf8').trim())).toBe(200);
    expect(readFileSync(other, 'utf8')).toBe("another database's\n");
  });

  it('says at a later start how to make a key, while none was ever used and the file is not there', async () => {
    const folder = emptyFolder();
    const environment = { SECRET_FILE: `${folder}/secret` };
    const first = await start(environment);
    await first.program.prints(/stats\/1/);
    await first.program.stop();
    rmSync(join(placeOfKey(folder), 'first-key'));
    const second = await start(environment);
    await second.program.prints(/make another with the command: key create admin@localhost/);
  });

  it('takes the key that the operator chose, and ignores it afterwards', async () => {
    const first = await start({ BOOTSTRAP_API_KEY: KEY });
    expect(first.program.stdout).not.toContain(KEY);
    expect(await statusWith(first, KEY)).toBe(200);
    await first.program.stop();
    const second = await start({ BOOTSTRAP_API_KEY: 'another-key-for-a-later-start' });
    expect(await statusWith(second, KEY)).toBe(200);
    expect(await statusWith(second, 'another-key-for-a-later-start')).toBe(401);
  });

  it('works for several processes at once', async () => {
    const services = await Promise.all(Array.from({ length: 4 }, () => start({ BOOTSTRAP_API_KEY: KEY })));
    for (const service of services) expect(await statusWith(service, KEY)).toBe(200);
    const [one, other] = services as [Service, Service];
    const stored = await new ApiClient(one.address, KEY).post('/api/v1/websites', {
      form: { domain: 'a.example' },
    });
    const path = `/api/v1/websites/${stored.body.data.id}`;
    expect((await new ApiClient(other.address, KEY).get(path)).body).toEqual(stored.body);
  });
});

if (engine === 'sqlite')
  it('leaves everything in the one file when it ends', async () => {
    const service = await start();
    await service.program.stop();
    expect(existsSync(`${database.url.slice('sqlite:'.length)}-wal`)).toBe(false);
  });

it('logs JSON lines, without the key', async () => {
  const service = await start({ BOOTSTRAP_API_KEY: KEY });
  await statusWith(service, KEY);
  const { stdout, stderr } = await service.program.stop();
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({ level: 'info', context: 'Request', route: '/api/v1/websites', status: 200 }),
  );
  expect(stdout + stderr).not.toContain(KEY);
});

it('ends well on SIGTERM, with the answers that are under way', async () => {
  const service = await start({ BOOTSTRAP_API_KEY: KEY });
  const api = new ApiClient(service.address, KEY);
  await api.get('/api/v1/websites');
  const answers = Array.from({ length: 5 }, (_, index) =>
    api.post('/api/v1/websites', { form: { domain: `late${index}.example`, privacy: 2, password: 'x' } }),
  );
  // All of them were accepted by then, on a machine that is slow as well.
  await Promise.race(answers);
  const [ended, ...stored] = await Promise.all([service.program.stop(), ...answers]);
  expect(ended.code).toBe(0);
  // Passwords are hashed one at a time, and on a slow machine those that waited too long are refused.
  const statuses = stored.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status !== 201 && status !== 429)).toEqual([]);
});

it('takes no new connection on SIGTERM, and finishes a request that came before it', async () => {
  const service = await start({ BOOTSTRAP_API_KEY: KEY });
  const body = 'domain=a.example';
  const raw = new RawSocket(service.address);
  raw.write(
    `POST /api/v1/websites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  await statusWith(service, KEY);
  service.program.signal('SIGTERM');
  await until(() =>
    fetch(service.address).then(
      () => false,
      () => true,
    ),
  );
  raw.write(body.slice(5));
  await raw.closed;
  expect(raw.answer).toMatch(/^HTTP\/1\.1 201 /);
  expect((await service.program.end()).code).toBe(0);
});

describe('counting in the background', () => {
  const countedOn = async (service: Service) => {
    const api = new ApiClient(service.address, KEY);
    const { id, domain } = (await api.post('/api/v1/websites', { form: { domain: 'a.example' } })).body.data;
    await api.post('/api/v1/events', {
      json: { url: `https://${domain}/` },
      headers: { 'User-Agent': FIREFOX },
    });
    await untilCounted(api, id);
    return id as number;
  };

  it('gives its leases back when the service ends', async () => {
    const service = await start({ BOOTSTRAP_API_KEY: KEY });
    await countedOn(service);
    expect((await service.program.stop()).code).toBe(0);
    expect(await select(database.url, 'SELECT expires_at FROM counting')).toEqual([{ expires_at: 0 }]);
  });

  it('logs as the rest of the service does', async () => {
    const service = await start({ BOOTSTRAP_API_KEY: KEY });
    const websiteId = await countedOn(service);
    await change(
      database.url,
      `INSERT INTO inbox (website_id, accepted_at, size, bytes, hits) VALUES (${websiteId}, 0, 1, 1, X'00')`,
    );
    const [line] = await service.program.prints(/^.*cannot be counted.*$/m);
    expect(JSON.parse(line)).toMatchObject({ level: 'error', context: 'Counting', time: expect.any(String) });
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

  it('is a port that is taken, which loses no key', async () => {
    const { address } = await start();
    const ended = await new Program('main.js', [], {
      DATABASE_URL: database.url,
      PORT: new URL(address).port,
    }).end();
    expect([ended.code, ended.stderr, ended.stdout]).toEqual([
      1,
      expect.stringMatching(/^PORT: .+\n$/),
      expect.not.stringContaining('mp_'),
    ]);
  });

  it('is a database that lets nobody in', async () => {
    const url = engine === 'sqlite' ? 'sqlite:/dev/null/file.sqlite' : new URL(database.url);
    if (url instanceof URL) url.password = 'wrong-secret';
    const ended = await new Program('main.js', [], { DATABASE_URL: String(url) }).end();
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/^DATABASE_URL: .+\n$/)]);
    expect(ended.stderr).not.toContain('wrong-secret');
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

if (engine === 'mariadb')
  it('migrates again what a crash left half done', async () => {
    const connection = await createConnection(database.url);
    await connection.query(
      'CREATE TABLE users (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, email VARCHAR(254) NOT NULL, created_at BIGINT NOT NULL, CONSTRAINT users_email UNIQUE (email))',
    );
    await connection.end();
    expect(await statusWith(await start({ BOOTSTRAP_API_KEY: KEY }), KEY)).toBe(200);
  });
