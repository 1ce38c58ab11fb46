import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { RETENTION_RULES } from '../../../src/retention-rules';
import { DAY_MS } from '../../../engine/ground/time/days';
import { Settings } from '../../../src/config/settings';
import { CountingService } from '../../../engine/columns/counting.service';
import { ROLLED_UP_HITS } from '../../../engine/columns/rollups/rollup-rules';
import { overDays } from '../../../engine/columns/seal/sealing-times';
import type { DaysToClose } from '../../../engine/columns/upkeep/next-column-work';
import { Housekeeping } from '../../../src/retention/housekeeping';
import { RetentionClock } from '../../../engine/database/retention-clock';
import { monthOf, type Span } from '../../../engine/hits/calendar';
import type { StatName } from '../../../engine/hits/stat-names';
import type { Hit } from '../../../engine/hits/hit';
import { SPANS } from '../../../engine/columns/rollups/rollup-format';
import { CountingProcess, daysOver, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { type Entry, type EntryOrder, RollupModel } from '../../support/rollup-model';
import { size } from '../../support/sizes';
import { walkStatements } from '../../support/walked-statements';
import { PATIENCE_MS } from '../../support/until';

/** Random histories of a website. */
const HISTORIES = size('ROLLUP_HISTORIES', 2, 40);
/** Its month has a rollup. */
const MANY = ROLLED_UP_HITS.month + 100;
/** It has a rollup, and its month has none. */
const FEW = ROLLED_UP_HITS.day;
/** Two months in the past. */
const FIRST = monthOf(TODAY, -3);
const SECOND = monthOf(FIRST, 1);
const THIRD = monthOf(SECOND, 1);
const BY_COUNT: EntryOrder = { by: 'count', direction: 'desc' };

let database: FreshDatabase;
let one: CountingProcess;
let other: CountingProcess;
let site = 0;
let model: RollupModel;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
});
beforeEach(async () => {
  other = await CountingProcess.start(database.url);
  await begin();
});
afterEach(() => other.stop());
afterAll(async () => {
  jest.restoreAllMocks();
  await one.stop();
  await database.drop();
});

async function begin(): Promise<void> {
  await one.register(++site);
  model = new RollupModel();
}

/** In two folds, as recent hits. */
async function count(...hits: Hit[]): Promise<void> {
  for (const hit of hits) model.count(hit);
  for (let from = 0; from < hits.length; from += 1000)
    await one.accept(site, ...hits.slice(from, from + 1000));
  await one.count(site, [], Math.ceil(hits.length / 2));
}

/** A day with a rollup. Visitors with numbers below `known` are new. */
function manyHitsOn(day: number, known = 0, hits = MANY): Hit[] {
  return Array.from({ length: hits }, (_, index) =>
    pageViewOn(day, `/many/${index % 37}`, '', {
      visitor: Buffer.from(`${known}-${index % 300}`.padEnd(8, '.')).toString('base64url'),
      referrer: index % 5 === 0 ? `host${index % 11}.example` : null,
      country: ['DE', 'FR', 'US'][index % 3]!,
    }),
  );
}

/** The visitors of sealed days are known until they are forgotten. */
function over(before: number, more: Partial<DaysToClose> = {}): DaysToClose {
  return { ...daysOver(before), before: 0, ...more };
}

async function close(before: number, more: Partial<DaysToClose> = {}): Promise<void> {
  await one.makeDue(site);
  await one.workOnColumns(site, over(before, more));
}

function read(
  process: CountingProcess,
  name: StatName,
  range: Span,
  statsFrom = 0,
  { order = BY_COUNT, skip = 0, take = 1000, search = undefined as string | undefined } = {},
): Promise<Entry[]> {
  return process.read(
    site,
    async (snapshot) => {
      const sums = await snapshot.sums({ name, range, search });
      const page = await snapshot.page(name, sums, sums.codes(), order, skip, take);
      return page.map(({ value, count }): Entry => [value, count]);
    },
    statsFrom,
  );
}

