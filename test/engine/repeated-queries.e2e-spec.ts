import { textAt } from '../../engine/ground/lists/text-list';
import { QueryAnswering } from '../../engine/columns/answering/query-answering';
import { filterOf, type ResolvedFilter } from '../../engine/questions/parse/filter';
import { Zone } from '../../engine/questions/plan/buckets';
import type { Answer, HitQuery } from '../../engine/questions/plan/hit-query';
import { ColumnCache } from '../../engine/columns/read/column-cache';
import { PartReader } from '../../engine/columns/read/part-reader';
import { WebsiteValues } from '../../engine/asking/select/website-values';
import { ownerAsks } from '../support/owner-asks';
import { CountingProcess, pageViewOn, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';

const DAYS = [TODAY - 12, TODAY - 11, TODAY - 10, TODAY - 9];
const [FIRST, , , LAST] = DAYS as [number, number, number, number];
const FRENCH = filterOf([['is', 'country', ['FR']] as ResolvedFilter]);

let database: FreshDatabase;
let one: CountingProcess;
let websiteId = 0;
let answering: QueryAnswering;
const readPart = jest.spyOn(PartReader.prototype, 'part');
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
});
beforeEach(async () => {
  await one.register(++websiteId);
  await one.count(
    websiteId,
    DAYS.flatMap((day) => [
      pageViewOn(day, '/a', 'one', { country: 'FR' }),
      pageViewOn(day, '/b', 'one', { country: 'FR' }),
      pageViewOn(day, '/a', 'other', { country: 'DE' }),
    ]),
  );
  await one.closeDays(websiteId, LAST + 1);
  answering = new QueryAnswering(one.database, new ColumnCache(), new Zone('UTC'));
  readPart.mockClear();
});
afterAll(async () => {
  jest.restoreAllMocks();
  await one.stop();
  await database.drop();
});

const byPage: HitQuery = {
  range: { days: { from: FIRST, to: TODAY } },
  previous: undefined,
  filter: undefined,
  dimensions: ['page'],
  metrics: ['pageviews', 'visitors'],
  fill: false,
  order: [{ by: { metric: 'pageviews' }, direction: 'desc' }],
  skip: 0,
  take: 10,
};

async function ask(...hitQueries: Partial<HitQuery>[]): Promise<unknown[]> {
  const request = {
    asker: ownerAsks(1),
    websiteId,
    statsFrom: 0,
    hitQueries: hitQueries.map((query) => ({ ...byPage, ...query })),
  };
  const { answers } = await answering.answer(request, 10_000, () => undefined);
  return answers.map(rowsOf);
}

function rowsOf({ rows: { dimensions, metrics, previous } }: Answer): unknown[] {
  return Array.from(metrics[0]!, (_, row) => [
    ...dimensions.map((values) => textAt(values, row)),
    ...[...metrics, ...previous].map((counts) => counts[row]),
  ]);
}

const TWO_PAGES = [
  ['/a', 8, 8],
  ['/b', 4, 4],
];

it('reads no sealed day again for a query that was answered before', async () => {
  expect(await ask({})).toEqual([TWO_PAGES]);
  expect(readPart).toHaveBeenCalled();
  readPart.mockClear();
  expect(await ask({})).toEqual([TWO_PAGES]);
  expect(await ask({ order: [{ by: { dimension: 0 }, direction: 'desc' }], take: 1 })).toEqual([
    [TWO_PAGES[1]],
  ]);
  expect(readPart).not.toHaveBeenCalled();
});

it.each<[string, Partial<HitQuery>, unknown[]]>([
  [
    'filter',
    { filter: FRENCH },
    [
      ['/a', 4, 4],
      ['/b', 4, 4],
    ],
  ],
  [
    'dimension',
    { dimensions: ['country'] },
    [
      ['DE', 4, 4],
      ['FR', 8, 4],
    ].reverse(),
  ],
  [
    'metric',
    { metrics: ['visitors'], order: [] },
    [
      ['/a', 8],
      ['/b', 4],
    ],
  ],
  [
    'range',
    { range: { days: { from: FIRST + 1, to: TODAY } } },
    [
      ['/a', 6, 6],
      ['/b', 3, 3],
    ],
  ],
  [
    'compared range',
    { range: { days: { from: FIRST + 2, to: LAST } }, previous: { days: { from: FIRST, to: FIRST + 1 } } },
    [
      ['/a', 4, 4, 4, 4],
      ['/b', 2, 2, 2, 2],
    ],
  ],
])('reads them for another %s', async (_, query, expected) => {
  await ask({});
  readPart.mockClear();
  expect(await ask(query)).toEqual([expected]);
  expect(readPart).toHaveBeenCalled();
});

