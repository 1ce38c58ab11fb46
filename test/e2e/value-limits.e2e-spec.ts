import { createHash } from 'node:crypto';
import { Settings } from '../../src/config/settings';
import type { Recount } from '../../src/counting/recount';
import { LeaseLost } from '../../src/database/lease';
import { insertRows, type Queryable } from '../../src/database/rows';
import { closedDays } from '../../src/storage/closed-days';
import { DIMENSIONS, STAT_NAMES } from '../../src/storage/dimensions';
import { OTHER, type ValueLimits } from '../../src/storage/value-limits';
import { hashed, idsOf, otherIds } from '../../src/storage/value-rows';
import { StatisticsChanged, WholeBreakdown } from '../../src/stats/plain/whole-breakdown';
import { CountingProcess, pageView, TODAY } from '../support/counting';
import { engine, type FreshDatabase, freshDatabase } from '../support/fresh-database';

const LIMITS: ValueLimits = { all: 12, newPerDay: 5 };

let database: FreshDatabase;
let one: CountingProcess;
let site = 0;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url, LIMITS);
});
beforeEach(() => one.register(++site));
afterAll(async () => {
  await one.stop();
  await database.drop();
});

/** Counts one page view of each page on a day, in one fold by a process of its own. */
async function count(pages: string[], day = TODAY): Promise<void> {
  await one.endLeases();
  const hits = pages.map((page) => ({ ...pageView(page, 'a'), day }));
  await one.accept(site, ...hits);
  const folder = await one.folderOf(site);
  expect(await folder!.foldSome()).toBe(pages.length);
}

async function pack(today: number, keptFrom = 0): Promise<void> {
  await one.endLeases();
  await one.packAll((await one.folderOf(site))!, { today, keptFrom });
}

const pages = (from: number, to = from) => one.counted(site, 'page', from, to);
const named = (letter: string, size: number) =>
  Array.from({ length: size }, (_, index) => `/${letter}${index}`);
const eachOnce = (values: string[]) => Object.fromEntries(values.map((value) => [value, 1]));
const limitedDays = (from: number, to: number) =>
  one.read(site, (snapshot) => snapshot.limitedDays('page', { from, to }));
const ids = () =>
  one.database.read((manager) =>
    manager.query<{ value_id: number }[]>(
      'SELECT value_id FROM stat_values WHERE website_id = ? AND name = 3 ORDER BY value_id',
      [site],
    ),
  );

describe('new values of a day', () => {
  it('beyond the limit are counted together, on that day alone, whoever counts', async () => {
    await count(named('a', 3));
    await count(named('b', 3));
    expect(await pages(TODAY)).toEqual({ ...eachOnce([...named('a', 3), '/b0', '/b1']), [OTHER]: 1 });
    await count(['/b2', '/a0', '/c']);
    expect(await pages(TODAY)).toEqual({
      ...eachOnce([...named('a', 3), '/b0', '/b1']),
      '/a0': 2,
      [OTHER]: 3,
    });
    await count(['/b2'], TODAY - 1);
    expect(await pages(TODAY - 1)).toEqual({ '/b2': 1 });
    await count(['/b2']);
    expect((await pages(TODAY))['/b2']).toBe(1);
    expect([await limitedDays(TODAY - 1, TODAY - 1), await limitedDays(TODAY - 9, TODAY)]).toEqual([0, 1]);
  });

  it('are as many again after a fold that was rolled back', async () => {
    const paused = (await one.folderOf(site))!;
    await one.accept(site, ...named('a', 4).map((page) => pageView(page, 'a')));
    await one.endLeases();
    const next = (await one.folderOf(site))!;
    await expect(paused.foldSome()).rejects.toThrow(LeaseLost);
    expect(await next.foldSome()).toBe(4);
    await count(['/b0', '/b1']);
    expect(await pages(TODAY)).toEqual({ ...eachOnce([...named('a', 4), '/b0']), [OTHER]: 1 });
  });
});

