import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection } from 'mysql2/promise';
import { ApiClient } from '../support/api-client';
import { expectCountedOnce, timezoneAtNoon, untilCounted } from '../support/counted';
import { engine, type FreshDatabase, freshDatabase, onMariaDb } from '../support/fresh-database';
import { LoadClients, type Outcome, type Website } from '../support/load-clients';
import { freePort, MariaDbServer } from '../support/mariadb-server';
import { type Service, startService } from '../support/programs';
import { SmallDisk } from '../support/small-disk';

const KEY = 'a-key-that-the-operator-chose';
const MINUTE = 60_000;
const FROZEN_MS = 10_000;
const SMALL_FILES = [
  '--loose-innodb-log-file-size=4M',
  '--innodb-buffer-pool-size=16M',
  '--loose-innodb-redo-log-capacity=8M',
  '--innodb-temp-data-file-path=ibtmp1:12M:autoextend',
  '--skip-log-bin',
];

const rounds = (usually: number) => Number(process.env.ROUNDS ?? usually);
const patience = (often: number) => MINUTE + often * 10_000;

const running: Service[] = [];
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const { program } of running) program.signal('SIGCONT');
  await Promise.all(running.splice(0).map(({ program }) => program.stop('SIGKILL')));
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function database(server?: MariaDbServer): Promise<FreshDatabase> {
  const fresh = await freshDatabase(server?.url);
  cleanUps.push(() => fresh.drop());
  return fresh;
}

async function start({ url }: FreshDatabase, environment: Record<string, string> = {}): Promise<Service> {
  const service = await startService({
    DATABASE_URL: url,
    BOOTSTRAP_API_KEY: KEY,
    TIMEZONE: timezone,
    LOG_LEVEL: 'warn',
    ...environment,
  });
  running.push(service);
  return service;
}

const timezone = timezoneAtNoon();
const apiOf = ({ address }: Service) => new ApiClient(address, KEY);

async function registered(service: Service): Promise<Website> {
  const answer = await apiOf(service).post('/api/v1/websites', { form: { domain: 'durable.example' } });
  return answer.body.data;
}

const anyMoment = (mostMs: number) => sleep(Math.random() * mostMs);

async function ownServer(within?: string, options?: string[]): Promise<MariaDbServer> {
  const server = await new MariaDbServer(within, options).start();
  cleanUps.push(() => server.remove());
  return server;
}

async function untilAccepting(crowd: LoadClients): Promise<void> {
  const startedAt = Date.now();
  while ((await crowd.sendSome('browser', 1)) !== 202)
    if (Date.now() - startedAt > 5000) throw new Error('it did not find its way back');
}

async function expectNothingLost(service: Service, website: Website, crowd: LoadClients): Promise<void> {
  await expectCountedOnce(apiOf(service), website.id, crowd);
  await crowd.sendAgain();
  expect([...crowd.unanswered].filter(({ id }) => id !== undefined)).toEqual([]);
  await expectCountedOnce(apiOf(service), website.id, crowd);
}

describe('a service that is killed at any moment', () => {
  const often = rounds(12);

  it(
    'loses nothing that it acknowledged, and counts nothing twice',
    async () => {
      const environment = { PORT: String(await freePort()) };
      const fresh = await database();
      let service = await start(fresh, environment);
      const website = await registered(service);
      const crowd = new LoadClients(website, KEY, () => service.address);
      crowd.start(8);
      for (let round = 0; round < often; round++) {
        await anyMoment(400);
        await service.program.stop('SIGKILL');
        service = await start(fresh, environment);
      }
      await crowd.stop();
      expect(crowd.unanswered.size).toBeGreaterThan(0);
      await expectNothingLost(service, website, crowd);
    },
    patience(often),
  );
});

onMariaDb('a MariaDB that is killed at any moment', () => {
  const often = rounds(12);

  it(
    'loses nothing that was acknowledged, and nothing is counted twice',
    async () => {
      const server = await ownServer();
      const service = await start(await database(server));
      const website = await registered(service);
      const crowd = new LoadClients(website, KEY, () => service.address);
      crowd.start(8);
      for (let round = 0; round < often; round++) {
        await anyMoment(600);
        await server.kill();
        await anyMoment(200);
        await server.start();
      }
      await untilAccepting(crowd);
      await crowd.stop();
      expect(statusesOf(crowd)).toEqual([202, 503]);
      await expectNothingLost(service, website, crowd);
    },
    patience(often),
  );
});

describe('several processes on one database', () => {
  it.each(engine === 'mariadb' ? [2, 3] : [2])('count right: %i of them', async (processes) => {
    const fresh = await database();
    const services = [await start(fresh)];
    while (services.length < processes) services.push(await start(fresh));
    const website = await registered(services[0]!);
    const crowd = new LoadClients(website, KEY, anyOf(services));
    crowd.start(8);
    await sleep(4000);
    await crowd.stop();
    expect(statusesOf(crowd)).toEqual([202]);
    await expectNothingLost(services[0]!, website, crowd);
  });
});

describe('a process that dies with the right to count', () => {
  it('is stood in for within 5 seconds', async () => {
    const fresh = await database();
    const first = await start(fresh);
    const website = await registered(first);
    const crowd = new LoadClients(website, KEY, () => first.address, 2000);
    crowd.start(8);
    await untilCounted(apiOf(first), website.id);
    const second = await start(fresh);
    await first.program.stop('SIGKILL');
    await crowd.stop();
    expect(await untilCounted(apiOf(second), website.id)).toBeLessThan(5000);
    await expectCountedOnce(apiOf(second), website.id, crowd);
  });
});

