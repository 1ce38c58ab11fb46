import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { FIREFOX } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import { untilCounted } from '../../support/counted';
import { change, select } from '../../support/database-access';
import { engine, type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { cli, Program, type Service, startService } from '../../support/programs';
import { RawSocket } from '../../support/raw-socket';
import { website } from '../../support/sending';
import { addUnreadable, ENDS_OF_LEASES } from '../../support/store-hooks';
import { startApp } from '../../support/test-app';
import { until } from '../../support/until';

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
});

it('leaves turns to others while one user changes the same goal over and over', async () => {
  const { address } = await start({ BOOTSTRAP_API_KEY: KEY, RATE_LIMIT: 'off' });
  const { stdout } = await cli(['user', 'create', 'bob@example.com'], { DATABASE_URL: database.url });
  const [one, other] = [new ApiClient(address, KEY), new ApiClient(address, stdout.trim())];
  const [site, siteOfOther] = [await website(one), await website(other)];
  const json = { name: 'Signup', filters: [['is', 'page', ['/thanks']]] };
  const goals = `/api/v1/websites/${site.id}/goals`;
  const { id } = (await one.post(goals, { json })).body.data;
  let ended = 0;
  const changes = Array.from({ length: 200 }, async (_, index) => {
    const { status } = await one.patch(`${goals}/${id}`, { json: { name: `Signup ${index}` } });
    ended++;
    return status;
  });
  await until(() => ended > 0);
  const annotations = `/api/v1/websites/${siteOfOther.id}/annotations`;
  const { status } = await other.post(annotations, { json: { text: 'Deployed' } });
  expect([status, ended < 100]).toEqual([201, true]);
  // Those that had no turn within a second are refused.
  for (const answer of await Promise.all(changes)) expect([200, 429, 503]).toContain(answer);
});

describe('processes that start at once on an empty database', () => {
  let shared: FreshDatabase;
  let services: Service[];
  const startHere = (key: string) => startService({ DATABASE_URL: shared.url, BOOTSTRAP_API_KEY: key });
  beforeAll(async () => {
    shared = await freshDatabase();
    services = await Promise.all([1, 2, 3, 4].map(() => startHere(KEY)));
  });
  afterAll(async () => {
    await Promise.all(services.map(({ program }) => program.stop('SIGKILL')));
    await shared.drop();
  });
  const api = ({ address }: Service) => new ApiClient(address, KEY);
  const store = (service: Service, domain: string) =>
    api(service).post('/api/v1/websites', { form: { domain } });

  it('take the key that the operator chose, and work with the same websites', async () => {
    for (const service of services) {
      // Four processes that start at once may answer late.
      await until(async () => (await statusWith(service, KEY)) === 200);
      expect(service.program.stdout).not.toContain(KEY);
    }
    const [one, other] = services as [Service, Service];
    const stored = await store(one, 'a.example');
    expect((await api(other).get(`/api/v1/websites/${stored.body.data.id}`)).body).toEqual(stored.body);
  });

  it('keep another from their port, which makes no key that would be lost', async () => {
    const PORT = new URL(services[0]!.address).port;
    const ended = await new Program('main.js', [], { DATABASE_URL: database.url, PORT }).end();
    expect([ended.code, ended.stderr, ended.stdout]).toEqual([
      1,
      expect.stringMatching(/^PORT: .+\n$/),
      expect.not.stringContaining('API key'),
    ]);
    expect(await select(database.url, 'SELECT id FROM users')).toEqual([]);
  });

  it('take no new connection on SIGTERM, and finish a request that came before it', async () => {
    const [service] = services as [Service];
    const body = 'domain=b.example';
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

  it('end well on SIGTERM, with the answers that are under way', async () => {
    const service = services[1]!;
    await statusWith(service, KEY);
    const answers = Array.from({ length: 5 }, (_, index) =>
      api(service).post('/api/v1/websites', {
        form: { domain: `late${index}.example`, privacy: 2, password: 'x' },
      }),
    );
    // All of them were accepted by then, even on a slow machine.
    await Promise.race(answers);
    const [ended, ...stored] = await Promise.all([service.program.stop(), ...answers]);
    expect(ended.code).toBe(0);
    // Passwords are hashed one at a time. On a slow machine, some wait too long and are refused.
    const statuses = stored.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 201 && status !== 429)).toEqual([]);
  });

  it('log JSON lines, without the key', async () => {
    const { program } = services[2]!;
    await fetch(`${services[2]!.address}/health/live`);
    await fetch(`${services[2]!.address}/tracker.js`);
    await statusWith(services[2]!, KEY);
    await program.prints(/^\{.*"route":"\/api\/v1\/websites".*\}$/m);
    const lines = program.stdout.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ level: 'info', context: 'Request', route: '/api/v1/websites', status: 200 }),
    );
    expect(program.stdout).not.toMatch(/"route":"[^"]*(health|tracker)/);
    expect(program.stdout + program.stderr).not.toContain(KEY);
  });

  it('count in the background, and log there as elsewhere', async () => {
    const service = services[2]!;
    const { id, domain } = (await store(service, 'counted.example')).body.data;
    await api(service).post('/api/v1/events', {
      json: { url: `https://${domain}/` },
      headers: { 'User-Agent': FIREFOX },
    });
    await untilCounted(api(service), id);
    await change(shared.url, addUnreadable(id, 0));
    const [line] = await Promise.any(
      services.slice(2).map(({ program }) => program.prints(/^.*cannot be counted.*$/m)),
    );
    expect(JSON.parse(line)).toMatchObject({ level: 'error', context: 'Counting', time: expect.any(String) });
  });

  it('give their leases back when they end, and leave everything in the one file of SQLite', async () => {
    for (const { program } of services.slice(2)) expect((await program.stop()).code).toBe(0);
    expect(await select(shared.url, ENDS_OF_LEASES)).toEqual([{ expires_at: 0 }]);
    if (engine === 'sqlite') expect(existsSync(`${shared.url.slice('sqlite:'.length)}-wal`)).toBe(false);
  });

  it('are followed by one that ignores another key', async () => {
    services.push(await startHere('another-key-for-a-later-start'));
    expect(await statusWith(services.at(-1)!, KEY)).toBe(200);
    expect(await statusWith(services.at(-1)!, 'another-key-for-a-later-start')).toBe(401);
  });
});

it('refuses a database that lets nobody in', async () => {
  const url = engine === 'sqlite' ? 'sqlite:/dev/null/file.sqlite' : new URL(database.url);
  if (url instanceof URL) url.password = 'wrong-secret';
  const ended = await new Program('main.js', [], { DATABASE_URL: String(url) }).end();
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/^DATABASE_URL: .+\n$/)]);
  expect(ended.stderr).not.toContain('wrong-secret');
});

if (engine === 'server')
  it('migrates again what a crash left half done', async () => {
    const connection = await createConnection(database.url);
    await connection.query(
      'CREATE TABLE users (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, email VARCHAR(254) NOT NULL, created_at BIGINT NOT NULL, CONSTRAINT users_email UNIQUE (email))',
    );
    await connection.end();
    const service = await startApp({ DATABASE_URL: database.url });
    expect((await service.api.get('/api/v1/websites')).status).toBe(200);
    await service.stop();
  });
