import { TurnEnded } from '../../../engine/columns/upkeep/column-work';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { EntityDatabase } from '../../../src/database/entity-database';
import { insertAll } from '../../../engine/database/rows';
import { monthOf } from '../../../engine/hits/calendar';
import { DIMENSIONS, type StatName } from '../../../engine/hits/stat-names';
import { GenerationChanged, NextGeneration } from '../../../engine/columns/rollups/generation';
import { addSection, RollupBuilder, SPANS } from '../../../engine/columns/rollups/rollup-format';
import {
  noteGivenUpDays,
  limitedBit,
  readLimitedDays,
  nameSpan,
  removeSomeRollupRows,
  removeSpans,
  rollupInsertion,
  readRollup,
  readRollups,
  readSpans,
  findUnnamedRollups,
  findDaysNotGivenUp,
} from '../../../engine/columns/rollups/rollup-rows';
import { TextsChanged, writeTexts } from '../../../engine/columns/rollups/texts/text-rows';
import {
  removeSomeTexts,
  readTexts,
  findUnnamedGenerations,
} from '../../../engine/columns/rollups/texts/value-texts';
import { Sums } from '../../../engine/hits/sums';
import { OTHER } from '../../../engine/hits/rules/value-limits';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { type Counts, daysOfMonth, openDatabase, Rollups } from '../../support/rollups';

/** 2024-10-01, the first day of two months. */
const MONTH = 19_997;
const NEXT_MONTH = monthOf(MONTH, 1);
const DAYS = [...daysOfMonth(MONTH), ...daysOfMonth(NEXT_MONTH)];
const LAST_DAY = DAYS.at(-1)!;
const EVER = { from: 0, to: 1_000_000 };
const ALL = { months: undefined, days: [EVER] };

let fresh: FreshDatabase;
let database: EntityDatabase;
let websiteId = 100;
let rollups: Rollups;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url);
});
beforeEach(async () => {
  rollups = new Rollups(database, ++websiteId);
  await rollups.begin();
});
afterAll(async () => {
  await database.writer.destroy();
  await fresh.drop();
});

const query = <Row>(sql: string, parameters: unknown[] = []) =>
  database.write((manager) => manager.query<Row[]>(sql, parameters));
