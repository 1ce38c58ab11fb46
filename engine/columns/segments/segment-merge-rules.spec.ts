import { segmentsBetween, segmentsOf, segmentsToMerge, type RunLimits } from './segment-merge-rules';
import type { SegmentDays } from './hit-segments';

const LIMITS: RunLimits = { hits: 1_048_576, days: 64 };
let lastSegment = 0;

/** Segments of one day each, on consecutive days. */
function segments(...hits: number[]): SegmentDays[] {
  return segmentsOf(hits.map((own, index) => ({ day: 100 + index, hits: own, columns: inColumns(own) })));
}

function inColumns(hits: number) {
  return {
    home: 0,
    segment: ++lastSegment,
    firstPart: 0,
    lastPart: 0,
    hits,
    sealing: null,
    sealedAt: 0,
  } as const;
}

const hitsOf = (run: SegmentDays[] | undefined) => run?.map(({ hits }) => hits);
const due = (...hits: number[]) => hitsOf(segmentsToMerge(segments(...hits), LIMITS));

it('are due where one has no more hits than those behind it together', () => {
  expect(due(10)).toBeUndefined();
  expect(due(10, 9)).toBeUndefined();
  expect(due(10, 10)).toEqual([10, 10]);
  expect(due(100, 10, 6, 4)).toEqual([10, 6, 4]);
  expect(due(20, 10, 6, 4)).toEqual([20, 10, 6, 4]);
});

it('are due further back as well, and a small one before large ones goes to them', () => {
  expect(due(10, 10, 5)).toEqual([10, 10, 5]);
  expect(due(3, 100, 50)).toEqual([3, 100, 50]);
});

it('become no larger than a segment may be, nor span more days', () => {
  expect(due(600_000, 600_000)).toBeUndefined();
  expect(due(600_000, 300_000, 300_000)).toEqual([300_000, 300_000]);
  expect(due(2_000_000, 1, 1)).toEqual([1, 1]);
  expect(due(...Array<number>(70).fill(1))).toHaveLength(64);
});

it('are apart from those behind a day that is left', () => {
  const between = (...days: number[]) => segmentsBetween(segments(10, 20, 30), days).map(hitsOf);
  expect(between()).toEqual([[10, 20, 30]]);
  expect(between(99, 103)).toEqual([[], [10, 20, 30], []]);
  expect(between(101.5)).toEqual([[10, 20], [30]]);
});

it('are made of days that are in columns', () => {
  const columns = inColumns(5);
  const days = [
    { day: 1, hits: 7, columns },
    { day: 2, hits: 3, columns: undefined },
    { day: 3, hits: 5, columns },
  ];
  expect(segmentsOf(days)).toEqual([
    {
      segment: columns.segment,
      hits: 10,
      days: [
        { day: 1, columns },
        { day: 3, columns },
      ],
    },
  ]);
});

it.each([
  ['10,000 hits a month', () => 333, 10, 4],
  ['27,000 hits a day', () => 27_000, 15, 4],
  ['other weekends', (day: number) => (day % 7 < 5 ? 30_000 : 9000), 16, 4],
  ['growing traffic', (day: number) => 100 + day * day, 24, 4],
  ['hits now and then', (day: number) => 1 + ((day * 7919) % 1000), 15, 4],
])('leave few of a year of %s, and move a hit a few times', (_, hitsOn, most, moves) => {
  let all: SegmentDays[] = [];
  let [written, moved, mostSegments] = [0, 0, 0];
  for (let day = 0; day < 365; day++) {
    const hits = hitsOn(day);
    written += hits;
    all.push(...segmentsOf([{ day, columns: inColumns(hits) }]));
    for (let run = segmentsToMerge(all, LIMITS); run; run = segmentsToMerge(all, LIMITS)) {
      const sum = run.reduce((sum, { hits }) => sum + hits, 0);
      const days = run.flatMap(({ days }) => days);
      all = all.toSpliced(all.indexOf(run[0]!), run.length, { segment: ++lastSegment, days, hits: sum });
      moved += sum;
    }
    mostSegments = Math.max(mostSegments, all.length);
  }
  expect(mostSegments).toBeLessThanOrEqual(most);
  expect(moved / written).toBeLessThan(moves);
});
