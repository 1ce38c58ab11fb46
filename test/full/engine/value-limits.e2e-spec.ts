import fc from 'fast-check';
import { yieldIfNeeded } from '../../../engine/ground/time/yield-if-needed';
import { Settings } from '../../../src/config/settings';
import { readClosedDays } from '../../../engine/columns/closed-days';
import type { Hit } from '../../../engine/hits/hit';
import { readColumnDay } from '../../../engine/columns/segments/hit-segments';
import type { Reading } from '../../../engine/database/rows';
import { readCountsOfDay } from '../../../engine/columns/rollups/day-counts';
import { Sums } from '../../../engine/hits/sums';
import { OTHER, type ValueLimits } from '../../../engine/hits/rules/value-limits';
import { CountingProcess, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { selectedPages } from '../../support/hit-answers';

/** A generation has room for the values of two days, and for `(other)`. */
const LIMITS: ValueLimits = { all: 12, textBytes: Infinity, newPerDay: 5 };
const WHILE_OPEN = 4 * LIMITS.newPerDay;
const DAY = TODAY - 10;
const SETTINGS = new Settings({ NEW_VALUES_PER_DAY: `${LIMITS.newPerDay}` });

let database: FreshDatabase;
let one: CountingProcess;
/** It has cached nothing that the first process has read. */
let other: CountingProcess;
let site = 0;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url, LIMITS);
});
beforeEach(async () => {
  await one.register(++site);
  other = await CountingProcess.start(database.url, LIMITS);
});
afterEach(() => other.stop());
afterAll(async () => {
  await one.stop();
  await database.drop();
});

type Counts = Record<string, number>;

const hitsOf = (pages: string[], day = DAY): Hit[] => pages.map((page) => pageViewOn(day, page, 'a'));
const count = (pages: string[], day = DAY) => one.count(site, hitsOf(pages, day), 3);
const pages = (from = DAY, to = from) => one.counted(site, 'page', from, to);
const named = (letter: string, size: number) =>
  Array.from({ length: size }, (_, index) => `/${letter}${index}`);
const times = (size: number, value: string) => Array<string>(size).fill(value);
const eachOnce = (values: string[]): Counts => Object.fromEntries(values.map((value) => [value, 1]));
const limitedDays = (from = DAY, to = from) =>
  one.read(site, async (snapshot) => (await snapshot.count('page', { from, to })).limitedDays);
const version = async () => (await one.database.read((manager) => readClosedDays(manager, site))).version;
const totalOf = (counts: Counts) => Object.values(counts).reduce((sum, hits) => sum + hits, 0);
const verified = (day = DAY) => one.verification(SETTINGS).verifyDay(site, day, () => undefined);

