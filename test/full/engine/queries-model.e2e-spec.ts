import fc from 'fast-check';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { dayText } from '../../../engine/ground/time/days';
import { compareTexts } from '../../../engine/ground/text-order';
import { textAt } from '../../../engine/ground/lists/text-list';
import type { OverDays } from '../../../engine/columns/seal/sealing-times';
import { detachVisitors } from '../../../engine/columns/segments/hit-segments';
import type { ColumnLimits } from '../../../engine/columns/upkeep/next-column-work';
import { QueryAnswering } from '../../../engine/columns/answering/query-answering';
import { Zone } from '../../../engine/questions/plan/buckets';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import { COMPARED, RowCounts } from '../../../engine/rows/counted-rows';
import { READ_AT_ONCE } from '../../../engine/rows/row-days';
import { type Exclusion, excludingIn, keptBy, keptOf } from '../../../engine/questions/exclusions';
import { filterOf, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import { countedFor, METRICS, valueOf } from '../../../engine/questions/plan/metrics';
import { type QueryName, isMoment } from '../../../engine/questions/parse/names';
import { hasDay } from '../../../engine/questions/plan/range-days';
import type { Answer, HitQuery, QueryRequest, QueryResult } from '../../../engine/questions/plan/hit-query';
import { OF_STATEMENT } from '../../../engine/columns/read/moved-days';
import { withStatements } from '../../../src/stats/dimensions/hit-aggregation';
import { ownerAsks } from '../../support/owner-asks';
import { decimalOf } from '../../../engine/hits/events/amount';
import { DIMENSIONS, STAT_NAMES } from '../../../engine/hits/stat-names';
import type { Hit } from '../../../engine/hits/hit';
import type { HitLine } from '../../../engine/hits/files/hit-lines';
import { closeDays } from '../../support/counted';
import { CountingProcess, daysOver } from '../../support/counting';
import { Clickhouse } from '../../support/clickhouse';
import { giveHome } from '../../../engine/columns/homes/homes';
import { DividedHits } from '../../support/divided-hits';
import { exportedLines } from '../../support/hit-answers';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { type ModelCounts, NOTHING, QueryModel } from '../../support/query-model';
import { filtersOfKept, leaveOut, randomExclusions } from '../../support/random-exclusions';
import { randomDimensions, randomFilter, randomHits } from '../../support/random-hits';
import { size } from '../../support/sizes';
import { PATIENCE_MS } from '../../support/until';

/** In total, over all time zones. */
const HIT_QUERIES = size('QUERIES', 200, 10_000);
const QUERIES_OF_WEBSITE = 50;
/** Over different ranges, so that only days of the same ranges are scanned together. */
const QUERIES_AT_ONCE = 2;
const ZONES = {
  UTC: '2026-10-25T00:00:00Z',
  // Clocks are set back and forward, at night, and by half an hour.
  'Europe/Berlin': '2026-10-25T01:00:00Z',
  'America/St_Johns': '2026-03-08T05:30:00Z',
  'Australia/Lord_Howe': '2026-04-04T15:00:00Z',
};
const OWNER = 1;
/** They come after their days moved to rows, where these are read back and move once more. */
const HITS_FOR_ROWS = 10;
/** All hits come on these days. */
const DAYS_OF_TEST = 40;
const later = (firstDay: number) => {
  const end = firstDay + DAYS_OF_TEST;
  return { before: end, sealBefore: end, finalBefore: end, rollAllBefore: 0 };
};

interface Asked {
  filters: ResolvedFilter[];
  dimensions: QueryName[];
  /** Days after the first day with hits. */
  first: number;
  length: number;
  moments: { from: number; to: number } | undefined;
  /** The number of days by which the compared range begins earlier. */
  earlier: number | undefined;
}

const requested: fc.Arbitrary<Asked> = fc.record({
  filters: fc.array(randomFilter, { maxLength: 2 }),
  dimensions: randomDimensions,
  first: fc.integer({ min: -1, max: 4 }),
  length: fc.integer({ min: 1, max: 6 }),
  moments: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: -2 * 1440, max: 4 * 1440 }), fc.nat(7 * 1440))
        .map(([from, length]) => ({ from: 60 * from, to: 60 * (from + length) + 59 })),
    },
  ),
  earlier: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
});

