import fc from 'fast-check';
import { DayClock } from '../../ground/time/day-clock';
import { type Hit, NO_HIT } from '../../hits/hit';
import { DayBuilder } from '../segments/day-builder';
import { BatchBuilder } from '../batches/batch-builder';
import type { HitBlock } from '../../hits/hit-block';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { LIVE_COLUMNS, LiveCounts } from './live-counts';
import { blocksWith } from './recent-hits';
import type { LiveCount } from '../../questions/live-numbers';

const NOW = 1_800_000_030;
const DAY = new DayClock('UTC').dayOf(NOW * 1000);
const hashOf = (visitor: number) => {
  const hash = Buffer.alloc(8);
  hash.writeUInt32BE(visitor);
  return hash.toString('base64url');
};
const hit = (visitor: number, ago = 0, more: Partial<Hit> = {}): Hit => ({
  ...NO_HIT,
  day: DAY,
  visitor: hashOf(visitor),
  at: NOW - ago,
  page: '/',
  country: 'DE',
  ...more,
});

function columnsOf(hits: Hit[]) {
  const batch = new BatchBuilder();
  batch.add(hits);
  return batch.columns();
}

/** The counts of some hits. Each list is a fold. */
async function countsOf(...batches: Hit[][]) {
  const texts = new WebsiteTexts(1_000_000);
  const builder = new DayBuilder(DAY, texts, LIVE_COLUMNS);
  for (const hits of batches) builder.add(columnsOf(hits));
  const counts = new LiveCounts(NOW, texts);
  await counts.add(builder.columns());
  return counts;
}

it('counts each visitor once in a window and once in a minute', async () => {
  const hits = [
    hit(1, 10),
    hit(1, 400, { page: '/a' }),
    hit(2, 1799),
    hit(2, 1801),
    hit(3, -50),
    hit(4, 1900),
  ];
  const { short, long, minutes } = (await countsOf(hits, hits)).numbers();
  expect(short).toEqual({
    visitors: 2,
    pages: [{ value: '/', count: 2 }],
    referrers: [],
    countries: [{ value: 'DE', count: 2 }],
  });
  expect(long).toMatchObject({
    visitors: 3,
    pages: [
      { value: '/', count: 3 },
      { value: '/a', count: 1 },
    ],
  });
  expect(minutes).toHaveLength(30);
  expect(minutes.at(-1)).toEqual({ minute: Math.floor(NOW / 60), visitors: 2 });
  expect(minutes.reduce((sum, minute) => sum + minute.visitors, 0)).toBe(3);
});

it('tells pages from events, brought referrers, and hits without a visitor', async () => {
  const counts = await countsOf([
    hit(1, 0, { event: 'buy', page: '/cart', referrer: 'a.example' }),
    hit(2, 0, { country: '(unknown)', referrer: 'b.example' }),
    hit(2, 0, { country: '(unknown)', referrer: 'a.example' }),
    { ...hit(3), visitor: '' },
  ]);
  const { short } = counts.numbers();
  expect(short).toEqual({
    visitors: 2,
    pages: [{ value: '/', count: 1 }],
    referrers: [
      { value: 'a.example', count: 2 },
      { value: 'b.example', count: 1 },
    ],
    countries: [
      { value: '(unknown)', count: 1 },
      { value: 'DE', count: 1 },
    ],
  });
});

it('lists the ten values with most visitors, ties by value', async () => {
  const pages = Array.from({ length: 30 }, (_, page) => `/${page}`);
  const hits = pages.flatMap((page, index) =>
    Array.from({ length: 1 + (index % 3) }, (_, visitor) => hit(visitor, 0, { page })),
  );
  const { long } = (await countsOf(hits)).numbers();
  const most = pages.filter((_, index) => index % 3 === 2).sort();
  expect(long.pages).toEqual(most.map((value) => ({ value, count: 3 })));
});

it('counts what a walk over all hits does, whichever of them are folded', async () => {
  const hits = fc.array(
    fc.record({
      visitor: fc.integer({ min: 0, max: 6 }),
      ago: fc.integer({ min: -20, max: 2000 }),
      page: fc.constantFrom('/', '/a', '/b'),
      event: fc.constantFrom(null, null, 'buy'),
      isPassive: fc.constantFrom(false, false, true),
      referrer: fc.constantFrom(null, 'a.example', 'b.example'),
    }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(hits, hits, async (folded, waiting) => {
      const [stored, inInbox] = [folded, waiting].map((some) =>
        some.map(({ visitor, ago, isPassive, ...own }) =>
          hit(visitor, ago, { ...own, isPassive: isPassive && own.event !== null }),
        ),
      ) as [Hit[], Hit[]];
      const texts = new WebsiteTexts(1_000_000);
      const [builder, late] = [1, 2].map(() => new DayBuilder(DAY, texts, LIVE_COLUMNS)) as [
        DayBuilder,
        DayBuilder,
      ];
      builder.add(columnsOf(stored));
      const blocks: HitBlock[] = [];
      for await (const block of blocksWith(builder, inInbox, late)) blocks.push(block);
      const counts = new LiveCounts(NOW, texts);
      for (const block of blocks) await counts.add(block);
      const { short, long, minutes } = counts.numbers();
      const active = [...stored, ...inInbox].filter((own) => !own.isPassive);
      const all = active.map((own) => ({ ...own, at: Math.min(own.at, NOW) }));
      expect([short, long]).toEqual([300, 1800].map((ago) => windowOf(all, NOW - ago)));
      expect(minutes.map(({ visitors }) => visitors)).toEqual(
        minutes.map(({ minute }) =>
          visitorsOf(all.filter(({ at }) => Math.floor(at / 60) === minute && at >= NOW - 1800)),
        ),
      );
    }),
  );
});

const visitorsOf = (hits: Hit[]) => new Set(hits.map(({ visitor }) => visitor)).size;

function windowOf(all: Hit[], since: number) {
  const hits = all.filter(({ at }) => at >= since);
  const valuesOf = (valueOf: (own: Hit) => string | null): LiveCount[] =>
    [...new Set(hits.map(valueOf))]
      .filter((value) => value !== null)
      .map((value) => ({ value, count: visitorsOf(hits.filter((own) => valueOf(own) === value)) }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  return {
    visitors: visitorsOf(hits),
    pages: valuesOf(({ event, page }) => (event === null ? page : null)),
    referrers: valuesOf(({ referrer }) => referrer),
    countries: valuesOf(({ country }) => country),
  };
}