function tally(values: string[]): Counts {
  const counts: Counts = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** The values of a sealed day: the largest counts, and among equal counts the first values. */
function limited(counts: Counts): Counts {
  const { [OTHER]: other = 0, ...values } = counts;
  const inOrder = Object.entries(values).sort(
    ([one, count], [another, more]) => more - count || Buffer.compare(Buffer.from(one), Buffer.from(another)),
  );
  const [kept, left] = [inOrder.slice(0, LIMITS.newPerDay), inOrder.slice(LIMITS.newPerDay)];
  const beyond = other + left.reduce((sum, [, hits]) => sum + hits, 0);
  return { ...Object.fromEntries(kept), ...(beyond > 0 && { [OTHER]: beyond }) };
}

/** The values of an open day: the first ones. */
function openCounts(values: string[]): Counts {
  const kept = new Set<string>();
  return tally(
    values.map((value) => {
      if (kept.size < WHILE_OPEN) kept.add(value);
      return kept.has(value) ? value : OTHER;
    }),
  );
}

it('what a day keeps is a function of its hits, and sealing changes no sum', async () => {
  const page = fc.constantFrom(...named('a', 9), ...named('é', 9), ...named('b', 9), '/', OTHER);
  const some = fc.array(page, { minLength: 1, maxLength: 60, size: 'max' });
  await fc.assert(
    fc.asyncProperty(some, some, async (first, late) => {
      await one.register(++site);
      await count(first);
      expect([await pages(), await other.counted(site, 'page', DAY, DAY)]).toEqual([
        openCounts(first),
        openCounts(first),
      ]);
      const steps = [
        () => one.closeDays(site, DAY + 1),
        () => one.rollUpDays(site, DAY + 1),
        () => count(late),
        () => one.closeDays(site, DAY + 1),
        () => one.rollUpDays(site, DAY + 1),
      ];
      for (const [index, step] of steps.entries()) {
        await step();
        const all = index < 2 ? first : [...first, ...late];
        const counts = await pages();
        expect(counts).toEqual(limited(tally(all)));
        expect(await other.counted(site, 'page', DAY, DAY)).toEqual(counts);
        expect(totalOf(counts)).toBe(all.length);
        const values = new Set(all.filter((value) => value !== OTHER));
        expect(await limitedDays()).toBe(values.size > LIMITS.newPerDay ? 1 : 0);
        expect(await verified()).toEqual([]);
      }
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

describe('a day that goes on', () => {
  it('counts four times as many values by themselves as it keeps, and further ones together', async () => {
    const first = named('a', WHILE_OPEN - 1);
    await count([...first, '/last', '/more']);
    const before = { ...eachOnce([...first, '/last']), [OTHER]: 1 };
    expect([await pages(), await limitedDays()]).toEqual([before, 1]);
    await count(['/more', '/last', '/much-more']);
    expect(await pages()).toEqual({ ...before, '/last': 2, [OTHER]: 3 });
    await count(['/more'], DAY + 1);
    expect([await pages(DAY + 1), await limitedDays(DAY + 1)]).toEqual([{ '/more': 1 }, 0]);
    expect(await limitedDays(DAY - 5, DAY + 5)).toBe(1);
  });

  it('counts the same at once and hit by hit, also of values that visitors bring', async () => {
    const visitor = (number: number) => Buffer.alloc(8, number + 1).toString('base64url');
    const from = (number: number, referrer: string | null) =>
      pageViewOn(DAY, '/', '', { visitor: visitor(number), referrer });
    const hits = [
      ...named('host', WHILE_OPEN).map((referrer, index) => from(index, referrer)),
      ...[null, null, 'late.example'].map((referrer, index) => from(100 + index, referrer)),
    ];
    for (const hit of hits) {
      await one.count(site, [hit]);
      await one.counted(site, 'referrer', DAY, DAY);
    }
    const folder = (await one.folderOf(site))!;
    await folder.foldSome();
    await folder.mergeBatches();
    await folder.lease.release();
    const counts = await one.counted(site, 'referrer', DAY, DAY);
    expect(totalOf(counts)).toBe(hits.length);
    expect(counts['(direct)']).toBe(2);
    expect(await other.counted(site, 'referrer', DAY, DAY)).toEqual(counts);
  });

  it('gives values back from (other) when it is sealed, under another version', async () => {
    const rare = named('a', WHILE_OPEN);
    await count([...rare, ...times(3, '/late')]);
    expect(await pages()).toEqual({ ...eachOnce(rare), [OTHER]: 3 });
    const before = await version();
    await one.closeDays(site, DAY + 1);
    const { closedBefore } = await one.database.read((manager) => readClosedDays(manager, site));
    expect([(await version()) > before, closedBefore > DAY]).toEqual([true, true]);
    const sealed = limited(tally([...rare, ...times(3, '/late')]));
    expect(sealed).toMatchObject({ '/late': 3 });
    expect(await pages()).toEqual(sealed);
    const after = await version();
    await one.rollUpDays(site, DAY + 1);
    expect([await pages(), await version()]).toEqual([sealed, after]);
  });

  it('keeps its version when it is sealed where it has few hits', async () => {
    await count(named('a', LIMITS.newPerDay));
    const before = await version();
    await one.closeDays(site, DAY + 1);
    expect(await version()).toBe(before);
  });
});

it('gives values back where their bytes exceeded the limit of an open day, under another version', async () => {
  const usual = await CountingProcess.start(database.url);
  try {
    const pages = named(`${'long/'.repeat(400)}`, 8500);
    await usual.count(site, hitsOf(pages), 500);
    const counted = () => usual.counted(site, 'page', DAY, DAY);
    expect((await counted())[OTHER]).toBeGreaterThan(0);
    const before = await version();
    await usual.closeDays(site, DAY + 1);
    expect(await version()).toBeGreaterThan(before);
    // The largest counts come first.
    expect(new Set(Object.values(await counted()))).toEqual(new Set([1]));
  } finally {
    await usual.stop();
  }
});

describe('a day whose values take more memory than its names get together', () => {
  const hits = named('a', 300).map((page, index) =>
    pageViewOn(DAY, page, Buffer.alloc(8, index + 1).toString('base64url'), { city: `City ${index % 50}` }),
  );

  /** The sum of each name, its number of values, and the counts of the pages. */
  async function counted(maxBytes?: number) {
    const columns = (await one.database.read((manager) => readColumnDay(manager, site, DAY)))!;
    const read: Reading = (work) => one.database.read(work);
    const names = new Map<string, { sum: number; values: Counts; isCut: boolean | undefined }>();
    for await (const { name, texts, counts, isCut } of readCountsOfDay(
      read,
      site,
      { day: DAY, columns },
      yieldIfNeeded,
      undefined,
      maxBytes,
    )) {
      const sums = new Sums(counts);
      const valueOf = (code: number) => texts?.textOf(code) ?? `${code}`;
      const values = Object.fromEntries(Array.from(sums.codes(), (code) => [valueOf(code), counts[code]!]));
      expect(names.has(name)).toBe(false);
      names.set(name, { sum: sums.total(), values, isCut });
    }
    return names;
  }

  beforeEach(async () => {
    await one.count(site, hits);
    await one.closeDays(site, DAY + 1);
  });

  it('is read more than once, and counted alike', async () => {
    const all = await counted();
    expect(all.get('page')!.values).toEqual(eachOnce(named('a', 300)));
    expect(await counted(16_000)).toEqual(all);
  });

  it('counts further values of a name as (other) where it alone takes more, and no sum changes', async () => {
    const [all, some] = [await counted(), await counted(4000)];
    expect([...some.keys()]).toEqual([...all.keys()]);
    for (const [name, { sum }] of all) expect([name, some.get(name)!.sum]).toEqual([name, sum]);
    const { [OTHER]: other, ...pagesKept } = some.get('page')!.values;
    expect(other).toBe(300 - Object.keys(pagesKept).length);
    expect(Object.keys(pagesKept).length).toBeGreaterThan(10);
    expect([some, all].map((names) => names.get('page')!.isCut)).toEqual([true, false]);
    expect(some.get('browser')).toEqual(all.get('browser'));
    expect(await counted(4000)).toEqual(some);
  });
});

it('hits keep the exact value, whatever their day counts', async () => {
  await count(named('a', 2 * LIMITS.newPerDay));
  await one.rollUpDays(site, DAY + 1);
  expect((await pages())['/a9']).toBeUndefined();
  expect(await selectedPages(one.database, site, DAY, 'page==/a9')).toEqual(['/a9']);
});

describe('a generation of texts that is full', () => {
  const epoch = async () => (await one.database.read((manager) => readClosedDays(manager, site))).epoch;
  const DAYS = [DAY, DAY + 1, DAY + 2];
  const lists = ['a', 'b', 'c'].map((letter) => named(letter, LIMITS.newPerDay));

  /** The third day exceeds the limit. */
  async function fill(): Promise<void> {
    for (const [index, day] of DAYS.entries()) {
      const [most, ...others] = lists[index]!;
      await count([...times(3, most!), ...others], day);
    }
    await one.rollUpDays(site, DAY + 2);
  }

  it('is followed by one with the values that were counted most, and no sum changes', async () => {
    await fill();
    const before = [await pages(DAY), await pages(DAY + 1)];
    const [known, first] = [await version(), await epoch()];
    await one.rollUpDays(site, DAY + 3);
    expect([(await epoch()) > first, (await version()) > known]).toEqual([true, true]);
    for (const [index, day] of DAYS.entries()) {
      const counts = await pages(day);
      expect(totalOf(counts)).toBe(3 + lists[index]!.length - 1);
      expect(counts[lists[index]![0]!]).toBe(3);
      expect(await other.counted(site, 'page', day, day)).toEqual(counts);
    }
    expect([await pages(DAY), await pages(DAY + 1)]).not.toEqual(before);
    expect((await pages(DAY + 2))[OTHER]).toBeUndefined();
    expect(await limitedDays(DAY, DAY + 2)).toBeGreaterThan(0);
    expect(totalOf(await pages(DAY, DAY + 2))).toBe(3 * (3 + LIMITS.newPerDay - 1));
  });

  it('agrees with the hits, and what was before is removed', async () => {
    await fill();
    await one.rollUpDays(site, DAY + 3);
    for (const day of DAYS) expect(await verified(day)).toEqual([]);
    await count(['/more'], DAY + 2);
    await one.rollUpDays(site, DAY + 3);
    const rows = async (sql: string) => (await one.database.query<object[]>(sql, [site])).length;
    expect(await rows('SELECT DISTINCT generation FROM value_texts WHERE website_id = ?')).toBe(1);
    expect(
      await rows(
        `SELECT DISTINCT number FROM rollups WHERE website_id = ? AND number NOT IN
        (SELECT number FROM rollup_spans WHERE website_id = rollups.website_id)`,
      ),
    ).toBe(0);
    for (const day of DAYS) expect(await verified(day)).toEqual([]);
  });

  it('is not named where the process ends before any of its transactions, and nothing changes', async () => {
    await fill();
    const state = async () => {
      const all: unknown[] = [];
      for (const day of DAYS) all.push(totalOf(await pages(day)), await verified(day));
      return all;
    };
    const before = await state();
    const first = await epoch();
    for (let ends = 0; (await epoch()) === first; ends++) {
      let left = ends;
      for (;;) {
        const { work, turn } = await one.rollupWork(site, DAY + 3);
        if (!work) break;
        const write: typeof turn.write = (prepared) =>
          left-- > 0 ? turn.write(prepared) : Promise.resolve(false);
        await work.run({ ...turn, write });
        if (left < 0) break;
      }
      expect(await state()).toEqual(before);
      expect(ends).toBeLessThan(200);
    }
    await one.rollUpDays(site, DAY + 3);
    expect(await state()).toEqual(before);
  });
});