type Ask = (request: QueryRequest) => Promise<QueryResult>;

let websites = 0;

/** Small parts, some of them merged. */
const limitsOf = (hits: number): ColumnLimits => ({
  closing: { hits, textBytes: 1000, bytesAtOnce: 500 },
  merge: { hits: 3 * hits, textBytes: 4000, bytesAtOnce: 500 },
});

/** Days that are sealed. Late hits stay outside of their columns. */
const overOf = (before: number, isKnown: boolean, timezone: string): OverDays => ({
  ...daysOver(before),
  timezone,
  before: isKnown ? 0 : before,
  finalBefore: isKnown ? 0 : before,
});

describe.each(Object.entries(ZONES))('in the time zone %s', (timezone, around) => {
  const clock = new DayClock(timezone);
  const zone = new Zone(timezone);
  let database: FreshDatabase;
  let clickhouse: Clickhouse;
  let process: CountingProcess;
  let counts: jest.SpiedFunction<RowCounts['count']>;
  beforeAll(async () => {
    jest.replaceProperty(READ_AT_ONCE, 'least', 2);
    jest.replaceProperty(READ_AT_ONCE, 'most', 3);
    jest.replaceProperty(READ_AT_ONCE, 'block', 4);
    jest.replaceProperty(OF_STATEMENT, 'hits', 40);
    jest.replaceProperty(OF_STATEMENT, 'days', 2);
    jest.replaceProperty(OF_STATEMENT, 'groups', 3);
    jest.replaceProperty(COMPARED, 'values', 40);
    counts = jest.spyOn(RowCounts.prototype, 'count');
    database = await freshDatabase();
    clickhouse = await Clickhouse.start();
    process = await CountingProcess.start(database.url, undefined, timezone);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await process.stop();
    await database.drop();
    await clickhouse.stop();
  });

  it(
    'answers any query as walking over the hits does',
    async () => {
      const rounds = Math.ceil(HIT_QUERIES / QUERIES_OF_WEBSITE / Object.keys(ZONES).length);
      const hitQueries = fc.array(requested, {
        minLength: QUERIES_OF_WEBSITE,
        maxLength: QUERIES_OF_WEBSITE,
        size: 'max',
      });
      // With a very small share of the memory, little or nothing is cached.
      const shares = fc.constantFrom(1, 1, 3000, 100_000);
      // Some of the days are in columns, in small parts.
      const inColumns = fc.record({
        columns: fc.integer({ min: 0, max: 5 }),
        hits: fc.integer({ min: 1, max: 60 }),
        inRows: fc.integer({ min: 0, max: 5 }),
      });
      const parts = fc.tuple(randomHits(timezone, around), randomHits(timezone, around));
      await fc.assert(
        fc.asyncProperty(
          parts,
          fc.constantFrom('by the service', 'without visitors', 'with visitors', 'with visitors'),
          inColumns,
          shares,
          hitQueries,
          fc.integer(),
          fc.tuple(randomExclusions, randomExclusions),
          async ([before, after], closed, { columns, hits, inRows }, share, all, copied, [first, second]) => {
            const websiteId = ++websites;
            await process.register(websiteId);
            const ask = asking(share);
            await count(websiteId, before);
            const firstDay = Math.min(...before.map(({ day }) => day));
            const anonymousBefore = firstDay + columns;
            const isKnown = closed === 'with visitors';
            const over = overOf(anonymousBefore, isKnown, timezone);
            if (closed === 'by the service') await closeDays(process.counting, websiteId, anonymousBefore);
            else await process.workOnColumns(websiteId, over, limitsOf(hits));
            const late = after.map((hit) =>
              hit.day < anonymousBefore && !isKnown ? { ...hit, visitor: '' } : hit,
            );
            const third = Math.floor(all.length / 3);
            await expectAnswers(ask, websiteId, before, all.slice(0, third), copied, []);
            let exclusions = await leaveOut(process, websiteId, first, firstDay);
            await expectCounters(ask, websiteId);
            await count(websiteId, late);
            // Counts of sealed days are cached, so some queries are repeated.
            await expectAnswers(
              ask,
              websiteId,
              [...before, ...late],
              all.slice(0, 2 * third),
              copied,
              exclusions,
            );
            exclusions = await leaveOut(process, websiteId, second, firstDay);
            await expectCounters(ask, websiteId);
            const final = { ...over, finalBefore: anonymousBefore };
            await process.workOnColumns(websiteId, final, limitsOf(hits));
            const moved = Math.min(final.before, firstDay + inRows);
            const moves = { from: 0, home: clickhouse.homeOf(websiteId)?.address };
            giveHome(moves);
            const moving = { ...final, before: moved, rollAllBefore: moved, moves };
            const move = async () => {
              await process.makeDue(websiteId);
              await process.workOnColumns(websiteId, moving, limitsOf(hits));
            };
            await move();
            await expectAnswers(ask, websiteId, [...before, ...late], all.slice(third), copied, exclusions);
            await expectCounters(ask, websiteId);
            const last = after.slice(0, HITS_FOR_ROWS).map((hit) => ({ ...hit, visitor: '' }));
            await count(websiteId, last);
            const counted = [...before, ...late, ...last];
            await expectAnswers(ask, websiteId, counted, all.slice(-third), copied, exclusions);
            await move();
            await expectAnswers(ask, websiteId, counted, all.slice(-third), copied, exclusions);
            await expectCounters(ask, websiteId);
            const { model, left } = await purge(websiteId, exclusions, counted, {
              ...moving,
              ...later(firstDay),
            });
            await expectAnswers(ask, websiteId, model, all.slice(-third), copied, left, firstDay);
            await expectCounters(ask, websiteId);
            await process.rollUpDays(websiteId, firstDay + DAYS_OF_TEST);
            await expectCounters(ask, websiteId);
          },
        ),
        { numRuns: rounds, endOnFailure: true },
      );
    },
    120_000 + 200 * HIT_QUERIES,
  );

  function asking(shares: number): Ask {
    const cache = new ColumnCache({ shares });
    const answering = new QueryAnswering(process.database, cache, zone);
    return (request) => answering.answer(request, PATIENCE_MS, () => undefined);
  }

  /** In several folds. */
  async function count(websiteId: number, hits: Hit[]): Promise<void> {
    await process.accept(websiteId, ...hits);
    await process.endLeases();
    const folder = (await process.folderOf(websiteId))!;
    while ((await folder.foldSome(40)) > 0);
    await folder.lease.release();
  }

  /** Once all days are over, removes what exclusions with a last day select, in their order. */
  async function purge(websiteId: number, exclusions: Exclusion[], hits: Hit[], over: OverDays) {
    const { database, store } = process;
    const isPurged = ({ to }: Exclusion) => to !== undefined;
    const all = exclusions.map((own) => ({ ...own, ...(isPurged(own) && { purge: true }) }));
    await database.write((manager) => store.leaveOut(manager, websiteId, all));
    await process.workOnColumns(websiteId, over, limitsOf(7));
    const days = new Set(hits.map(({ day }) => day));
    await database.write(async (manager) => {
      for (const day of days) await detachVisitors(manager, websiteId, day);
    });
    await process.makeDue(websiteId);
    await process.workOnColumns(websiteId, over, limitsOf(7));
    expect(await database.query('SELECT * FROM purges WHERE website_id = ?', [websiteId])).toEqual([]);
    const whole = new QueryModel(hits, timezone);
    const model = exclusions.filter(isPurged).reduce((before, own) => {
      const [filter] = filtersOfKept([own]);
      return before.without((placed) => !before.passes(filter!, placed));
    }, whole);
    return { model, left: exclusions.filter((own) => !isPurged(own)) };
  }

  /** From the columns, from rows by statements, from a list of hits in memory, and from both. */
  async function expectAnswers(
    ask: Ask,
    websiteId: number,
    hits: Hit[] | QueryModel,
    all: Asked[],
    copied: number,
    exclusions: Exclusion[],
    firstDay = Math.min(...(hits as Hit[]).map(({ day }) => day)),
  ): Promise<void> {
    const remote = clickhouse.homeOf(websiteId);
    const divided = await DividedHits.copy(process.database, zone, websiteId, copied, remote);
    const model = hits instanceof QueryModel ? hits : new QueryModel(hits, timezone);
    const begin = clock.endOf(firstDay - 1) / 1000;
    for (let from = 0; from < all.length; from += QUERIES_AT_ONCE) {
      const some = all.slice(from, from + QUERIES_AT_ONCE);
      const hitQueries = some.map((one) => hitQueryOf(one, firstDay, begin));
      const { answers } = await ask({ asker: ownerAsks(OWNER), websiteId, statsFrom: 0, hitQueries });
      const others = await divided.answers(hitQueries.map((own) => keptQuery(own, exclusions)));
      for (const [index, one] of some.entries()) {
        const filters = [...one.filters, ...filtersOfKept(exclusions)];
        const expected = expectedOf(model, { ...one, filters }, hitQueries[index]!);
        const ofRows = await answerOfRows(websiteId, hitQueries[index]!, exclusions);
        for (const found of [ofRows, ...[answers, ...others].map((own) => own[index]!)]) {
          expect({ requested: one, rows: rowsOf(found) }).toEqual({ requested: one, rows: expected });
          expect(found.total).toBe(expected.length);
        }
      }
      await expectExport(divided, websiteId, hitQueries[0]!, exclusions);
    }
  }

  /** Statements count moved days, unless SQL cannot count the query or an exclusion concerns it. */
  async function answerOfRows(websiteId: number, asked: HitQuery, exclusions: Exclusion[]): Promise<Answer> {
    const hitQuery = withStatements(process.database.writer, asked, zone);
    const { range, previous, statements } = hitQuery;
    const moved = await process.database.query<{ day: number }[]>(
      `SELECT day FROM hit_days WHERE website_id = ${websiteId} AND home = 1`,
    );
    const ranges = previous ? [range, previous] : [range];
    const isMoved = moved.some(({ day }) => ranges.some((own) => hasDay(own, day)));
    const isExcluded =
      excludingIn(
        exclusions,
        ranges.map(({ days }) => days),
      ).length > 0;
    counts.mockClear();
    const request = { asker: ownerAsks(OWNER), websiteId, statsFrom: 0, hitQueries: [hitQuery] };
    const { answers } = await asking(1)(request);
    expect(counts.mock.calls.length > 0).toBe(statements !== undefined && isMoved && !isExcluded);
    return answers[0]!;
  }

  /** Columns and copies export the same hits of the same visitors, once a day is sealed. */
  async function expectExport(
    divided: DividedHits,
    websiteId: number,
    { range, filter }: HitQuery,
    exclusions: Exclusion[],
  ) {
    if (!filter) return;
    const lines = await exportedLines(process.database, zone, websiteId, range.days, filter);
    const sealed = lines.filter(({ day }) => divided.sealed.map(dayText).includes(day));
    const copies = await divided.exported(range.days, filter, keptBy(exclusions));
    expect(byVisitors(copies)).toEqual(byVisitors(sealed));
  }

  /** Without a filter of its own, the counts of each of the fourteen names agree with the hits. */
  async function expectCounters(ask: Ask, websiteId: number): Promise<void> {
    for (const name of STAT_NAMES.filter((name) => DIMENSIONS[name].per !== 'dropped event')) {
      const { days, counts } = DIMENSIONS[name];
      const [from, to] = [clock.dayOf(Date.parse(around)) - 5, clock.dayOf(Date.parse(around)) + 5];
      const hitQuery: HitQuery = {
        range: { days: { from, to } },
        previous: undefined,
        filter: undefined,
        dimensions: [days ? 'day' : (name as QueryName)],
        metrics: [counts],
        needsValue: true,
        fill: false,
        order: [],
        skip: 0,
        take: 1000,
      };
      const request = { asker: ownerAsks(OWNER), websiteId, statsFrom: 0, hitQueries: [hitQuery] };
      const { answers } = await ask(request);
      const { rows } = answers[0]!;
      const found = Object.fromEntries(
        Array.from(rows.metrics[0]!, (count, index) => [textAt(rows.dimensions[0]!, index), count]),
      );
      expect([name, found]).toEqual([name, await process.counted(websiteId, name, from, to)]);
    }
  }
});

