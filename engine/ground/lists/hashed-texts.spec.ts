import fc from 'fast-check';
import { HashedTexts } from './hashed-texts';

it('has the texts that were added, and no others', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 50 });
  fc.assert(
    fc.property(texts, texts, (added, others) => {
      const hashed = new HashedTexts(added);
      for (const text of [...added, ...others])
        expect([text, hashed.has(text)]).toEqual([text, added.includes(text)]);
    }),
  );
});

it('takes the same memory for texts of any length', () => {
  const bytesOf = (length: number) =>
    new HashedTexts(Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(length))).bytes;
  expect(bytesOf(250)).toBe(bytesOf(4));
  expect(bytesOf(4)).toBeLessThan(40_000);
});
