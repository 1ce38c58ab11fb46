import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { OWN_PATIENCE, patience } from '../../../engine/ground/time/patience';
import { sqliteDriver } from '../../../engine/database/connections/drivers';
import { HitStore } from '../../../engine/port';
import { ApiClient } from '../../support/api-client';
import { untilCounted } from '../../support/counted';
import { engine, freshDatabase, onServer } from '../../support/fresh-database';
import { untilLocksAreAwaited } from '../../support/lock-waits';
import { DatabaseServer } from '../../support/database-server';
import { isStopped } from '../../support/processes';
import { startService } from '../../support/programs';
import { record, send, visit, website } from '../../support/sending';
import { leasesJustUsed, lockCounting } from '../../support/store-hooks';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { PATIENCE_MS, until } from '../../support/until';

const WEBSITES = '/api/v1/websites';
const GOAL = { name: 'Signup', filters: [['is', 'event', ['signup']]] };
const UNAVAILABLE = { status: 503, code: 'database_unavailable' };

interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

let service: TestApp;
let api: ApiClient;
let server: DatabaseServer | undefined;
const sharedServer = process.env.TEST_DATABASE_URL;

beforeAll(async () => {
  if (engine === 'server') {
    server = await new DatabaseServer().start();
    process.env.TEST_DATABASE_URL = server.url;
  }
  service = await startApp();
  api = service.api;
});
afterAll(async () => {
  await service.stop();
  await server?.remove();
  if (sharedServer) process.env.TEST_DATABASE_URL = sharedServer;
});

const waitAsLongAsItDoes = () => jest.replaceProperty(patience, 'lookUpMs', OWN_PATIENCE.lookUpMs);

/** The database is unavailable meanwhile, so only a deadline can cause the answer. */
async function expect503(answer: ReturnType<ApiClient['get']>): Promise<void> {
  const { body, headers } = await answer;
  expect(body).toMatchObject(UNAVAILABLE);
  expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
}

async function untilItWorks(): Promise<void> {
  await until(async () => (await api.get('/health/ready')).status === 200);
}

/** The threads of the server stop one after the other. */
async function freeze(running: DatabaseServer): Promise<void> {
  running.signal('SIGSTOP');
  await until(() => isStopped(running.pid));
}

const serverOutages: Record<string, Outage> = {
  'is frozen': { begin: () => freeze(server!), end: () => server!.signal('SIGCONT') },
  'is killed': { begin: () => server!.kill(), end: async () => void (await server!.start()) },
};

let locking: Sqlite.Database;
const sqliteOutages: Record<string, Outage> = {
  'is locked by another program': {
    begin: () => {
      locking = new (sqliteDriver())(String(service.database.writer.options.database));
      locking.exec('BEGIN IMMEDIATE');
    },
    end: () => void locking.close(),
  },
};

describe.each(Object.entries(engine === 'server' ? serverOutages : sqliteOutages))(
  'a database that %s',
  (name, outage) => {
    const readsToo = engine === 'server';

    it('gives 503, loses nothing, and is found again', async () => {
      const domain = `${name.replaceAll(' ', '-')}.example`;
      const { id } = (await api.post(WEBSITES, { form: { domain } })).body.data;
      await outage.begin();
      const replaced = waitAsLongAsItDoes();
      try {
        await expect503(api.post(WEBSITES, { form: { domain: `not-${domain}` } }));
        await expect503(api.patch(`${WEBSITES}/${id}`, { form: { privacy: 0 } }));
        await expect503(api.post(`${WEBSITES}/${id}/goals`, { json: GOAL }));
        if (readsToo) {
          await expect503(api.get(`${WEBSITES}/${id}`));
          await expect503(api.get(`${WEBSITES}/${id}/goals`));
          await expect503(api.get('/health/ready'));
          await Promise.all(Array.from({ length: 40 }, () => expect503(api.get(WEBSITES))));
        }
        expect((await api.get('/health/live')).status).toBe(200);
        expect((await api.as(undefined).get(WEBSITES)).status).toBe(401);
      } finally {
        replaced.restore();
        await outage.end();
      }
      await untilItWorks();
      expect((await api.post(`${WEBSITES}/${id}/goals`, { json: GOAL })).status).toBe(201);
      expect((await api.patch(`${WEBSITES}/${id}`, { form: { privacy: 0 } })).body.data).toMatchObject({
        domain,
        privacy: 0,
      });
      await Promise.all(
        Array.from({ length: 40 }, async () => expect((await api.get(WEBSITES)).status).toBe(200)),
      );
      expect(service.logs.join()).not.toContain('milepost:milepost');
    });
  },
);

const OUTAGE = 'counting waits for the database';