/** Compares all counts of a range, in a process that knew the website before and in one that did not. */
async function expectCounts(range: Span, statsFrom = 0): Promise<void> {
  for (const name of model.names) {
    const expected = model.entries(name, range, statsFrom, BY_COUNT);
    expect([name, await read(one, name, range, statsFrom)]).toEqual([name, expected]);
    expect([name, await read(other, name, range, statsFrom)]).toEqual([name, expected]);
  }
}

async function spans(of = site): Promise<{ months: number[]; days: number[] }> {
  const rows = await one.database.query<{ span: number; day: number }[]>(
    'SELECT span, day FROM rollup_spans WHERE website_id = ? ORDER BY day',
    [of],
  );
  const daysOf = (span: number) => rows.filter((row) => row.span === span).map(({ day }) => day);
  return { months: daysOf(SPANS.month), days: daysOf(SPANS.day) };
}

async function rows(table: string): Promise<number> {
  const [row] = await one.database.query<{ n: number }[]>(
    `SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`,
    [site],
  );
  return Number(row!.n);
}

/** Rows without a span. */
async function leftOver(): Promise<number> {
  const [row] = await one.database.query<{ n: number }[]>(
    `SELECT COUNT(*) AS n FROM rollups WHERE website_id = ? AND number NOT IN
      (SELECT number FROM rollup_spans WHERE website_id = ?)`,
    [site, site],
  );
  return Number(row!.n);
}

async function verify(): Promise<void> {
  const verification = one.verification(new Settings({}));
  for (const { day } of await verification.days(site))
    expect(await verification.verifyDay(site, day, () => undefined)).toEqual([]);
  for (const month of await verification.months(site))
    expect(await verification.verifyMonth(site, month, () => undefined)).toEqual([]);
}

/** Removes data that has expired under some settings. */
async function tidy(settings: Settings): Promise<void> {
  for (const table of ['retention', 'leases']) await one.execute(`DELETE FROM ${table}`);
  await new Housekeeping(one.database, new RetentionClock(one.database, settings), RETENTION_RULES).tidy();
}

