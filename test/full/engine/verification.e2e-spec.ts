import { dayText } from '../../../engine/ground/time/days';
import { Settings } from '../../../src/config/settings';
import { HeldLease } from '../../../engine/columns/leases/held-lease';
import type { Rebuilding } from '../../../engine/columns/verify/rebuilding';
import { KeepsChanging, Verification } from '../../../engine/columns/verify/verification';
import { RetentionClock } from '../../../engine/database/retention-clock';
import { monthOf } from '../../../engine/hits/calendar';
import { readClosedDays } from '../../../engine/columns/closed-days';
import { DIMENSIONS } from '../../../engine/hits/stat-names';
import type { Hit } from '../../../engine/hits/hit';
import { DamagedRollup, SPANS } from '../../../engine/columns/rollups/rollup-format';
import { DamagedTexts } from '../../../engine/columns/rollups/texts/value-texts-format';
import { OTHER } from '../../../engine/hits/rules/value-limits';
import { Zone } from '../../../engine/questions/plan/buckets';
import type { Aggregation } from '../../../engine/questions/plan/aggregation';
import type { HitQuery } from '../../../engine/questions/plan/hit-query';
import { countsInSql } from '../../../src/hits/store-commands';
import { aggregationsOf } from '../../../src/stats/dimensions/hit-aggregation';
import { CommandHost } from '../../support/command-host';
import { CountingProcess, daysOver, pageView, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { passTime } from '../../support/passing-time';
import { spoilRollup } from '../../support/store-hooks';

/** A month in the past. */
const FIRST_OF_A_MONTH = monthOf(TODAY, -3);
const END_OF_A_MONTH = monthOf(FIRST_OF_A_MONTH, 1);

const VISITORS = 4001;

const nothing = () => undefined;

let database: FreshDatabase;
let one: CountingProcess;
let other: CountingProcess;
let verification: Verification;
let rebuilding: Rebuilding;
let websiteId = 0;
const host = new CommandHost();
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  other = await CountingProcess.start(database.url);
  verification = verificationWith({});
  rebuilding = one.rebuilding();
});
beforeEach(() => one.register(++websiteId));
afterAll(async () => {
  jest.restoreAllMocks();
  await host.stop();
  await one.stop();
  await other.stop();
  await database.drop();
});

function verificationWith(environment: Record<string, string>): Verification {
  const settings = new Settings(environment);
  return new Verification(one.database, new RetentionClock(one.database, settings), settings);
}

/** Hits of many visitors of a day, with a few pages. */
function hitsOf(day: number, count: number, pages = 50): Hit[] {
  return Array.from({ length: count }, (_, index) => ({
    ...pageView(`/p${index % pages}`, 'a'),
    day,
    at: day * 86_400 + (index % 86_400),
    visitor: Buffer.from(String(index % VISITORS).padStart(8, '0')).toString('base64url'),
  }));
}

async function count(...hits: Hit[]): Promise<void> {
  for (let from = 0; from < hits.length; from += 1000)
    await one.accept(websiteId, ...hits.slice(from, from + 1000));
  await one.count(websiteId, []);
}

/** Adds three to the count of a page in a day's rollup. */
const spoil = (day: number) =>
  spoilRollup(one.database, websiteId, { name: 'page', day, value: '/p0', hits: 3 });
const difference = (day: number, rolledUp: number, inHits: number) => ({
  ...{ day: dayText(day), name: 'page', value: '/p0', rolledUp, inHits },
});

const differences = (day: number) => verification.verifyDay(websiteId, day, nothing);
const DAY = TODAY - 10;