it('counts sealed days only for the queries of a request that need it', async () => {
  await ask({});
  const [pages, countries] = await ask({}, { dimensions: ['country'] });
  expect(pages).toEqual(TWO_PAGES);
  expect(countries).toEqual([
    ['FR', 8, 4],
    ['DE', 4, 4],
  ]);
});

it('counts hits that come later, on open and on sealed days', async () => {
  await ask({});
  await one.count(websiteId, [pageViewOn(TODAY, '/b', 'new'), pageViewOn(TODAY, '/c', 'new')]);
  expect(await ask({})).toEqual([
    [
      ['/a', 8, 8],
      ['/b', 5, 5],
      ['/c', 1, 1],
    ],
  ]);
  await one.count(websiteId, [pageViewOn(FIRST, '/c', '')]);
  expect(await ask({})).toEqual([
    [
      ['/a', 8, 8],
      ['/b', 5, 5],
      ['/c', 2, 1],
    ],
  ]);
});

it('counts a day once that a range cuts', async () => {
  const noon = 86_400 * FIRST + 43_200;
  const cut = { days: { from: FIRST, to: LAST }, moments: { from: noon, to: 86_400 * (LAST + 1) - 1 } };
  const expected = await ask({ range: cut });
  expect(await ask({ range: cut })).toEqual(expected);
  expect(await ask({ range: { days: cut.days } })).toEqual([TWO_PAGES]);
});

it('counts anew after derived values lost their codes', async () => {
  const buy = (day: number, plan: string) =>
    pageViewOn(day, '/', 'buyer', { event: 'buy', properties: [['plan', plan]] });
  await one.register(++websiteId);
  await one.count(websiteId, [buy(FIRST, 'free'), buy(FIRST + 1, 'free'), buy(LAST, 'pro')]);
  await one.closeDays(websiteId, LAST + 1);
  const byPlan: Partial<HitQuery> = {
    dimensions: ['event_property:plan'],
    metrics: ['events'],
    needsValue: true,
    order: [{ by: { metric: 'events' }, direction: 'desc' }],
  };
  expect(await ask(byPlan)).toEqual([
    [
      ['free', 2],
      ['pro', 1],
    ],
  ]);
  const large = jest.spyOn(
    WebsiteValues.prototype as unknown as { bytesOfDerived: number },
    'bytesOfDerived',
    'get',
  );
  large.mockReturnValueOnce(20 * 1024 * 1024);
  await ask({});
  large.mockRestore();
  await one.count(websiteId, [buy(TODAY, 'new'), buy(TODAY, 'new'), buy(TODAY, 'new')]);
  expect(await ask(byPlan)).toEqual([
    [
      ['new', 3],
      ['free', 2],
      ['pro', 1],
    ],
  ]);
});

it('merges the same rows whether or not counts were cached', async () => {
  const limits = { bytesOfOne: 12_000, bytesTogether: 12_000 };
  const hits = DAYS.flatMap((day) =>
    Array.from({ length: 100 }, (_, page) =>
      pageViewOn(day, `/${page}`, 'one', {
        country: page % 2 === 0 ? 'FR' : 'DE',
        referrer: `${page}.example`,
      }),
    ),
  );
  await one.register(++websiteId);
  await one.count(websiteId, hits);
  await one.closeDays(websiteId, LAST + 1);
  answering = new QueryAnswering(one.database, new ColumnCache(), new Zone('UTC'), undefined, limits);
  const both = [{ dimensions: ['page'] }, { dimensions: ['page', 'country'] }] satisfies Partial<HitQuery>[];
  const alone = await ask(...both);
  expect(await ask(...both)).toEqual(alone);
  await ask({ dimensions: ['page'] });
  expect(await ask(...both)).toEqual(alone);
});