describe('whatever comes in any order', () => {
  const anyDay = fc.oneof(
    fc.integer({ min: FIRST, max: THIRD + 3 }),
    fc.constantFrom(FIRST, SECOND - 1, SECOND, THIRD - 1, THIRD, TODAY - 1, TODAY),
  );
  const text = (...values: (string | null)[]) => fc.constantFrom(...values);
  const hit = fc.record({
    visitor: fc.constantFrom(...'abcdefg', ''),
    page: text('/', '/a', '/A', '/é', '/caf%C3%A9', '/🙂') as fc.Arbitrary<string>,
    event: text(null, null, 'signup', 'Signup'),
    referrer: text(null, null, 'a.example', 'A.example'),
    campaign: text(null, 'Sale', 'sale'),
    country: text('DE', 'FR', '(unknown)') as fc.Arbitrary<string>,
    browser: text('Firefox', 'Chrome') as fc.Arbitrary<string>,
  });
  type Draft = typeof hit extends fc.Arbitrary<infer Value> ? Value : never;
  type Counted =
    { do: 'count'; day: number; hits: Draft[] } | { do: 'count many'; day: number; pageviews: number };
  type Step =
    | Counted
    | { do: 'drop'; day: number; reason: 'bot' | 'ip' }
    | { do: 'close'; before: number; isAll: boolean }
    | { do: 'remove'; hitsBefore: number; statisticsBefore: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('count' as const),
        day: anyDay,
        hits: fc.array(hit, { minLength: 1, maxLength: 12, size: 'max' }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('count many' as const),
        day: anyDay,
        pageviews: fc.constantFrom(MANY, FEW, FEW),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('drop' as const),
        day: anyDay,
        reason: fc.constantFrom('bot' as const, 'ip' as const),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('close' as const), before: anyDay, isAll: fc.boolean() }),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: FIRST, max: THIRD }), fc.nat(40))
        .map(([hitsBefore, further]) => ({
          do: 'remove' as const,
          hitsBefore,
          statisticsBefore: hitsBefore - further,
        })),
    },
  );
  const requested = fc.record({
    days: fc
      .tuple(anyDay, anyDay)
      .map(([one, other]): Span => ({ from: Math.min(one, other), to: Math.max(one, other) })),
    order: fc.record({
      by: fc.constantFrom('count' as const, 'value' as const),
      direction: fc.constantFrom('asc' as const, 'desc' as const),
    }),
    search: fc.constantFrom('', 'a', '1', 'é', 'm', 'de', '20'),
    skip: fc.nat(8),
    take: fc.integer({ min: 1, max: 20 }),
  });

  it('has the answers that walking over the hits has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, requested), { minLength: 10, maxLength: 16, size: 'max' }),
        async (steps) => {
          await begin();
          let [archivedFrom, statsFrom, known] = [0, 0, 0];
          for (const [next, { days, order, search, skip, take }] of steps) {
            if (next.do === 'count' || next.do === 'count many') {
              const day = Math.max(next.day, archivedFrom);
              await count(...hitsOf(next, day, known));
            } else if (next.do === 'drop') {
              const day = Math.max(next.day, statsFrom);
              model.drop(day, next.reason);
              await drop(day, next.reason);
            } else if (next.do === 'close') {
              await close(next.before, { statsFrom, ...(next.isAll && { rollAllBefore: next.before }) });
              // A day with forgotten visitors does not match its late visitors either.
              if (known > 0) known++;
            } else {
              archivedFrom = Math.max(archivedFrom, next.hitsBefore);
              statsFrom = Math.max(statsFrom, next.statisticsBefore);
              await close(TODAY, { statsFrom, rollAllBefore: archivedFrom });
              await tidy(
                new Settings({
                  ARCHIVE_DAYS: `${TODAY - archivedFrom}`,
                  STATS_DAYS: `${TODAY - statsFrom}`,
                }),
              );
              // The hashes of sealed days are gone now.
              known++;
            }
            for (const name of model.names) {
              const expected = model.entries(name, days, statsFrom, order, search).slice(skip, skip + take);
              for (const process of [one, other])
                expect([
                  next.do,
                  name,
                  await read(process, name, days, statsFrom, {
                    order,
                    skip,
                    take,
                    search: search || undefined,
                  }),
                ]).toEqual([next.do, name, expected]);
            }
          }
          await expectCounts({ from: FIRST, to: TODAY }, statsFrom);
          await close(TODAY, { statsFrom });
          await expectCounts({ from: FIRST, to: TODAY }, statsFrom);
          if (archivedFrom === 0) await verify();
        },
      ),
      { numRuns: HISTORIES, endOnFailure: true },
    );
  });

  function hitsOf(step: Counted, day: number, known: number): Hit[] {
    if (step.do === 'count many') return manyHitsOn(day, known, step.pageviews);
    return step.hits.map((own) =>
      pageViewOn(day, own.page, '', { ...own, visitor: visitor(own.visitor, known) }),
    );
  }

  const visitor = (letter: string, known: number) =>
    letter === '' ? '' : Buffer.from(`${letter}${known}`.padEnd(8, '.')).toString('base64url');

  async function drop(day: number, reason: 'bot' | 'ip'): Promise<void> {
    await one.store.appendDropped([{ websiteId: site, day, reason, count: 1 }], PATIENCE_MS, () => undefined);
    await one.count(site, []);
  }
});