function keptQuery(hitQuery: HitQuery, exclusions: Exclusion[]): HitQuery {
  return { ...hitQuery, filter: keptOf(hitQuery.filter, exclusions) };
}

function hitQueryOf(
  { filters, dimensions, first, length, moments, earlier }: Asked,
  firstDay: number,
  begin: number,
): HitQuery {
  const days = { from: firstDay + first, to: firstDay + first + length - 1 };
  const previous = earlier && { days: { from: days.from - earlier, to: days.to - earlier } };
  return {
    range: { days, moments: moments && { from: begin + moments.from, to: begin + moments.to } },
    previous: previous && !dimensions.some(isMoment) ? previous : undefined,
    filter: filterOf(filters),
    dimensions,
    metrics: COUNTED,
    fill: false,
    order: [{ by: { metric: 'visitors' }, direction: 'desc' }],
    skip: 0,
    take: 100_000,
  };
}

/** The lines of each visitor, whatever their number and order. */
function byVisitors(lines: HitLine[]): string[] {
  const own = new Map<string, string[]>();
  for (const [index, { visitor, ...line }] of lines.entries()) {
    const key = visitor === null ? `unknown ${index}` : `${line.day} ${visitor}`;
    own.set(key, [...(own.get(key) ?? []), JSON.stringify(line)]);
  }
  return [...own.values()].map((some) => some.sort().join('\n')).sort();
}

