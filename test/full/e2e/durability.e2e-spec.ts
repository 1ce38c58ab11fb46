import { type Connection, createConnection } from 'mysql2/promise';
import { ApiClient } from '../../support/api-client';
import { expectCountedOnce, timezoneAtNoon, untilCounted } from '../../support/counted';
import { change, select } from '../../support/database-access';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../../support/fresh-database';
import { LoadClients, type Website } from '../../support/load-clients';
import { untilLocksAreAwaited } from '../../support/lock-waits';
import { freePort } from '../../support/free-port';
import { DatabaseServer } from '../../support/database-server';
import { type Service, startService } from '../../support/programs';
import { size } from '../../support/sizes';
import { describeOnDisk, SMALL_FILES, type SmallDisk } from '../../support/small-disk';
import { leaseOf, lockHits, passLeases, STORE_HITS } from '../../support/store-hooks';
import { until } from '../../support/until';

const KEY = 'a-key-that-the-operator-chose';
const KILLS = size('KILLS', 3, 30);
/** Requests to a server that does not answer. */
const REFUSALS = size('REFUSALS', 100, 3000);
const CROWD_EVENTS = size('CROWD_EVENTS', 300, 20_000);
const LEASE_MS = 4000;
const MOST_MEGABYTES = 400;
const running: Service[] = [];
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await kill(running.splice(0));
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function kill(services: Service[]): Promise<void> {
  for (const { program } of services) program.signal('SIGCONT');
  await Promise.all(services.map(({ program }) => program.stop('SIGKILL')));
}

/** Several processes on one database. The next test uses the processes that a test leaves, if it passes. */
const crew: Service[] = [];
let crewDatabase: FreshDatabase;
beforeAll(async () => void (crewDatabase = await freshDatabase()));
afterAll(async () => {
  await kill(crew);
  await crewDatabase.drop();
});

/** Starts or stops processes until there are this many. */
async function crewOf(count: number): Promise<Service[]> {
  await kill(crew.splice(count));
  const missing = Array.from({ length: count - crew.length }, () => launched(crewDatabase));
  crew.push(...(await Promise.all(missing)));
  return [...crew];
}

function itWithCrew(name: string, test: () => Promise<void>): void {
  it(name, async () => {
    try {
      await test();
    } catch (error) {
      await kill(crew.splice(0));
      throw error;
    }
  });
}

async function database(server?: DatabaseServer): Promise<FreshDatabase> {
  const fresh = await freshDatabase(server?.url);
  cleanUps.push(() => fresh.drop());
  return fresh;
}

function launched({ url }: FreshDatabase, environment: Record<string, string> = {}): Promise<Service> {
  const settings = { BOOTSTRAP_API_KEY: KEY, TIMEZONE: timezone, LOG_LEVEL: 'warn', ...environment };
  return startService({ DATABASE_URL: url, ...settings }, {});
}

async function start(fresh: FreshDatabase, environment?: Record<string, string>): Promise<Service> {
  const service = await launched(fresh, environment);
  running.push(service);
  return service;
}

const timezone = timezoneAtNoon();
const apiOf = ({ address }: Service) => new ApiClient(address, KEY);

let websites = 0;
async function registered(service: Service): Promise<Website> {
  return until(async () => {
    const form = { domain: `durable${++websites}.example` };
    const { status, body } = await apiOf(service).post('/api/v1/websites', { form });
    return status === 201 && (body.data as Website);
  });
}

async function ownServer(within?: string, options?: string[]): Promise<DatabaseServer> {
  const server = await new DatabaseServer(within, options).start();
  cleanUps.push(() => server.remove());
  return server;
}

async function untilAccepting(crowd: LoadClients): Promise<void> {
  await until(async () => (await crowd.sendSome('browser', 1)) === 202);
}

async function expectNothingLost(service: Service, website: Website, crowd: LoadClients): Promise<void> {
  await expectCountedOnce(apiOf(service), website.id, crowd);
  await crowd.sendAgain();
  expect([...crowd.unanswered].filter(({ id }) => id !== undefined)).toEqual([]);
  await expectCountedOnce(apiOf(service), website.id, crowd);
}