const summed = (all: Record<string, number>[]) => {
  const sums: Record<string, number> = {};
  for (const own of all)
    for (const [value, count] of Object.entries(own)) sums[value] = (sums[value] ?? 0) + count;
  return sums;
};
const total = (counts: Record<string, number>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
const textRowsOf = (name: StatName) =>
  query<{ generation: number; first_code: number; size: number; bytes: number }>(
    `SELECT generation, first_code, size, LENGTH(data) AS bytes FROM value_texts
    WHERE website_id = ? AND name = ? ORDER BY generation, first_code`,
    [websiteId, DIMENSIONS[name].code],
  );

describe('what was counted at random', () => {
  const NAMES = ['page', 'city', 'browser', 'event'] as const;
  const values = Array.from({ length: 300 }, (_, index) => `/${'ä'.repeat(index % 7)}${index}`);
  const ofDay = fc.dictionary(fc.constantFrom(...values), fc.integer({ min: 1, max: 100_000 }), {
    maxKeys: 60,
    size: 'max',
  });
  const counts = fc.record(Object.fromEntries(NAMES.map((name) => [name, ofDay]))) as fc.Arbitrary<Counts>;
  const days = fc.array(fc.record({ counts, isSmall: fc.boolean() }), {
    minLength: DAYS.length,
    maxLength: DAYS.length,
  });

  it('is read back by days and by months, and by both', async () => {
    await fc.assert(
      fc.asyncProperty(days, async (all) => {
        rollups = new Rollups(database, ++websiteId);
        await rollups.begin();
        const model = new Map<number, Counts>();
        for (const [index, { counts, isSmall }] of all.entries()) {
          const day = DAYS[index]!;
          model.set(day, { ...counts, pageview: { [day]: index + 1 } });
          if (!isSmall) await rollups.write(day, model.get(day)!);
        }
        const smallDays = DAYS.filter((_, index) => all[index]!.isSmall);
        const small = smallDays.filter((day) => day < NEXT_MONTH).map((day) => model.get(day)!);
        await rollups.writeMonth(MONTH, small);
        const [month] = await readSpans(database, websiteId, SPANS.month, 0, LAST_DAY);
        expect([month!.day, month!.hits]).toEqual([MONTH, NEXT_MONTH - MONTH]);

        const days = { from: NEXT_MONTH + 3, to: LAST_DAY - 3 };
        const months = { from: MONTH, to: MONTH };
        for (const name of [...NAMES, 'pageview'] as const) {
          const of = (days: number[]) => summed(days.map((day) => model.get(day)![name]!));
          const ofMonth = DAYS.filter((day) => day < NEXT_MONTH);
          const ofDays = DAYS.filter((day) => day >= days.from && day <= days.to && !smallDays.includes(day));
          expect(await rollups.read(name, { months, days: [] })).toEqual(of(ofMonth));
          expect(await rollups.read(name, { months: undefined, days: [days] })).toEqual(of(ofDays));
          expect(await rollups.read(name, { months, days: [days] })).toEqual(of([...ofMonth, ...ofDays]));
        }
      }),
      { numRuns: 3 },
    );
  });
});

it('keeps the largest counts of a day, and says on which days it did', async () => {
  rollups = new Rollups(database, websiteId, { all: 1000, textBytes: Infinity, newPerDay: 2 });
  await rollups.write(MONTH, { page: { '/a': 1, '/b': 5, '/c': 1, '/d': 1 }, event: { one: 1, two: 1 } });
  await rollups.write(MONTH + 1, { page: { '/a': 1, '/b': 5 } });
  expect(await rollups.read('page', { months: undefined, days: [{ from: MONTH, to: MONTH }] })).toEqual({
    '/a': 1,
    '/b': 5,
    [OTHER]: 2,
  });
  const days = { from: MONTH, to: MONTH + 5 };
  expect(await readLimitedDays(database, websiteId, 'page', days)).toEqual([MONTH]);
  expect(await readLimitedDays(database, websiteId, 'event', days)).toEqual([]);

  await rollups.writeMonth(MONTH, [{ event: { one: 1, two: 1, three: 3 } }]);
  const [month] = await readSpans(database, websiteId, SPANS.month, MONTH, MONTH);
  expect(month!.limited).toBe(limitedBit('page') | limitedBit('event'));
  expect(await rollups.read('event', { months: { from: MONTH, to: MONTH }, days: [] })).toEqual({
    one: 2,
    two: 1,
    three: 3,
    [OTHER]: 1,
  });
});

it('reads names with very many values, and very many days, in pieces', async () => {
  const many = new Sums();
  for (let code = 0; code < 600_000; code++) many.add(code, 2 ** 50);
  const write = async (span: number, day: number, sums: Sums) => {
    const key = { websiteId, span, day, number: rollups.nextNumber() };
    const builder = new RollupBuilder(key);
    builder.add(DIMENSIONS.pageview.code, sums);
    await insertAll(database.writer.manager, [rollupInsertion(builder.rows())]);
    await database.write((manager) => nameSpan(manager, { ...key, hits: 1, limited: 0 }));
    return key;
  };
  const one = new Sums();
  one.add(0, 1);
  for (let day = 1; day <= 1100; day++) await write(SPANS.day, day, one);
  const key = await write(SPANS.month, MONTH, many);

  const sums = new Sums();
  let [pieces, largest] = [0, 0];
  const ranges = { months: { from: MONTH, to: MONTH }, days: [EVER] };
  for await (const sections of readRollups(database, websiteId, 'pageview', ranges)) {
    pieces++;
    largest = Math.max(
      largest,
      sections.reduce((sum, { pairs }) => sum + pairs.length, 0),
    );
    for (const section of sections) addSection(sums, section);
  }
  expect([sums.counts[0], sums.counts[599_999]]).toEqual([2 ** 50 + 1100, 2 ** 50]);
  expect(pieces).toBeGreaterThan(3);
  expect(largest).toBeLessThanOrEqual(4 * 1024 * 1024);

  const again = new Sums();
  for await (const { sections } of readRollup(database, key))
    for (const section of sections) addSection(again, section);
  expect(again.total()).toBe(many.total());
});

describe('texts', () => {
  const long = (size: number) =>
    Object.fromEntries(Array.from({ length: size }, () => [randomBytes(500).toString('hex'), 1]));

  it('fill the last row of their table up from day to day, and begin another one where it is full', async () => {
    const model: Record<string, number>[] = [];
    for (let day = MONTH; day < MONTH + 12; day++) {
      model.push(long(40));
      await rollups.write(day, { page: model.at(-1)! });
    }
    const rows = await textRowsOf('page');
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.length).toBeLessThan(8);
    let next = 0;
    for (const { first_code, size } of rows) {
      expect(first_code).toBe(next);
      next += size;
    }
    expect(next).toBe(12 * 40);
    expect(await rollups.read('page', ALL)).toEqual(summed(model));
  });

  it('are read from any code on', async () => {
    await rollups.write(MONTH, { page: long(300) });
    const generation = await rollups.generation();
    const all = await database.read((manager) => rollups.textsOf(manager, 'page', generation));
    for (const from of [0, 1, 150, 299, 300]) {
      const read: string[] = [];
      for await (const { firstCode, bytes, ends } of readTexts(
        database,
        websiteId,
        generation,
        'page',
        from,
      )) {
        expect(firstCode).toBe(from + read.length);
        for (let index = 0; index < ends.length; index++)
          read.push(bytes.toString('utf8', index === 0 ? 0 : ends[index - 1]!, ends[index]));
      }
      expect(read).toEqual(Array.from({ length: 300 - from }, (_, index) => all.textOf(from + index)));
    }
  });

  it('get codes in the order of their bytes, and keep them', async () => {
    await rollups.write(MONTH, { page: { '/b': 1, '/a': 1 } });
    await rollups.write(MONTH + 1, { page: { '/c': 1, '/0': 1, '/b': 1 } });
    const texts = await database.read((manager) => rollups.textsOf(manager, 'page', 0));
    expect(Array.from({ length: texts.size }, (_, code) => texts.textOf(code))).toEqual([
      '/a',
      '/b',
      '/0',
      '/c',
    ]);
  });

  it('that were written before a rollup that never was are found by the next one', async () => {
    const pages = long(1500);
    const ahead = await rollups.prepare(MONTH, { page: pages });
    if (ahead.isFull) throw new Error('there is room');
    expect(ahead.texts.length).toBeGreaterThan(3);
    for (const one of ahead.texts.slice(0, -1)) await database.write((manager) => writeTexts(manager, [one]));
    const again = await rollups.prepare(MONTH, { page: pages });
    if (again.isFull) throw new Error('there is room');
    expect(again.texts.map(({ row }) => row.firstCode)).toEqual([ahead.texts.at(-1)!.row.firstCode]);
    await rollups.name(SPANS.day, MONTH, again);
    expect(await rollups.read('page', ALL)).toEqual(pages);
  });

  it.each(['in the last row', 'in a row of their own'])(
    'are not written where somebody else has added some %s',
    async (where) => {
      if (where !== 'in the last row') await rollups.write(MONTH, { page: long(100) });
      const first = await rollups.prepare(MONTH + 1, { page: { '/a': 1 } });
      const second = await rollups.prepare(MONTH + 2, { page: { '/b': 1, '/c': 1 } });
      if (first.isFull || second.isFull) throw new Error('there is room');
      await rollups.name(SPANS.day, MONTH + 2, second);
      await expect(rollups.name(SPANS.day, MONTH + 1, first)).rejects.toThrow(TextsChanged);
      const added = { '/b': 1, '/c': 1 };
      expect(await rollups.read('page', { ...ALL, days: [{ from: MONTH + 1, to: LAST_DAY }] })).toEqual(
        added,
      );
    },
  );
});

