import fc from 'fast-check';
import { nthLargest } from './nth-largest';

it('finds the n-th largest', () => {
  const numbers = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(numbers, fc.nat(), (all, any) => {
      const n = any % all.length;
      const sorted = [...all].sort((one, other) => other - one);
      const numbers = Float64Array.from(all);
      expect(nthLargest(numbers, n)).toBe(sorted[n]);
      expect(nthLargest(numbers, all.length - 1, n)).toBe(sorted.at(-1));
      const middle = Math.floor((n + all.length - 1) / 2);
      nthLargest(numbers, n);
      expect(nthLargest(numbers, middle, n)).toBe(sorted[middle]);
    }),
  );
});