/** Waits for the moment of a kill: in turn, after a first answer, after many answers, and during a fold. */
async function untilMoment(kill: number, service: Service, website: Website, crowd: LoadClients) {
  const moments = [
    () => crowd.untilAcknowledged(1),
    () => crowd.untilAcknowledged(100),
    () => untilCounted(apiOf(service), website.id),
  ];
  await moments[kill % moments.length]!();
}

/** As if the counting process had been away for the duration of a lease. */
async function outliveLeases({ url }: FreshDatabase): Promise<void> {
  await change(url, passLeases(LEASE_MS));
}

/** A process that was frozen ends connections that were idle meanwhile, also those that a request has just taken. */
async function untilReady(service: Service): Promise<void> {
  const statusOf = () =>
    apiOf(service)
      .get('/health/ready')
      .then(({ status }) => status);
  await until(async () => {
    service.program.expectRunning();
    return (await statusOf().catch(() => undefined)) === 200;
  });
}

describe('a service that is killed at any moment', () => {
  it('loses nothing that it acknowledged, and counts nothing twice', async () => {
    const environment = { PORT: String(await freePort()) };
    const fresh = await database();
    let service = await start(fresh, environment);
    const website = await registered(service);
    const crowd = new LoadClients(website, KEY, () => service.address);
    crowd.start(8);
    for (let kill = 0; kill < KILLS; kill++) {
      await untilMoment(kill, service, website, crowd);
      await service.program.stop('SIGKILL');
      await crowd.untilRefused(1);
      service = await start(fresh, environment);
    }
    await crowd.stop();
    await expectNothingLost(service, website, crowd);
  });
});

onServer('a database server that is killed at any moment', () => {
  it('loses nothing that was acknowledged, and nothing is counted twice', async () => {
    const server = await ownServer();
    const service = await start(await database(server));
    const website = await registered(service);
    const crowd = new LoadClients(website, KEY, () => service.address);
    crowd.start(8);
    for (let kill = 0; kill < KILLS; kill++) {
      await untilMoment(kill, service, website, crowd);
      await server.kill();
      await crowd.untilRefused(1);
      await server.start();
    }
    await untilAccepting(crowd);
    await crowd.stop();
    expect(differing(crowd.statuses)).toEqual([202, 503]);
    await expectNothingLost(service, website, crowd);
  });
});

onServer('a process that is frozen in the middle of a fold', () => {
  itWithCrew('is stood in for, and counts nothing twice when it wakes up', async () => {
    const [first] = (await crewOf(1)) as [Service];
    const website = await registered(first);
    const services = [first];
    const crowd = new LoadClients(website, KEY, anyOf(services), 2000);
    crowd.start(8);
    await untilCounted(apiOf(first), website.id);

    const connection = await holdUpNextFold(crewDatabase.url, website.id);
    const folding = await ownerOf(connection, website.id);
    first.program.signal('SIGSTOP');
    await connection.query('ROLLBACK');
    const [, ...others] = (await crewOf(3)) as [Service, Service, Service];
    services.push(...others);
    await untilCounted(apiOf(others[0]), website.id);
    expect(await ownerOf(connection, website.id)).not.toBe(folding);

    first.program.signal('SIGCONT');
    await untilReady(first);
    await crowd.stop();
    // From here on, outdated knowledge of its own folds would be used.
    await crewOf(1);
    services.length = 1;
    await outliveLeases(crewDatabase);
    await expectNothingLost(first, website, crowd);
  });
});

describe('a process that dies with the right to count', () => {
  itWithCrew('has it for as long as a lease lasts, and is stood in for then', async () => {
    const [first] = (await crewOf(1)) as [Service];
    const website = await registered(first);
    const crowd = new LoadClients(website, KEY, () => first.address, 2000);
    await crowd.sendSome('batch', 1);
    await untilCounted(apiOf(first), website.id);
    const [, second] = (await crewOf(2)) as [Service, Service];
    crowd.start(8);
    await crowd.untilAcknowledged(100);
    await kill(crew.splice(0, 1));
    await crowd.stop();
    const [lease] = await select<{ expires_at: number }>(crewDatabase.url, leaseOf(website.id));
    expect(Number(lease!.expires_at) - Date.now()).toBeLessThanOrEqual(LEASE_MS);
    await outliveLeases(crewDatabase);
    await expectCountedOnce(apiOf(second), website.id, crowd);
  });
});

