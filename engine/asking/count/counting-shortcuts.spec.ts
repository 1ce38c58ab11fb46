import { openBlock, sealedPart } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { type Hit, NO_HIT } from '../../hits/hit';
import { MIN_HITS_BY_QUARTERS } from '../../hits/hit-block';
import { TIMES } from '../../hits/hit-columns';
import { NOT_SET, WebsiteTexts } from '../../hits/codes/text-codes';
import { Zone } from '../../questions/plan/buckets';
import type { Filter } from '../../questions/parse/filter';
import { FilterMemory } from '../memory/filter-memory';
import { WorkSteps } from '../../ground/deadline-check';
import { Combinations } from './count-visitors';
import { GroupKeys } from './group-keys';
import type { Groups } from './groups';
import { Tally } from './tally';
import { ALL_MATCH } from '../select/matching-rows';
import type { HitQuery } from '../../questions/plan/hit-query';
import { RowMemory } from '../memory/bytes-of-rows';
import { Scan } from './scan';
import { Selections } from '../select/selections';
import { BlockView } from '../select/block-view';
import { WebsiteValues } from '../select/website-values';

const FIRST = 20_000;
const DAYS = [FIRST, FIRST + 1];
const SPAN = { from: FIRST, to: FIRST + 1 };
const ZONE = new Zone('Asia/Kathmandu');
const OFFSET_S = 5.75 * 3600;
const [COUNTRIES, DEVICES, EVENTS] = [
  ['DE', 'NP', 'US'],
  ['desktop', 'mobile'],
  [null, null, 'signup'],
];

/** Each visitor has up to four hits, some of them in the next hours. */
function hitsOf(day: number, hits = 400): Hit[] {
  return Array.from({ length: hits }, (_, number) => {
    const visitor = number >> 2;
    return {
      ...NO_HIT,
      day,
      at: day * 86_400 - OFFSET_S + ((visitor * 977) % 80_000) + (number & 3) * 1500,
      visitor: visitorCalled(visitor),
      country: COUNTRIES[visitor % 3]!,
      device: DEVICES[visitor % 2]!,
      page: `/page-${number % 7}`,
      event: EVENTS[number % 3]!,
    };
  });
}

async function partOf(hits?: number) {
  const texts = new WebsiteTexts(1024 * 1024);
  const blocks = DAYS.map((day) => openBlock(hitsOf(day, hits), texts));
  const own = new WebsiteTexts(1024 * 1024);
  const part = await sealedPart(blocks, texts, own);
  return { part, values: new WebsiteValues(own) };
}

async function viewOfPart(): Promise<BlockView> {
  const { part, values } = await partOf();
  return new BlockView(part.block(DAYS), values);
}

/** The counts of each group, by the values of its dimensions. */
function counted(view: BlockView, requested: Pick<HitQuery, 'dimensions' | 'metrics' | 'filter'>) {
  const hitQuery = {
    range: { days: SPAN },
    previous: undefined,
    fill: false,
    order: [],
    skip: 0,
    take: 10,
    ...requested,
  };
  const keys = new GroupKeys(hitQuery.dimensions.length, () => []);
  const check = () => undefined;
  const scan = new Scan(hitQuery, hitQuery.range, keys, ZONE, check, new RowMemory());
  const selections = new Selections([{ day: SPAN.from }, { day: SPAN.to }], ZONE, new FilterMemory(), check);
  scan.add(view, hitQuery.filter ? selections.of(hitQuery.filter).of(view) : ALL_MATCH);
  const textOf = (group: number, index: number) => {
    const code = keys.codeOf(group, index);
    const name = hitQuery.dimensions[index] as 'country' | 'device' | 'page';
    return scan.buckets[index]?.valueOf(code) ?? view.values.of(name).texts[code];
  };
  return Object.fromEntries(
    Array.from(scan.tally.counted(), (group) => [
      hitQuery.dimensions.map((_, index) => textOf(group, index)).join(' '),
      hitQuery.metrics.map((metric) => scan.tally.of(metric, group)),
    ]),
  );
}

