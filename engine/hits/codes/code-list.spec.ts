import fc from 'fast-check';
import { bytesOfCodes, CodeList, owned, unpacked } from './code-list';

const code = fc.oneof(
  { weight: 20, arbitrary: fc.constant(0) },
  fc.integer({ min: 1, max: 0xff }),
  fc.integer({ min: 0x100, max: 0xffff }),
  fc.integer({ min: 0x10000, max: 0xffffffff }),
);
const put = (list: CodeList, codes: number[], from = 0) => {
  for (const [index, one] of codes.entries()) if (one !== 0) list.put(from + index, one);
  return list;
};
const listOf = (codes: number[]) => put(new CodeList(), codes);

it('gives the codes back, also in another order and while more come', () => {
  fc.assert(
    fc.property(fc.array(code, { maxLength: 500, size: 'max' }), fc.nat(500), (codes, cut) => {
      const list = listOf(codes.slice(0, cut));
      expect([...unpacked(list.packed(Math.min(cut, codes.length)), Math.min(cut, codes.length))]).toEqual(
        codes.slice(0, cut),
      );
      put(list, codes.slice(cut), cut);
      const backwards = Uint32Array.from(codes, (_, index) => codes.length - 1 - index);
      expect([...unpacked(list.packed(codes.length, backwards), codes.length)]).toEqual(codes.toReversed());
    }),
  );
});

it.each([
  ['none', Array<number>(1000).fill(0), 0],
  ['one of 1,000', Array.from({ length: 1000 }, (_, index) => Number(index === 700)), 5],
  ['small ones', Array.from({ length: 1000 }, (_, index) => index % 200), 1000],
  ['larger ones', Array.from({ length: 1000 }, (_, index) => index), 2000],
])('takes few bytes for %s', (_, codes, bytes) => {
  expect(bytesOfCodes(listOf(codes).packed(codes.length))).toBe(bytes);
});

it('takes no room for what is not set', () => {
  expect(listOf(Array<number>(1000).fill(0)).bytes).toBe(0);
});

it.each([
  ['a few', 100, 100],
  ['nearly all', 900, 1000],
])('keeps no much larger buffer where %s of its numbers are used', (_, size, bytes) => {
  const codes = new Uint8Array(1000).fill(7).subarray(0, size);
  for (const kept of [owned(codes), owned({ positions: new Uint32Array(codes.length), codes })])
    expect(('positions' in kept ? kept.codes : kept).buffer.byteLength).toBe(bytes);
});