describe('counting a day in SQL', () => {
  const rowsOf = () => one.database.query<object[]>('SELECT place FROM hits');
  const inSqlBy = (statementsOf: (hitQuery: HitQuery) => Aggregation[]) =>
    countsInSql(one.database, 'UTC', statementsOf);
  const statements = (hitQuery: HitQuery) =>
    aggregationsOf(one.database.writer, hitQuery, hitQuery.range, new Zone('UTC'));

  it('agrees with the columns, and names each count that differs', async () => {
    const own = hitsOf(DAY, 300, 20);
    await count(...own, ...own.slice(0, 40).map((hit) => ({ ...hit, at: hit.at + 7, event: 'signup' })));
    await one.closeDays(websiteId, DAY + 1);
    expect(await verification.recountDay(websiteId, DAY, inSqlBy(statements))).toEqual([]);
    // A statement that misses one page.
    const wrong = inSqlBy((hitQuery) =>
      statements(hitQuery).map((own) => ({
        ...own,
        sql: own.sql.replace('{days of hit}', "{days of hit} AND hit.page <> '/p3'"),
      })),
    );
    const found = await verification.recountDay(websiteId, DAY, wrong);
    expect(found).toContainEqual({
      day: dayText(DAY),
      name: 'page',
      value: '/p3',
      inHits: 15,
      inSql: 0,
    });
    expect(found.map(({ name }) => name)).toContain('pageview');
    expect(await rowsOf()).toEqual([]);
  });

  it('removes the rows where a statement fails', async () => {
    await count(...hitsOf(DAY, 30));
    await one.closeDays(websiteId, DAY + 1);
    const failing = inSqlBy(() => [{ sql: 'SELECT place FROM nowhere', parameters: [], metrics: [] }]);
    await expect(verification.recountDay(websiteId, DAY, failing)).rejects.toThrow(/nowhere/);
    expect(await rowsOf()).toEqual([]);
  });
});

describe('the rollup of a day that is wrong', () => {
  beforeEach(async () => {
    await count(...hitsOf(DAY, 8000, 2000));
    await one.closeDays(websiteId, DAY + 1);
    expect(await differences(DAY)).toEqual([]);
    await spoil(DAY);
  });

  it('is found, and replaced so that no reader sees a part of it', async () => {
    expect(await differences(DAY)).toEqual([difference(DAY, 7, 4)]);
    const sums = () =>
      other.read(websiteId, async (snapshot) => {
        const range = { from: DAY, to: DAY };
        const totals: number[] = [];
        for (const name of ['pageview', 'page', 'visitor', 'browser'] as const)
          totals.push((await snapshot.sums({ name, range })).total());
        return totals.join(' ');
      });
    expect(await sums()).toBe('8000 8003 4001 4001');
    const seen = new Set<string>();
    const write = one.database.write.bind(one.database);
    const written = jest.spyOn(one.database, 'write').mockImplementation(async (...work) => {
      const result = await write(...work);
      seen.add(await sums());
      return result;
    });
    await rebuilding.rebuildDay(websiteId, DAY);
    written.mockRestore();
    expect([...seen].sort()).toEqual(['8000 8000 4001 4001', '8000 8003 4001 4001']);
    expect(await differences(DAY)).toEqual([]);
    const spans = await one.database.query<object[]>('SELECT day FROM rollup_spans WHERE website_id = ?', [
      websiteId,
    ]);
    expect(spans).toHaveLength(1);
  });

  it('changes the version of the statistics where it is made anew', async () => {
    const version = async () =>
      (await one.database.read((manager) => readClosedDays(manager, websiteId))).version;
    const before = await version();
    await rebuilding.rebuildDay(websiteId, DAY);
    expect(await version()).toBeGreaterThan(before);
  });
});