onMariaDb('a process that is frozen in the middle of a fold', () => {
  it(
    'is soon stood in for, and counts nothing twice when it wakes up',
    async () => {
      const fresh = await database();
      const first = await start(fresh);
      const website = await registered(first);
      const services = [first];
      const crowd = new LoadClients(website, KEY, anyOf(services), 2000);
      crowd.start(8);
      await untilCounted(apiOf(first), website.id);
      services.push(await start(fresh), await start(fresh));

      const connection = await holdUpNextFold(fresh.url, website.id);
      const folding = await ownerOf(connection, website.id);
      first.program.signal('SIGSTOP');
      await connection.query('ROLLBACK');
      expect(await untilCounted(apiOf(services[1]!), website.id)).toBeLessThan(5000);
      expect(await ownerOf(connection, website.id)).not.toBe(folding);
      await sleep(1000);
      first.program.signal('SIGCONT');
      await sleep(2000);
      await crowd.stop();
      await expectNothingLost(first, website, crowd);
    },
    MINUTE,
  );
});

onMariaDb('a MariaDB that is frozen for a while', () => {
  it(
    'is answered for with 503 in time, at bounded memory, and found again',
    async () => {
      const server = await ownServer();
      const service = await start(await database(server));
      const website = await registered(service);
      const crowd = new LoadClients(website, KEY, () => service.address);
      crowd.start(100);
      await sleep(2000);
      const frozenAt = Date.now();
      server.signal('SIGSTOP');
      await sleep(FROZEN_MS);
      const during = service.program.residentMegabytes();
      const thawedAt = Date.now();
      server.signal('SIGCONT');
      await untilAccepting(crowd);
      await sleep(1000);
      const last = Date.now();
      await sleep(1000);
      await crowd.stop();

      const slowest = Math.max(...crowd.outcomes.map(({ milliseconds }) => milliseconds));
      expect(statusesOf(crowd)).toEqual([202, 503]);
      expect(slowest).toBeLessThan(2000);
      expect(during).toBeLessThan(400);
      expect(statusesOf(crowd, ({ sentAt }) => sentAt > last)).toEqual([202]);
      expect(statusesOf(crowd, ({ sentAt }) => sentAt > frozenAt && sentAt < thawedAt - 2000)).toEqual([503]);
      await expectNothingLost(service, website, crowd);
    },
    MINUTE,
  );
});

const disk = SmallDisk.mount(160);
afterAll(() => disk?.unmount());

const withDisk = (title: string, tests: () => void) =>
  disk ? describe(title, tests) : console.warn('*** A FULL DISK WAS NOT TESTED: only root may mount one ***');

withDisk('a full disk', () => {
  it(
    'is answered for with 503, and all goes on where there is room again',
    async () => {
      const fresh = await databaseOn(disk!);
      const service = await start(fresh);
      const website = await registered(service);
      const crowd = new LoadClients(website, KEY, () => service.address);
      await crowd.sendSome('batch', 1000, 1000);
      await untilCounted(apiOf(service), website.id);

      disk!.fill();
      for (let batch = 0; crowd.unanswered.size === 0 && batch < 100; batch++)
        await crowd.sendSome('batch', 1000, 1000);
      await crowd.sendSome('browser', 1, 1000);
      expect(statusesOf(crowd)).toEqual([202, 503]);

      disk!.free();
      await untilAccepting(crowd);
      await expectNothingLost(service, website, crowd);
    },
    MINUTE,
  );
});

async function databaseOn({ folder }: SmallDisk): Promise<FreshDatabase> {
  if (engine === 'mariadb') return database(await ownServer(folder, SMALL_FILES));
  return { url: `sqlite:${folder}/milepost.sqlite`, drop: () => Promise.resolve() };
}

/** Locks what a fold writes, and waits for one to stand before it. */
async function holdUpNextFold(url: string, websiteId: number): Promise<Connection> {
  const connection = await createConnection(url);
  cleanUps.push(() => Promise.resolve(connection.destroy()));
  await connection.query('START TRANSACTION');
  await connection.query('SELECT * FROM stat_counters WHERE website_id = ? FOR UPDATE', [websiteId]);
  for (;;) {
    const [waiting] = await connection.query(WAITING_FOLDS);
    if ((waiting as unknown[]).length > 0) break;
    await sleep(200); // InnoDB shows the same again to whoever asks sooner
  }
  return connection;
}

const WAITING_FOLDS = `SELECT trx_id FROM information_schema.innodb_trx
  INNER JOIN information_schema.processlist ON processlist.id = trx_mysql_thread_id
  WHERE db = DATABASE() AND trx_state = 'LOCK WAIT' AND trx_query LIKE 'INSERT INTO stat_counters%'`;

async function ownerOf(connection: Connection, websiteId: number): Promise<unknown> {
  const [[counting]] = (await connection.query('SELECT owner FROM counting WHERE website_id = ?', [
    websiteId,
  ])) as unknown as [{ owner: string }[]];
  return counting!.owner;
}

function anyOf(services: Service[]): () => string {
  return () => services[Math.floor(Math.random() * services.length)]!.address;
}

function statusesOf(crowd: LoadClients, which: (outcome: Outcome) => boolean = () => true) {
  return [...new Set(crowd.outcomes.filter(which).map(({ status }) => status))].sort();
}