describe('a month that is rolled up', () => {
  const range = { from: FIRST, to: SECOND - 1 };

  beforeEach(async () => {
    await count(
      pageViewOn(FIRST, '/first', 'a'),
      ...manyHitsOn(FIRST + 7),
      pageViewOn(SECOND - 1, '/last', 'b'),
    );
    await close(SECOND);
    expect(await spans()).toEqual({ months: [FIRST], days: [FIRST + 7] });
  });

  it('is read as one, and is the sum of its days, small ones as well', async () => {
    // The rollups suffice.
    for (const table of ['hit_days', 'hit_columns'])
      await one.execute(`DELETE FROM ${table} WHERE website_id = ?`, [site]);
    await one.execute('DELETE FROM rollup_spans WHERE website_id = ? AND span = ?', [site, SPANS.day]);
    await expectCounts(range);
  });

  it('is not read by who may see less of it, whoever has removed what of it', async () => {
    const part = { from: FIRST - 5, to: SECOND + 5 };
    for (const statsFrom of [FIRST, FIRST + 1, FIRST + 7, FIRST + 8, SECOND]) {
      await expectCounts(part, statsFrom);
      await tidy(new Settings({ STATS_DAYS: `${TODAY - statsFrom}` }));
      await close(TODAY, { statsFrom });
      expect(await spans()).toEqual({
        months: statsFrom === FIRST ? [FIRST] : [],
        days: statsFrom <= FIRST + 7 ? [FIRST + 7] : [],
      });
      await expectCounts(part, statsFrom);
      // A hit of an expired day changes nothing.
      await count(pageViewOn(FIRST, '/late', `${statsFrom}`));
      await close(TODAY, { statsFrom });
      await expectCounts(part, statsFrom);
    }
    expect(await leftOver()).toBe(0);
  });

  it('goes with the rollup of a day to which a hit comes, in the transaction that counts the hit', async () => {
    const late = pageViewOn(FIRST + 7, '/late', 'z');
    await one.accept(site, late);
    await one.endLeases();
    const walked = await walkStatements(
      one.database,
      async () => {
        await one.endLeases();
        const folder = (await one.folderOf(site))!;
        await folder.foldSome();
        await folder.lease.release();
      },
      async () => {
        const isCounted = (await rows('inbox')) === 0;
        expect(await spans()).toEqual(
          isCounted ? { months: [], days: [] } : { months: [FIRST], days: [FIRST + 7] },
        );
        if (!isCounted) await expectCounts(range);
      },
    );
    expect(walked.filter((statement) => /rollup_spans/.test(statement)).length).toBeGreaterThan(0);
    model.count(late);
    expect([await rows('inbox'), await spans()]).toEqual([0, { months: [], days: [] }]);
    await expectCounts(range);
    await close(SECOND);
    expect(await spans()).toEqual({ months: [FIRST], days: [FIRST + 7] });
    await expectCounts(range);
    await verify();
    expect(await leftOver()).toBe(0);
  });

  it('waits where a hit of it comes while it is made', async () => {
    await count(pageViewOn(FIRST + 1, '/late', 'a'));
    await close(SECOND, { finalBefore: 0 });
    const late = pageViewOn(FIRST + 2, '/later', 'a');
    await one.makeDue(site);
    for (let next = await one.nextWork(site, over(SECOND)); next.work;) {
      let isFirst = true;
      await next.work.run({
        ...next.turn,
        write: async (prepared) => {
          if (isFirst && next.work.days.length > 1) await addBeside(late);
          isFirst = false;
          return next.turn.write(prepared);
        },
      });
      if (next.work.days.length > 1) break;
      next = await one.nextWork(site, over(SECOND));
    }
    expect((await spans()).months).toEqual([]);
    await expectCounts(range);
    await close(SECOND);
    expect((await spans()).months).toEqual([FIRST]);
    await expectCounts(range);
  });

  /** Acts like a fold of the same process between two pieces of other work. */
  async function addBeside(hit: Hit): Promise<void> {
    model.count(hit);
    const [row] = await one.database.query<{ token: number | string; owner: string }[]>(
      'SELECT token, owner FROM counting WHERE website_id = ?',
      [site],
    );
    await one.accept(site, hit);
    const folder = (await one.folderOf(site))!;
    await folder.foldSome();
    await one.execute('UPDATE counting SET token = ?, owner = ? WHERE website_id = ?', [
      row!.token,
      row!.owner,
      site,
    ]);
  }
});