describe('damage', () => {
  const READ = () => rollups.read('page', ALL);
  const change = (data: Buffer) => {
    const changed = Buffer.from(data);
    changed[changed.length - 1]! ^= 1;
    return changed;
  };

  it.each([
    [0, 'The rollup of all names on 2024-10-01 is damaged'],
    [DIMENSIONS.page.code, 'The rollup of page on 2024-10-01 is damaged'],
  ])('to a row of name %i is an error that says where', async (name, problem) => {
    const pages = Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`/${index}`, 1]));
    await rollups.write(MONTH, { page: pages });
    const where = 'WHERE website_id = ? AND name = ?';
    const [row] = await query<{ data: Buffer }>(`SELECT data FROM rollups ${where}`, [websiteId, name]);
    await query(`UPDATE rollups SET data = ? ${where}`, [change(row!.data), websiteId, name]);
    await expect(READ()).rejects.toThrow(`${problem} (website ${websiteId}, part 0).`);
    await query(`DELETE FROM rollups ${where}`, [websiteId, name]);
    await expect(READ()).rejects.toThrow(problem);
  });

  it('to a span that names the rollup of another one is noticed', async () => {
    await rollups.write(MONTH, { page: { '/a': 1 } });
    await query('UPDATE rollup_spans SET day = day + 1 WHERE website_id = ?', [websiteId]);
    await expect(READ()).rejects.toThrow('The rollup of all names on 2024-10-02 is damaged');
  });

  it('to texts is an error that says where, and so is a row that is missing', async () => {
    const pages = Array.from({ length: 900 }, () => [randomBytes(500).toString('hex'), 1] as const);
    await rollups.write(MONTH, { page: Object.fromEntries(pages) });
    const [, second] = await textRowsOf('page');
    const where = `WHERE website_id = ? AND first_code = ${second!.first_code}`;
    const [row] = await query<{ data: Buffer }>(`SELECT data FROM value_texts ${where}`, [websiteId]);
    const problem = `Values of page are damaged or missing (website ${websiteId}, from code ${second!.first_code} on).`;
    await query(`UPDATE value_texts SET data = ? ${where}`, [change(row!.data), websiteId]);
    await expect(READ()).rejects.toThrow(problem);
    await expect(rollups.write(MONTH + 1, { page: { '/': 1 } })).rejects.toThrow(problem);
    await query(`DELETE FROM value_texts ${where}`, [websiteId]);
    await expect(READ()).rejects.toThrow(problem);
  });
});

