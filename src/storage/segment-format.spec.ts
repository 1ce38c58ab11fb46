import fc from 'fast-check';
import {
  addSection,
  DamagedSegment,
  encodeSegment,
  packSection,
  sectionsOf,
  type SegmentKey,
} from './segment-format';
import { Sums } from './sums';

const KEY: SegmentKey = { websiteId: 7, name: 3, span: 1, day: 20_000, part: 0 };

function sumsOf(counts: [id: number, hits: number][]): Sums {
  const sums = new Sums();
  for (const [id, hits] of counts) sums.add(id, hits);
  return sums;
}

function packed(days: [day: number, sums: Sums][], key = KEY): Buffer {
  return encodeSegment(
    key,
    days.map(([day, sums]) => packSection(day, sums, sums.ids())),
  );
}

const nonZero = (sums: Sums) => Array.from(sums.ids(), (id) => [id, sums.counts[id]]);

it('gives back what was packed, day by day', () => {
  const count = fc.oneof(
    fc.integer({ min: 1, max: 300 }),
    fc.maxSafeNat().filter((hits) => hits > 0),
  );
  const counts = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 100_000 }), count), {
    selector: ([id]) => id,
  });
  fc.assert(
    fc.property(fc.array(counts, { minLength: 1, maxLength: 5 }), (days) => {
      const sums = days.map(sumsOf);
      const data = packed(sums.map((one, index) => [KEY.day + index * 3, one]));
      const sections = sectionsOf({ ...KEY, data });
      expect(sections.map(({ day }) => day)).toEqual(days.map((_, index) => KEY.day + index * 3));
      const read = sections.map((section) => {
        const into = new Sums();
        addSection(into, section);
        return nonZero(into);
      });
      expect(read).toEqual(sums.map(nonZero));
    }),
  );
});

it('adds to what is there', () => {
  const [section] = sectionsOf({ ...KEY, data: packed([[KEY.day, sumsOf([[2, 5]])]]) });
  const sums = sumsOf([
    [1, 1],
    [2, 10],
  ]);
  addSection(sums, section!);
  expect(nonZero(sums)).toEqual([
    [1, 1],
    [2, 15],
  ]);
});

it('keeps its format', () => {
  const sums = sumsOf([
    [1, 1],
    [200, 3_000_000_000],
  ]);
  expect(packed([[KEY.day + 2, sums]]).toString('hex')).toBe(
    '01b7add8d1' + '02c80109' + '0101' + 'c70180bcc1960b',
  );
});

it('notices any change of a byte, and a segment in another one’s place', () => {
  const data = packed([
    [
      KEY.day,
      sumsOf([
        [1, 2],
        [3, 4],
      ]),
    ],
  ]);
  for (let at = 0; at < data.length; at++) {
    const changed = Buffer.from(data);
    changed[at]! ^= 1;
    expect(() => sectionsOf({ ...KEY, data: changed })).toThrow(DamagedSegment);
  }
  for (const cut of [0, 1, 4, 5, data.length - 1])
    expect(() => sectionsOf({ ...KEY, data: data.subarray(0, cut) })).toThrow(DamagedSegment);
  for (const other of [{ websiteId: 8 }, { name: 4 }, { span: 2 }, { day: 20_001 }, { part: 1 }])
    expect(() => sectionsOf({ ...KEY, ...other, data })).toThrow(DamagedSegment);
});

it('names what is damaged', () => {
  expect(() => sectionsOf({ ...KEY, data: Buffer.alloc(9) })).toThrow(
    'The packed counters of page in the days from 2024-10-04 (website 7, part 0) are damaged.',
  );
});

it('refuses counts that would fall below nothing', () => {
  expect(() => packed([[KEY.day, sumsOf([[1, -1]])]])).toThrow(RangeError);
});
