import { dayText } from '../../engine/ground/time/days';
import { textAt } from '../../engine/ground/lists/text-list';
import { QueryAnswering } from '../../engine/columns/answering/query-answering';
import { parseAmount } from '../../engine/hits/value-sums';
import { filterOf, GOAL, type ResolvedFilter } from '../../engine/questions/parse/filter';
import { Zone } from '../../engine/questions/plan/buckets';
import type { Answer, CountedGoals, DimensionName, HitQuery } from '../../engine/questions/plan/hit-query';
import { countedFor, type Metric, valueOf } from '../../engine/questions/plan/metrics';
import { ColumnCache } from '../../engine/columns/read/column-cache';
import { ownerAsks } from '../support/owner-asks';
import { decimalOf } from '../../engine/hits/events/amount';
import { type Hit, NO_HIT } from '../../engine/hits/hit';
import { OTHER } from '../../engine/hits/rules/value-limits';
import { CountingProcess, daysOver } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { type GoalCounts, type ModelGoal, rowsOfGoals } from '../support/goal-model';
import { NOTHING, type Placed, QueryModel } from '../support/query-model';
import { visitorCalled } from '../support/visitor-called';
import { PATIENCE_MS } from '../support/until';

const DAY = 20_000;
const VISITORS = 240;
const PAGES = 400;
const TIMEZONE = 'UTC';
const METRICS: Metric[] = ['conversions', 'pageviews', 'visits', 'conversion_rate', 'value'];
const COUNTED = countedFor(METRICS);

const goal = (name: string, value: bigint | null, ...filters: ResolvedFilter[]): ModelGoal => ({
  name,
  filters,
  value,
});
/** Every hit reaches the first one, so that it has a row for each value that is not merged. */
const GOALS = [
  goal('All', null, ['is_not', 'device', ['none']]),
  goal('Phones', 15_000n, ['is', 'device', ['mobile']]),
  goal('Signup', null, ['is', 'event', ['signup']]),
  goal('Signup on phones', 5000n, ['is', 'device', ['mobile']], ['is', 'event', ['signup']]),
];

/** Visitors with some hits on pages that few see. Both days have the same, so that no value is of one alone. */
const HITS: Hit[] = Array.from({ length: 2 * VISITORS }, (_, index) => {
  const day = DAY + (index % 2);
  const own = index >> 1;
  return Array.from({ length: 1 + (own % 4) }, (_, number): Hit => {
    const isSignup = (own + number) % 5 === 0;
    return {
      ...NO_HIT,
      day,
      at: day * 86_400 + 60 * number + own,
      visitor: visitorCalled(index),
      page: `/${(own * 7 + number * 31) % PAGES}`,
      country: ['DE', 'FR', 'US'][own % 3]!,
      browser: ['Chrome', 'Firefox', 'Safari'][own % 3]!,
      device: own % 4 === 0 ? 'mobile' : 'desktop',
      event: isSignup ? 'signup' : null,
      ...(isSignup && { value: '20000', currency: 'EUR' }),
    };
  });
}).flat();

/** Counts the hits of combinations that are merged under another name. */
class MergedModel extends QueryModel {
  constructor(private readonly isMerged: (placed: Placed) => boolean) {
    super(HITS, TIMEZONE);
  }

  override valueOf(name: string, placed: Placed, moment: Placed): string | null {
    const isOfRows = name === 'page' || name === 'country';
    return isOfRows && this.isMerged(placed) ? OTHER : super.valueOf(name, placed, moment);
  }
}

let database: FreshDatabase;
let process: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  process = await CountingProcess.start(database.url);
  await process.register(1);
  await process.accept(1, ...HITS);
  const folder = (await process.folderOf(1))!;
  while ((await folder.foldSome(100)) > 0);
  await folder.lease.release();
  await process.workOnColumns(
    1,
    { ...daysOver(DAY + 1), before: 0, finalBefore: 0 },
    {
      closing: { hits: 50, textBytes: 1000, bytesAtOnce: 500 },
      merge: { hits: 150, textBytes: 4000, bytesAtOnce: 500 },
    },
  );
});
afterAll(async () => {
  await process.stop();
  await database.drop();
});