describe('the rollup of a month that is wrong', () => {
  const spans = () =>
    one.database.query<Record<string, number>[]>(
      'SELECT span, day, number, hits, limited FROM rollup_spans WHERE website_id = ? AND span = ?',
      [websiteId, SPANS.month],
    );
  const nameMonth = ({ span, day, number, hits, limited }: Record<string, number>) =>
    one.execute(
      'INSERT INTO rollup_spans (website_id, span, day, number, hits, limited) VALUES (?, ?, ?, ?, ?, ?)',
      [websiteId, span, day, number, hits, limited],
    );

  it('is found, and made anew', async () => {
    const day = FIRST_OF_A_MONTH + 3;
    await count(...hitsOf(day, 2500), ...hitsOf(day + 1, 50, 25));
    await one.closeDays(websiteId, END_OF_A_MONTH);
    const months = () => verification.verifyMonth(websiteId, FIRST_OF_A_MONTH, nothing);
    expect([await verification.months(websiteId), await months()]).toEqual([[FIRST_OF_A_MONTH], []]);
    const [before] = await spans();
    const rows = await one.database.query<{ name: number; part: number; data: Buffer }[]>(
      'SELECT name, part, data FROM rollups WHERE website_id = ? AND number = ?',
      [websiteId, before!.number],
    );
    await count({ ...pageView('/p0', 'z'), day: day + 1 });
    expect(await spans()).toEqual([]);
    await one.workOnColumns(websiteId, { ...daysOver(END_OF_A_MONTH), finalBefore: day + 2 });
    await nameMonth(before!);
    for (const { name, part, data } of rows)
      await one.execute('INSERT INTO rollups (website_id, number, name, part, data) VALUES (?, ?, ?, ?, ?)', [
        ...[websiteId, before!.number, name, part],
        data,
      ]);
    expect(await months()).toContainEqual(difference(FIRST_OF_A_MONTH, 52, 53));
    await rebuilding.rebuildMonth(websiteId, FIRST_OF_A_MONTH);
    expect([await verification.months(websiteId), await months()]).toEqual([[FIRST_OF_A_MONTH], []]);
    expect((await one.counted(websiteId, 'page', day, END_OF_A_MONTH - 1))['/p0']).toBe(53);
  });

  it('is found where it was replaced while it was compared', async () => {
    const day = FIRST_OF_A_MONTH + 3;
    await count(...hitsOf(day, 2500), ...hitsOf(day + 1, 50, 25));
    await one.closeDays(websiteId, END_OF_A_MONTH);
    let readings = 0;
    const meanwhile = async () => {
      if (++readings > 1) return;
      await rebuilding.rebuildMonth(websiteId, FIRST_OF_A_MONTH);
      const [month] = await spans();
      await spoil(day);
      await nameMonth(month!);
    };
    const found = await verification.verifyMonth(websiteId, FIRST_OF_A_MONTH, meanwhile);
    expect(found).toEqual([difference(FIRST_OF_A_MONTH, 52, 55)]);
  });
});

it('writes nothing where a day is right', async () => {
  await count(...hitsOf(DAY, 2500));
  await one.closeDays(websiteId, DAY + 1);
  const write = jest.spyOn(one.database, 'write');
  expect(await differences(DAY)).toEqual([]);
  expect(write).not.toHaveBeenCalled();
  write.mockRestore();
});

it('compares a day as it stands at one moment, whatever comes in between', async () => {
  await count(...hitsOf(DAY, 2500));
  await one.closeDays(websiteId, DAY + 1);
  let rounds = 0;
  const meanwhile = async () => {
    if (++rounds > 2) return;
    await count(...hitsOf(DAY, 50));
    if (rounds === 2) await one.closeDays(websiteId, DAY + 1);
  };
  expect(await verification.verifyDay(websiteId, DAY, meanwhile)).toEqual([]);
  expect(rounds).toBeGreaterThan(1);
  expect(await differences(DAY)).toEqual([]);
});

it('says which day changes too often to be compared', async () => {
  await count(...hitsOf(DAY, 2500));
  await one.rollUpDays(websiteId, DAY + 1);
  const meanwhile = async () => {
    await count(...hitsOf(DAY, 500));
    await one.rollUpDays(websiteId, DAY + 1);
  };
  await expect(verification.verifyDay(websiteId, DAY, meanwhile)).rejects.toThrow(KeepsChanging);
  expect(await differences(DAY)).toEqual([]);
});

