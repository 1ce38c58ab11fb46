import fc from 'fast-check';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { dayText } from '../../../engine/ground/time/days';
import { compareTexts } from '../../../engine/ground/text-order';
import { textAt } from '../../../engine/ground/lists/text-list';
import { parseAmount } from '../../../engine/hits/value-sums';
import { QueryAnswering } from '../../../engine/columns/answering/query-answering';
import { filterOf, GOAL, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import { isMoment } from '../../../engine/questions/parse/names';
import { Zone } from '../../../engine/questions/plan/buckets';
import type { Answer, DimensionName, HitQuery } from '../../../engine/questions/plan/hit-query';
import { countedFor, METRICS, valueOf } from '../../../engine/questions/plan/metrics';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import { ownerAsks } from '../../support/owner-asks';
import { decimalOf } from '../../../engine/hits/events/amount';
import type { Hit } from '../../../engine/hits/hit';
import { CountingProcess, daysOver } from '../../support/counting';
import { Clickhouse } from '../../support/clickhouse';
import { DividedHits } from '../../support/divided-hits';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { anyOf, type GoalCounts, type ModelGoal, rowsOfGoals } from '../../support/goal-model';
import { NOTHING, QueryModel } from '../../support/query-model';
import { randomDimensions, randomFilter, randomHits } from '../../support/random-hits';
import { size } from '../../support/sizes';
import { PATIENCE_MS } from '../../support/until';

const HIT_QUERIES = size('GOAL_QUERIES', 150, 5000);
const QUERIES_OF_WEBSITE = 50;
/** Queries with different goals, and with different ranges. */
const QUERIES_AT_ONCE = 2;
const TIMEZONE = 'Europe/Berlin';
/** Clocks are set back. */
const AROUND = '2026-10-25T01:00:00Z';
const OWNER = 1;

interface Asked {
  goals: ModelGoal[];
  rest: ResolvedFilter[];
  /** How many of the goals the filters name. */
  named: number | undefined;
  dimensions: DimensionName[];
  first: number;
  length: number;
  moments: { from: number; to: number } | undefined;
  earlier: number | undefined;
}

const goal = fc.record({
  name: fc.constantFrom('Signup', 'signup', 'Käufe 🙂', '__proto__', 'a', '0', '(other)', '\\'),
  filters: fc.array(randomFilter, { minLength: 1, maxLength: 2 }),
  value: fc.constantFrom(null, null, 0n, 15000n, -1n, 999_999_999_999_999_9999n),
});

const requested: fc.Arbitrary<Asked> = fc.record({
  goals: fc.uniqueArray(goal, { maxLength: 6, selector: ({ name }) => name }),
  rest: fc.array(randomFilter, { maxLength: 1 }),
  named: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
  dimensions: fc.oneof(
    randomDimensions,
    fc
      .tuple(randomDimensions, fc.nat(2))
      .map(([others, place]) => (others.slice(0, 2) as DimensionName[]).toSpliced(place, 0, GOAL)),
  ),
  first: fc.integer({ min: -1, max: 4 }),
  length: fc.integer({ min: 1, max: 6 }),
  moments: fc.option(
    fc
      .tuple(fc.integer({ min: -2 * 1440, max: 4 * 1440 }), fc.nat(7 * 1440))
      .map(([from, length]) => ({ from: 60 * from, to: 60 * (from + length) + 59 })),
    { freq: 3, nil: undefined },
  ),
  earlier: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
});

const clock = new DayClock(TIMEZONE);
let websites = 0;
let database: FreshDatabase;
let clickhouse: Clickhouse;
let process: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  clickhouse = await Clickhouse.start();
  process = await CountingProcess.start(database.url);
});
afterAll(async () => {
  await process.stop();
  await database.drop();
  await clickhouse.stop();
});

