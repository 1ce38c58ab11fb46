import { type Connection, createConnection } from 'mysql2/promise';
import { monthOf } from '../../src/storage/calendar';
import { ApiClient } from '../support/api-client';
import { untilCounted } from '../support/counted';
import { TODAY } from '../support/counting';
import { change, select } from '../support/database-access';
import { type FreshDatabase, freshDatabase, onMariaDb } from '../support/fresh-database';
import { lockWaits, untilLocksAreAwaited } from '../support/lock-waits';
import { type Service, startService } from '../support/programs';
import { type Site, visit, website } from '../support/sending';
import { size } from '../support/sizes';
import { until } from '../support/until';

const KEY = 'a-key-that-the-operator-chose';
/** How often the other websites are counted meanwhile. */
const ROUNDS = size('FAILURE_ROUNDS', 1, 20);
let database: FreshDatabase;
let service: Service;
let api: ApiClient;
let sites: [Site, Site, Site];
/** Holds locks. */
let rival: Connection | undefined;

beforeEach(async () => {
  database = await freshDatabase();
  await start();
  sites = [await website(api), await website(api), await website(api)];
  for (const site of sites) await visit(api, site);
  for (const { id } of sites) await untilCounted(api, id);
});
afterEach(async () => {
  rival?.destroy();
  await service.program.stop('SIGKILL');
  await database.drop();
});

async function start(): Promise<void> {
  service = await startService({ DATABASE_URL: database.url, BOOTSTRAP_API_KEY: KEY });
  api = new ApiClient(service.address, KEY);
}

const hex = (text: string) => `X'${Buffer.from(text).toString('hex')}'`;

async function asOf({ id }: Site): Promise<number> {
  const { body } = await api.get(`/api/v1/stats/${id}?name=pageview&from=2026-01-01&to=9999-12-31`);
  return Date.parse(body.meta.as_of);
}

/** Sends events to the other two, which have to be counted. */
async function countOthers(): Promise<void> {
  await Promise.all(
    [sites[1], sites[2]].map(async (site) => {
      expect((await visit(api, site)).status).toBe(202);
      await untilCounted(api, site.id);
    }),
  );
}

async function expectOthersCounted(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    expect((await visit(api, sites[0])).status).toBe(202);
    await countOthers();
  }
}

/** While one and the same attempts to count so many locked websites wait; where these ended before, once more. */
async function expectOthersCountedBeside(locked: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round++)
    await until(async () => {
      const before = await untilLocksAreAwaited(database.url, '', locked);
      await countOthers();
      const after = await lockWaits(database.url, '');
      return before.every((waiting) => after.includes(waiting));
    });
}

async function untilWarned(code: string, detail: RegExp): Promise<void> {
  const found = await until(async () => {
    const { status, body } = await api.get('/health/ready');
    expect([status, body.status]).toEqual([200, 'ok']);
    const some = (body.warnings ?? []).filter((warning: { code: string }) => warning.code === code);
    return some.length > 0 && some;
  });
  expect(found).toEqual([{ code, website_id: sites[0].id, detail: expect.stringMatching(detail) }]);
}

/** A website that failed often is tried again after a minute, and days are packed once in a minute. */
async function untilCountedWithoutWarning(site: Site): Promise<void> {
  const isGone = async () => {
    const { warnings = [] } = (await api.get('/health/ready')).body;
    return warnings.every(({ code }: { code: string }) => code !== 'counting_fails');
  };
  await until(isGone).catch(() => until(isGone));
  await untilCounted(api, site.id);
}

onMariaDb('a website whose rows another connection has locked', () => {
  it('holds up no other website, and is counted once they are free', async () => {
    rival = await createConnection(database.url);
    await rival.query('START TRANSACTION');
    await rival.query('SELECT * FROM counting WHERE website_id = ? FOR UPDATE', [sites[0].id]);
    expect((await visit(api, sites[0])).status).toBe(202);
    const accepted = Date.now();
    await expectOthersCountedBeside(1);
    await untilWarned('counting_fails', /(ER_LOCK_WAIT_TIMEOUT|TimeoutError)$/);
    expect(await asOf(sites[0])).toBeLessThan(accepted);
    await rival.query('ROLLBACK');
    await untilCountedWithoutWarning(sites[0]);
  });
});

onMariaDb('as many websites whose rows are locked as are counted at once', () => {
  it('hold up no other website, and are counted once their rows are free', async () => {
    const locked: Site[] = [];
    for (let site = 0; site < 4; site++) locked.push(await website(api));
    for (const site of locked) await visit(api, site);
    for (const { id } of locked) await untilCounted(api, id);
    rival = await createConnection(database.url);
    await rival.query('START TRANSACTION');
    for (const { id } of locked)
      await rival.query('SELECT * FROM counting WHERE website_id = ? FOR UPDATE', [id]);
    for (const site of locked) expect((await visit(api, site)).status).toBe(202);
    await expectOthersCountedBeside(locked.length);
    await rival.query('ROLLBACK');
    for (const site of locked) await untilCountedWithoutWarning(site);
  });
});

describe('a website with a row in its inbox that cannot be read', () => {
  it('holds up no other website, and is counted once the row is gone', async () => {
    await change(
      database.url,
      `INSERT INTO inbox (id, website_id, accepted_at, size, bytes, hits)
      VALUES (1000000, ${sites[0].id}, ${Date.now()}, 1, 7, ${hex('no hits')})`,
    );
    await expectOthersCounted();
    await untilWarned('counting_fails', /Row 1000000 of the inbox is damaged/);
    expect((await api.get(`/api/v1/stats/${sites[0].id}/live`)).body.code).toBe('damaged_columns');
    expect(service.program.stdout).not.toContain('no hits');
    await change(database.url, 'DELETE FROM inbox WHERE id = 1000000');
    await untilCountedWithoutWarning(sites[0]);
  });
});

describe('a website with a damaged segment', () => {
  it('keeps no other website from being packed and counted', async () => {
    const [first, ...others] = sites;
    for (const site of sites) {
      await visit(api, site);
      await untilCounted(api, site.id);
    }
    await service.program.stop();
    // So that the next start finds all three websites with days to close.
    await change(database.url, 'DELETE FROM closed_days');
    const day = TODAY - 100;
    await change(
      database.url,
      `INSERT INTO stat_segments (website_id, name, span, day, part, last_day, data)
      VALUES (${first.id}, 3, 1, ${monthOf(day)}, 0, ${day}, ${hex('damaged')})`,
    );
    for (const { id } of sites)
      await change(
        database.url,
        `INSERT INTO stat_counters (website_id, name, day, value_id, hits) VALUES (${id}, 3, ${day}, 1, 1)`,
      );
    await start();
    await expectOthersCounted();
    await untilWarned('packing_fails', /damaged/);
    for (const { id } of others) {
      const rows = `SELECT COUNT(*) AS count FROM stat_counters WHERE website_id = ${id} AND day = ${day}`;
      await until(async () => Number((await select<{ count: number }>(database.url, rows))[0]!.count) === 0);
    }
    await visit(api, first);
    await untilCounted(api, first.id);
  });
});
