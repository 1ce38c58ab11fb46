import { intersect, invert, mapped, mappedFew, placesOfOnes, unite } from './row-masks';

/** Of all lengths around whole words. */
const LISTS = Array.from({ length: 12 }, (_, length) =>
  Uint8Array.from({ length }, (_, row) => ((row * row + length) % 3) & 1),
);
const other = (list: Uint8Array) => list.map((_, row) => (row >> 1) & 1);

it.each(LISTS)('lists of zeros and ones are joined, inverted and listed: %j', (...bytes) => {
  const list = Uint8Array.from(bytes);
  const ones = Array.from(list).flatMap((one, row) => (one === 1 ? [row] : []));
  expect(Array.from(placesOfOnes(list))).toEqual(ones);
  expect(intersect(list.slice(), other(list))).toEqual(list.map((one, row) => one & other(list)[row]!));
  expect(unite(list.slice(), other(list))).toEqual(list.map((one, row) => one | other(list)[row]!));
  expect(invert(list.slice())).toEqual(list.map((one) => 1 - one));
});

it('maps codes wherever they stand in a buffer', () => {
  const passes = Uint8Array.from([0, 1, 1, 0, 1]);
  for (const Kind of [Uint8Array, Uint16Array, Uint32Array])
    for (const begin of [0, 1, 2, 3]) {
      const codes = Kind.from([0, 1, 2, 3, 4, 4, 3, 2, 1, 0]).subarray(begin);
      expect(Array.from(mapped(codes, passes))).toEqual(Array.from(codes, (code) => passes[code]));
    }
});

it('maps few codes, and the zeros between them', () => {
  const few = { positions: Uint32Array.of(1, 4), codes: Uint8Array.of(2, 1) };
  expect(Array.from(mappedFew(few, Uint8Array.of(1, 1, 0), new Uint8Array(6)))).toEqual([1, 0, 1, 1, 1, 1]);
  expect(Array.from(mappedFew(few, Uint8Array.of(0, 0, 1), new Uint8Array(6)))).toEqual([0, 1, 0, 0, 0, 0]);
});
