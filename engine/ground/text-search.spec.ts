import fc from 'fast-check';
import { containing, placeFinder } from './text-search';

const LONG = 300;
/** Texts of few letters contain parts of others often. */
const texts = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', 'ü'), { maxLength }).map((letters) => letters.join(''));
const searches = fc
  .tuple(texts(8), fc.nat(2 * LONG), texts(8), texts(8))
  .map(([begin, repeated, end, rest]) => {
    const part = begin + 'ab'.repeat(repeated) + end;
    return { part, text: `${rest}${part.slice(1)}${rest}${part.slice(0, -1)}${rest}${part}`, rest };
  });

describe('containing', () => {
  it('finds what the built-in search finds', () => {
    fc.assert(
      fc.property(searches, ({ part, text, rest }) => {
        const isIn = containing(part);
        for (const searched of [text, text.slice(0, -1), part, `${part.slice(0, -1)}${rest}`, rest, ''])
          expect(isIn(searched)).toBe(searched.includes(part));
      }),
    );
  });

  it.each([
    ['at the end', `${'a'.repeat(LONG)}b${'a'.repeat(LONG)}`],
    ['nowhere', 'a'.repeat(4 * LONG)],
  ])('reads each unit of a text once for a long part that is %s', (_, text) => {
    let reads = 0;
    const counted = Object.assign(new String(text), {
      charCodeAt: (index: number) => (reads++, text.charCodeAt(index)),
    }) as string;
    containing(`${'a'.repeat(LONG)}b${'a'.repeat(LONG)}`)(counted);
    expect(reads).toBe(text.length);
  });
});

describe('placeFinder', () => {
  it('finds the place that the built-in search finds', () => {
    fc.assert(
      fc.property(searches, ({ part, text, rest }) => {
        const wanted = Buffer.from(part);
        const placeIn = placeFinder(wanted);
        for (const searched of [text, text.slice(0, -1), part, rest, ''].map((one) => Buffer.from(one)))
          expect(placeIn(searched)).toBe(searched.indexOf(wanted));
      }),
    );
  });

  it('reads each byte once for a long part', () => {
    const bytes = Buffer.alloc(8 * LONG, 'a');
    let reads = 0;
    const counted = new Proxy(bytes, {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name, target) as unknown;
      },
    });
    expect(placeFinder(Buffer.from(`${'a'.repeat(LONG)}b${'a'.repeat(LONG)}`))(counted)).toBe(-1);
    expect(reads).toBe(bytes.length);
  });
});
