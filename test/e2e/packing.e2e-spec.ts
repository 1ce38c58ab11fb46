import fc from 'fast-check';
import { packAll } from '../support/counted';
import { dayText } from '../../src/common/days';
import type { CountingLease } from '../../src/counting/counting-lease';
import { MAX_OPEN_ROWS, packOpenDay, packSome } from '../../src/counting/packer';
import { LeaseLost } from '../../src/database/lease';
import type { Increment } from '../../src/storage/counters';
import { removedCounts } from '../../src/storage/day-counts';
import { STAT_NAMES, type StatName } from '../../src/storage/dimensions';
import { DamagedSegment, encodeSegment, packSection, SPANS } from '../../src/storage/segment-format';
import { SegmentsChanged } from '../../src/storage/segment-rows';
import { Sums } from '../../src/storage/sums';
import { day } from '../../src/validation/parsers';
import { addCounts } from '../support/add-counts';
import { CountingProcess, pageView } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';

const FIRST = day('2026-01-20');
const LAST = day('2026-04-10');
const UNLIMITED = { rows: Infinity, bytes: Infinity };
const VALUES = ['/a', '/b', '/c', '/d'];

let database: FreshDatabase;
let one: CountingProcess;
let other: CountingProcess;
let websiteId = 100;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  other = await CountingProcess.start(database.url);
});
beforeEach(() => another());
afterAll(async () => {
  await one.stop();
  await other.stop();
  await database.drop();
});

async function another(): Promise<void> {
  await one.register(++websiteId);
}

async function lease(): Promise<CountingLease> {
  await one.endLeases();
  return (await one.folderOf(websiteId))!.lease;
}

async function under(work: Parameters<CountingProcess['database']['write']>[0]): Promise<void> {
  const held = await lease();
  await one.database.write(async (manager) => {
    await held.fenceCounts(manager);
    await work(manager);
  });
}

/** Counts as a fold does it. */
function count(counts: Increment[]): Promise<void> {
  return under((manager) => addCounts(one.database, manager, websiteId, counts));
}

/** Takes out what was counted on a day, as it expires. */
async function remove(date: number): Promise<void> {
  const { dialect } = one.database;
  await under(await removedCounts(dialect, one.database, websiteId, date, UNLIMITED));
}

const hit = (date: string, value = '/a', hits = 1, name: StatName = 'page'): Increment => ({
  name,
  day: day(date),
  value,
  hits,
});

/** Packs as if it were some day; returns in how many pieces. */
async function pack(today: number, keptFrom = 0): Promise<number> {
  const held = await lease();
  let pieces = 0;
  while (await packSome(one.database, held, { today, keptFrom })) pieces++;
  return pieces;
}

/** In pieces of one name each. */
async function packSmallPieces(today: number, pieces: number): Promise<void> {
  const held = await lease();
  for (let piece = 0; piece < pieces; piece++)
    await packSome(one.database, held, { today, keptFrom: 0 }, { rows: 7, bytes: 1 });
}