describe('a day that changes', () => {
  it('has no rollup any more, nor has its month, and what is left over goes', async () => {
    for (const day of [MONTH, MONTH + 1, NEXT_MONTH]) await rollups.write(day, { page: { '/a': 1 } });
    await rollups.writeMonth(MONTH);
    await rollups.writeMonth(NEXT_MONTH);
    expect(await findUnnamedRollups(database, websiteId)).toEqual([]);
    const [month] = await readSpans(database, websiteId, SPANS.month, MONTH, MONTH);
    const [day] = await readSpans(database, websiteId, SPANS.day, MONTH, MONTH);

    expect(await database.write((manager) => removeSpans(manager, websiteId, [MONTH, MONTH + 7]))).toBe(2);
    const left = async (span: number) =>
      (await readSpans(database, websiteId, span, 0, LAST_DAY)).map((own) => own.day);
    expect(await left(SPANS.day)).toEqual([MONTH + 1, NEXT_MONTH]);
    expect(await left(SPANS.month)).toEqual([NEXT_MONTH]);

    expect(await findUnnamedRollups(database, websiteId)).toEqual([day!.number, month!.number]);
    await removeLeftovers();
    expect(await findUnnamedRollups(database, websiteId)).toEqual([]);
    expect(await rollups.read('page', { ...ALL, months: EVER })).toEqual({ '/a': 3 });
  });

  it('may get another rollup', async () => {
    await rollups.write(MONTH, { page: { '/a': 1 } });
    await rollups.write(MONTH, { page: { '/a': 2, '/b': 1 } });
    expect(await rollups.read('page', ALL)).toEqual({ '/a': 2, '/b': 1 });
    expect(await findUnnamedRollups(database, websiteId)).toHaveLength(1);
  });
});

