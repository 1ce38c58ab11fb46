import fc from 'fast-check';
import { type Placement, ValueOrder } from './value-order';

/** Ids are numbers of values; here the value of an id is its place in a shuffled list. */
const shuffled = fc.shuffledSubarray(
  Array.from({ length: 40 }, (_, index) => index + 1),
  { minLength: 1 },
);

it('is the order of the values, however they are added', () => {
  fc.assert(
    fc.property(shuffled, fc.func(fc.boolean()), fc.func(fc.boolean()), (inOrder, isEarly, isWanted) => {
      const early = inOrder.filter((id) => isEarly(id));
      const order = new ValueOrder(Uint32Array.from(early));
      const placements = inOrder.flatMap((id, place): Placement[] =>
        isEarly(id) ? [] : [{ id, before: inOrder[place - 1] }],
      );
      order.add(placements);
      order.add(placements);
      expect(inOrder.every((id) => order.has(id))).toBe(true);
      expect(order.slice(inOrder, 0, 100)).toEqual(inOrder);
      const wanted = inOrder.filter((id) => isWanted(id));
      expect(order.slice([...wanted].reverse(), 2, 5)).toEqual(wanted.slice(2, 7));
    }),
  );
});
