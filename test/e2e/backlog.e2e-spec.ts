import { CountingLease } from '../../src/counting/counting-lease';
import { CountingRepository } from '../../src/counting/counting.repository';
import { waitsInInbox } from '../../src/counting/kept';
import { nextColumnWork } from '../../src/counting/untold-days';
import { CountingProcess, pageView } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';

const [FEW, MANY] = [1, 2];
/** How often the rows of an inbox are doubled. */
const DOUBLED = 15;
const ROWS = 10;
/** Reading all rows takes hundreds of times as long. */
const MOST_TIMES = 10;

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
}, 60_000);
afterAll(async () => {
  await one.stop();
  await database.drop();
});

async function fastest(work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const since = performance.now();
    await work();
    taken.push(performance.now() - since);
  }
  return Math.min(...taken);
}

describe('a backlog of one website', () => {
  it('is told by the moment of its oldest event', async () => {
    expect((await one.asOf(MANY)).getTime()).toBe(oldest - 1);
  });

  it('makes neither its statistics nor the search for work slow', async () => {
    const few = await fastest(() => one.asOf(FEW));
    expect(await fastest(() => one.asOf(MANY))).toBeLessThan(MOST_TIMES * few);
    const repository = new CountingRepository(one.database, 'test');
    expect((await repository.waiting()).sort()).toEqual([FEW, MANY]);
    expect(await fastest(() => repository.waiting())).toBeLessThan(MOST_TIMES * few);
  });

  it('is looked at in no time by who waits until it is counted', async () => {
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
    const few = await fastest(() => one.asOf(FEW));
    expect(await fastest(() => waits(oldest))).toBeLessThan(MOST_TIMES * few);
    const lease = await CountingLease.seize(one.database, MANY, 'test');
    const look = () => nextColumnWork(one.database, lease, { before: 1, acceptedBefore: 0 });
    expect(await look()).toBe(false);
    await lease.release();
  });
});