/** Counts the hits one by one. A visitor counts once in a group. */
function expected(keyOf: (hit: Hit) => string, passes: (hit: Hit) => boolean = () => true) {
  const groups: Record<string, { pageviews: number; events: number; visitors: Set<string> }> = {};
  for (const hit of DAYS.flatMap((day) => hitsOf(day)).filter(passes)) {
    const group = (groups[keyOf(hit)] ??= { pageviews: 0, events: 0, visitors: new Set() });
    if (hit.event === null) group.pageviews++;
    else group.events++;
    group.visitors.add(`${hit.day} ${hit.visitor}`);
  }
  return groups;
}

const hits = (groups: ReturnType<typeof expected>) =>
  Object.fromEntries(
    Object.entries(groups).map(([key, { pageviews, events }]) => [key, [pageviews, events]]),
  );
const visitors = (groups: ReturnType<typeof expected>) =>
  Object.fromEntries(Object.entries(groups).map(([key, { visitors }]) => [key, [visitors.size]]));
const is = (name: 'country' | 'device' | 'page', value: string): Filter => ({
  kind: 'test',
  name,
  test: 'is',
  values: [value],
});
const HITS: HitQuery['metrics'] = ['pageviews', 'events'];

it('counts hits by the hour as one by one', async () => {
  const view = await viewOfPart();
  const hourOf = ({ at }: Hit) => `${new Date((at + OFFSET_S) * 1000).toISOString().slice(0, 13)}:00+05:45`;
  const requested = { dimensions: ['hour' as const], metrics: HITS };
  expect(counted(view, { ...requested, filter: undefined })).toEqual(hits(expected(hourOf)));
  const filter = is('country', 'NP');
  expect(counted(view, { ...requested, filter })).toEqual(
    hits(expected(hourOf, (hit) => hit.country === 'NP')),
  );
});

it.each([
  [MIN_HITS_BY_QUARTERS, true],
  [MIN_HITS_BY_QUARTERS - 1, false],
])('counts days of %d hits by the hour once for all requests: %s', async (size, areCached) => {
  const { part, values } = await partOf(size);
  const requested = { dimensions: ['hour' as const], metrics: HITS, filter: undefined };
  const count = () => counted(new BlockView(part.block(DAYS), values), requested);
  const first = count();
  expect(Object.values(first).reduce((sum, counts) => sum + counts[0]! + counts[1]!, 0)).toBe(2 * size);
  expect(count()).toEqual(first);
  part.remove(TIMES);
  if (areCached) expect(count()).toEqual(first);
  else expect(count).toThrow('the times were not read');
});

it.each<[string, Filter, (hit: Hit) => boolean]>([
  ['a visitor', is('country', 'DE'), (hit) => hit.country === 'DE'],
  ['a hit', is('page', '/page-3'), (hit) => hit.page === '/page-3'],
  [
    'both',
    { kind: 'all', of: [is('country', 'DE'), is('page', '/page-3')] },
    (hit) => hit.country === 'DE' && hit.page === '/page-3',
  ],
  ['nothing that is there', is('country', 'XX'), () => false],
])('counts what passes by %s in groups of hits and of visitors', async (_, filter, passes) => {
  const view = await viewOfPart();
  const ofHits = (name: 'page' | 'country') =>
    expect(counted(view, { dimensions: [name], metrics: HITS, filter })).toEqual(
      hits(expected((hit) => hit[name], passes)),
    );
  ofHits('page');
  ofHits('country');
  const pair = {
    dimensions: ['country' as const, 'device' as const],
    metrics: ['visitors' as const],
    filter,
  };
  expect(counted(view, pair)).toEqual(
    visitors(expected(({ country, device }) => `${country} ${device}`, passes)),
  );
});

it('looks up a list once for all hits that are combined with acquisition', async () => {
  const view = await viewOfPart();
  let looks = 0;
  const groups: Groups = {
    level: 'visitor',
    get codes() {
      looks++;
      return new Uint8Array(view.block.visitors);
    },
    size: 1,
  };
  const acquisition = { own: view.ownCodes('referrer'), none: NOT_SET, direct: undefined, size: 1 };
  const [keys, tally] = [new GroupKeys(2, () => []), new Tally(['visitors'])];
  const work = new WorkSteps(() => undefined);
  new Combinations(view, [groups, acquisition], keys, tally, 1, work).add(ALL_MATCH);
  expect([looks, tally.countsOf('visitors')![0]]).toEqual([1, view.block.visitors]);
});
