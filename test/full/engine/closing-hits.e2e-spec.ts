import { VISITOR_BYTES } from '../../../engine/ground/visitor-bytes';
import { CommandError } from '../../../engine/ground/errors';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { dayText } from '../../../engine/ground/time/days';
import { insertAll } from '../../../engine/database/rows';
import { LeaseLost } from '../../../engine/database/lease';
import type { CountingLease } from '../../../engine/columns/leases/counting-lease';
import { BatchWriter } from '../../../engine/columns/fold/batch-writer';
import { VisitorTooLarge } from '../../../engine/columns/seal/partition-writer';
import { DayClosing } from '../../../engine/columns/seal/day-closing';
import { SEALING_LIMITS } from '../../../engine/columns/seal/sealing-memory';
import type { Verification } from '../../../engine/columns/verify/verification';
import { type ColumnLimits, nextColumnWork } from '../../../engine/columns/upkeep/next-column-work';
import { readClosedDays } from '../../../engine/columns/closed-days';
import type { Hit } from '../../../engine/hits/hit';
import { hitsOfBlock } from '../../../engine/hits/hits-of-block';
import { DayBuilder } from '../../../engine/columns/segments/day-builder';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from '../../../engine/hits/hit-columns';
import { partsOfDay } from '../../../engine/columns/segments/hits-in-columns';
import { DayTexts } from '../../../engine/columns/ordering/day-texts';
import { HitSums } from '../../../engine/columns/ordering/hit-sums';
import { SealingDiffers } from '../../../engine/columns/ordering/written-sums';
import { readHitsFrom, readDays } from '../../../engine/columns/stored-days';
import type { HitBlock } from '../../../engine/hits/hit-block';
import type { WebsiteTexts } from '../../../engine/hits/codes/text-codes';
import { ForgottenDay } from '../../../engine/columns/damaged-hits';
import { DamagedColumns } from '../../../engine/columns/segments/part-rows';
import { DamagedBatch } from '../../../engine/columns/batches/batch';
import { HitsRemoved } from '../../../engine/columns/batches/batches';
import { DamagedTexts } from '../../../engine/columns/rollups/texts/value-texts-format';
import { closeDays } from '../../support/counted';
import { CountingProcess, daysOver, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { answersOf, selectedPages } from '../../support/hit-answers';
import { spoilRollup } from '../../support/store-hooks';
import { keptHits } from '../../support/stored-days';
import { textOfAllTables } from '../../support/tables';
import { passTime, passTimeUntil } from '../../support/passing-time';

/** The pause after the first failure of a day. */
const AFTER_A_FAILURE_MS = 1000;
const DAY = TODAY - 10;
/** Several parts for a day, with a transaction for each. */
const SMALL: ColumnLimits = { closing: { hits: 4, textBytes: 1_000_000, bytesAtOnce: 1 } };
/** Memory is so small that all hits become fragments. */
const BY_FRAGMENTS: ColumnLimits = { closing: { ...SMALL.closing!, bufferBytes: 1 } };
/** Memory is so small that no partition fits as a whole. */
const BY_COLUMNS: ColumnLimits = { closing: { ...BY_FRAGMENTS.closing!, partitionBytes: 1 } };
const IN_ONE_PART_BY_COLUMNS: ColumnLimits = { closing: { partitionBytes: 1 } };

let database: FreshDatabase;
let one: CountingProcess;
let verification: Verification;
let websiteId = 700;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  verification = one.verification();
});
beforeEach(async () => {
  for (const table of ['salts', 'inbox']) await one.execute(`DELETE FROM ${table}`);
  await one.register(++websiteId);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await one.stop();
  await database.drop();
});

const hit = (page: string, visitor: string, fields: Partial<Hit> = {}) =>
  pageViewOn(DAY, page, visitor, fields);

/** Visitors whose first hits have another order than their hashes. One of them has hits of all kinds. */
const DAY_HITS = [
  hit('/1', 'z', { at: 86_400 * DAY + 50, referrer: 'a.example', country: 'FR' }),
  hit('/2', 'a', { at: 86_400 * DAY + 20 }),
  hit('/3', 'z', { at: 86_400 * DAY + 10, event: 'buy', properties: [['plan', 'a"b']], value: '-5000' }),
  hit('/4', '', { at: 86_400 * DAY + 90 }),
  hit('/5', 'm', { campaign: 'Sale', at: 86_400 * (DAY + 1) - 1 }),
  ...Array.from({ length: 12 }, (_, index) =>
    hit(`/of/z/${index}`, 'z', {
      at: 86_400 * DAY + 100 + index,
      ...(index === 5 && { event: 'Scroll', isPassive: true }),
    }),
  ),
];