const COUNTED = countedFor([...METRICS]);
const SHOWN = ['visitors', 'pageviews', 'events', 'visits', 'bounces', 'seconds', 'value'] as const;
type Counts = Record<(typeof SHOWN)[number], number | string | null>;

interface Row {
  key: (string | null)[];
  counts: Counts;
  previous?: Counts;
}

function rowsOf({ rows }: Answer): Row[] {
  const countsAt = (metrics: Float64Array[], index: number) =>
    Object.fromEntries(
      SHOWN.map((metric) => [
        metric,
        valueOf(metric, (part) => metrics[COUNTED.indexOf(part)]![index]!, false),
      ]),
    ) as Counts;
  return Array.from(rows.metrics[0]!, (_, index) => ({
    key: rows.dimensions.map((list) => textAt(list, index)),
    counts: countsAt(rows.metrics, index),
    ...(rows.previous.length > 0 && { previous: countsAt(rows.previous, index) }),
  }));
}

function expectedOf(model: QueryModel, { filters, dimensions }: Asked, hitQuery: HitQuery): Row[] {
  const ask = ({ days, moments }: HitQuery['range']) =>
    model.rows({ from: dayText(days.from), to: dayText(days.to), moments, filters, dimensions });
  const previous = hitQuery.previous && ask(hitQuery.previous);
  const found = ask(hitQuery.range);
  if (dimensions.length === 0 && found.size === 0) found.set('[]', NOTHING());
  return [...found]
    .map(([key, counts]) => ({
      key: JSON.parse(key) as (string | null)[],
      counts: worded(counts),
      ...(previous && { previous: worded(previous.get(key) ?? NOTHING()) }),
    }))
    .sort(
      (one, other) =>
        (other.counts.visitors as number) - (one.counts.visitors as number) ||
        compareKeys(one, other, dimensions),
    );
}

/** There is no sum over several currencies. */
function worded({ value, currencies, ...counts }: ModelCounts): Counts {
  return { ...counts, value: currencies.size > 1 ? null : decimalOf(String(value)) };
}

function compareKeys(one: Row, other: Row, dimensions: QueryName[]): number {
  for (const [index, name] of dimensions.entries()) {
    const [value, otherValue] = [one.key[index]!, other.key[index]!];
    if (value === otherValue) continue;
    if (value === null) return -1;
    if (otherValue === null) return 1;
    if (name === 'hour') return Date.parse(value) - Date.parse(otherValue);
    return name === 'hour_of_day' ? Number(value) - Number(otherValue) : compareTexts(value, otherValue);
  }
  return 0;
}
