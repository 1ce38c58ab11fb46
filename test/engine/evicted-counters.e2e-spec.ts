import { randomBytes } from 'node:crypto';
import { setCacheBudget } from '../../engine/ground/memory/memory-limits';
import type { ColumnTurn } from '../../engine/columns/upkeep/column-work';
import { DayClosing } from '../../engine/columns/seal/day-closing';
import { closeDays } from '../support/counted';
import { CountingProcess, pageView, pageViewOn, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { keptHits } from '../support/stored-days';
import { passTime } from '../support/passing-time';

const DAY = TODAY - 10;
/** The share for counters is smaller than two counters without caches. */
const CACHE_MB = 0.2;
const OTHERS = [5001, 5002, 5003, 5004];
const VISITORS = 20;
/** A day without a new hit for this time is complete. */
const QUIET_MS = 10_000;
/** During long work. */
const RENEWED_AFTER_MS = 1000;

let database: FreshDatabase;
let one: CountingProcess;
let other: CountingProcess;
let websiteId = 5100;
beforeAll(async () => {
  database = await freshDatabase();
  setCacheBudget(CACHE_MB);
  one = await CountingProcess.start(database.url);
  other = await CountingProcess.start(database.url);
  for (const id of OTHERS) await one.register(id);
});
beforeEach(async () => {
  await one.execute('DELETE FROM inbox');
  await one.endLeases();
  await one.register(++websiteId);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  setCacheBudget(128);
  await one.stop();
  await other.stop();
  await database.drop();
});

const newVisitor = () => randomBytes(8).toString('base64url');

/** Counts enough visitors of other websites to evict every idle counter. */
async function countOthers(): Promise<void> {
  for (const id of OTHERS)
    await one.accept(
      id,
      ...Array.from({ length: VISITORS }, () => ({ ...pageView('/', 'a'), visitor: newVisitor() })),
    );
  await one.counting.foldAll();
}

const DAY_HITS = Array.from({ length: 30 }, (_, index) =>
  pageViewOn(DAY, `/${index}`, 'a', { visitor: newVisitor() }),
);

/** A day that can be sealed, of a website with an open counter. */
async function closableDay(): Promise<void> {
  await one.accept(websiteId, ...DAY_HITS);
  await one.counting.foldAll();
  await closeDays(one.counting, websiteId);
  passTime(QUIET_MS);
}

/** Runs something before each transaction that closes a day. Returns how often a day was started. */
function beforeEachWrite(meanwhile: (writes: number, turn: ColumnTurn) => Promise<void>): jest.SpyInstance {
  const original = methodOf(DayClosing.prototype, 'run');
  let writes = 0;
  return jest.spyOn(DayClosing.prototype, 'run').mockImplementation(function (this: DayClosing, turn) {
    const write: ColumnTurn['write'] = async (work) => {
      await meanwhile(++writes, turn);
      return turn.write(work);
    };
    return original.call(this, { ...turn, write });
  });
}

/** A method that is called with another `this`. */
function methodOf<T, K extends keyof T>(prototype: T, name: K): T[K] {
  return prototype[name];
}

async function rows(table: string): Promise<number> {
  const [row] = await one.database.query<{ n: number }[]>(
    `SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`,
    [websiteId],
  );
  return Number(row!.n);
}

const pages = async () => (await keptHits(one.database, websiteId)).map(({ page }) => page).sort();
const PAGES = DAY_HITS.map(({ page }) => page).sort();

describe('a day that becomes columns', () => {
  it('does so in one go while other websites take all memory for folders', async () => {
    await closableDay();
    const run = beforeEachWrite(countOthers);
    await one.counting.settle(websiteId);
    expect([run.mock.calls.length, await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 1, 0]);
    expect(await pages()).toEqual(PAGES);
  });

  it('does so in one go while events of the website cannot be counted', async () => {
    await closableDay();
    const run = beforeEachWrite(async () => {
      await one.accept(websiteId, pageView('/', 'b'));
      await one.execute('UPDATE inbox SET hits = ? WHERE website_id = ?', [Buffer.alloc(9), websiteId]);
      await one.counting.foldAll();
    });
    await one.counting.settle(websiteId);
    expect(one.counting.warnings()).toContainEqual(
      expect.objectContaining({ code: 'counting_fails', website_id: websiteId }),
    );
    expect([run.mock.calls.length, await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 1, 0]);
    expect(await pages()).toEqual(PAGES);
  });

  it('is left to the process that took the website over', async () => {
    await closableDay();
    const run = beforeEachWrite(async (writes) => {
      if (writes > 1) return;
      await one.endLeases();
      const folder = (await other.folderOf(websiteId))!;
      await other.accept(websiteId, pageView('/', 'c'));
      await folder.foldSome();
    });
    await one.counting.settle(websiteId);
    expect([run.mock.calls.length, await rows('hit_days'), await rows('hit_columns')]).toEqual([1, 0, 0]);
    run.mockRestore();
    await one.endLeases();
    await closeDays(one.counting, websiteId);
    passTime(QUIET_MS);
    await closeDays(one.counting, websiteId);
    expect(await rows('hit_days')).toBe(1);
    expect(await pages()).toEqual([...PAGES, '/'].sort());
  });

  it('is left alone where its website is deleted meanwhile', async () => {
    await closableDay();
    const run = beforeEachWrite(() => one.execute('DELETE FROM counting WHERE website_id = ?', [websiteId]));
    await one.counting.settle(websiteId);
    expect([run.mock.calls.length, await rows('hit_days'), await rows('hit_columns')]).toEqual([1, 0, 0]);
    expect(one.counting.warnings().filter(({ website_id }) => website_id === websiteId)).toEqual([]);
  });

  it('leaves the version of the statistics as it is, however often the lease is renewed', async () => {
    await closableDay();
    const state = () => one.read(websiteId, (snapshot) => Promise.resolve(snapshot.state));
    const token = async () => {
      const [row] = await one.database.query<{ token: number | string }[]>(
        'SELECT token FROM counting WHERE website_id = ?',
        [websiteId],
      );
      return Number(row!.token);
    };
    const before = await state();
    beforeEachWrite(async (_, { goOn }) => {
      const used = await token();
      passTime(RENEWED_AFTER_MS);
      await goOn();
      expect(await token()).toBeGreaterThan(used);
    });
    await one.counting.settle(websiteId);
    expect(await rows('hit_days')).toBe(1);
    expect(await state()).toEqual(before);
  });
});