it(
  'counts conversions as walking over the hits does, by goal, by named goals, and by any goal',
  async () => {
    const hitQueries = fc.array(requested, {
      minLength: QUERIES_OF_WEBSITE,
      maxLength: QUERIES_OF_WEBSITE,
      size: 'max',
    });
    const hits = randomHits(TIMEZONE, AROUND);
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(hits, hits),
        fc.record({ columns: fc.integer({ min: 0, max: 5 }), hits: fc.integer({ min: 1, max: 60 }) }),
        fc.constantFrom(1, 3000, 100_000),
        hitQueries,
        fc.integer(),
        async ([before, late], { columns, hits }, share, all, copied) => {
          const websiteId = ++websites;
          await process.register(websiteId);
          const answering = new QueryAnswering(
            process.database,
            new ColumnCache({ shares: share }),
            new Zone(TIMEZONE),
          );
          const half = Math.floor(all.length / 2);
          await count(websiteId, before);
          const sealedBefore = Math.min(...before.map(({ day }) => day)) + columns;
          const over = { ...daysOver(sealedBefore), before: 0, finalBefore: 0 };
          await process.workOnColumns(websiteId, over, {
            closing: { hits, textBytes: 1000, bytesAtOnce: 500 },
            merge: { hits: 3 * hits, textBytes: 4000, bytesAtOnce: 500 },
          });
          await expectAnswers(answering, websiteId, before, all.slice(0, half), copied);
          await count(websiteId, late);
          // Counts of sealed days are cached, so some queries are repeated.
          await expectAnswers(answering, websiteId, [...before, ...late], all, copied);
        },
      ),
      { numRuns: Math.ceil(HIT_QUERIES / QUERIES_OF_WEBSITE), endOnFailure: true },
    );
  },
  120_000 + 400 * HIT_QUERIES,
);

async function count(websiteId: number, hits: Hit[]): Promise<void> {
  await process.accept(websiteId, ...hits);
  await process.endLeases();
  const folder = (await process.folderOf(websiteId))!;
  while ((await folder.foldSome(40)) > 0);
  await folder.lease.release();
}

/** From the columns, from a list of hits in memory, and from both. */
async function expectAnswers(
  answering: QueryAnswering,
  websiteId: number,
  hits: Hit[],
  all: Asked[],
  copied: number,
): Promise<void> {
  const divided = await DividedHits.copy(
    process.database,
    new Zone(TIMEZONE),
    websiteId,
    copied,
    clickhouse.homeOf(websiteId),
  );
  const model = new QueryModel(hits, TIMEZONE);
  const firstDay = Math.min(...hits.map(({ day }) => day));
  for (let from = 0; from < all.length; from += QUERIES_AT_ONCE) {
    const some = all.slice(from, from + QUERIES_AT_ONCE);
    const hitQueries = some.map((one) => hitQueryOf(one, firstDay));
    const request = { asker: ownerAsks(OWNER), websiteId, statsFrom: 0, hitQueries };
    const { answers } = await answering.answer(request, PATIENCE_MS, () => undefined);
    const others = await divided.answers(hitQueries);
    for (const [index, one] of some.entries()) {
      const expected = expectedOf(model, one, hitQueries[index]!);
      for (const found of [answers, ...others].map((own) => own[index]!)) {
        expect({ one, rows: rowsOf(found) }).toEqual({ one, rows: expected });
        expect(found.total).toBe(expected.length);
      }
    }
  }
}

const namedOf = ({ goals, named }: Asked) => (named === undefined ? undefined : goals.slice(0, named));
const worthOf = ({ name, value }: { name: string; value: bigint | null }) =>
  value === null ? undefined : { ...parseAmount(String(value))!, goal: name, currency: 'EUR' };

function hitQueryOf(asked: Asked, firstDay: number): HitQuery {
  const { goals, rest, dimensions, first, length, moments, earlier } = asked;
  const named = namedOf(asked);
  const begin = clock.endOf(firstDay - 1) / 1000;
  const days = { from: firstDay + first, to: firstDay + first + length - 1 };
  const previous =
    earlier === undefined ? undefined : { days: { from: days.from - earlier, to: days.to - earlier } };
  const isByGoal = dimensions.includes(GOAL);
  return {
    range: { days, moments: moments && { from: begin + moments.from, to: begin + moments.to } },
    previous: dimensions.some((name) => name !== GOAL && isMoment(name)) ? undefined : previous,
    filter: filterOf(named ? [...rest, anyOf(named)] : rest),
    goals: {
      list:
        named && !isByGoal
          ? undefined
          : goals.map((goal) => ({
              name: goal.name,
              filter: filterOf(goal.filters)!,
              value: worthOf(goal),
            })),
      value: !isByGoal && named?.length === 1 ? worthOf(named[0]!) : undefined,
      rest: filterOf(rest),
    },
    dimensions,
    metrics: COUNTED,
    fill: false,
    order: [{ by: { metric: 'conversion_rate' }, direction: 'desc' }],
    skip: 0,
    take: 100_000,
  };
}