onServer('connections that are all busy', () => {
  /** Takes all connections of the pool for writes. */
  async function takeWriters(): Promise<() => Promise<unknown>> {
    const runners = Array.from({ length: 10 }, () => service.database.writer.createQueryRunner());
    // The server would end those that wait for longer than four seconds, and leave their places to others.
    await Promise.all(runners.map((runner) => runner.query('SET SESSION wait_timeout = 3600')));
    return () => Promise.all(runners.map((runner) => runner.release()));
  }

  it('are no outage, and one is recognised nevertheless', async () => {
    const { database } = service;
    const giveBack = await takeWriters();
    try {
      expect(await database.isAnswering()).toBe(true);
      for (const outage of Object.values(serverOutages)) {
        await outage.begin();
        try {
          expect(await database.isAnswering()).toBe(false);
        } finally {
          await outage.end();
        }
        expect(await database.isAnswering()).toBe(true);
      }
    } finally {
      await giveBack();
    }
    await untilItWorks();
  });

  it('cost the events that wait longest their commit, and no others', async () => {
    const { app, database, logs } = service;
    const site = await website(api);
    await visit(api, site);
    await untilCounted(api, site.id);
    logs.length = 0;
    const giveBack = await takeWriters();
    const replaced = waitAsLongAsItDoes();
    // The second event waits for the first one, too.
    jest.replaceProperty(patience, 'answerMs', PATIENCE_MS);
    const isOutage = database.isOutage.bind(database);
    const look = jest.spyOn(database, 'isOutage').mockImplementationOnce(async (error) => {
      const answer = await isOutage(error);
      replaced.restore();
      await giveBack();
      return answer;
    });
    const accept = jest.spyOn(app.get(HitStore), 'accept');
    const first = send(api, { url: `https://${site.domain}/first` });
    await until(() => accept.mock.calls.length > 0);
    const second = send(api, { url: `https://${site.domain}/second` });
    expect((await first).status).toBe(503);
    await until(() => look.mock.results.length > 0);
    expect(await look.mock.results[0]!.value).toBe(false);
    expect((await second).status).toBe(202);
    jest.restoreAllMocks();
    const pages = `/api/v1/stats/${site.id}?name=page&from=1970-01-01&to=9999-12-31`;
    const counted = async () =>
      (await api.get(pages)).body.data?.map(({ value }: { value: string }) => value) ?? [];
    await until(async () => (await counted()).includes('/second'));
    expect(await counted()).not.toContain('/first');
    expect(logs.join()).not.toContain(OUTAGE);
  });

  it.each([
    { writers: 10, waiting: 8 },
    { writers: 2, waiting: 1 },
  ])('leave one of $writers for events, however many changes wait for one', async ({ writers, waiting }) => {
    const fresh = await freshDatabase();
    const own = await startApp({ DATABASE_URL: fresh.url, DATABASE_WRITERS: String(writers) });
    const rival = await createConnection(fresh.url);
    let isLocked = true;
    try {
      const other = await website(own.api);
      await visit(own.api, other);
      // A key has three requests worked on at once.
      const users = [own.api, await own.anotherUser(), await own.anotherUser()];
      const locked = await Promise.all(users.map((user) => website(user)));
      await rival.query('START TRANSACTION');
      const ids = locked.map(({ id }) => id);
      await rival.query(`SELECT * FROM websites WHERE id IN (${ids.join(', ')}) FOR UPDATE`);
      const changes = users.flatMap((user, of) =>
        Array.from({ length: 10 }, async (_, index) => {
          const json = { ...GOAL, name: `Signup ${index}` };
          // A change gives up after a while.
          while (isLocked) await user.post(`${WEBSITES}/${ids[of]}/goals`, { json });
        }),
      );
      await untilLocksAreAwaited(fresh.url, '', waiting);
      // Further changes may arrive meanwhile.
      for (let turn = 0; turn < 5; turn++) {
        expect((await visit(own.api, other)).status).toBe(202);
        await record(own.api, other, [{}]);
        await sleep(100);
      }
      isLocked = false;
      await rival.query('ROLLBACK');
      await Promise.all(changes);
    } finally {
      isLocked = false;
      rival.destroy();
      await own.stop();
      await fresh.drop();
    }
  });

  it('keep no other website from being counted', async () => {
    const fresh = await freshDatabase();
    const environment = { DATABASE_URL: fresh.url, DATABASE_WRITERS: '2', BOOTSTRAP_API_KEY: FIRST_KEY };
    const { program, address } = await startService(environment);
    const client = new ApiClient(address, FIRST_KEY);
    const rival = await createConnection(fresh.url);
    try {
      const sites = [await website(client), await website(client), await website(client)] as const;
      for (const site of sites) {
        await visit(client, site);
        await untilCounted(client, site.id);
      }
      const [one, another, free] = sites;
      await rival.query('START TRANSACTION');
      await rival.query(lockCounting(one.id, another.id));
      // Under a lease that was just used, folds wait one after the other, in the only place for changes.
      const justUsed = leasesJustUsed(one.id, another.id);
      await until(async () => (await rival.query<RowDataPacket[]>(justUsed))[0].length === 0);
      const visits = await Promise.all([one, another].map((site) => visit(client, site)));
      expect(visits.map(({ status }) => status)).toEqual([202, 202]);
      await untilLocksAreAwaited(fresh.url, '', 2);
      expect((await visit(client, free)).status).toBe(202);
      await untilCounted(client, free.id);
    } finally {
      rival.destroy();
      await program.stop();
      await fresh.drop();
    }
    expect(program.stdout + program.stderr).not.toContain(OUTAGE);
  });
});