describe('one bit that is turned over', () => {
  const OTHER_DAY = DAY + 1;
  const neighbour = () => websiteId + 1000;

  beforeEach(async () => {
    await one.register(neighbour());
    for (const id of [websiteId, neighbour()]) {
      await one.accept(id, ...hitsOf(DAY, 2100));
      await one.accept(id, ...hitsOf(OTHER_DAY, 2100));
      await one.count(id, []);
      await one.closeDays(id, OTHER_DAY + 1);
    }
  });

  const pages = (process: CountingProcess, id: number, day: number) => process.counted(id, 'page', day, day);

  it('in a rollup is named, and never read around; other days and websites go on', async () => {
    const right = await pages(one, websiteId, DAY);
    const [span] = await one.database.query<{ number: number }[]>(
      'SELECT number FROM rollup_spans WHERE website_id = ? AND day = ?',
      [websiteId, DAY],
    );
    const { number } = span!;
    const rows = await one.database.query<{ name: number; part: number; data: Buffer }[]>(
      'SELECT name, part, data FROM rollups WHERE website_id = ? AND number = ?',
      [websiteId, number],
    );
    for (const { name, part, data } of rows) {
      const write = (bytes: Buffer) =>
        one.execute(
          'UPDATE rollups SET data = ? WHERE website_id = ? AND number = ? AND name = ? AND part = ?',
          [bytes, websiteId, number, name, part],
        );
      const turned = Buffer.from(data);
      turned[data.length >> 1]! ^= 4;
      await write(turned);
      const process = await CountingProcess.start(database.url);
      await expect(differences(DAY)).rejects.toThrow(DamagedRollup);
      if (name === 0 || name === DIMENSIONS.page.code)
        await expect(pages(process, websiteId, DAY)).rejects.toThrow(
          `The rollup of ${name === 0 ? '' : 'page in '}`,
        );
      expect(await pages(process, websiteId, OTHER_DAY)).toEqual(right);
      expect(await pages(process, neighbour(), DAY)).toEqual(right);
      await process.stop();
      await write(data);
      expect(await differences(DAY)).toEqual([]);
    }
    await one.execute('UPDATE rollups SET data = ? WHERE website_id = ? AND number = ?', [
      Buffer.alloc(9),
      websiteId,
      number,
    ]);
    await rebuilding.rebuildDay(websiteId, DAY);
    expect([await differences(DAY), await pages(one, websiteId, DAY)]).toEqual([[], right]);
  });

  it('in a text is named, and never read around; other names and websites go on', async () => {
    const right = await pages(one, websiteId, DAY);
    const where = `WHERE website_id = ? AND name = ${DIMENSIONS.page.code}`;
    const [row] = await one.database.query<{ data: Buffer }[]>(`SELECT data FROM value_texts ${where}`, [
      websiteId,
    ]);
    const { data } = row!;
    data[data.length >> 1]! ^= 4;
    await one.execute(`UPDATE value_texts SET data = ? ${where}`, [data, websiteId]);
    const process = await CountingProcess.start(database.url);
    for (const day of [DAY, OTHER_DAY])
      await expect(pages(process, websiteId, day)).rejects.toThrow(DamagedTexts);
    expect(await process.counted(websiteId, 'browser', DAY, DAY)).toEqual({ Firefox: 2100 });
    expect(await pages(process, neighbour(), DAY)).toEqual(right);
    await expect(differences(DAY)).rejects.toThrow(DamagedTexts);
    await rebuilding.rebuildTexts(websiteId);
    expect([await differences(DAY), await differences(OTHER_DAY)]).toEqual([[], []]);
    for (const any of [one, process]) expect(await pages(any, websiteId, DAY)).toEqual(right);
    await process.stop();
  });
});

it('goes on with other values where texts of days are lost whose hits are not kept any more', async () => {
  await count(...Array.from({ length: 2100 }, (_, index) => pageViewOn(DAY, `/${index % 3}`, 'a')));
  await one.closeDays(websiteId, DAY + 1);
  await one.execute('UPDATE counting SET archived_from = ? WHERE website_id = ?', [DAY + 1, websiteId]);
  await one.execute(`DELETE FROM value_texts WHERE website_id = ? AND name = ${DIMENSIONS.page.code}`, [
    websiteId,
  ]);
  await one.rebuilding().rebuildTexts(websiteId);
  const process = await CountingProcess.start(database.url);
  for (const any of [one, process]) {
    expect(await any.counted(websiteId, 'page', DAY, DAY)).toEqual({ [OTHER]: 2100 });
    expect(await any.counted(websiteId, 'pageview', DAY, DAY)).toEqual({ [dayText(DAY)]: 2100 });
  }
  await process.stop();
});