describe('several processes on one database', () => {
  itWithCrew('count right', async () => {
    const services = await crewOf(2);
    const website = await registered(services[0]!);
    const crowd = new LoadClients(website, KEY, anyOf(services));
    crowd.start(8);
    await crowd.untilAcknowledged(CROWD_EVENTS);
    await crowd.stop();
    expect(differing(crowd.statuses.filter(isNoOverload))).toEqual([202]);
    await expectNothingLost(services[0]!, website, crowd);
  });
});

onServer('a database server that is frozen for a while', () => {
  it('is answered for with 503 meanwhile, at bounded memory, and found again', async () => {
    const CLIENTS = 100;
    const server = await ownServer();
    const service = await start(await database(server));
    const website = await registered(service);
    const crowd = new LoadClients(website, KEY, () => service.address);
    crowd.start(CLIENTS);
    await crowd.untilAcknowledged(CLIENTS);
    server.signal('SIGSTOP');
    await crowd.untilRefused(CLIENTS);
    const refusedSoFar = crowd.statuses.length;
    await crowd.untilRefused(REFUSALS);
    expect(differing(crowd.statuses.slice(refusedSoFar))).toEqual([503]);
    expect(service.program.residentMegabytes()).toBeLessThan(MOST_MEGABYTES);

    server.signal('SIGCONT');
    await untilAccepting(crowd);
    await crowd.stop();
    expect(differing(crowd.statuses)).toEqual([202, 503]);
    const answeredSoFar = crowd.statuses.length;
    crowd.start(CLIENTS);
    await crowd.untilAcknowledged(CLIENTS);
    await crowd.stop();
    expect(differing(crowd.statuses.slice(answeredSoFar).filter(isNoOverload))).toEqual([202]);
    await expectNothingLost(service, website, crowd);
  });
});

describeOnDisk('a full disk', (disk) => {
  it('is answered for with 503, and all goes on where there is room again', async () => {
    const fresh = await databaseOn(disk);
    const service = await start(fresh);
    const website = await registered(service);
    const crowd = new LoadClients(website, KEY, () => service.address);
    await until(async () => (await crowd.sendSome('batch', 1000, 1000)) === 202);
    await untilCounted(apiOf(service), website.id);

    disk.fill();
    let [status, accepted]: [number | undefined, number] = [202, 0];
    while (status !== 503) {
      status = await crowd.sendSome('batch', 1000, 1000);
      if (status === 202) expect(++accepted).toBeLessThan(100);
    }
    await crowd.sendSome('browser', 1, 1000);
    expect(differing(crowd.statuses.filter(isNotTooFast))).toEqual([202, 503]);

    disk.free();
    await untilAccepting(crowd);
    await expectNothingLost(service, website, crowd);
  });
});

async function databaseOn({ folder }: SmallDisk): Promise<FreshDatabase> {
  if (engine === 'server') return database(await ownServer(folder, SMALL_FILES));
  return { url: `sqlite:${folder}/milepost.sqlite`, drop: () => Promise.resolve() };
}

/** Locks the rows of a fold, and waits until a fold waits for them. */
async function holdUpNextFold(url: string, websiteId: number): Promise<Connection> {
  const connection = await createConnection(url);
  cleanUps.push(() => Promise.resolve(connection.destroy()));
  await connection.query('START TRANSACTION');
  await connection.query(lockHits(websiteId));
  await untilLocksAreAwaited(url, STORE_HITS);
  return connection;
}

async function ownerOf(connection: Connection, websiteId: number): Promise<unknown> {
  const [[lease]] = (await connection.query(leaseOf(websiteId))) as unknown as [{ owner: string }[]];
  return lease!.owner;
}

function anyOf(services: Service[]): () => string {
  return () => services[Math.floor(Math.random() * services.length)]!.address;
}

/** A busy machine may miss the second and a half for an event. */
const isNoOverload = (status: number | undefined) => status !== 503;
/** Nor may it count as fast as events come. */
const isNotTooFast = (status: number | undefined) => status !== 429;
const differing = (statuses: (number | undefined)[]) => [...new Set(statuses)].sort();
