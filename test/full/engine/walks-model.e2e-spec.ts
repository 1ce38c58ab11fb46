import fc from 'fast-check';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { dayText } from '../../../engine/ground/time/days';
import type { OverDays } from '../../../engine/columns/seal/sealing-times';
import type { ColumnLimits } from '../../../engine/columns/upkeep/next-column-work';
import { QueryAnswering } from '../../../engine/columns/answering/query-answering';
import { WorkingMemory } from '../../../engine/asking/memory/working-memory';
import type { FunnelRequest } from '../../../engine/questions/funnel-request';
import type { JourneyRequest } from '../../../engine/questions/journey-request';
import { type Exclusion, keptOf } from '../../../engine/questions/exclusions';
import { type Filter, filterOf, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import type { WalkRequest } from '../../../engine/questions/walk-request';
import type { QueryName } from '../../../engine/questions/parse/names';
import { Zone } from '../../../engine/questions/plan/buckets';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import { WalkAnswering } from '../../../engine/columns/answering/walk-answering';
import { ownerAsks } from '../../support/owner-asks';
import type { Hit } from '../../../engine/hits/hit';
import { closeDays } from '../../support/counted';
import { CountingProcess, daysOver } from '../../support/counting';
import { Clickhouse } from '../../support/clickhouse';
import { DividedHits } from '../../support/divided-hits';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { filtersOfKept, leaveOut, randomExclusions } from '../../support/random-exclusions';
import { randomFilter, randomHits } from '../../support/random-hits';
import { size } from '../../support/sizes';
import { type ModelFunnel, type ModelJourney, WalkModel } from '../../support/walk-model';
import { PATIENCE_MS } from '../../support/until';

/** In total, over all time zones: as many funnels as journeys. */
const WALKS = size('WALKS', 240, 6000);
const WALKS_OF_WEBSITE = 30;
const ZONES = { UTC: '2026-10-25T00:00:00Z', 'Europe/Berlin': '2026-10-25T01:00:00Z' };
const OWNER = 1;
const LIMIT = { patienceMs: PATIENCE_MS, check: () => undefined };
/** Visits are close together, and several of their hits have the same second. */
const CLOSER = 24;
const SECONDS = 60;

/** Dense visits around midnight. Most have few pages; with others, a step has more than are shown. */
function visits(timezone: string, around: string): fc.Arbitrary<Hit[]> {
  const clock = new DayClock(timezone);
  const begin = Date.parse(around) / 1000;
  return randomHits(timezone, around).map((hits) =>
    hits.map((hit) => {
      const at = begin + SECONDS * Math.floor((hit.at - begin) / CLOSER / SECONDS);
      const page = hit.medium === 'cpc' ? hit.page + hit.city : hit.page.slice(0, 3);
      return { ...hit, at, page, day: clock.dayOf(1000 * at) };
    }),
  );
}

const simple = fc.constantFrom<ResolvedFilter[]>(
  ['is', 'page', ['/']],
  ['is', 'page', ['/a', '/A']],
  ['is', 'page', ['/bl']],
  ['is', 'event', ['signup']],
  ['is', 'event', ['signup', 'Signup', 'signup ']],
  ['is', 'event', [null]],
  ['starts', 'page', ['/']],
  ['contains', 'page', ['a']],
);
const step = fc.oneof(
  { weight: 6, arbitrary: simple.map((one) => [one]) },
  { weight: 1, arbitrary: fc.tuple(simple, randomFilter) },
);
const filters = fc.oneof(
  { weight: 2, arbitrary: fc.constant<ResolvedFilter[]>([]) },
  { weight: 1, arbitrary: fc.array(randomFilter, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom<ResolvedFilter[][]>([['is', 'browser', ['Chrome', 'Safari']]]) },
);
const BREAKDOWNS = ['page', 'country', 'referrer', 'channel', 'entry_page', 'event', 'day', 'source'];
const funnel: fc.Arbitrary<ModelFunnel> = fc.record({
  filters,
  steps: fc.array(step, { minLength: 2, maxLength: 8 }),
  order: fc.constantFrom('open' as const, 'strict' as const),
  within: fc.constantFrom('visit' as const, 'day' as const),
  breakdown: fc.option(fc.constantFrom(...BREAKDOWNS), { nil: undefined }),
});
const journey: fc.Arbitrary<ModelJourney> = fc
  .record({
    filters,
    from: fc.constantFrom<ModelJourney['from'][]>(
      'entry',
      { kind: 'page', value: '/' },
      { kind: 'page', value: '/bl' },
      { kind: 'event', value: 'signup' },
      { kind: 'page', value: '/unheard-of' },
    ),
    isBackwards: fc.boolean(),
    steps: fc.integer({ min: 1, max: 5 }),
  })
  .map((asked) => ({ ...asked, isBackwards: asked.isBackwards && asked.from !== 'entry' }));

interface Spans {
  first: number;
  length: number;
  moments: { from: number; to: number } | undefined;
  /** The number of days by which the compared range begins earlier. */
  earlier: number | undefined;
}
const spans: fc.Arbitrary<Spans> = fc.record({
  first: fc.integer({ min: -1, max: 1 }),
  length: fc.integer({ min: 1, max: 4 }),
  moments: fc.option(
    fc
      .tuple(fc.integer({ min: 18 * 60, max: 30 * 60 }), fc.nat(8 * 60))
      .map(([from, length]) => ({ from: 60 * from, to: 60 * (from + length) + 30 })),
    { nil: undefined, freq: 2 },
  ),
  earlier: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
});

/** Small parts, some of them merged. */
const limitsOf = (hits: number): ColumnLimits => ({
  closing: { hits, textBytes: 1000, bytesAtOnce: 500 },
  merge: { hits: 3 * hits, textBytes: 4000, bytesAtOnce: 500 },
});

/** Days that are sealed. Late hits stay outside of their columns. */
const overOf = (before: number, isKnown: boolean): OverDays => ({
  ...daysOver(before),
  before: isKnown ? 0 : before,
  finalBefore: isKnown ? 0 : before,
});

let websites = 0;

describe.each(Object.entries(ZONES))('in the time zone %s', (timezone, around) => {
  const clock = new DayClock(timezone);
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
    'answers funnels and journeys as walking over each visit does',
    async () => {
      const rounds = Math.ceil(WALKS / WALKS_OF_WEBSITE / Object.keys(ZONES).length);
      const walks = fc.array(fc.tuple(funnel, journey, spans), {
        minLength: WALKS_OF_WEBSITE,
        maxLength: WALKS_OF_WEBSITE,
        size: 'max',
      });
      const inColumns = fc.record({
        columns: fc.integer({ min: 0, max: 3 }),
        hits: fc.integer({ min: 1, max: 60 }),
      });
      const parts = fc.tuple(visits(timezone, around), visits(timezone, around));
      await fc.assert(
        fc.asyncProperty(
          parts,
          fc.constantFrom('by the service', 'without visitors', 'with visitors', 'with visitors'),
          inColumns,
          walks,
          fc.integer(),
          fc.tuple(randomExclusions, randomExclusions),
          async ([before, after], closed, { columns, hits }, all, copied, [first, second]) => {
            const websiteId = ++websites;
            await process.register(websiteId);
            const answering = answeringOf(process);
            await count(websiteId, before);
            const firstDay = Math.min(...before.map(({ day }) => day));
            const sealedBefore = firstDay + columns;
            const isKnown = closed === 'with visitors';
            if (closed === 'by the service') await closeDays(process.counting, websiteId, sealedBefore);
            else await process.workOnColumns(websiteId, overOf(sealedBefore, isKnown), limitsOf(hits));
            const late = after.map((hit) =>
              hit.day < sealedBefore && !isKnown ? { ...hit, visitor: '' } : hit,
            );
            const third = Math.floor(all.length / 3);
            await expectAnswers(answering, websiteId, before, all.slice(0, third), copied, []);
            let exclusions = await leaveOut(process, websiteId, first, firstDay);
            await count(websiteId, late);
            const both = [...before, ...late];
            await expectAnswers(answering, websiteId, both, all.slice(third, 2 * third), copied, exclusions);
            exclusions = await leaveOut(process, websiteId, second, firstDay);
            const final = { ...overOf(sealedBefore, isKnown), finalBefore: sealedBefore };
            await process.workOnColumns(websiteId, final, limitsOf(hits));
            await expectAnswers(answering, websiteId, both, all.slice(2 * third), copied, exclusions);
          },
        ),
        { numRuns: rounds, endOnFailure: true },
      );
    },
    120_000 + 200 * WALKS,
  );

  function answeringOf({ database }: CountingProcess): WalkAnswering {
    const memory = new WorkingMemory();
    const cache = new ColumnCache({ takeMemory: memory.takeForTexts });
    const zone = new Zone(timezone);
    return new WalkAnswering(
      database,
      cache,
      zone,
      memory,
      new QueryAnswering(database, cache, zone, memory),
    );
  }

  /** In several folds. */
  async function count(websiteId: number, hits: Hit[]): Promise<void> {
    await process.accept(websiteId, ...hits);
    await process.endLeases();
    const folder = (await process.folderOf(websiteId))!;
    while ((await folder.foldSome(40)) > 0);
    await folder.lease.release();
  }

  async function expectAnswers(
    answering: WalkAnswering,
    websiteId: number,
    hits: Hit[],
    all: [ModelFunnel, ModelJourney, Spans][],
    copied: number,
    exclusions: Exclusion[],
  ): Promise<void> {
    const divided = await DividedHits.copy(
      process.database,
      new Zone(timezone),
      websiteId,
      copied,
      clickhouse.homeOf(websiteId),
    );
    const model = new WalkModel(hits, timezone, filtersOfKept(exclusions));
    const kept = <R extends Common>(request: R): R => {
      const [filter, seen] = [keptOf(request.filter, exclusions), keptOf(request.seen, exclusions)];
      return { ...request, filter, seen };
    };
    const firstDay = Math.min(...hits.map(({ day }) => day));
    const begin = clock.endOf(firstDay - 1) / 1000;
    for (const [askedFunnel, askedJourney, { first, length, moments, earlier }] of all) {
      const days = { from: firstDay + first, to: firstDay + first + length - 1 };
      const cut = moments && { from: begin + moments.from, to: begin + moments.to };
      const previous = earlier && { days: { from: days.from - earlier, to: days.to - earlier } };
      const modelRange = { from: dayText(days.from), to: dayText(days.to), moments: cut };
      const request = {
        ...{ asker: ownerAsks(OWNER), websiteId, statsFrom: 0, seen: undefined },
        range: { days, moments: cut },
        previous: previous ? previous : undefined,
      };
      const found = await answering.funnel(funnelRequest(request, askedFunnel), LIMIT);
      for (const other of await divided.funnel(kept(funnelRequest(request, askedFunnel))))
        expect({ asked: askedFunnel, other }).toEqual({ asked: askedFunnel, other: found.result });
      const before = previous && {
        from: dayText(previous.days.from),
        to: dayText(previous.days.to),
      };
      const counts = before ? model.funnel(askedFunnel, before).steps : undefined;
      const expected = model.funnel(askedFunnel, modelRange);
      expect({ asked: askedFunnel, modelRange, counts: found.result }).toEqual({
        asked: askedFunnel,
        modelRange,
        counts: {
          steps: expected.steps.map((own, index) => ({ ...own, previous: counts?.[index]!.visitors })),
          breakdown: expected.breakdown.map(([value, steps]) => ({ value, steps })),
        },
      });
      const journeys = await answering.journey(journeyRequest(request, askedJourney), LIMIT);
      for (const other of await divided.journey(kept(journeyRequest(request, askedJourney))))
        expect({ asked: askedJourney, other }).toEqual({ asked: askedJourney, other: journeys.result });
      const { links, ...others } = model.journey(askedJourney, modelRange);
      const { links: foundLinks, ...foundOthers } = journeys.result;
      expect({ asked: askedJourney, modelRange, ...foundOthers }).toEqual({
        asked: askedJourney,
        modelRange,
        ...others,
      });
      expect(sorted(foundLinks)).toEqual(sorted(links));
    }
  }
});

function sorted(links: readonly object[]): string[] {
  return links.map((link) => JSON.stringify(Object.entries(link).sort())).sort();
}

type Common = Pick<WalkRequest, 'asker' | 'websiteId' | 'statsFrom' | 'seen' | 'range' | 'previous'> & {
  filter?: Filter | undefined;
};

function funnelRequest(common: Common, asked: ModelFunnel): FunnelRequest {
  const { filters, steps, order, within, breakdown } = asked;
  return {
    ...common,
    filter: filterOf(filters),
    steps: steps.map((own) => filterOf(own)!),
    field: 'steps',
    order,
    within,
    breakdown: breakdown as QueryName | undefined,
  };
}

function journeyRequest(common: Common, { filters, ...asked }: ModelJourney): JourneyRequest {
  return { ...common, ...asked, previous: undefined, filter: filterOf(filters) };
}
