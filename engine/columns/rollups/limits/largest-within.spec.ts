import fc from 'fast-check';
import { ended } from '../../../ground/time/work-in-steps';
import { largestWithin } from './largest-within';

const VALUES = 1_000_000;
const ROOM = { texts: VALUES / 2 - 1, bytes: 32 * 1024 * 1024 };
/** Among equal counts, only one step is made in a pass. */
const MAX_PASSES = 32;

it('finds what has room in a few passes, where one value has nearly all counts and bytes', () => {
  const counts = new Float64Array(VALUES + 1).fill(1);
  const lengths = new Uint32Array(VALUES + 1).fill(1);
  counts[7] = 1e9;
  lengths[7] = ROOM.bytes - 10;
  const steps = largestWithin(counts, lengths, ROOM);
  let passes = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) expect(++passes).toBeLessThanOrEqual(MAX_PASSES);
  const codes = Array.from(step.value!.keys()).filter((code) => step.value![code] === 1);
  expect(codes).toEqual([7, ...Array.from({ length: 10 }, (_, index) => VALUES - 9 + index)]);
});

it('marks the largest counts, and of equal ones the last, as long as each has room', () => {
  const value = fc.record({ count: fc.nat(4), length: fc.nat(9) });
  const room = fc.record({ texts: fc.nat(20), bytes: fc.nat(60) });
  fc.assert(
    fc.property(fc.array(value, { maxLength: 30 }), room, (values, { texts, bytes }) => {
      const counts = Float64Array.from(values, ({ count }) => count);
      const lengths = Uint32Array.from(values, ({ length }) => length);
      const ranked = [...values.keys()]
        .filter((code) => counts[code]! > 0)
        .sort((one, other) => counts[other]! - counts[one]! || other - one);
      const sizes = ranked.map((_, index) =>
        ranked.slice(0, index + 1).reduce((sum, code) => sum + lengths[code]!, 0),
      );
      const fitting = ranked.slice(0, texts).filter((_, index) => sizes[index]! <= bytes);
      const marked = ended(largestWithin(counts, lengths, { texts, bytes }));
      const codes = ranked.filter((code) => !marked || marked[code] === 1);
      expect(codes).toEqual(fitting);
    }),
  );
});
