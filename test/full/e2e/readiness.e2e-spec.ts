import { randomUUID } from 'node:crypto';
import { type Connection, createConnection } from 'mysql2/promise';
import { EntityManager } from 'typeorm';
import { CHROME } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import { untilCounted } from '../../support/counted';
import { change } from '../../support/database-access';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../../support/fresh-database';
import { DatabaseServer } from '../../support/database-server';
import { startService } from '../../support/programs';
import { type Site, visit, website, WEBSITES } from '../../support/sending';
import { describeOnDisk, SMALL_FILES, type SmallDisk } from '../../support/small-disk';
import {
  addUnreadable,
  BREAK_INBOX,
  letWait,
  LOCK_INBOX,
  lockCounting,
  MEND_INBOX,
  REFUSE_IDS,
  REMOVE_UNREADABLE,
} from '../../support/store-hooks';
import { startApp } from '../../support/test-app';
import { until } from '../../support/until';

const KEY = 'a-key-that-the-operator-chose';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function fresh(): Promise<FreshDatabase> {
  const database = await freshDatabase();
  cleanUps.push(() => database.drop());
  return database;
}

async function startAlone(url: string) {
  const service = await startApp({ DATABASE_URL: url });
  cleanUps.push(() => service.stop());
  return service;
}

async function start(url: string) {
  const { api, database } = await startAlone(url);
  return { api, database, site: await website(api) };
}

/** A process with the counting thread. */
async function startProgram(url: string): Promise<{ api: ApiClient; site: Site }> {
  const { program, address } = await startService({ DATABASE_URL: url, BOOTSTRAP_API_KEY: KEY });
  cleanUps.push(() => program.stop('SIGKILL'));
  const api = new ApiClient(address, KEY);
  return { api, site: await website(api) };
}

const readiness = (api: ApiClient) => api.as(undefined).get('/health/ready');

const untilReady = (api: ApiClient) => until(async () => (await readiness(api)).status === 200);

async function untilWarned(api: ApiClient, codes: string[]): Promise<Record<string, unknown>[]> {
  return until(async () => {
    const { status, body } = await readiness(api);
    expect([status, body.status]).toEqual([200, 'ok']);
    const warnings: { code: string }[] = body.warnings ?? [];
    return codes.every((code) => warnings.some((warning) => warning.code === code)) && warnings;
  });
}

const untilCounting = (api: ApiClient) =>
  until(async () => {
    const warnings: { code: string }[] = (await readiness(api)).body.warnings ?? [];
    return !warnings.some(({ code }) => code === 'counting_waits');
  });

const waitsFor = ({ id }: Site) => ({
  code: 'counting_waits',
  website_id: id,
  detail: expect.stringMatching(/^Events have been waiting to be counted since 2\S+Z, for \d\d seconds\.$/),
});

/** Sends events like a server. Returns the status. */
async function sendEvents(api: ApiClient, { id, domain }: Site, count: number): Promise<number> {
  const events = Array.from({ length: count }, () => ({
    id: randomUUID(),
    url: `https://${domain}/${randomUUID()}`,
    ip: '203.0.113.7',
    user_agent: CHROME,
  }));
  return (await api.post(`${WEBSITES}/${id}/events`, { json: { events } })).status;
}

async function expectRefusal(api: ApiClient, reason: RegExp): Promise<void> {
  const { status, body, headers } = await readiness(api);
  expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'database_unavailable', '2']);
  expect(body.detail).toMatch(/^Events cannot be stored since 2\S+Z: /);
  expect(body.detail).toMatch(reason);
}

describe('a schema in which events cannot be stored', () => {
  it('is not ready until it fits again, which needs no new event', async () => {
    const { url } = await fresh();
    const { api, site } = await start(url);
    await change(url, BREAK_INBOX);
    expect((await visit(api, site)).status).toBe(500);
    for (let ask = 0; ask < 5; ask++) await expectRefusal(api, /(ER_BAD_FIELD_ERROR|SQLITE_ERROR)$/);
    await change(url, MEND_INBOX);
    await untilReady(api);
    expect((await visit(api, site)).status).toBe(202);
    await untilCounted(api, site.id);
  });

  it('is ready where events are stored again, without a probe', async () => {
    const { url } = await fresh();
    const { api, site } = await start(url);
    await change(url, REFUSE_IDS);
    expect(await sendEvents(api, site, 1)).toBe(500);
    await expectRefusal(api, /(ER_SIGNAL_EXCEPTION|SQLITE_CONSTRAINT_TRIGGER)$/);
    expect((await visit(api, site)).status).toBe(202);
    expect((await readiness(api)).status).toBe(200);
  });
});

