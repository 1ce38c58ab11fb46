import fc from 'fast-check';
import { ended } from '../../../ground/time/work-in-steps';
import { arranged, rank } from './ranking';

it('shows what a page of everything in order would, wherever it begins', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 60 });
  fc.assert(
    fc.property(weights, fc.nat(70), fc.integer({ min: 1, max: 20 }), (all, skip, take) => {
      const ids = Uint32Array.from(all, (_, id) => id);
      const inOrder = [...ids].sort((one, other) => all[other]! - all[one]! || one - other);
      const shown = ended(rank(ids, Float64Array.from(all), skip, take)).flatMap((group) =>
        Array.from(group.ids)
          .sort((one, other) => one - other)
          .slice(group.skip, group.skip + group.take),
      );
      expect(shown).toEqual(inOrder.slice(skip, skip + take));
    }),
  );
});

it('arranges everything, and leaves equal ones in order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 }), (all) => {
      const ids = Uint32Array.from(all, (_, id) => id).reverse();
      const inOrder = [...ids].sort((one, other) => all[other]! - all[one]!);
      expect([...ended(arranged(ids, Float64Array.from(all)))]).toEqual(inOrder);
    }),
  );
});
