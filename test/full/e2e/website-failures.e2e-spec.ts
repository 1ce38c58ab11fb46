import { type Connection, createConnection } from 'mysql2/promise';
import { untilCounted } from '../../support/counted';
import { CountingProcess, pageViewOn, TODAY } from '../../support/counting';
import { change, select } from '../../support/database-access';
import { type FreshDatabase, freshDatabase, onServer } from '../../support/fresh-database';
import { lockWaits, untilLocksAreAwaited } from '../../support/lock-waits';
import { passTimeUntil } from '../../support/passing-time';
import { type Site, visit, website } from '../../support/sending';
import { size } from '../../support/sizes';
import {
  addUnreadable,
  addUnreadableTexts,
  lockCounting,
  REMOVE_UNREADABLE,
  rollupsOf,
  UNREADABLE_ROW,
} from '../../support/store-hooks';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

/** The longest pause after failures, and the interval between two looks for days to seal. */
const PAUSE_MS = 60_000;
/** How often the other websites are counted meanwhile. */
const ROUNDS = size('FAILURE_ROUNDS', 1, 20);
let database: FreshDatabase;
let service: TestApp;
let sites: [Site, Site, Site];
/** Holds locks. */
let rival: Connection | undefined;

beforeEach(async () => {
  database = await freshDatabase();
  await start();
  sites = [await website(service.api), await website(service.api), await website(service.api)];
  for (const site of sites) await visit(service.api, site);
  for (const { id } of sites) await untilCounted(service.api, id);
});
afterEach(async () => {
  rival?.destroy();
  await service.stop();
  jest.restoreAllMocks();
  await database.drop();
});

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startApp({ DATABASE_URL: database.url, ...environment });
}

async function asOf({ id }: Site): Promise<number> {
  const { body } = await service.api.get(`/api/v1/stats/${id}?name=pageview&from=2026-01-01&to=9999-12-31`);
  return Date.parse(body.meta.as_of);
}

/** Sends events to the other two websites, which must be counted. */
async function countOthers(): Promise<void> {
  await Promise.all(
    [sites[1], sites[2]].map(async (site) => {
      expect((await visit(service.api, site)).status).toBe(202);
      await untilCounted(service.api, site.id);
    }),
  );
}

async function expectOthersCounted(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    expect((await visit(service.api, sites[0])).status).toBe(202);
    await countOthers();
  }
}

/**
 * Counts the others while attempts to count this number of locked websites wait. If these end early, it tries again.
 */
async function expectOthersCountedBeside(locked: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round++)
    await until(async () => {
      const before = await untilLocksAreAwaited(database.url, '', locked);
      await countOthers();
      const after = await lockWaits(database.url, '');
      return before.every((waiting) => after.includes(waiting));
    });
}

/** An attempt for another website may have run out of time; the next one ends its warning. */
async function untilWarned(code: string, detail: RegExp): Promise<void> {
  const found = await passTimeUntil(PAUSE_MS, async () => {
    const { status, body } = await service.api.get('/health/ready');
    expect([status, body.status]).toEqual([200, 'ok']);
    const some = (body.warnings ?? []).filter((warning: { code: string }) => warning.code === code);
    return some.length === 1 && some;
  });
  expect(found).toEqual([{ code, website_id: sites[0].id, detail: expect.stringMatching(detail) }]);
}

/** A running attempt may still fail and start another pause. */
async function untilCountedWithoutWarning(site: Site): Promise<void> {
  await passTimeUntil(PAUSE_MS, async () => !('warnings' in (await service.api.get('/health/ready')).body));
  await untilCounted(service.api, site.id);
}

onServer('a website whose rows another connection has locked', () => {
  it('holds up no other website, and is counted once they are free', async () => {
    rival = await createConnection(database.url);
    await rival.query('START TRANSACTION');
    await rival.query(lockCounting(sites[0].id));
    expect((await visit(service.api, sites[0])).status).toBe(202);
    const accepted = Date.now();
    await expectOthersCountedBeside(1);
    await untilWarned('counting_fails', /(ER_LOCK_WAIT_TIMEOUT|TimeoutError)$/);
    expect(await asOf(sites[0])).toBeLessThan(accepted);
    await rival.query('ROLLBACK');
    await untilCountedWithoutWarning(sites[0]);
  });
});

onServer('as many websites whose rows are locked as are counted at once', () => {
  it('hold up no other website, and are counted once their rows are free', async () => {
    const locked: Site[] = [];
    for (let site = 0; site < 4; site++) locked.push(await website(service.api));
    for (const site of locked) await visit(service.api, site);
    for (const { id } of locked) await untilCounted(service.api, id);
    rival = await createConnection(database.url);
    await rival.query('START TRANSACTION');
    for (const { id } of locked) await rival.query(lockCounting(id));
    for (const site of locked) expect((await visit(service.api, site)).status).toBe(202);
    await expectOthersCountedBeside(locked.length);
    await rival.query('ROLLBACK');
    for (const site of locked) await untilCountedWithoutWarning(site);
  });
});

describe('a website with a row in its inbox that cannot be read', () => {
  it('holds up no other website, and is counted once the row is gone', async () => {
    await change(database.url, addUnreadable(sites[0].id, Date.now()));
    await expectOthersCounted();
    await untilWarned('counting_fails', new RegExp(`Row ${UNREADABLE_ROW} of the inbox is damaged`));
    expect((await service.api.get(`/api/v1/stats/${sites[0].id}/live`)).body.code).toBe('damaged_columns');
    expect(service.logs.join()).not.toContain('no hits');
    await change(database.url, REMOVE_UNREADABLE);
    await untilCountedWithoutWarning(sites[0]);
  });
});

describe('a website with damaged texts', () => {
  it('keeps no other website from being rolled up and counted', async () => {
    const [first, ...others] = sites;
    await service.stop();
    await change(database.url, addUnreadableTexts(first.id));
    const process = await CountingProcess.start(database.url);
    for (const { id } of sites) await process.count(id, [pageViewOn(TODAY - 25, '/', 'a')]);
    await process.stop();
    // All days before the last 20 are rolled up.
    await start({ ARCHIVE_DAYS: '30' });
    await expectOthersCounted();
    const rolledUpDays = async ({ id }: Site) => (await select(database.url, rollupsOf(id))).length;
    for (const site of others) await passTimeUntil(PAUSE_MS, async () => (await rolledUpDays(site)) === 1);
    await untilWarned('packing_fails', /damaged/);
    expect(await rolledUpDays(first)).toBe(0);
    await visit(service.api, first);
    await untilCounted(service.api, first.id);
  });
});
