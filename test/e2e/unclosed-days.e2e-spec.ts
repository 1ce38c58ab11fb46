import { dayText } from '../../src/common/days';
import { CountingService } from '../../src/counting/counting.service';
import { DayClosing } from '../../src/counting/day-closing';
import { UnclosedDays } from '../../src/counting/unclosed-days';
import { RetentionClock } from '../../src/retention/retention-clock';
import { packAll } from '../support/counted';
import { CountingProcess, pageViewOn, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const DAY = TODAY - 10;

let database: FreshDatabase;
let service: TestApp;
let one: CountingProcess;
let websiteId = 800;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url });
  one = await CountingProcess.start(database.url);
});
beforeEach(async () => {
  await one.register(++websiteId);
  await one.accept(websiteId, pageViewOn(DAY, '/', 'a'), pageViewOn(DAY + 1, '/', 'b'));
  await untilRowsAre('inbox', 0);
});
afterAll(async () => {
  await service.stop();
  await one.stop();
  await database.drop();
});

async function untilRowsAre(table: string, wanted: number): Promise<void> {
  await until(async () => {
    const [row] = await one.database.query<{ n: number }[]>(
      `SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`,
      [websiteId],
    );
    return Number(row!.n) === wanted;
  });
}

/** No day is closed until what it returns is called. */
function holdClosing(): () => void {
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const run = jest.spyOn(DayClosing.prototype, 'run').mockImplementation(() => held);
  return () => {
    run.mockRestore();
    goOn();
  };
}

/** As a process that has not looked within this second. */
const warnings = () => new UnclosedDays(service.database, service.app.get(RetentionClock)).warnings();
const closeAll = () => packAll(service.app.get(CountingService), websiteId);

const notClosed = (day: number) => ({
  code: 'day_not_closed',
  website_id: websiteId,
  detail: expect.stringContaining(dayText(day)),
});

it('is a warning where a day could be closed for an hour, until it is', async () => {
  const goOn = holdClosing();
  await one.forgetVisitors(websiteId, DAY + 1);
  expect((await service.api.get('/health/ready')).body.warnings).toEqual([notClosed(DAY)]);
  expect(await warnings()).toEqual([notClosed(DAY)]);
  goOn();
  await closeAll();
  await untilRowsAre('hit_days', 1);
  expect(await warnings()).toEqual([]);
  await one.forgetVisitors(websiteId, DAY + 2);
  await closeAll();
  await untilRowsAre('hit_batches', 0);
  expect(await warnings()).toEqual([]);
});

it.each([
  ['visitors can be told by what was seen', () => Promise.resolve()],
  [
    'salt is there',
    async () => {
      await one.execute('INSERT INTO salts (day, salt) VALUES (?, ?)', [DAY, Buffer.alloc(60)]);
      await one.forgetVisitors(websiteId, TODAY);
    },
  ],
])('is none of a day whose %s: that is due to housekeeping', async (_, hold) => {
  await hold();
  expect(await warnings()).toEqual([]);
  await one.execute('DELETE FROM salts');
});

it('is one for each of at most 20 websites', async () => {
  const goOn = holdClosing();
  await one.execute('DELETE FROM seen');
  for (let id = 8001; id <= 8030; id++)
    await one.execute(
      `INSERT INTO counting (website_id, owner, token, expires_at, folds, archived_from, seen_from)
      VALUES (?, '', 0, 0, 0, 0, 0)`,
      [id],
    );
  for (let id = 8001; id <= 8030; id++)
    await one.execute(
      'INSERT INTO batch_visitors (website_id, day, first_hit, forget_at, hashes) VALUES (?, ?, 0, 0, ?)',
      [id, DAY, Buffer.alloc(1)],
    );
  expect(await warnings()).toHaveLength(20);
  goOn();
  await one.execute('DELETE FROM batch_visitors WHERE website_id > 8000');
  await one.execute('DELETE FROM counting WHERE website_id > 8000');
});
