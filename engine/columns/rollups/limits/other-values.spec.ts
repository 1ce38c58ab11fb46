import fc from 'fast-check';
import { ended } from '../../../ground/time/work-in-steps';
import { OTHER } from '../../../hits/rules/value-limits';
import { limitedCounts, maxValuesOfDay } from './other-values';
import { DistinctTexts } from '../texts/distinct-texts';

function listOf(counts: Record<string, number>): { texts: DistinctTexts; counts: Float64Array } {
  const texts = new DistinctTexts();
  const codes = Object.keys(counts).map((value) => texts.codeOf(value));
  const byCode = new Float64Array(codes.length);
  for (const [index, count] of Object.values(counts).entries()) byCode[codes[index]!] = count;
  return { texts, counts: byCode };
}

function limited(counts: Record<string, number>, max: number): Record<string, number> {
  const { texts, counts: all } = listOf(counts);
  const { counts: kept } = ended(limitedCounts({ texts, counts: all }, max));
  const found = Array.from(kept, (count, code): [string, number] => [texts.textOf(code), count]);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

it('keeps the largest counts, and of equal ones those that come first by their bytes', () => {
  const value = fc.oneof(
    fc.constantFrom(OTHER, '/', '/a', '/a\0', '/ä', '/日本', '/😀', '~'),
    fc.integer({ min: 1, max: 20 }).map((length) => '/abcdefghijklmnopqrst'.slice(0, length)),
    fc.string({ maxLength: 2 }).map((end) => `/one/and/the/same/beginning/${end}`),
    fc.string({ maxLength: 3 }),
  );
  const counts = fc.dictionary(value, fc.integer({ min: 0, max: 4 }), { maxKeys: 40 });
  fc.assert(
    fc.property(counts, fc.nat(20), (all, max) => {
      const ranked = Object.entries(all)
        .filter(([value, count]) => count > 0 && value !== OTHER)
        .sort(
          ([one, count], [other, otherCount]) =>
            otherCount - count || Buffer.compare(Buffer.from(one), Buffer.from(other)),
        );
      const kept = Object.fromEntries(ranked.slice(0, max));
      const rest = ranked.slice(max).reduce((sum, [, count]) => sum + count, all[OTHER] ?? 0);
      expect(limited(all, max)).toEqual(rest > 0 ? { ...kept, [OTHER]: rest } : kept);
    }),
    { numRuns: 500 },
  );
});

it('says whether anything was limited, and leaves what was not as it is', () => {
  const few = listOf({ '/a': 1, '/b': 2, [OTHER]: 3 });
  expect(ended(limitedCounts(few, 2))).toEqual({ counts: few.counts, isLimited: false });
  expect(ended(limitedCounts(few, 1)).isLimited).toBe(true);
  const days = { texts: undefined, counts: Float64Array.of(0, 5, 5) };
  expect(ended(limitedCounts(days, 1))).toEqual({ counts: days.counts, isLimited: false });
});

it('limits what was limited before in the same way again', () => {
  const once = limited({ '/a': 3, '/b': 2, '/c': 2, '/d': 1 }, 2);
  expect(once).toEqual({ '/a': 3, '/b': 2, [OTHER]: 3 });
  expect(limited(once, 2)).toEqual(once);
});

it('lets a day have no more values than fit beside the half of a full table', () => {
  expect(maxValuesOfDay({ all: 1_000_000, newPerDay: 250_000 })).toBe(250_000);
  expect(maxValuesOfDay({ all: 100, newPerDay: 250_000 })).toBe(49);
});