async function rows(table: string): Promise<number> {
  const [row] = await one.database.read((manager) =>
    manager.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`, [websiteId]),
  );
  return Number(row!.n);
}

const pages = (from: string, to: string, by = one) => by.counted(websiteId, 'page', day(from), day(to));

describe('any mix of rows and segments', () => {
  type Step =
    | { kind: 'count'; counts: Increment[] }
    | { kind: 'pack'; today: number }
    | { kind: 'pack a little'; today: number; pieces: number }
    | { kind: 'pack open day' }
    | { kind: 'remove'; day: number };

  const anyDay = fc.integer({ min: FIRST, max: LAST });
  const counts = fc.array(
    fc.record({
      name: fc.constantFrom<StatName>('page', 'browser', 'visitor'),
      day: anyDay,
      value: fc.constantFrom(...VALUES),
      hits: fc.integer({ min: 1, max: 500 }),
    }),
    { minLength: 1, maxLength: 30, size: 'max' },
  );
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('count' as const), counts }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('pack' as const), today: anyDay }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('pack a little' as const),
        today: anyDay,
        pieces: fc.integer({ min: 1, max: 12 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('pack open day' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), day: anyDay }) },
  );
  const range = fc.tuple(anyDay, anyDay).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

  it('says what the plain sum of its days is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 10 }),
        fc.array(range, { minLength: 8, maxLength: 8 }),
        async (steps, ranges) => {
          await another();
          const model = new Map<string, Increment>();
          for (const taken of steps) {
            await take(taken, model);
            const [first] = ranges;
            await expectLike(model, first!);
          }
          for (const asked of [...ranges, { from: 0, to: day('9999-12-31') }]) await expectLike(model, asked);
        },
      ),
      { numRuns: 12 },
    );
  });

  async function take(step: Step, model: Map<string, Increment>): Promise<void> {
    if (step.kind === 'pack') await pack(step.today);
    else if (step.kind === 'pack a little') await packSmallPieces(step.today, step.pieces);
    else if (step.kind === 'pack open day') await packOpenDay(one.database, await lease(), 1);
    else if (step.kind === 'remove') {
      await remove(step.day);
      for (const [key, counted] of model) if (counted.day === step.day) model.delete(key);
    } else {
      const together = sumUp(step.counts);
      await count(together);
      for (const counted of together) {
        const key = JSON.stringify([counted.name, counted.day, counted.value]);
        model.set(key, { ...counted, hits: counted.hits + (model.get(key)?.hits ?? 0) });
      }
    }
  }

  /** Read twice: what is kept of closed ranges has to say the same, in both processes. */
  async function expectLike(model: Map<string, Increment>, { from, to }: { from: number; to: number }) {
    for (const name of ['page', 'browser', 'visitor'] as const) {
      const expected: Record<string, number> = {};
      for (const counted of model.values())
        if (counted.name === name && counted.day >= from && counted.day <= to)
          expected[counted.value] = (expected[counted.value] ?? 0) + counted.hits;
      for (const process of [one, one, other])
        expect(await process.counted(websiteId, name, from, to)).toEqual(expected);
    }
  }
});

function sumUp(counts: Increment[]): Increment[] {
  const sums = new Map<string, Increment>();
  for (const counted of counts) {
    const key = JSON.stringify([counted.name, counted.day, counted.value]);
    sums.set(key, { ...counted, hits: counted.hits + (sums.get(key)?.hits ?? 0) });
  }
  return [...sums.values()];
}

it('leaves no row of a closed day, keeps those of today, and stops when it is done', async () => {
  await count([hit('2026-01-31'), hit('2026-02-01'), hit('2026-02-02')]);
  expect(await pack(day('2026-02-02'))).toBeGreaterThan(0);
  expect(await rows('stat_counters')).toBe(1);
  expect(await pack(day('2026-02-02'))).toBe(0);
  expect(await pages('2026-01-01', '2026-12-31')).toEqual({ '/a': 3 });
});

it('puts the days of a small website together when their month is over', async () => {
  for (let date = FIRST; date < FIRST + 10; date++) {
    await count([hit(dayText(date))]);
    await pack(date + 1);
  }
  expect(await rows('stat_segments')).toBe(10);
  await pack(day('2026-02-01'));
  expect(await rows('stat_segments')).toBe(2);
  expect(await pages('2026-01-22', '2026-01-24')).toEqual({ '/a': 3 });
});

describe('a piece that was prepared', () => {
  const today = day('2026-02-01');
  const afterPreparation = (change: () => Promise<void>) => {
    const write = one.database.write.bind(one.database);
    jest.spyOn(one.database, 'write').mockImplementationOnce(async (work) => {
      await change();
      return write(work);
    });
  };
  afterEach(() => jest.restoreAllMocks());

  it('is not written where a segment that it replaces is gone', async () => {
    await count([hit('2026-01-20')]);
    await pack(today);
    await count([hit('2026-01-20', '/late')]);
    const held = await lease();
    afterPreparation(() => other.execute('DELETE FROM stat_segments WHERE website_id = ?', [websiteId]));
    await expect(packSome(one.database, held, { today, keptFrom: 0 })).rejects.toThrow(SegmentsChanged);
    expect(await rows('stat_counters')).toBe(1);
    expect(await rows('stat_segments')).toBe(0);
  });

  it('is not written where a row that it moves is gone', async () => {
    await count([hit('2026-01-20'), hit('2026-01-20', '/b')]);
    await packSome(one.database, await lease(), { today, keptFrom: 0 });
    const held = await lease();
    const deletion = 'DELETE FROM stat_counters WHERE website_id = ? AND value_id = 1';
    afterPreparation(() => other.execute(deletion, [websiteId]));
    await expect(packSome(one.database, held, { today, keptFrom: 0 })).rejects.toThrow(SegmentsChanged);
    expect([await rows('stat_counters'), await rows('stat_segments')]).toEqual([1, 0]);
  });
});

describe('an open day', () => {
  const today = day('2026-02-02');
  const few = MAX_OPEN_ROWS / 2;
  const values = (from: number, size: number) =>
    Array.from({ length: size }, (_, index) => hit('2026-02-02', `/${from + index}`));
  const packOpen = async (leastRows?: number) => packOpenDay(one.database, await lease(), leastRows);

  it('is packed once it has many rows, and still adds up while more come', async () => {
    await count(values(0, few));
    await pack(today);
    expect(await packOpen()).toBe(false);
    await count(values(few, few));
    expect(await total()).toBe(2 * few);
    expect(await packOpen()).toBe(true);
    expect(await rows('stat_counters')).toBe(0);
    expect([await total(), await total(other)]).toEqual([2 * few, 2 * few]);
    await count(values(0, 10));
    expect([await total(), await total(other)]).toEqual([2 * few + 10, 2 * few + 10]);
    await packOpen(1);
    expect([await total(), await total(other)]).toEqual([2 * few + 10, 2 * few + 10]);
  });

  it('is closed and merged like any other', async () => {
    await count([hit('2026-02-01'), hit('2026-02-02', '/a', 2)]);
    await pack(today);
    await packOpen(1);
    await count([hit('2026-02-02', '/b', 3)]);
    await pack(day('2026-03-01'));
    expect(await rows('stat_counters')).toBe(0);
    expect(await pages('2026-02-01', '2026-02-28')).toEqual({ '/a': 3, '/b': 3 });
    expect(await pages('2026-02-02', '2026-02-02')).toEqual({ '/a': 2, '/b': 3 });
  });

  it('can be counted again', async () => {
    await count([hit('2026-02-01'), hit('2026-02-02', '/a', 2)]);
    await pack(today);
    await packOpen(1);
    await count([hit('2026-02-02', '/b', 3)]);
    expect(await pages('2026-02-02', '2026-02-02', other)).toEqual({ '/a': 2, '/b': 3 });
    await remove(today);
    expect(await pages('2026-02-01', '2026-02-02', other)).toEqual({ '/a': 1 });
  });

  it('is left alone by a packer that lost its lease', async () => {
    await count([hit('2026-02-01'), hit('2026-02-02')]);
    await pack(today);
    const paused = await lease();
    await lease();
    await expect(packOpenDay(one.database, paused, 1)).rejects.toThrow(LeaseLost);
    expect(await pages('2026-02-01', '2026-02-02')).toEqual({ '/a': 2 });
  });

  const total = async (process = one) => {
    const selection = { name: 'page', range: { from: today, to: today } } as const;
    return (await process.read(websiteId, (snapshot) => snapshot.sums(selection))).total();
  };
});

describe('what comes late to a closed day', () => {
  it('counts at once, and after it is packed, by the day and by the month', async () => {
    await count([hit('2026-01-20'), hit('2026-01-25')]);
    await pack(day('2026-03-01'));
    await count([hit('2026-01-20', '/late', 2), hit('2026-01-28', '/late', 3), hit('2026-01-20', '/a', 4)]);
    const expectAll = async () => {
      expect(await pages('2026-01-20', '2026-01-20')).toEqual({ '/a': 5, '/late': 2 });
      expect(await pages('2026-01-01', '2026-01-31')).toEqual({ '/a': 6, '/late': 5 });
      expect(await pages('2026-01-01', '2026-02-15')).toEqual({ '/a': 6, '/late': 5 });
    };
    await expectAll();
    await pack(day('2026-03-01'));
    expect(await rows('stat_counters')).toBe(0);
    await expectAll();
  });

  it('is in what another process kept in its memory', async () => {
    await count([hit('2026-01-20')]);
    await pack(day('2026-03-01'));
    expect(await pages('2026-01-01', '2026-01-31', other)).toEqual({ '/a': 1 });
    await count([hit('2026-01-20')]);
    expect(await pages('2026-01-01', '2026-01-31', other)).toEqual({ '/a': 2 });
    await remove(day('2026-01-20'));
    expect(await pages('2026-01-01', '2026-01-31', other)).toEqual({});
  });

  it('to a name that had nothing in a month that is packed makes its sum', async () => {
    await count([hit('2026-01-20')]);
    await pack(day('2026-03-01'));
    await count([hit('2026-01-21', 'signup', 2, 'event')]);
    await pack(day('2026-03-01'));
    expect(await one.counted(websiteId, 'event', day('2026-01-01'), day('2026-01-31'))).toEqual({
      signup: 2,
    });
  });
});

it('takes days back when the time zone moved the clock back over midnight', async () => {
  await count([hit('2026-01-31')]);
  await pack(day('2026-02-01'));
  await count([hit('2026-01-31')]);
  await pack(day('2026-01-31'));
  expect(await pages('2026-01-31', '2026-01-31')).toEqual({ '/a': 2 });
  await count([hit('2026-02-01')]);
  await pack(day('2026-02-02'));
  expect(await pages('2026-01-31', '2026-02-01')).toEqual({ '/a': 3 });
});

it('gives up the days before those that are kept, also in the sums of months', async () => {
  await count([hit('2026-01-20'), hit('2026-01-25'), hit('2026-02-01'), hit('2026-02-27', '/b')]);
  await pack(day('2026-04-01'));
  await pack(day('2026-04-02'), day('2026-02-02'));
  expect(await pages('2026-01-01', '2026-12-31')).toEqual({ '/b': 1 });
  expect(await pages('2026-02-01', '2026-02-28')).toEqual({ '/b': 1 });
});

it('gives up a month that is damaged as well', async () => {
  await count([hit('2026-01-20'), hit('2026-01-31'), hit('2026-02-01'), hit('2026-02-27', '/b')]);
  await pack(day('2026-04-01'));
  expect(await pages('2026-01-01', '2026-12-31')).toEqual({ '/a': 3, '/b': 1 });
  await one.execute('UPDATE stat_segments SET data = ? WHERE website_id = ? AND day < ?', [
    Buffer.of(0),
    websiteId,
    day('2026-02-01'),
  ]);
  await count([hit('2026-01-20')]);
  await pack(day('2026-04-02'), day('2026-02-02'));
  expect(await pages('2026-01-01', '2026-12-31')).toEqual({ '/b': 1 });
  expect(await rows('stat_counters')).toBe(0);
});

describe('beside another process', () => {
  const today = day('2026-03-01');
  const packOn = async (process: CountingProcess) => {
    await one.endLeases();
    const held = (await process.folderOf(websiteId))!.lease;
    while (await packSome(process.database, held, { today, keptFrom: 0 }));
  };

  it('a packer that wakes up after another took over packs nothing', async () => {
    await count([hit('2026-01-20')]);
    const paused = await lease();
    await packSome(one.database, paused, { today, keptFrom: 0 });
    await packOn(other);
    await count([hit('2026-01-20', '/late')]);
    await expect(packSome(one.database, paused, { today, keptFrom: 0 })).rejects.toThrow(LeaseLost);
    expect(await rows('stat_counters')).toBe(1);
    expect(await pages('2026-01-01', '2026-01-31')).toEqual({ '/a': 1, '/late': 1 });
  });

  it('a read that began before days were packed sees them once', async () => {
    await count([hit('2026-01-20', '/a', 3), hit('2026-02-20', '/a', 4)]);
    const total = (from: number, to: number) =>
      one.read(websiteId, async (snapshot) => {
        await packOn(other);
        return (await snapshot.sums({ name: 'page', range: { from, to } })).total();
      });
    expect(await total(FIRST, LAST)).toBe(7);
    await count([hit('2026-01-20', '/a', 5)]);
    expect(await total(day('2026-01-01'), day('2026-01-31'))).toBe(8);
    expect(await pages('2026-01-01', '2026-01-31')).toEqual({ '/a': 8 });
  });
});

describe('a packer that is killed', () => {
  const counts = STAT_NAMES.flatMap((name) => [
    hit('2026-01-20', '/a', 2, name),
    hit('2026-01-21', '/b', 3, name),
    hit('2026-02-03', '/a', 5, name),
  ]);
  const expectAll = async () => {
    for (const name of STAT_NAMES) {
      expect(await one.counted(websiteId, name, FIRST, LAST)).toEqual({ '/a': 7, '/b': 3 });
      expect(await one.counted(websiteId, name, day('2026-01-01'), day('2026-01-31'))).toEqual({
        '/a': 2,
        '/b': 3,
      });
      expect(await one.counted(websiteId, name, FIRST, FIRST)).toEqual({ '/a': 2 });
    }
  };

  it('before any of its statements has changed no count, and the next one goes on', async () => {
    await count(counts);
    for (let survived = 0, ended = false; !ended; survived++) {
      ended = await packUntil(survived);
      if (survived % 7 === 0 || ended) await expectAll();
    }
    expect(await pack(day('2026-03-01'))).toBe(0);
    expect(await rows('stat_counters')).toBe(0);
  });

  /** A packer that dies before one of the statements that it writes with; true where it came to its end. */
  async function packUntil(survived: number): Promise<boolean> {
    await one.endLeases();
    const dying = await CountingProcess.start(database.url);
    let left = survived;
    const write = dying.database.write.bind(dying.database);
    const held = (await dying.folderOf(websiteId))!.lease;
    dying.database.write = (work, patience) =>
      write(async (manager) => {
        const query = manager.query.bind(manager);
        manager.query = ((...statement: Parameters<typeof query>) => {
          if (left-- <= 0) throw new Killed();
          return query(...statement);
        }) as typeof query;
        try {
          return await work(manager);
        } finally {
          manager.query = query;
        }
      }, patience);
    try {
      while (await packSome(dying.database, held, { today: day('2026-03-01'), keptFrom: 0 }));
      return true;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      return false;
    } finally {
      await dying.stop();
    }
  }

  class Killed extends Error {}
});

describe('a segment that is damaged', () => {
  it('is an error that names it wherever it is needed, and nowhere else', async () => {
    await count([hit('2026-01-20'), hit('2026-02-20'), hit('2026-01-20', 'Firefox', 1, 'browser')]);
    await pack(day('2026-04-01'));
    await one.execute('UPDATE stat_segments SET data = ? WHERE website_id = ? AND name = 3 AND day = ?', [
      Buffer.from('01ffffffff000101', 'hex'),
      websiteId,
      day('2026-01-20'),
    ]);
    await expect(pages('2026-01-20', '2026-01-25')).rejects.toThrow(DamagedSegment);
    await expect(pages('2026-01-20', '2026-01-25')).rejects.toThrow(/page in the days from 2026-01-20/);
    expect(await pages('2026-01-01', '2026-01-31')).toEqual({ '/a': 1 });
    expect(await pages('2026-02-20', '2026-02-20')).toEqual({ '/a': 1 });
    expect(await one.counted(websiteId, 'browser', FIRST, LAST)).toEqual({ Firefox: 1 });
  });

  it('is named when something late cannot be packed into it', async () => {
    await count([hit('2026-01-20')]);
    await pack(day('2026-01-26'));
    await one.execute('UPDATE stat_segments SET data = ? WHERE website_id = ?', [Buffer.of(0), websiteId]);
    await count([hit('2026-01-20')]);
    await one.endLeases();
    await expect(packAll(one.counting, websiteId, day('2026-01-26'))).rejects.toMatchObject({
      detail: expect.stringContaining('page in the days from 2026-01-20'),
    });
    expect(await rows('stat_counters')).toBe(1);
  });
});

describe('what the archive mends', () => {
  const MONTH = day('2026-01-01');
  const visit = (date: string, page: string, visitor: string) => ({
    ...pageView(page, visitor),
    day: day(date),
  });
  const month = (name: StatName) => other.counted(websiteId, name, MONTH, day('2026-01-31'));
  const damage = (condition: string) =>
    one.execute(`UPDATE stat_segments SET data = ? WHERE website_id = ? AND ${condition}`, [
      Buffer.from('01ffffffff000101', 'hex'),
      websiteId,
    ]);

  beforeEach(async () => {
    await one.accept(
      websiteId,
      visit('2026-01-20', '/a', 'a'),
      visit('2026-01-20', '/b', 'a'),
      visit('2026-01-25', '/a', 'b'),
    );
    await (await one.folderOf(websiteId))!.foldSome();
  });

  async function mend(): Promise<void> {
    const recount = one.recount();
    await recount.repair(websiteId, () => undefined);
    expect(await recount.problems(websiteId, () => undefined)).toEqual([]);
  }

  it('is right again where several segments of a month are damaged, days and sums', async () => {
    await pack(day('2026-01-26'));
    await damage('name IN (3, 7)');
    await pack(day('2026-02-01')).catch(() => undefined);
    await mend();
    await pack(day('2026-02-01'));
    await damage('name IN (3, 7, 13)');
    await mend();
    expect(await month('page')).toEqual({ '/a': 2, '/b': 1 });
    expect(await month('browser')).toEqual({ Firefox: 2 });
    expect(await pages('2026-01-20', '2026-01-20')).toEqual({ '/a': 1, '/b': 1 });
  });

  it('is not answered from what a process kept of it before', async () => {
    await pack(day('2026-02-01'));
    const key = { websiteId, name: 3, span: SPANS.month, day: MONTH, part: 0 };
    const wrong = new Sums();
    wrong.add(1, 99);
    await one.execute(
      'UPDATE stat_segments SET data = ? WHERE website_id = ? AND name = 3 AND span = 2 AND day = ?',
      [encodeSegment(key, [packSection(MONTH, wrong, wrong.ids())]), websiteId, MONTH],
    );
    expect(await month('page')).toEqual({ '/a': 99 });
    await mend();
    expect(await month('page')).toEqual({ '/a': 2, '/b': 1 });
  });
});
