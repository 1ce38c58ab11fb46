import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { SqliteConnection } from '../../src/database/sqlite';
import type { ApiClient } from '../support/api-client';
import { engine } from '../support/fresh-database';
import { MariaDbServer } from '../support/mariadb-server';
import { startApp, type TestApp } from '../support/test-app';

const WEBSITES = '/api/v1/websites';
const UNAVAILABLE = { status: 503, code: 'database_unavailable' };

interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

let service: TestApp;
let api: ApiClient;
let server: MariaDbServer | undefined;
const sharedServer = process.env.TEST_DATABASE_URL;

beforeAll(async () => {
  if (engine === 'mariadb') {
    server = await new MariaDbServer().start();
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

async function expect503(answer: ReturnType<ApiClient['get']>): Promise<void> {
  const startedAt = Date.now();
  const { body, headers } = await answer;
  expect(body).toMatchObject(UNAVAILABLE);
  expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  expect(Date.now() - startedAt).toBeLessThan(2000);
}

async function untilItWorks(): Promise<void> {
  for (let attempt = 0; (await api.get('/health/ready')).status !== 200; attempt++) {
    if (attempt > 50) throw new Error('the database was not found again');
    await sleep(100);
  }
}

const mariadbOutages: Record<string, Outage> = {
  'is killed': { begin: () => server!.kill(), end: async () => void (await server!.start()) },
  'is frozen': { begin: () => server!.signal('SIGSTOP'), end: () => server!.signal('SIGCONT') },
};

let locking: Sqlite.Database;
const sqliteOutages: Record<string, Outage> = {
  'is locked by another program': {
    begin: () => {
      locking = new SqliteConnection(String(service.database.writer.options.database));
      locking.exec('BEGIN IMMEDIATE');
    },
    end: () => void locking.close(),
  },
};

describe.each(Object.entries(engine === 'mariadb' ? mariadbOutages : sqliteOutages))(
  'a database that %s',
  (name, outage) => {
    const readsToo = engine === 'mariadb';

    it('gives 503, loses nothing, and is found again', async () => {
      const domain = `${name.replaceAll(' ', '-')}.example`;
      const { id } = (await api.post(WEBSITES, { form: { domain } })).body.data;
      await outage.begin();
      try {
        await expect503(api.post(WEBSITES, { form: { domain: `not-${domain}` } }));
        await expect503(api.patch(`${WEBSITES}/${id}`, { form: { privacy: 0 } }));
        if (readsToo) {
          await expect503(api.get(`${WEBSITES}/${id}`));
          await expect503(api.get('/health/ready'));
          await Promise.all(Array.from({ length: 40 }, () => expect503(api.get(WEBSITES))));
        }
        expect((await api.get('/health/live')).status).toBe(200);
        expect((await api.as(undefined).get(WEBSITES)).status).toBe(401);
      } finally {
        await outage.end();
      }
      await untilItWorks();
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
