import fc from 'fast-check';
import { openBlock, sealedPart } from '../../../../test/support/columns-of';
import { randomFilter, randomHits } from '../../../../test/support/random-hits';
import { WebsiteTexts } from '../../../hits/codes/text-codes';
import type { Hit } from '../../../hits/hit';
import { FilterMemory } from '../../memory/filter-memory';
import { RowMemory } from '../../memory/bytes-of-rows';
import { type Filter, filterOf, GOAL, type ResolvedFilter } from '../../../questions/parse/filter';
import { Zone } from '../../../questions/plan/buckets';
import type { DimensionName, HitQuery } from '../../../questions/plan/hit-query';
import type { CountedMetric } from '../../../questions/plan/metrics';
import { WebsiteValues } from '../../select/website-values';
import { BlockView } from '../../select/block-view';
import { Selections } from '../../select/selections';
import { GroupKeys } from '../group-keys';
import { Scan } from '../scan';

const TIMEZONE = 'Europe/Berlin';
const ZONE = new Zone(TIMEZONE);
const check = () => undefined;
const SHOWN: CountedMetric[] = ['conversions', 'pageviews', 'events', 'visitors'];
const DIMENSIONS: DimensionName[][] = [
  [GOAL],
  [GOAL, 'page'],
  ['country', GOAL],
  [GOAL, 'event'],
  [GOAL, 'entry_page'],
  ['day', GOAL],
  [GOAL, 'hour'],
];

async function viewOf(hits: Hit[]): Promise<BlockView> {
  const texts = new WebsiteTexts(1024 * 1024);
  const { day } = hits[0]!;
  const whole = openBlock(
    hits.filter((hit) => hit.day === day),
    texts,
  );
  const own = new WebsiteTexts(1024 * 1024);
  const part = await sealedPart([whole], texts, own);
  return new BlockView(part.block([day]), new WebsiteValues(own));
}

/** The counts of each row. `metrics` decide whether goals are counted at once. */
function counted(
  view: BlockView,
  goals: Filter[],
  around: Filter,
  dimensions: DimensionName[],
  metrics: CountedMetric[],
) {
  const { day } = view.block.days[0]!;
  const days = { from: day, to: day };
  const list = goals.map((filter, index) => ({ name: String(index), filter, value: undefined }));
  const hitQuery: HitQuery = {
    ...{ range: { days }, previous: undefined, filter: around, dimensions, metrics },
    goals: { list, value: undefined, rest: undefined },
    ...{ fill: false, order: [], skip: 0, take: 10 },
  };
  const keys = new GroupKeys(dimensions.length, () => []);
  const scan = new Scan(hitQuery, hitQuery.range, keys, ZONE, check, new RowMemory());
  const selections = new Selections(view.block.days, ZONE, new FilterMemory(), check);
  scan.addByGoal(view, selections.of(around).of(view), selections.classesOf(goals));
  const rows = Array.from(scan.tally.counted(), (group) => [
    dimensions.map((_, index) => keys.codeOf(group, index)).join(),
    SHOWN.map((metric) => scan.tally.of(metric, group)),
  ]);
  return { rows: new Map(rows as [string, number[]][]), isAtOnce: Reflect.get(scan, 'sets') !== undefined };
}

it('counts many goals at once as one after the other', async () => {
  const dense: fc.Arbitrary<ResolvedFilter> = fc.oneof(
    randomFilter,
    fc.constantFrom('/', '/a', '/none').map((page): ResolvedFilter => ['is_not', 'page', [page]]),
    fc.constantFrom('DE', 'US').map((country): ResolvedFilter => ['is_not', 'country', [country]]),
  );
  let times = 0;
  await fc.assert(
    fc.asyncProperty(
      randomHits(TIMEZONE, '2026-10-25T01:00:00Z'),
      fc.array(dense, { minLength: 5, maxLength: 12 }),
      randomFilter,
      fc.constantFrom(...DIMENSIONS),
      async (hits, sent, around, dimensions) => {
        const view = await viewOf(hits);
        const goals = sent.map((filter) => filterOf([filter])!);
        const outer = filterOf([['or', [around, ['is_not', 'page', ['/']]]]])!;
        const atOnce = counted(view, goals, outer, dimensions, SHOWN);
        const oneByOne = counted(view, goals, outer, dimensions, [...SHOWN, 'seconds']);
        times += Number(atOnce.isAtOnce);
        expect(oneByOne.isAtOnce).toBe(false);
        expect(withoutZeros(atOnce.rows)).toEqual(withoutZeros(oneByOne.rows));
      },
    ),
    { numRuns: 300 },
  );
  expect(times).toBeGreaterThan(100);
});

/** A visit may count in a row without a hit. */
function withoutZeros(rows: Map<string, number[]>): Map<string, number[]> {
  return new Map([...rows].filter(([, counts]) => counts.some((count) => count > 0)));
}