describe('a process that ends', () => {
  const range = { from: FIRST, to: SECOND };

  /** Repeats work until none is left. Each time it continues from the committed state. */
  async function walk(more: Partial<DaysToClose> = {}): Promise<string[]> {
    return walkStatements(
      one.database,
      () => close(SECOND, more),
      async () => {
        await expectCounts(range);
        await verify();
      },
    );
  }

  it('between any two statements of the rollup of a day loses and doubles nothing', async () => {
    await count(...manyHitsOn(FIRST + 3, 0, FEW), ...manyHitsOn(FIRST + 4, 0, FEW - 1));
    await close(SECOND, { finalBefore: 0, statsFrom: SECOND });
    expect((await spans()).days).toEqual([]);
    const walked = await walk({ finalBefore: 0 });
    expect((await spans()).days).toEqual([FIRST + 3]);
    for (const table of ['rollups', 'value_texts', 'rollup_spans'])
      expect(walked.some((statement) => statement.startsWith(`INSERT INTO ${table}`))).toBe(true);
    await expectCounts(range);
    expect(await leftOver()).toBe(0);
  });

  it('between any two statements of the rollup of a month loses and doubles nothing', async () => {
    await count(...manyHitsOn(FIRST + 3), ...manyHitsOn(FIRST + 4), pageViewOn(FIRST + 5, '/', 'a'));
    await close(SECOND, { finalBefore: 0 });
    expect(await spans()).toEqual({ months: [], days: [FIRST + 3, FIRST + 4] });
    await walk();
    expect((await spans()).months).toEqual([FIRST]);
    await expectCounts(range);
    await verify();
    expect(await leftOver()).toBe(0);
  });

  it('between any two transactions of a rollup that is too large for one loses and doubles nothing', async () => {
    const long = () => `/${randomBytes(150).toString('base64url')}`;
    const hits = Array.from({ length: 14_000 }, () => pageViewOn(FIRST + 3, long(), 'a'));
    await one.accept(site, ...hits.slice(0, 7000));
    await one.accept(site, ...hits.slice(7000));
    await one.count(site, []);
    await close(SECOND, { finalBefore: 0, statsFrom: SECOND });
    const sums = async () => {
      const read = (process: CountingProcess) =>
        process.read(site, async (snapshot) => {
          const found = await snapshot.sums({ name: 'page', range });
          return [found.total(), found.codes().length];
        });
      return [await read(one), await read(other)];
    };
    const expected = [
      [hits.length, hits.length],
      [hits.length, hits.length],
    ];
    let most = 0;
    for (let ends = 0; (await spans()).days.length === 0; ends++) {
      let left = ends;
      await one.makeDue(site);
      for (;;) {
        const { work, turn } = await one.nextWork(site, over(SECOND, { finalBefore: 0 }));
        if (!work) break;
        await work.run({
          ...turn,
          write: (prepared) => (left-- > 0 ? turn.write(prepared) : Promise.resolve(false)),
        });
        if (left < 0) break;
      }
      expect(await sums()).toEqual(expected);
      most = Math.max(most, ends);
    }
    expect(most).toBeGreaterThanOrEqual(2);
    await close(SECOND, { finalBefore: 0 });
    expect([await sums(), await leftOver()]).toEqual([expected, 0]);
    await verify();
  });
});

describe('days that an earlier release left without rollups', () => {
  const range = { from: FIRST, to: SECOND };
  const days = [FIRST + 2, FIRST + 5, FIRST + 9];

  beforeEach(async () => {
    const earlier = jest.replaceProperty(ROLLED_UP_HITS, 'day', MANY);
    for (const day of days) await count(...manyHitsOn(day, 0, FEW), pageViewOn(day + 1, '/', 'a'));
    await close(SECOND);
    earlier.restore();
    expect(await spans()).toEqual({ months: [], days: [] });
  });

  it('get them one by one, the oldest first, and the next process goes on where one stopped', async () => {
    await one.makeDue(site);
    for (const reached of [1, 2, 3]) {
      const { work, turn } = await one.nextWork(site, over(SECOND));
      await work.run(turn);
      expect((await spans()).days).toEqual(days.slice(0, reached));
      await expectCounts(range);
    }
    await close(SECOND);
    expect((await spans()).days).toEqual(days);
    await verify();
  });
});