const PAGES_OF_Z = DAY_HITS.map(({ page }) => page).filter((page) => /^.(1|3|of.*)$/.test(page));

const count = (...hits: Hit[]) => one.count(websiteId, hits, 5);

async function rows(table: string): Promise<number> {
  const [row] = await one.database.read((manager) =>
    manager.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`, [websiteId]),
  );
  return Number(row!.n);
}

const hitsIn = (block: HitBlock, texts: WebsiteTexts) =>
  [...hitsOfBlock(block, texts, String)].flat().map(({ page }) => page);
const pages = (hits: Hit[]) => hits.map(({ page }) => page).sort();
const kept = async () => pages(await keptHits(one.database, websiteId));
const differences = () => verification.verifyDay(websiteId, DAY, () => undefined);

const requested = () => answersOf(one.database, websiteId, { from: DAY, to: DAY });

describe('a day in columns', () => {
  it.each([
    ['in one part', undefined] as const,
    ['in several parts', SMALL] as const,
    ['in parts by way of fragments', BY_FRAGMENTS] as const,
    ['in parts column by column', BY_COLUMNS] as const,
    ['in one part column by column', IN_ONE_PART_BY_COLUMNS] as const,
  ])('has the same hits and answers the same %s, without a hash of its visitors', async (_, limits) => {
    await count(...DAY_HITS);
    const before = await requested();
    await one.closeDays(websiteId, DAY + 1, limits);
    expect([await rows('hit_batches'), await rows('hit_days')]).toEqual([0, 1]);
    expect(await kept()).toEqual(pages(DAY_HITS));
    expect(await requested()).toEqual(before);
    expect(await differences()).toEqual([]);
    const told = await keptHits(one.database, websiteId);
    const visitors = [...new Set(told.map(({ visitor }) => visitor))];
    expect(visitors).toHaveLength(4);
    expect(
      visitors.filter((visitor) => DAY_HITS.some((own) => own.visitor !== '' && own.visitor === visitor)),
    ).toEqual([]);
    expect(pages(told.filter(({ isPassive }) => isPassive))).toEqual(['/of/z/5']);
    expect(told.find(({ event }) => event)).toMatchObject({
      properties: [['plan', 'a"b']],
      value: '-5000',
      country: 'FR',
    });
  });

  it.each([
    ['country==FR', PAGES_OF_Z],
    ['event==buy', ['/3']],
    ['page=^/of;country!=FR', []],
    ['referrer==a.example;page==/1,page==/2', ['/1']],
    ['campaign==Sale,page==/4', ['/4', '/5']],
    ['entry_page==/5', ['/5']],
    ['exit_page==/of/z/11', PAGES_OF_Z],
    ['hour_of_day==23', ['/5']],
  ])('has the same hits for %s when some came later', async (segment, expected) => {
    await count(...DAY_HITS);
    const selected = async () => (await selectedPages(one.database, websiteId, DAY, segment)).sort();
    expect(await selected()).toEqual([...expected].sort());
    await one.closeDays(websiteId, DAY + 1, SMALL);
    expect(await selected()).toEqual([...expected].sort());
    await count(hit('/late', ''));
    expect(await selected()).toEqual([...expected].sort());
  });

  it('is counted again as it was counted', async () => {
    await count(...DAY_HITS);
    await one.closeDays(websiteId, DAY + 1, SMALL);
    await one.rollUpDays(websiteId, DAY + 1);
    expect([await rows('rollup_spans'), await differences()]).toEqual([1, []]);
    await spoilRollup(one.database, websiteId, { name: 'referrer', day: DAY, value: 'a.example', hits: 3 });
    expect(await differences()).toEqual([
      { day: dayText(DAY), name: 'referrer', value: 'a.example', rolledUp: 4, inHits: 1 },
    ]);
    await one.rebuilding().rebuildDay(websiteId, DAY);
    expect(await differences()).toEqual([]);
    expect(await one.counted(websiteId, 'referrer', DAY, DAY)).toEqual({ '(direct)': 2, 'a.example': 1 });
  });

  it('takes hits that come later', async () => {
    await count(...DAY_HITS);
    await one.closeDays(websiteId, DAY + 1);
    await count(hit('/late', ''), hit('/later', ''));
    await count(hit('/last', ''));
    expect(await kept()).toEqual(pages([...DAY_HITS, hit('/late', ''), hit('/later', ''), hit('/last', '')]));
    expect(await differences()).toEqual([]);
    expect(((await requested()) as unknown[][])[0]![0]).toEqual([
      DAY_HITS.length - 2 + 3,
      3,
      expect.any(Number),
      expect.any(Number),
    ]);
    const answered = await requested();
    await one.closeDays(websiteId, DAY + 2);
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 0]);
    expect(await requested()).toEqual(answered);
    expect(await differences()).toEqual([]);
  });

  it.each([
    ['in one part', undefined],
    ['in several parts', SMALL],
  ])('takes those of a second filling %s, also between days that are merged', async (_, limits) => {
    const others = [DAY - 1, DAY + 1].flatMap((day) => DAY_HITS.map((own) => ({ ...own, day })));
    await count(...DAY_HITS, ...others);
    await one.closeDays(websiteId, DAY + 2, limits);
    const again = DAY_HITS.map((own) => ({ ...own, page: `/again${own.page}` }));
    await count(...again);
    const answers = () => answersOf(one.database, websiteId, { from: DAY - 1, to: DAY + 1 });
    const segment = 'page=^/again;country==FR';
    const selected = async () => (await selectedPages(one.database, websiteId, DAY, segment)).sort();
    const before = [await answers(), await selected()];
    expect(before[1]).not.toEqual([]);
    await one.closeDays(websiteId, DAY + 2, limits);
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([3, 0]);
    expect([await answers(), await selected()]).toEqual(before);
    expect(await kept()).toEqual(pages([...DAY_HITS, ...others, ...again]));
    expect(await differences()).toEqual([]);
    const lastDays = await one.database.query<{ last_day: number }[]>(
      'SELECT MAX(last_day) AS last_day FROM hit_columns WHERE website_id = ? GROUP BY segment',
      [websiteId],
    );
    if (!limits) expect(lastDays).toEqual([{ last_day: DAY + 1 }]);
    await one.closeDays(websiteId, DAY + 3);
    expect([await answers(), await selected()]).toEqual(before);
  });

  it('is made also where the texts that its rollup needs are damaged', async () => {
    await count(...DAY_HITS);
    await one.rollUpDays(websiteId, DAY + 1);
    await one.execute('UPDATE value_texts SET data = ? WHERE website_id = ?', [Buffer.alloc(9), websiteId]);
    await count(hit('/late', 'b'));
    await expect(one.rollUpDays(websiteId, DAY + 1)).rejects.toThrow(DamagedTexts);
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 0]);
  });

  it('is made by the service once no hit of it has come for some seconds', async () => {
    await count(...DAY_HITS, hit('/', 'a', { day: TODAY - 2 }), hit('/', 'a', { day: TODAY }));
    await closeDays(one.counting, websiteId);
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([1, expect.any(Number)]);
    passTime(10_000);
    await closeDays(one.counting, websiteId);
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([2, 1]);
    expect(await differences()).toEqual([]);
  });
});

describe('a day that has to wait', () => {
  it.each([
    ['whose salt is there', true],
    ['that is being filled', false],
  ])('stays in batches: one %s', async (_, hasSalt) => {
    await count(...DAY_HITS);
    await one.endLeases();
    const { lease } = (await one.folderOf(websiteId))!;
    if (hasSalt) await one.execute('INSERT INTO salts (day, salt) VALUES (?, ?)', [DAY, Buffer.alloc(60)]);
    const next = (isFilled: boolean) =>
      nextColumnWork(one.database, lease, { ...daysOver(DAY + 1), isFilled: () => isFilled });
    expect(await next(!hasSalt)).toBe(false);
    await one.execute('DELETE FROM salts');
    expect(await next(false)).toMatchObject({ days: [DAY] });
  });
});

describe('a day that is past when its hits come', () => {
  const state = async () => [await rows('batch_visitors'), await rows('hit_batches'), await rows('hit_days')];

  beforeEach(() => count(...DAY_HITS));

  it('becomes columns as soon as it is said to be complete', async () => {
    const own = hit('/own', 'Q');
    await count(own);
    const before = await requested();
    const isHashFound = async () => (await textOfAllTables(one.database)).includes('Q'.repeat(VISITOR_BYTES));
    expect(await isHashFound()).toBe(true);
    await closeDays(one.counting, websiteId, DAY);
    expect(await state()).toEqual([expect.any(Number), 2, 0]);
    await closeDays(one.counting, websiteId, DAY + 1);
    expect(await state()).toEqual([0, 0, 1]);
    expect(await isHashFound()).toBe(false);
    expect(await requested()).toEqual(before);
    expect(await differences()).toEqual([]);
    expect(await kept()).toEqual(pages([...DAY_HITS, own]));
  });

  it('is left to the process that counts the website', async () => {
    const { counting } = one.coldly();
    expect(await counting.settle(websiteId, DAY)).toBe('done');
    expect(await one.counting.settle(websiteId, DAY + 1)).toBe('elsewhere');
    expect([await rows('hit_days'), await counting.settle(websiteId, DAY + 1)]).toEqual([0, 'more']);
    expect(await rows('hit_days')).toBe(1);
  });

  it('becomes columns once no hit has come for ten seconds', async () => {
    await closeDays(one.counting, websiteId);
    expect(await rows('hit_days')).toBe(0);
    passTime(9000);
    await one.accept(websiteId, hit('/more', 'a'));
    await one.counting.foldAll();
    passTime(9000);
    await closeDays(one.counting, websiteId);
    expect(await rows('hit_days')).toBe(0);
    passTime(1000);
    await closeDays(one.counting, websiteId);
    expect(await state()).toEqual([0, 0, 1]);
    expect(await kept()).toEqual(pages([...DAY_HITS, hit('/more', 'a')]));
  });

  it('becomes columns though all earlier ones were', async () => {
    await one.endLeases();
    passTime(10_000);
    await closeDays(one.counting, websiteId, TODAY);
    expect(await state()).toEqual([0, 0, 1]);
    await one.counting.foldAll();
    await one.accept(websiteId, hit('/more', 'b'));
    await one.counting.foldAll();
    expect(await one.database.read((manager) => readClosedDays(manager, websiteId))).toMatchObject({
      columnsBefore: DAY,
    });
    passTime(10_000);
    await closeDays(one.counting, websiteId);
    expect(await state()).toEqual([0, 0, 1]);
    expect(await kept()).toEqual(pages([...DAY_HITS, hit('/more', 'b')]));
  });

  it('is named by verification where its visitors were forgotten too early', async () => {
    await count(hit('/more', 'a'));
    await one.execute('DELETE FROM batch_visitors WHERE website_id = ?', [websiteId]);
    await expect(differences()).rejects.toThrow(ForgottenDay);
    expect(await kept()).toEqual(pages([...DAY_HITS, hit('/more', 'a')]));
  });
});

/** Acts like a fold, which does not check whether days are being sealed. */
async function mergeAll(of: number): Promise<void> {
  const lease = { websiteId: of, fence: () => Promise.resolve(), noteCommit: () => undefined };
  const writer = new BatchWriter(one.database, lease as unknown as CountingLease, new DayClock('UTC'));
  const { days } = writer as unknown as { days: Map<number, unknown> };
  const { endOf } = writer as unknown as { endOf: (day: number) => Promise<unknown> };
  days.set(DAY, await endOf.call(writer, DAY));
  while (await writer.mergeSome(() => false));
  expect(await rows('hit_batches')).toBe(1);
}

describe('while a day becomes columns', () => {
  beforeEach(() => count(...DAY_HITS));

  it.each([
    ['once, in memory', SMALL, 0],
    ['once, and once more as fragments', BY_FRAGMENTS, 1],
  ])('it is read %s', async (_, limits, times) => {
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, limits);
    const query = jest.spyOn(one.database, 'query');
    await closing.run(turn);
    const rowsOf = async (pattern: RegExp) => {
      const numbers: number[] = [];
      for (const [index, [sql]] of query.mock.calls.entries())
        if (pattern.test(sql)) {
          const rows = (await query.mock.results[index]!.value) as { firstHit?: number; number?: number }[];
          numbers.push(...rows.map(({ firstHit, number }) => firstHit ?? number!));
        }
      return numbers;
    };
    const [batches, fragments] = [await rowsOf(/batch\.data AS data/), await rowsOf(/own\.data AS data/)];
    query.mockRestore();
    expect(batches).toHaveLength(new Set(batches).size);
    expect(fragments).toHaveLength(new Set(fragments).size);
    expect([batches.length > 0, fragments.length > 0]).toEqual([true, times > 0]);
    expect(await kept()).toEqual(pages(DAY_HITS));
  });

  it('a visitor with more hits than a part has is one alone', async () => {
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, BY_FRAGMENTS);
    await closing.run(turn);
    const parts: string[][] = [];
    const [day] = await one.database.read((manager) => readDays(manager, websiteId));
    const columns = day!.columns!;
    for await (const { block, texts } of partsOfDay((work) => work(one.database), websiteId, DAY, columns))
      parts.push(hitsIn(block, texts));
    expect(parts.filter((own) => own.length > 4).map((own) => own.sort())).toEqual([[...PAGES_OF_Z].sort()]);
  });

  it('is made by way of fragments however many different texts its hits have', async () => {
    const makeRoom = jest.spyOn(DayTexts.prototype, 'isFull', 'get').mockImplementation(function (
      this: DayTexts,
    ) {
      return this.withTexts.size < COLUMN_NAMES.length;
    });
    const before = [await requested(), await kept()];
    await one.closeDays(websiteId, DAY + 1, BY_FRAGMENTS);
    makeRoom.mockRestore();
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 0]);
    expect([await requested(), await kept()]).toEqual(before);
  });

  it.each([
    ['hits', `UPDATE hit_columns SET data = ? WHERE website_id = ? AND part = 0 AND kind < 40`],
    ['a whole part', `DELETE FROM hit_columns WHERE data <> ? AND website_id = ? AND part = 0 AND kind < 40`],
  ])('it stays as it was where %s are not read back as they were', async (_, damage) => {
    const before = await kept();
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, SMALL);
    const write: typeof turn.write = (work) =>
      turn.write(async (manager) => {
        await work(manager);
        await manager.query(damage, [Buffer.alloc(9), websiteId]);
      });
    await expect(closing.run({ ...turn, write })).rejects.toThrow(DamagedColumns);
    expect([await rows('hit_days'), await kept()]).toEqual([0, before]);
  });

  it('is written column by column with no more than one column of hits in memory', async () => {
    const written = async (limits: ColumnLimits) => {
      const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, limits);
      await closing.run(turn);
      return requested();
    };
    const before = await requested();
    const names: number[] = [];
    const build = jest.spyOn(DayBuilder.prototype, 'buildColumns').mockImplementation(async function (
      this: DayBuilder,
    ) {
      const columns = this.columns();
      names.push(
        Object.keys(columns.codes).filter((name) => COLUMNS[name as ColumnName].of === 'hit').length,
      );
      return Promise.resolve(columns);
    });
    expect(await written(BY_COLUMNS)).toEqual(before);
    build.mockRestore();
    expect(names.length).toBeGreaterThan(1);
    expect(new Set(names)).toEqual(new Set([0]));
  });

  it('it stays in batches where one visitor has more hits than fit into memory', async () => {
    const before = [await requested(), await kept()];
    const tooMany: ColumnLimits = { closing: { ...BY_COLUMNS.closing!, largestBytes: 300 } };
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, tooMany);
    await expect(closing.run(turn)).rejects.toThrow(VisitorTooLarge);
    expect([await rows('hit_days'), [await requested(), await kept()]]).toEqual([0, before]);
  });

  it('it stays as it was where what is read back is whole and something else', async () => {
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1);
    const sum = jest.spyOn(HitSums.prototype, 'addHits').mockImplementationOnce(() => undefined);
    await expect(closing.run(turn)).rejects.toThrow(SealingDiffers);
    sum.mockRestore();
    expect([await rows('hit_days'), await rows('hit_columns'), await kept()]).toEqual([
      0,
      0,
      pages(DAY_HITS),
    ]);
  });

  it('leaves no fragments and no hash behind, whichever transaction was the last of a process', async () => {
    for (let ends = 0; ; ends++) {
      const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, BY_FRAGMENTS);
      if (!closing) break;
      let left = ends;
      const write: typeof turn.write = (work) => (left-- > 0 ? turn.write(work) : Promise.resolve(false));
      await closing.run({ ...turn, write });
      expect([await kept(), await differences()]).toEqual([pages(DAY_HITS), []]);
    }
    const unnamed = await one.database.query<unknown[]>(
      `SELECT part FROM hit_columns WHERE website_id = ? AND (kind = 50
        OR segment NOT IN (SELECT segment FROM hit_days WHERE website_id = ?))`,
      [websiteId, websiteId],
    );
    expect([unnamed, await rows('day_visitors'), await rows('hit_days')]).toEqual([[], 0, 1]);
  });

  it('loses nothing where the process ends between any two transactions of a second filling', async () => {
    await one.closeDays(websiteId, DAY + 1, SMALL);
    await count(...DAY_HITS);
    const twice = pages([...DAY_HITS, ...DAY_HITS]);
    const answered = await requested();
    for (let ends = 0; ; ends++) {
      const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, SMALL);
      if (!closing) break;
      let left = ends;
      const write: typeof turn.write = (work) => (left-- > 0 ? turn.write(work) : Promise.resolve(false));
      await closing.run({ ...turn, write });
      expect([await kept(), await requested(), await differences()]).toEqual([twice, answered, []]);
    }
    await one.closeDays(websiteId, DAY + 2);
    expect([await kept(), await requested(), await differences()]).toEqual([twice, answered, []]);
  });

  it('loses nothing where the process ends between any two transactions', async () => {
    for (let ends = 0; ; ends++) {
      const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, SMALL);
      if (!closing) break;
      let left = ends;
      const write: typeof turn.write = (work) => (left-- > 0 ? turn.write(work) : Promise.resolve(false));
      await closing.run({ ...turn, write });
      expect(await kept()).toEqual(pages(DAY_HITS));
      expect(await differences()).toEqual([]);
    }
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 0]);
    expect(await rows('hit_columns')).toBeGreaterThan(0);
  });

  it('removes nothing where a transaction fails before it is committed', async () => {
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1);
    const write: typeof turn.write = (work) =>
      turn.write(async (manager) => {
        await work(manager);
        throw new CommandError('the power went off');
      });
    await expect(closing.run({ ...turn, write })).rejects.toThrow('the power went off');
    expect([await rows('hit_days'), await rows('hit_columns')]).toEqual([0, 0]);
    expect(await kept()).toEqual(pages(DAY_HITS));
  });

  it.each([
    ['in one part', 2, {}],
    ['in parts of one reading', 1, SMALL],
    ['in parts of one reading', 4, SMALL],
    ['in parts of several readings', 3, BY_FRAGMENTS],
    ['in parts of several readings', 9, BY_FRAGMENTS],
  ])('has each hit once %s where batches are merged meanwhile, at look %d', async (_, at, limits) => {
    await one.register(++websiteId);
    for (const own of DAY_HITS) await one.count(websiteId, [own]);
    const answered = await requested();
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, limits);
    let looks = 0;
    const goOn = async () => {
      if (++looks === at) await mergeAll(websiteId);
      return true;
    };
    await closing.run({ ...turn, goOn });
    expect(looks).toBeGreaterThanOrEqual(at);
    await one.closeDays(websiteId, DAY + 1);
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 0]);
    expect([await kept(), await requested()]).toEqual([pages(DAY_HITS), answered]);
  });

  it('leaves a hit that comes in between for the next time', async () => {
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, SMALL);
    let isFirst = true;
    await closing.run({
      ...turn,
      goOn: async () => {
        if (isFirst) {
          isFirst = false;
          const writer = new BatchWriter(one.database, { websiteId } as CountingLease, new DayClock('UTC'));
          await writer.add({ hits: [hit('/more', 'a')], bytes: 1, acceptedAt: Date.now() });
          const insertions = await writer.insertions();
          await one.database.write((manager) => insertAll(manager, insertions));
        }
        return true;
      },
    });
    const all = pages([...DAY_HITS, hit('/more', 'a')]);
    expect([await rows('hit_days'), await kept()]).toEqual([1, all]);
    await one.closeDays(websiteId, DAY + 1);
    expect([await rows('hit_days'), await rows('hit_batches'), await kept()]).toEqual([1, 0, all]);
  });

  it.each([
    ['one reading', SMALL],
    ['several readings', BY_FRAGMENTS],
  ])('is begun anew where its visitors are forgotten during %s', async (_, limits) => {
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, limits);
    const goOn = async () => {
      await one.execute('DELETE FROM batch_visitors WHERE website_id = ?', [websiteId]);
      return true;
    };
    await closing.run({ ...turn, goOn });
    expect(await rows('hit_days')).toBe(0);
    await one.closeDays(websiteId, DAY + 1, limits);
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 0]);
    expect(await kept()).toEqual(pages(DAY_HITS));
  });

  it('is left to the process that took the website over', async () => {
    const others = [...'bcdefghijk'].map((visitor) => hit(`/of/${visitor}`, visitor));
    await count(...others);
    const { work: closing, turn } = await one.columnWork(websiteId, DAY + 1, SMALL);
    const other = await CountingProcess.start(database.url);
    let writes = 0;
    const write: typeof turn.write = async (work) => {
      if (++writes === 2) await other.closeDays(websiteId, DAY + 1);
      return turn.write(work);
    };
    await expect(closing.run({ ...turn, write })).rejects.toThrow(LeaseLost);
    await other.stop();
    expect([await rows('hit_days'), await rows('hit_columns'), await kept()]).toEqual([
      1,
      1,
      pages([...DAY_HITS, ...others]),
    ]);
  });

  it('keeps the days of no other website from becoming columns', async () => {
    const neighbour = ++websiteId;
    await one.register(neighbour);
    const days = [DAY + 1, DAY + 2, DAY + 3];
    await one.count(
      neighbour,
      days.map((day) => hit('/', 'n', { day })),
    );
    await one.execute('DELETE FROM counting WHERE website_id NOT IN (?, ?)', [neighbour - 1, neighbour]);
    await one.endLeases();
    let end: () => void = () => undefined;
    const run = jest
      .spyOn(DayClosing.prototype, 'run')
      .mockImplementationOnce(() => new Promise<void>((resolve) => (end = resolve)));
    const other = await CountingProcess.start(database.url);
    other.counting.start();
    await passTimeUntil(10_000, async () => (await rows('hit_days')) === days.length);
    expect((run.mock.contexts[0] as DayClosing).days).toEqual([DAY]);
    end();
    run.mockRestore();
    await other.counting.stop();
    await other.stop();
  });

  it('is read as it was by whoever began before', async () => {
    const read = await one.database.read(async (manager) => {
      const days = await readDays(manager, websiteId);
      await one.closeDays(websiteId, DAY + 1);
      const hits: Hit[] = [];
      for await (const some of readHitsFrom((work) => work(manager), websiteId, days[0]!))
        hits.push(...some.hits);
      return hits;
    });
    expect(read.map(({ page }) => page)).toEqual(DAY_HITS.map(({ page }) => page));
  });

  it('ends an export in parts', async () => {
    const [day] = await one.database.read((manager) => readDays(manager, websiteId));
    const reading = readHitsFrom((work) => work(one.database), websiteId, day!);
    await one.closeDays(websiteId, DAY + 1);
    await expect(reading.next()).rejects.toThrow(HitsRemoved);
  });
});

describe('columns that are damaged', () => {
  it.each([
    ['with a flipped bit', 'UPDATE hit_columns SET data = ? WHERE website_id = ?'],
    ['that are not there', 'DELETE FROM hit_columns WHERE data <> ? AND website_id = ?'],
  ])('are an error that names them: those %s', async (_, damage) => {
    await count(...DAY_HITS);
    await one.closeDays(websiteId, DAY + 1);
    const [row] = await one.database.read((manager) =>
      manager.query<{ data: Buffer }[]>('SELECT data FROM hit_columns WHERE website_id = ?', [websiteId]),
    );
    row!.data[20]! ^= 4;
    await one.execute(damage, [row!.data, websiteId]);
    await expect(requested()).rejects.toThrow(DamagedColumns);
    await expect(differences()).rejects.toThrow(`(website ${websiteId}, part 0)`);
  });

  it('are an error where a part of several is missing', async () => {
    const others = [...'bcdefghijklnopqrstuvwxy'].map((visitor) => hit(`/of/${visitor}`, visitor));
    await count(...DAY_HITS, ...others);
    await one.closeDays(websiteId, DAY + 1, SMALL);
    await one.execute('UPDATE hit_days SET last_part = 0 WHERE website_id = ?', [websiteId]);
    await expect(requested()).rejects.toThrow(DamagedColumns);
    await expect(keptHits(one.database, websiteId)).rejects.toThrow(DamagedColumns);
  });
});

describe('a day with a visitor whose texts take too much memory', () => {
  const HOUR_MS = 3_600_000;
  /** More than these texts take in one column, and less than in two. */
  const LARGEST_BYTES = 40_000;
  const largeHits = (day: number, fieldsOf: (text: string) => Partial<Hit>) =>
    Array.from({ length: 20 }, (_, index) =>
      hit('/', 'a', { day, ...fieldsOf(`${index}`.padEnd(500, 'x')) }),
    );
  let limits: { restore(): void }[];
  beforeEach(() => {
    limits = [
      jest.replaceProperty(SEALING_LIMITS, 'partitionBytes', 1),
      jest.replaceProperty(SEALING_LIMITS, 'largestBytes', LARGEST_BYTES),
    ];
  });
  afterEach(() => limits.forEach((limit) => limit.restore()));

  it('is tried again each hour, and keeps no other day and no other website from becoming columns', async () => {
    const other = websiteId;
    await count(...DAY_HITS);
    await one.register(++websiteId);
    await count(
      ...largeHits(DAY - 1, (text) => ({ page: text })),
      ...largeHits(DAY, (text) => ({ page: text, content: text })),
      ...largeHits(DAY + 1, (text) => ({ content: text })),
    );
    const run = jest.spyOn(DayClosing.prototype, 'run');
    const isTried = () => run.mock.contexts.some((closing) => (closing as DayClosing).days[0] === DAY);
    const inColumns = async (of = websiteId) => {
      await closeDays(one.counting, of, DAY + 2);
      const days = await one.database.read((manager) => readDays(manager, of));
      return days.map(({ columns }) => columns !== undefined);
    };
    expect([await inColumns(), isTried()]).toEqual([[true, false, true], true]);
    expect(await inColumns(other)).toEqual([true]);
    expect(one.counting.warnings()).toContainEqual({
      ...{ code: 'packing_fails', website_id: websiteId },
      detail: expect.stringContaining('one visitor has 20 hits or more'),
    });
    run.mockClear();
    passTime(HOUR_MS - 60_000);
    expect([await inColumns(), isTried()]).toEqual([[true, false, true], false]);
    passTime(60_000);
    expect([await inColumns(), isTried()]).toEqual([[true, false, true], true]);
    passTime(HOUR_MS);
    limits.forEach((limit) => limit.restore());
    expect(await inColumns()).toEqual([true, true, true]);
    run.mockRestore();
    expect(await differences()).toEqual([]);
  });
});

describe('batches that are damaged', () => {
  const MISSING = 'DELETE FROM hit_batches WHERE website_id = ? AND first_hit = 5';

  beforeEach(async () => {
    for (const from of [0, 5, 10]) await count(...DAY_HITS.slice(from, from + 5));
  });

  it.each([
    ['with one missing', MISSING],
    ['with one that has no hits', 'UPDATE hit_batches SET size = 0 WHERE website_id = ? AND first_hit = 5'],
    [
      'the only one of which has no hits',
      'UPDATE hit_batches SET day = day + first_hit, first_hit = 0, size = 0 WHERE website_id = ?',
    ],
  ])('are an error, and do not become columns: those %s', async (_, damage) => {
    await one.execute(damage, [websiteId]);
    await expect(one.closeDays(websiteId, DAY + 1)).rejects.toThrow(DamagedBatch);
    expect(await rows('hit_days')).toBe(0);
  });

  it('keep no later day from becoming columns, are tried again, and become columns between these', async () => {
    const others = [DAY - 1, DAY + 1, DAY + 2].flatMap((day) => DAY_HITS.map((own) => ({ ...own, day })));
    await count(...others);
    const [before, span] = [await keptHits(one.database, websiteId), { from: DAY - 1, to: DAY + 2 }];
    const answers = () => answersOf(one.database, websiteId, span);
    const answered = await answers();
    const move = (from: number, to: number) =>
      one.execute(
        `UPDATE hit_batches SET website_id = ? WHERE website_id = ? AND day = ${DAY} AND first_hit = 5`,
        [to, from],
      );
    await move(websiteId, 100_000);
    const inColumns = async () => {
      await closeDays(one.counting, websiteId, DAY + 3);
      const days = await one.database.read((manager) => readDays(manager, websiteId));
      return days.map(({ columns }) => columns !== undefined);
    };
    expect(await inColumns()).toEqual([true, false, true, true]);
    const warnings = () => one.counting.warnings().filter(({ website_id }) => website_id === websiteId);
    const detail = `The stored hits of ${dayText(DAY)} are damaged (website ${websiteId}, from number 5 on)`;
    expect(warnings()).toEqual([
      { code: 'packing_fails', website_id: websiteId, detail: expect.stringContaining(detail) },
    ]);
    expect(await one.database.read((manager) => readClosedDays(manager, websiteId))).toMatchObject({
      columnsBefore: DAY,
    });
    await move(100_000, websiteId);
    passTime(AFTER_A_FAILURE_MS);
    expect(await inColumns()).toEqual([true, true, true, true]);
    expect(warnings()).toEqual([]);
    expect(pages(await keptHits(one.database, websiteId))).toEqual(pages(before));
    expect(await answers()).toEqual(answered);
    expect(await rows('hit_columns')).toBe(1);
  });

  it('are an error of queries and of verification where one is missing', async () => {
    await one.execute(MISSING, [websiteId]);
    await expect(requested()).rejects.toThrow(DamagedBatch);
    await expect(differences()).rejects.toThrow(DamagedBatch);
  });
});