describe('rollups that are missing', () => {
  /** Each day has more hits than the later ones, so that no segment has two of them. */
  const DAYS = [DAY, DAY + 1, DAY + 2];
  beforeEach(async () => {
    await count(...DAYS.flatMap((day, index) => hitsOf(day, [9500, 4500, 2100][index]!)));
    await one.closeDays(websiteId, DAY + 3);
    expect(await rolledUp()).toEqual(DAYS);
  });

  const rolledUp = async () => {
    const spans = await one.database.query<{ day: number }[]>(
      'SELECT day FROM rollup_spans WHERE website_id = ? AND span = ? ORDER BY day',
      [websiteId, SPANS.day],
    );
    return spans.map(({ day }) => day);
  };
  const forget = () => one.execute('DELETE FROM rollup_spans WHERE website_id = ?', [websiteId]);
  const damage = (day: number) =>
    one.execute(
      `UPDATE hit_columns SET data = X'01' WHERE website_id = ? AND segment =
      (SELECT segment FROM hit_days WHERE website_id = ? AND day = ?)`,
      [websiteId, websiteId, day],
    );

  it('are made anew', async () => {
    await forget();
    await rebuilding.addMissing(websiteId);
    expect(await rolledUp()).toEqual(DAYS);
    for (const day of DAYS) expect(await differences(day)).toEqual([]);
    expect((await one.counted(websiteId, 'page', DAY, DAY))['/p0']).toBe(190);
  });

  it('are made anew beside a day that is damaged, which is reported', async () => {
    await forget();
    await damage(DAY);
    await expect(rebuilding.addMissing(websiteId)).rejects.toThrow(dayText(DAY));
    expect(await rolledUp()).toEqual(DAYS.slice(1));
  });

  it('of another day, which is damaged, keep no day from being made anew', async () => {
    await damage(DAY);
    await forget();
    await rebuilding.rebuildDay(websiteId, DAY + 2);
    expect(await rolledUp()).toContain(DAY + 2);
    await expect(rebuilding.rebuildDay(websiteId, DAY)).rejects.toThrow(dayText(DAY));
    const rebuilt = await host.run(['stats', 'rebuild', '--domain', `counted${websiteId}.example`], {
      DATABASE_URL: database.url,
    });
    expect([rebuilt.code, rebuilt.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: 1 rollups cannot be rebuilt$/m),
    ]);
    expect(await rolledUp()).toEqual(DAYS.slice(1));
  });

  it('end what makes them where the hits change under it each time', async () => {
    await forget();
    const write = one.database.write.bind(one.database);
    let writes = 0;
    jest.spyOn(one.database, 'write').mockImplementation(async (...work) => {
      if (++writes > 100) throw new Error('It goes on for ever.');
      await write((manager) => manager.query('UPDATE closed_days SET epoch = epoch + 1'));
      return write(...work);
    });
    await expect(rebuilding.addMissing(websiteId)).rejects.toThrow(
      `the rollup of ${dayText(DAY)} cannot be made: its days changed 10 times (website ${websiteId})`,
    );
    jest.restoreAllMocks();
  });
});

it('keeps its lease alive while it works longer than one lasts', async () => {
  await count(pageView('/', 'a'));
  let attempts = 0;
  await HeldLease.during(one.database, websiteId, async (held) => {
    attempts++;
    for (let pause = 0; pause < 5; pause++) {
      passTime(1000);
      await one.execute('UPDATE counting SET expires_at = expires_at - 1000 WHERE website_id = ?', [
        websiteId,
      ]);
      await held.turn.goOn();
      expect(await other.folderOf(websiteId)).toBeUndefined();
    }
    await held.write(() => Promise.resolve());
  });
  expect(attempts).toBe(1);
  expect(await other.folderOf(websiteId)).toBeDefined();
});

it('seizes a lease that it lost, and does its work anew', async () => {
  await count(pageView('/', 'a'));
  let attempts = 0;
  await HeldLease.during(one.database, websiteId, async (held) => {
    if (++attempts === 1) {
      await one.endLeases();
      expect(await other.folderOf(websiteId)).toBeDefined();
    }
    await held.write((manager) =>
      manager.query('UPDATE counting SET archived_from = archived_from + 1 WHERE website_id = ?', [
        websiteId,
      ]),
    );
  });
  expect(attempts).toBe(2);
  const [row] = await one.database.read((manager) =>
    manager.query<{ archived_from: number }[]>('SELECT archived_from FROM counting WHERE website_id = ?', [
      websiteId,
    ]),
  );
  expect(row!.archived_from).toBe(1);
});

it('leaves days alone that are older than STATS_DAYS', async () => {
  await count(...hitsOf(TODAY - 30, 10), ...hitsOf(TODAY - 20, 10), ...hitsOf(TODAY, 10));
  await one.rollUpDays(websiteId, TODAY);
  await spoil(TODAY - 30);
  const days = async (of: Verification) => (await of.days(websiteId)).map(({ day }) => TODAY - day);
  expect(await days(verification)).toEqual([30, 20, 0]);
  expect(await days(verificationWith({ STATS_DAYS: '20' }))).toEqual([20, 0]);
  expect(await differences(TODAY - 30)).not.toEqual([]);
  const environment = { DATABASE_URL: database.url, STATS_DAYS: '20' };
  const domain = `counted${websiteId}.example`;
  for (const command of ['verify', 'rebuild', 'verify'])
    expect(await host.run(['stats', command, '--domain', domain], environment)).toMatchObject({ code: 0 });
});