const COUNTED = countedFor([...METRICS]);
const SHOWN = METRICS;
type Counts = Partial<Record<(typeof METRICS)[number], number | string | null>>;

interface Row {
  key: (string | null)[];
  counts: Counts;
  previous?: Counts;
}

function rowsOf({ rows }: Answer): Row[] {
  const countsAt = (metrics: Float64Array[], index: number): Counts =>
    Object.fromEntries(
      SHOWN.map((metric) => [
        metric,
        valueOf(metric, (part) => metrics[COUNTED.indexOf(part)]![index]!, false),
      ]),
    );
  return Array.from(rows.metrics[0]!, (_, index) => ({
    key: rows.dimensions.map((list) => textAt(list, index)),
    counts: countsAt(rows.metrics, index),
    ...(rows.previous.length > 0 && { previous: countsAt(rows.previous, index) }),
  }));
}

const NO_COUNTS: GoalCounts = { ...NOTHING(), conversions: 0, converters: 0, all_visitors: 0 };

function expectedOf(model: QueryModel, asked: Asked, hitQuery: HitQuery): Row[] {
  const { rest, dimensions, goals } = asked;
  const ask = ({ days, moments }: HitQuery['range'], isCompared = false) =>
    rowsOfGoals(
      model,
      {
        ...{ from: dayText(days.from), to: dayText(days.to), moments },
        ...{ rest, named: namedOf(asked), dimensions },
      },
      goals,
      isCompared,
    );
  const previous = hitQuery.previous && ask(hitQuery.previous, true);
  const found = ask(hitQuery.range);
  if (dimensions.length === 0 && found.size === 0) found.set('[]', NO_COUNTS);
  const rateOf = ({ converters, all_visitors }: GoalCounts) =>
    all_visitors === 0 ? -Infinity : converters / all_visitors;
  return [...found]
    .map(([key, counts]) => ({ key: JSON.parse(key) as (string | null)[], text: key, counts }))
    .sort(
      (one, other) =>
        orderOf(rateOf(one.counts), rateOf(other.counts)) || compareKeys(one.key, other.key, dimensions),
    )
    .map(({ key, text, counts }) => ({
      key,
      counts: worded(counts),
      ...(previous && { previous: worded(previous.get(text) ?? NO_COUNTS) }),
    }));
}

/** The largest first. */
function orderOf(one: number, other: number): number {
  return one === other ? 0 : other - one;
}

function worded({ value, currencies, ...counts }: GoalCounts): Counts {
  const { visits, bounces, seconds, pageviews, converters, all_visitors } = counts;
  const ratio = (of: number, by: number, places: number) =>
    by === 0 ? null : Math.round((of / by) * 10 ** places) / 10 ** places;
  return {
    ...counts,
    bounce_rate: ratio(bounces, visits, 4),
    visit_duration: ratio(seconds, visits, 0),
    views_per_visit: ratio(pageviews, visits, 4),
    conversion_rate: ratio(converters, all_visitors, 4),
    value: currencies.size > 1 ? null : decimalOf(String(value)),
  };
}

function compareKeys(one: (string | null)[], other: (string | null)[], dimensions: DimensionName[]): number {
  for (const [index, name] of dimensions.entries()) {
    const [value, otherValue] = [one[index]!, other[index]!];
    if (value === otherValue) continue;
    if (value === null) return -1;
    if (otherValue === null) return 1;
    if (name === 'hour') return Date.parse(value) - Date.parse(otherValue);
    return name === 'hour_of_day' ? Number(value) - Number(otherValue) : compareTexts(value, otherValue);
  }
  return 0;
}
