import fc from 'fast-check';
import { firstInOrder } from './partial-sort';

it('is a part of the whole order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(20), { maxLength: 100, size: 'max' }),
      fc.nat(60),
      fc.nat(40),
      (keys, skip, take) => {
        const compare = (one: number, other: number) => keys[one]! - keys[other]! || one - other;
        const items = Uint32Array.from(keys.keys());
        const ordered = [...items].sort(compare);
        const part = ordered.slice(skip, skip + take);
        expect([...firstInOrder(items.slice(), skip, take, compare)]).toEqual(part);
        const weightOf = (item: number) => -keys[item]!;
        expect([...firstInOrder(items, skip, take, compare, weightOf)]).toEqual(part);
      },
    ),
  );
});
