import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { cutValue } from './cut-value';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it.each(['', '/', 'é'.repeat(512), 'a'.repeat(1024), '👩‍💻', ' trailing '])('keeps %p', (value) => {
  expect(cutValue(value)).toBe(value);
});

it('cuts a long value and appends its hash', () => {
  const value = 'a'.repeat(1025);
  expect(cutValue(value)).toBe(`${'a'.repeat(1005)}…${sha256(value).slice(0, 16)}`);
});

it('keeps two apart that differ only at their ends', () => {
  const long = 'a'.repeat(5000);
  expect(cutValue(`${long}b`)).not.toBe(cutValue(`${long}c`));
});

it.each(['é', '€', '😀'])('never cuts inside %s', (character) => {
  for (const before of ['', 'a', 'aa', 'aaa']) {
    const cut = cutValue(before + character.repeat(1024));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(1024 - Buffer.byteLength(character));
    expect(cut.slice(before.length, -17).replaceAll(character, '')).toBe('');
  }
});

it('makes a broken text well-formed', () => {
  expect(cutValue('a\ud800')).toBe('a\ufffd');
  expect(cutValue('\udc00'.repeat(2000))).toBe(cutValue('\ufffd'.repeat(2000)));
});

it('always yields a well-formed text of at most 1,024 bytes, which it leaves as it is', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00'), maxLength: 1500 });
  fc.assert(
    fc.property(text, (value) => {
      const cut = cutValue(value);
      expect(cut.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1024);
      expect(cutValue(cut)).toBe(cut);
    }),
  );
});