describe('numbers of values that nothing counts any more', () => {
  const long = TODAY - 400;

  /** Fills the dictionary over three days, which are all closed then. */
  async function fill(): Promise<void> {
    await count(named('a', 5), long);
    await count(named('b', 5), long + 1);
    await count(['/a0', ...named('c', 4)], long + 40);
    await pack(TODAY);
  }

  it('are given to new ones once the days expired', async () => {
    await fill();
    expect(await pages(long + 40)).toEqual({ ...eachOnce(['/a0', '/c0', '/c1']), [OTHER]: 2 });
    await count(['/d0']);
    expect(await pages(TODAY)).toEqual({ [OTHER]: 1 });
    const before = await ids();
    await pack(TODAY + 1, long + 2);
    expect(await ids()).toHaveLength(4);
    await count(named('e', 5), TODAY + 1);
    await count(named('f', 5), TODAY + 2);
    expect(await pages(TODAY + 1)).toEqual(eachOnce(named('e', 5)));
    expect(await pages(TODAY + 2)).toEqual({ ...eachOnce(named('f', 4)), [OTHER]: 1 });
    expect(await pages(long + 40)).toEqual({ ...eachOnce(['/a0', '/c0', '/c1']), [OTHER]: 2 });
    expect(await pages(TODAY)).toEqual({ [OTHER]: 1 });
    expect(await ids()).toEqual(before);
  });

  it('are dropped from what the holder of the lease remembers', async () => {
    await count(named('a', 5), long);
    await count(['/b0'], TODAY);
    await one.endLeases();
    const folder = (await one.folderOf(site))!;
    const fold = async (page: string) => {
      await one.accept(site, pageView(page, 'a'));
      await folder.foldSome();
    };
    await fold('/a0');
    await one.execute('DELETE FROM stat_counters WHERE website_id = ? AND value_id = 1', [site]);
    await one.packAll(folder, { today: TODAY + 1, keptFrom: long + 1 });
    await fold('/new');
    await fold('/a0');
    expect(await pages(TODAY)).toEqual({ '/b0': 1, '/new': 1, '/a0': 1 });
  });

  it('keep those that are counted while they are searched for', async () => {
    await count(['/a0', '/a1', '/a2'], long);
    await count(['/b0'], TODAY);
    await one.endLeases();
    const folder = (await one.folderOf(site))!;
    const searches = jest.spyOn(one.database, 'readApart');
    let folded = 0;
    await one.packAll(folder, { today: TODAY + 1, keptFrom: long + 1 }, async () => {
      // The names are searched in the order of their codes, which have no gaps.
      if (searches.mock.calls.length < DIMENSIONS.page.code || folded++ > 0) return;
      await one.accept(site, pageView('/a1', 'a'));
      await folder.foldSome();
    });
    searches.mockRestore();
    expect(folded).toBeGreaterThan(0);
    expect(await pages(TODAY)).toEqual({ '/b0': 1, '/a1': 1 });
    await count(['/new']);
    expect(await pages(TODAY)).toEqual({ '/b0': 1, '/a1': 1, '/new': 1 });
  });

  it('stay where another process counted since they were searched for', async () => {
    await count(['/a0', '/a1'], long);
    await one.endLeases();
    const folder = (await one.folderOf(site))!;
    const calendar = { today: TODAY, keptFrom: long + 1 };
    const packing = one.packAll(folder, calendar, async () => {
      if ((await ids()).length === 2) await count(['/a1'], TODAY);
    });
    await expect(packing).rejects.toThrow(LeaseLost);
    expect(await pages(TODAY)).toEqual({ '/a1': expect.any(Number) });
    await pack(TODAY, long + 1);
    expect(await ids()).toHaveLength(1);
    expect(await pages(TODAY)).toEqual({ '/a1': expect.any(Number) });
  });

  it('are freed in pieces after one search of each name', async () => {
    await count(['/a0'], long);
    const rows = Array.from({ length: 12_000 }, (_, index) => [
      ...[site, DIMENSIONS.page.code, 100 + index, createHash('sha256').update(`/n${index}`).digest()],
      ...[Buffer.from(`/n${index}`), Buffer.from(`/n${index}`)],
    ]);
    const columns = ['website_id', 'name', 'value_id', 'hash', 'value', 'folded'];
    await one.database.write((manager) => insertRows(manager, 'stat_values', columns, rows));
    const searches = jest.spyOn(one.database, 'readApart');
    const { epoch } = await closedDays(one.database, site);
    await pack(TODAY, long + 1);
    expect(searches.mock.calls).toHaveLength(STAT_NAMES.length);
    searches.mockRestore();
    expect(await ids()).toEqual([]);
    const otherNames = STAT_NAMES.filter((name) => !['page', 'event', 'campaign', 'dropped'].includes(name));
    expect((await closedDays(one.database, site)).epoch - epoch).toBe(3 + otherNames.length);
  });

  it('end an export that began before, and make another version', async () => {
    await fill();
    const range = { from: long, to: TODAY };
    const { sums, epoch } = await one.read(site, async (snapshot) => ({
      sums: await snapshot.sums({ name: 'page', range }),
      epoch: snapshot.state.epoch,
    }));
    const entries = new WholeBreakdown(
      (work) => one.database.readQuick(work),
      site,
      'page',
      sums,
      epoch,
      () => undefined,
    ).inOrder({
      by: 'count',
      direction: 'desc',
    });
    await pack(TODAY + 1, long + 2);
    await expect(entries[Symbol.asyncIterator]().next()).rejects.toThrow(StatisticsChanged);
    const now = await one.read(site, (snapshot) => Promise.resolve(snapshot.state.epoch));
    expect(now).toBeGreaterThan(epoch);
  });
});