const answerWith = async (hitQuery: HitQuery, bytesOfOne?: number): Promise<Answer> => {
  const limits = bytesOfOne === undefined ? undefined : { bytesOfOne, bytesTogether: 4 * bytesOfOne };
  const answering = new QueryAnswering(
    process.database,
    new ColumnCache(),
    new Zone(TIMEZONE),
    undefined,
    limits,
  );
  const request = { asker: ownerAsks(1), websiteId: 1, statsFrom: 0, hitQueries: [hitQuery] };
  return (await answering.answer(request, PATIENCE_MS, () => undefined)).answers[0]!;
};

/** By a name that is not among the dimensions. */
const REST: ResolvedFilter[] = [['is_not', 'browser', ['Safari']]];

describe.each<{ dimensions: DimensionName[]; rest: ResolvedFilter[] }>([
  { dimensions: [GOAL, 'page'], rest: [] },
  { dimensions: ['page', GOAL], rest: REST },
  { dimensions: ['page', GOAL, 'country'], rest: [] },
  { dimensions: [GOAL, 'page', 'day'], rest: [] },
])('rows by $dimensions that are too many', ({ dimensions, rest }) => {
  const days = { from: DAY + 1, to: DAY + 1 };
  const goals: CountedGoals = {
    list: GOALS.map(({ name, filters, value }) => ({
      name,
      filter: filterOf(filters)!,
      value: value === null ? undefined : { ...parseAmount(String(value))!, goal: name, currency: 'EUR' },
    })),
    value: undefined,
    rest: filterOf(rest),
  };
  const hitQuery: HitQuery = {
    range: { days },
    previous: dimensions.includes('day') ? undefined : { days: { from: DAY, to: DAY } },
    filter: filterOf(rest),
    goals,
    dimensions,
    metrics: COUNTED,
    fill: false,
    order: [{ by: { metric: 'conversions' }, direction: 'desc' }],
    skip: 0,
    take: 10_000,
  };
  const keysIn = ({ rows }: Answer) =>
    Array.from(rows.metrics[0]!, (_, row) => rows.dimensions.map((list) => textAt(list, row)));

  it('count the same values together for each goal and for all visitors', async () => {
    const whole = await answerWith(hitQuery);
    expect(whole.isMerged).toBe(false);
    const answer = await answerWith(hitQuery, 20_000);
    expect([answer.isMerged, answer.total < whole.total]).toEqual([true, true]);
    const place = dimensions.indexOf(GOAL);
    const ownRows = new Set(
      keysIn(answer)
        .filter((key) => key[place] === 'All')
        .map((key) => JSON.stringify(key.toSpliced(place, 1))),
    );
    const others = dimensions.filter((name) => name !== GOAL);
    const plain = new QueryModel(HITS, TIMEZONE);
    const model = new MergedModel(
      (placed) => !ownRows.has(JSON.stringify(others.map((name) => plain.valueOf(name, placed, placed)))),
    );
    const modelQuery = (own: { from: number; to: number }) => ({
      ...{ from: dayText(own.from), to: dayText(own.to), rest, named: undefined, dimensions },
    });
    const expected = rowsOfGoals(model, modelQuery(days), GOALS);
    const before = hitQuery.previous && rowsOfGoals(model, modelQuery(hitQuery.previous.days), GOALS, true);
    const found = keysIn(answer).map((key, row): [string, unknown] => [
      JSON.stringify(key),
      [countsAt(answer.rows.metrics, row), before && countsAt(answer.rows.previous, row)],
    ]);
    const wanted = [...expected].map(([key, counts]): [string, unknown] => [
      key,
      [worded(counts), before && worded(before.get(key) ?? NO_COUNTS)],
    ]);
    expect(new Map(found)).toEqual(new Map(wanted));
    expect(found.filter(([key]) => key.includes(OTHER)).length).toBeGreaterThanOrEqual(GOALS.length - 1);
  });
});

const NO_COUNTS: GoalCounts = { ...NOTHING(), conversions: 0, converters: 0, all_visitors: 0 };

function countsAt(metrics: Float64Array[], row: number): object {
  return Object.fromEntries(
    METRICS.map((metric) => [
      metric,
      valueOf(metric, (part) => metrics[COUNTED.indexOf(part)]![row]!, false),
    ]),
  );
}

function worded({ conversions, pageviews, visits, converters, all_visitors, value, currencies }: GoalCounts) {
  return {
    ...{ conversions, pageviews, visits },
    conversion_rate: all_visitors === 0 ? null : Math.round((converters / all_visitors) * 1e4) / 1e4,
    value: currencies.size > 1 ? null : decimalOf(String(value)),
  };
}