describe('hits that leave before their statistics', () => {
  const DAY = TODAY - 11;
  const range = { from: DAY - 1, to: TODAY };
  const settings = new Settings({ ARCHIVE_DAYS: '10' });
  const overNow = async () => overDays(await new RetentionClock(one.database, settings).moments());

  it('wait for the rollup of their day, however few they are, and it is made', async () => {
    await count(pageViewOn(DAY, '/', 'a'), pageViewOn(DAY, '/b', 'b'), pageViewOn(TODAY - 1, '/', 'a'));
    await one.closeDays(site, TODAY);
    expect(await spans()).toEqual({ months: [], days: [] });
    await tidy(settings);
    expect(await rows('hit_days')).toBe(2);
    await one.workOnColumns(site, await overNow());
    expect((await spans()).days).toContain(DAY);
    await tidy(settings);
    expect(await rows('hit_days')).toBe(1);
    await expectCounts(range);
    await one.workOnColumns(site, await overNow());
    await expectCounts(range);
    expect(await one.verification(settings).findDaysWithoutHits(site)).toEqual([DAY]);
  });

  it('leave a rollup that late hits and the rebuilding of its month do not touch', async () => {
    await count(pageViewOn(DAY, '/', 'a'), pageViewOn(DAY, '/b', 'b'));
    await one.closeDays(site, TODAY);
    await one.makeDue(site);
    await one.workOnColumns(site, await overNow());
    await tidy(settings);
    expect([await rows('hit_days'), (await spans()).days]).toEqual([0, [DAY]]);
    await one.count(site, [pageViewOn(DAY, '/late', 'c')]);
    await one.rebuilding(settings).rebuildMonth(site, monthOf(DAY));
    expect([await rows('hit_batches'), (await spans()).days]).toEqual([0, [DAY]]);
    await expectCounts(range);
  });

  it('are rolled up some days ahead', async () => {
    const day = TODAY - 5;
    await count(pageViewOn(day, '/', 'a'));
    await one.closeDays(site, TODAY);
    await one.makeDue(site);
    await one.workOnColumns(site, await overNow());
    expect((await spans()).days).toEqual([day]);
    await expectCounts(range);
  });

  it('do not wait for ever where their day is damaged', async () => {
    await count(pageViewOn(DAY, '/', 'a'));
    await one.closeDays(site, TODAY);
    await one.execute('DELETE FROM hit_columns WHERE website_id = ?', [site]);
    await tidy(settings);
    expect(await rows('hit_days')).toBe(1);
    const clock = new RetentionClock(one.database, settings);
    const later = Date.now() + 6 * DAY_MS;
    const closeAt = async (now: number) => {
      const counting = new CountingService(one.database, settings, {
        moments: () => clock.moments(now),
      } as RetentionClock);
      await one.makeDue(site);
      await one.endLeases();
      let steps = 0;
      while (steps < 20 && (await counting.settle(site)) === 'more') steps++;
      expect(steps).toBeLessThan(20);
    };
    await closeAt(later);
    for (const table of ['retention', 'leases']) await one.execute(`DELETE FROM ${table}`);
    await new Housekeeping(one.database, clock, RETENTION_RULES).tidy(later);
    expect(await rows('hit_days')).toBe(1);
    const muchLater = later + 3 * DAY_MS;
    await closeAt(muchLater);
    for (const table of ['retention', 'leases']) await one.execute(`DELETE FROM ${table}`);
    await new Housekeeping(one.database, clock, RETENTION_RULES).tidy(muchLater);
    expect(await rows('hit_days')).toBe(0);
  });
});
