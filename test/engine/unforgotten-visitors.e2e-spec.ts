import { dayText } from '../../engine/ground/time/days';
import { UnforgottenVisitors } from '../../engine/columns/forget/unforgotten-visitors';
import { Settings } from '../../src/config/settings';
import { RETENTION_RULES } from '../../src/retention-rules';
import { Housekeeping } from '../../src/retention/housekeeping';
import { RetentionClock } from '../../engine/database/retention-clock';
import { CountingProcess, TODAY } from '../support/counting';
import { engine, type FreshDatabase, freshDatabase } from '../support/fresh-database';

const DAY = TODAY - 10;
const HOUR_MS = 3_600_000;

let database: FreshDatabase;
let one: CountingProcess;
let clock: RetentionClock;
let housekeeping: Housekeeping;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  clock = new RetentionClock(one.database, new Settings({}));
  housekeeping = new Housekeeping(one.database, clock, RETENTION_RULES);
});
afterEach(async () => {
  for (const table of ['batch_visitors', 'day_visitors', 'counting'])
    await one.execute(`DELETE FROM ${table}`);
});
afterAll(async () => {
  await one.stop();
  await database.drop();
});

async function addCounting(websiteId: number): Promise<void> {
  await one.execute(
    `INSERT INTO counting (website_id, owner, token, expires_at, folds, archived_from)
    VALUES (?, '', 0, 0, 0, 0)`,
    [websiteId],
  );
}

const addOfBatch = (websiteId: number, forgetAt: number) =>
  one.execute(
    'INSERT INTO batch_visitors (website_id, day, first_hit, forget_at, hashes) VALUES (?, ?, 0, ?, ?)',
    [websiteId, DAY, forgetAt, Buffer.alloc(1)],
  );
const addOfDay = (websiteId: number, forgetAt: number) =>
  one.execute(
    `INSERT INTO day_visitors (website_id, day, sealing, first_visitor, forget_at, hashes)
    VALUES (?, ?, 1, 0, ?, ?)`,
    [websiteId, DAY, forgetAt, Buffer.alloc(1)],
  );

/** The warnings of a process that has not looked within this second. */
const warnings = () => new UnforgottenVisitors(one.database, clock).warnings();

const notForgotten = (websiteId: number) => ({
  code: 'visitors_not_forgotten',
  website_id: websiteId,
  detail: expect.stringContaining(dayText(DAY)),
});

it.each([
  ['of a batch', addOfBatch],
  ['of a sealed day', addOfDay],
])('are a warning where hashes %s are there an hour after their time', async (_, add) => {
  await addCounting(1);
  await add(1, Date.now() - HOUR_MS / 2);
  expect(await warnings()).toEqual([]);
  await addCounting(2);
  await add(2, Date.now() - 2 * HOUR_MS);
  expect(await warnings()).toEqual([notForgotten(2)]);
  await one.execute('DELETE FROM retention');
  await housekeeping.tidy();
  expect(await warnings()).toEqual([]);
});

it('are one warning for each of at most 20 websites', async () => {
  for (let id = 8001; id <= 8030; id++) {
    await addCounting(id);
    await addOfBatch(id, 0);
    await addOfDay(id, 0);
  }
  expect(await warnings()).toHaveLength(20);
});

it('are looked for by their moment, and not website by website', async () => {
  for (const table of ['batch_visitors', 'day_visitors']) {
    const sql = `SELECT website_id, day FROM ${table} WHERE forget_at < ? ORDER BY forget_at, website_id LIMIT 1000`;
    const explained = engine === 'sqlite' ? `EXPLAIN QUERY PLAN ${sql}` : `EXPLAIN ${sql}`;
    const plan = JSON.stringify(await one.database.query(explained, [1]));
    expect(plan).toMatch(
      engine === 'sqlite' ? /USING (COVERING )?INDEX \S+ \(forget_at<\?\)/ : `${table}_by_age`,
    );
  }
});