async function removeLeftovers(): Promise<void> {
  for (const number of await findUnnamedRollups(database, websiteId))
    for (let isDone = false; !isDone;)
      isDone = await database.write((manager) => removeSomeRollupRows(manager, websiteId, number, 1));
  for (const generation of await findUnnamedGenerations(database, websiteId))
    for (let isDone = false; !isDone;)
      isDone = await database.write((manager) => removeSomeTexts(manager, websiteId, generation, 1));
}

describe('the next generation', () => {
  const next = (full: StatName[]) =>
    new NextGeneration(database, websiteId, full, rollups.nextNumber, rollups.limits, 1);
  const writePieces = async (generation: NextGeneration) => {
    let pieces = 0;
    for await (const insertions of generation.pieces()) {
      pieces++;
      await database.write((manager) => insertAll(manager, insertions));
    }
    return pieces;
  };
  const rewrite = async (full: StatName[]) => {
    const generation = next(full);
    await writePieces(generation);
    await database.write((manager) => generation.name(manager));
  };

  it('keeps the texts that are used, with all counts', async () => {
    const months = { from: MONTH, to: NEXT_MONTH };
    for (const [index, day] of DAYS.entries())
      await rollups.write(day, {
        page: { [`/${index}`]: 1, '/every/day': index + 1 },
        city: { Berlin: 2 },
        pageview: { [day]: index + 2 },
      });
    await rollups.writeMonth(MONTH, [{ page: { '/only/in/months': 3 } }]);
    await database.write((manager) => removeSpans(manager, websiteId, DAYS.slice(-10)));
    const names = ['page', 'city', 'pageview', 'event'] as const;
    const read = async () =>
      Promise.all(
        names.flatMap((name) => [rollups.read(name, ALL), rollups.read(name, { months, days: [] })]),
      );
    const before = await read();

    await rewrite([]);
    expect(await read()).toEqual(before);
    expect(await rollups.generation()).toBe(1);
    expect(await findUnnamedGenerations(database, websiteId)).toEqual([0]);
    await removeLeftovers();
    expect(await read()).toEqual(before);
    const texts = await database.read((manager) => rollups.textsOf(manager, 'page', 1));
    expect(texts.find('/only/in/months')).toBeGreaterThanOrEqual(0);
    expect(texts.find(`/${DAYS.length - 1}`)).toBe(-1);
    expect(await rollups.write(LAST_DAY, { page: { '/every/day': 1, '/new': 1 } })).toBe(true);
    expect((await rollups.read('page', ALL))['/new']).toBe(1);
  });

  it('has the half of a full table that counts most, and counts other values as (other)', async () => {
    rollups = new Rollups(database, websiteId, { all: 20, textBytes: Infinity, newPerDay: 9 });
    const counts = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`/${index}`, 10 + index]));
    const rare = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`/rare/${index}`, 1 + index]));
    await rollups.write(MONTH, { page: counts, city: { Berlin: 1 } });
    await rollups.write(MONTH + 1, { page: rare });
    await rollups.writeMonth(MONTH);
    const full = await rollups.prepare(MONTH + 2, { page: { '/x': 1, '/y': 2, '/z': 3 } });
    expect(full).toEqual({ isFull: true, names: ['page'] });

    await rewrite(['page']);
    const kept = { ...counts, [OTHER]: total(rare) };
    expect(await rollups.read('page', ALL)).toEqual(kept);
    expect(await rollups.read('page', { months: EVER, days: [] })).toEqual(kept);
    expect(await rollups.read('city', ALL)).toEqual({ Berlin: 1 });
    expect(await readLimitedDays(database, websiteId, 'page', EVER)).toEqual([MONTH + 1]);
    expect(await rollups.write(MONTH + 2, { page: rare })).toBe(true);
    expect(await rollups.read('page', ALL)).toEqual(summed([kept, rare]));
  });

  it('has as much of a table that is full of bytes, so that there is room for any day', async () => {
    rollups = new Rollups(database, websiteId, { all: 1000, textBytes: 100, newPerDay: 9 });
    const long = (name: string, size: number, least: number) =>
      Object.fromEntries(
        Array.from({ length: size }, (_, index) => [`/${name}/${index}`.padEnd(20, '-'), least + index]),
      );
    const counts = long('often', 4, 10);
    await rollups.write(MONTH, { page: counts });
    const more = { page: long('more', 8, 1) };
    expect(await rollups.prepare(MONTH + 1, more)).toEqual({ isFull: true, names: ['page'] });

    await rewrite(['page']);
    const [third, fourth] = Object.keys(counts).slice(2) as [string, string];
    const kept = { [third]: 12, [fourth]: 13, [OTHER]: 21 };
    expect(await rollups.read('page', ALL)).toEqual(kept);
    expect(await rollups.write(MONTH + 1, more)).toBe(true);
    expect(await rollups.read('page', ALL)).toEqual({ ...kept, ...more.page });
  });

  it('ends wherever it pauses, once the lease is lost', async () => {
    await rollups.write(MONTH, { page: { '/a': 1, '/b': 2 }, city: { Berlin: 1 } });
    let left = Infinity;
    const pause = () => (--left === 0 ? Promise.reject(new TurnEnded()) : Promise.resolve());
    const made = () =>
      writePieces(
        new NextGeneration(
          database,
          websiteId,
          ['page'],
          rollups.nextNumber,
          rollups.limits,
          1,
          false,
          pause,
        ),
      );
    left = 1000;
    await made();
    const pauses = 1000 - left;
    expect(pauses).toBeGreaterThan(5);
    for (let last = 1; last <= pauses; last++) {
      left = last;
      await expect(made()).rejects.toThrow(TurnEnded);
    }
  });

  it('leaves spans alone that were removed meanwhile, and is not named beside new ones', async () => {
    for (const day of [MONTH, MONTH + 1]) await rollups.write(day, { page: { [`/${day}`]: 1 } });
    const generation = next([]);
    await writePieces(generation);
    await database.write((manager) => removeSpans(manager, websiteId, [MONTH]));
    await rollups.write(NEXT_MONTH, { page: { '/new': 1 } });
    await expect(database.write((manager) => generation.name(manager))).rejects.toThrow(GenerationChanged);
    expect(await rollups.generation()).toBe(0);

    await database.write((manager) => removeSpans(manager, websiteId, [NEXT_MONTH]));
    await database.write((manager) => generation.name(manager));
    expect(await rollups.read('page', ALL)).toEqual({ [`/${MONTH + 1}`]: 1 });
  });

  it('leaves days given up that were', async () => {
    await rollups.write(MONTH, { page: { '/a': 1 } });
    await database.write((manager) => noteGivenUpDays(manager, websiteId, [MONTH + 1]));
    await rewrite([]);
    expect(await findDaysNotGivenUp(database, websiteId, [MONTH, MONTH + 1])).toEqual([MONTH]);
    expect(await rollups.read('page', ALL)).toEqual({ '/a': 1 });
  });

  it('begins anew where an attempt before broke off', async () => {
    await rollups.write(MONTH, { page: { '/a': 1 } });
    await writePieces(next([]));
    await rewrite([]);
    expect(await rollups.generation()).toBe(2);
    expect(await rollups.read('page', ALL)).toEqual({ '/a': 1 });
    expect(await findUnnamedGenerations(database, websiteId)).toEqual([0, 1]);
  });

  it('is not made of texts that are missing', async () => {
    await rollups.write(MONTH, { page: { '/a': 1 } });
    await query('DELETE FROM value_texts WHERE website_id = ?', [websiteId]);
    await expect(writePieces(next([]))).rejects.toThrow('Values of page are damaged or missing');
  });
});