describe('events that cannot be counted', () => {
  it('are a warning after 10 seconds, in a process that does not count them as well', async () => {
    const { url } = await fresh();
    const { api, site } = await startProgram(url);
    await change(url, addUnreadable(site.id, Date.now() + 60_000));
    await untilWarned(api, ['counting_fails']);
    const { api: another } = await startAlone(url);
    for (const one of [api, another]) await untilCounting(one);
    await change(url, letWait(75_000));
    for (const one of [api, another])
      expect(await untilWarned(one, ['counting_waits'])).toContainEqual(waitsFor(site));
    await change(url, REMOVE_UNREADABLE);
    for (const one of [api, another]) await untilCounting(one);
  });

  it('are none where they are of a deleted website', async () => {
    const { url } = await fresh();
    const { api } = await start(url);
    // Housekeeping removes the marks of websites that were deleted long ago.
    await change(url, `INSERT INTO deleted_websites (website_id, deleted_at) VALUES (77, ${Date.now()})`);
    await change(url, addUnreadable(77, 5));
    expect((await readiness(api)).body).toEqual({ status: 'ok' });
  });
});

describe('waiting events that cannot be looked at', () => {
  it('cause no warning, and the process stays ready', async () => {
    const { api } = await start((await fresh()).url);
    const failing = jest.spyOn(EntityManager.prototype, 'query');
    const query = failing.getMockImplementation()!;
    failing.mockImplementation(function (this: EntityManager, ...parameters) {
      if (parameters[0].includes(' AS newest')) return Promise.reject(new Error('not now'));
      return query.apply(this, parameters);
    });
    cleanUps.push(() => failing.mockRestore());
    const { status, body } = await readiness(api);
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    expect(failing.mock.calls.some(([sql]) => sql.includes(' AS newest'))).toBe(true);
  });

  onServer('and are locked', () => {
    it('delay the answer little', async () => {
      const { url } = await fresh();
      const { api } = await start(url);
      const rival = await createConnection(url);
      cleanUps.push(() => rival.destroy());
      await rival.query(LOCK_INBOX);
      const { status, body } = await readiness(api);
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    });
  });
});

onServer('a website whose counting is locked by another connection', () => {
  let rival: Connection;

  it('is a warning with the reason', async () => {
    const { url } = await fresh();
    const { api, site, database } = await start(url);
    await visit(api, site);
    await untilCounted(api, site.id);
    rival = await createConnection(url);
    cleanUps.push(() => rival.destroy());
    await rival.query('START TRANSACTION');
    await rival.query(lockCounting(site.id));
    expect((await visit(api, site)).status).toBe(202);
    const write = database.write.bind(database);
    const impatient = jest.spyOn(database, 'write').mockImplementation((work) => write(work, 1000));
    cleanUps.push(() => impatient.mockRestore());
    await change(url, letWait(11_000));
    const warnings = await untilWarned(api, ['counting_waits', 'counting_fails']);
    expect(warnings).toContainEqual(waitsFor(site));
    expect(warnings).toContainEqual({
      code: 'counting_fails',
      website_id: site.id,
      detail: expect.stringMatching(/(ER_LOCK_WAIT_TIMEOUT|TimeoutError)$/),
    });
    await rival.query('ROLLBACK');
    await untilCounting(api);
  });
});

async function databaseOn({ folder }: SmallDisk): Promise<string> {
  if (engine === 'sqlite') return `sqlite:${folder}/milepost.sqlite`;
  const server = await new DatabaseServer(folder, SMALL_FILES).start();
  cleanUps.push(() => server.remove());
  return (await freshDatabase(server.url)).url;
}

describeOnDisk('a full disk', (disk) => {
  it('is not ready until it has room again, which needs no new event', async () => {
    const { api, site } = await start(await databaseOn(disk));
    disk.fill();
    await until(async () => (await sendEvents(api, site, 1000)) === 503);
    await expectRefusal(api, /(SQLITE_|ER_|errno )/);
    disk.free();
    await untilReady(api);
    expect((await visit(api, site)).status).toBe(202);
    await untilCounting(api);
  });
});
