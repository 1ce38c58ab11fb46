import fc from 'fast-check';
import { KnownBytes } from './known-bytes';

const find = (known: KnownBytes, bytes: Buffer) => known.find(bytes, 0, bytes.length);

it('knows bytes by their numbers', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ maxLength: 20 }), { maxLength: 400, size: 'max' }), (texts) => {
      const known = new KnownBytes();
      const together = Buffer.from(texts.join(''));
      let begin = 0;
      for (const [index, text] of texts.entries()) {
        const end = begin + Buffer.byteLength(text);
        expect(known.find(together, begin, end)).toBe(0);
        known.add(together, begin, end, index + 1);
        begin = end;
      }
      expect(texts.map((text) => find(known, Buffer.from(text)))).toEqual(texts.map((_, index) => index + 1));
    }),
  );
});

it('looks at few others', () => {
  const known = new KnownBytes(1);
  const all = Array.from({ length: 1000 }, (_, index) => Buffer.from(`/${index}`));
  for (const [index, bytes] of all.entries()) known.add(bytes, 0, bytes.length, index + 1);
  const found = all.map((bytes) => find(known, bytes));
  expect(found.every((number, index) => number === 0 || number === index + 1)).toBe(true);
  const share = found.filter((number) => number !== 0).length / all.length;
  expect(share).toBeGreaterThan(0.5);
  expect(share).toBeLessThan(1);
});