describe('a rebuild', () => {
  const settings = new Settings({ NEW_VALUES_PER_DAY: `${LIMITS.newPerDay}` });
  const ignore = () => undefined;
  let recount: Recount;
  beforeAll(async () => {
    recount = one.recount(settings);
    // Days whose salt is there are rebuilt, whether anything differs or not.
    await one.execute('INSERT INTO salts (day, salt) VALUES (?, ?)', [TODAY, Buffer.alloc(60)]);
  });

  it('counts as (other) what was counted so, also where it has a number by now', async () => {
    await count(named('a', 8));
    await count(['/a6'], TODAY + 1);
    const expected = { ...eachOnce(named('a', 5)), [OTHER]: 3 };
    const before = await ids();
    await recount.rebuildDay(site, TODAY, ignore);
    expect(await pages(TODAY)).toEqual(expected);
    await one.execute(
      'UPDATE stat_counters SET hits = 9 WHERE website_id = ? AND name = 3 AND value_id = 1',
      [site],
    );
    await recount.rebuildDay(site, TODAY, ignore);
    expect([await pages(TODAY), await pages(TODAY + 1)]).toEqual([expected, { '/a6': 1 }]);
    expect(await recount.verifyDay(site, TODAY, ignore)).toEqual([]);
    expect(await ids()).toEqual(before);
  });

  it('gives the numbers back that nothing uses any more', async () => {
    await count(['/a']);
    await count(['/b']);
    await pack(TODAY);
    await one.execute('DELETE FROM hit_batches WHERE website_id = ? AND first_hit = 1', [site]);
    await recount.rebuildDay(site, TODAY, ignore);
    await recount.freeUnused(site);
    await pack(TODAY);
    expect(await pages(TODAY)).toEqual({ '/a': 1 });
    expect(await ids()).toHaveLength(1);
  });
});

it('finds numbers by the hashes of values, without reading other values', async () => {
  await count(['/a', '/b', '/c']);
  const { dialect } = one.database;
  const plans: string[] = [];
  const explaining: Queryable = {
    query: async <T>(sql: string, parameters?: unknown[]) => {
      const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
      plans.push(JSON.stringify(await one.database.query(`${explain} ${sql}`, parameters)));
      return one.database.query<T>(sql, parameters);
    },
  };
  const found = await idsOf(dialect, explaining, site, 'page', ['/a', '/b', '/d'].map(hashed));
  expect([...found.keys()]).toEqual(['/a', '/b']);
  expect(await otherIds(dialect, explaining, site)).toEqual(new Map());
  // MariaDB answers with columns, MySQL with a sentence.
  const byHash = /name=\? AND hash=\?|"key":"stat_values_hash"|using stat_values_hash/;
  expect(plans).toEqual([expect.stringMatching(byHash), expect.stringMatching(byHash)]);
});
