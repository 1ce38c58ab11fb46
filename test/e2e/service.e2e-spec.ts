import { existsSync } from 'node:fs';
import { createConnection } from 'mysql2/promise';
import { ApiClient } from '../support/api-client';
import { engine, freshDatabase, type FreshDatabase } from '../support/fresh-database';
import { freePort } from '../support/mariadb-server';
import { Program, type Service, startService } from '../support/programs';

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

const statusWith = async ({ address }: Service, key: string) =>
  (await new ApiClient(address, key).get('/api/v1/websites')).status;

describe('the first start', () => {
  it('prints a key once, with requests that work as they are', async () => {
    const first = await start();
    const { stdout } = first.program;
    const key = /^ {2}(mp_[\w-]{32})$/m.exec(stdout)![1]!;
    expect(await statusWith(first, key)).toBe(200);
    expect(stdout).toContain(
      `curl -H 'Authorization: Bearer ${key}' ${first.address}/api/v1/websites -d domain=example.com`,
    );
    await first.program.stop();

    const second = await start();
    expect(second.program.stdout).not.toContain('mp_');
    expect(await statusWith(second, key)).toBe(200);
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
  await new Promise((resolve) => setTimeout(resolve, 50));
  const stopping = Date.now();
  const [ended, ...stored] = await Promise.all([service.program.stop(), ...answers]);
  expect(ended.code).toBe(0);
  expect(stored.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  expect(Date.now() - stopping).toBeLessThan(8000);
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
