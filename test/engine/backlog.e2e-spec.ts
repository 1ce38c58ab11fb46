import type { QueryRunner } from 'typeorm';
import { BACKLOG } from '../../engine/columns/fold/late-websites';
import { LOOK, WaitingEvents } from '../../engine/columns/fold/refused-websites';
import { CountingLease } from '../../engine/columns/leases/counting-lease';
import { CountingRepository } from '../../engine/columns/counting.repository';
import { waitsInInbox } from '../../engine/columns/forget/retention';
import { nextColumnWork } from '../../engine/columns/upkeep/next-column-work';
import { CountingProcess, daysOver, pageView } from '../support/counting';
import { engine, type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { passTime, passTimeOf } from '../support/passing-time';

const [FEW, MANY] = [1, 2];
/** How often the rows of an inbox are doubled. */
const DOUBLED = 15;
const ROWS = 10;
/** The oldest moment is searched in at most a thousand rows; the backlog has hundreds of thousands. */
const MOST_READS = 3000;

let database: FreshDatabase;
let one: CountingProcess;
let oldest: number;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  for (const id of [FEW, MANY]) {
    await one.register(id);
    for (let row = 0; row < ROWS; row++) await one.accept(id, pageView('/', 'a'));
    await (await CountingLease.seize(one.database, id, 'test')).release();
  }
  oldest = Date.now() - 60_000;
  await one.execute('UPDATE inbox SET accepted_at = ? WHERE website_id = ?', [oldest, MANY]);
  for (let times = 0; times < DOUBLED; times++)
    await one.execute(
      `INSERT INTO inbox (website_id, accepted_at, size, bytes, hits)
      SELECT website_id, accepted_at, size, bytes, hits FROM inbox WHERE website_id = ?`,
      [MANY],
    );
});
afterAll(async () => {
  await one.stop();
  await database.drop();
});

/** Runs work, and expects each statement about the inbox to read only a few rows. */
async function expectFewReads<T>(work: () => Promise<T>): Promise<T> {
  const requested: [sql: string, parameters: unknown[] | undefined][] = [];
  const runner = one.database.writer.createQueryRunner();
  const spy = jest.spyOn(Object.getPrototypeOf(runner) as QueryRunner, 'query');
  const result = await work();
  for (const [sql, parameters] of spy.mock.calls) requested.push([sql, parameters as unknown[] | undefined]);
  spy.mockRestore();
  const statements = requested.filter(([sql]) => sql.includes('inbox'));
  expect(statements).not.toEqual([]);
  for (const [sql, parameters] of statements)
    if (engine === 'sqlite') {
      const plan = (await runner.query(`EXPLAIN QUERY PLAN ${sql}`, parameters)) as { detail: string }[];
      // Otherwise it would read all rows of a website to sort them, or scan the inbox.
      expect(plan.map(({ detail }) => detail).join()).not.toMatch(/SCAN inbox|TEMP B-TREE/);
    } else {
      const before = await readsOf(runner);
      await runner.query(sql, parameters);
      expect((await readsOf(runner)) - before).toBeLessThan(MOST_READS);
    }
  await runner.release();
  return result;
}

/** The number of rows that a connection's session has read. */
async function readsOf(runner: QueryRunner): Promise<number> {
  const rows = (await runner.query("SHOW SESSION STATUS LIKE 'Handler_read%'")) as { Value: string }[];
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
}

describe('a backlog of one website', () => {
  it('is reported with the moment of its oldest event', async () => {
    expect((await one.asOf(MANY)).getTime()).toBe(oldest - 1);
  });

  it('makes neither its statistics nor the search for work read more rows', async () => {
    await expectFewReads(() => one.asOf(MANY));
    const repository = new CountingRepository(one.database, 'test');
    expect((await expectFewReads(() => repository.findWaiting())).sort()).toEqual([FEW, MANY]);
  });

  it('is read at its beginning by who waits until it is counted', async () => {
    const waits = async (acceptedBefore: number) => {
      const { sql, parameters } = waitsInInbox(acceptedBefore);
      const rows = await one.database.query<{ website_id: number }[]>(
        `SELECT website_id FROM counting WHERE ${sql} ORDER BY website_id`,
        parameters,
      );
      return rows.map(({ website_id }) => Number(website_id));
    };
    expect(await waits(oldest)).toEqual([]);
    expect(await waits(oldest + 1)).toEqual([MANY]);
    expect(await waits(Date.now() + 1)).toEqual([FEW, MANY]);
    await expectFewReads(() => waits(oldest));
    const lease = await CountingLease.seize(one.database, MANY, 'test');
    const look = () => nextColumnWork(one.database, lease, daysOver(1));
    expect(await look()).toBe(false);
    await lease.release();
  });

  it('is read at its ends by who judges whether counting falls behind', async () => {
    const HOUR_MS = 3_600_000;
    for (const limit of ['freshMs', 'warningsMs'] as const) jest.replaceProperty(LOOK, limit, HOUR_MS);
    const waiting = new WaitingEvents(one.database);
    const codes = async () => (await waiting.warnings()).map(({ code }) => code);
    expect(await expectFewReads(codes)).toEqual(['counting_waits']);
    await one.execute('DELETE FROM inbox WHERE website_id = ? AND id < ?', [
      MANY,
      (await firstIdOf(MANY)) + 1,
    ]);
    await one.execute(
      "INSERT INTO inbox (website_id, accepted_at, size, bytes, hits) VALUES (?, ?, 1, ?, X'5b5d')",
      [MANY, Date.now(), 1000 * BACKLOG.newBytes],
    );
    passTime(1100);
    passTimeOf(one.database, BACKLOG.windowMs);
    expect(await expectFewReads(codes)).toEqual(['counting_waits', 'events_refused']);
    await waiting.stop();
  });
});

async function firstIdOf(websiteId: number): Promise<number> {
  const [row] = await one.database.query<{ id: number }[]>(
    'SELECT id FROM inbox WHERE website_id = ? ORDER BY id LIMIT 1',
    [websiteId],
  );
  return row!.id;
}
