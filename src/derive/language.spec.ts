import fc from 'fast-check';
import { deriveLanguage } from './language';

it.each([
  ['de-DE', 'de-DE'],
  ['DE-de', 'de-DE'],
  ['de', 'de'],
  ['de_AT', 'de-AT'],
  [' fr ', 'fr'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['sr-Latn', 'sr-Latn'],
  ['es-419', 'es-419'],
  ['iw', 'he'],
  ['ca-ES-valencia', 'ca-ES'],
  ['en-US-u-hc-h12-ca-buddhist', 'en-US'],
  ['en-GB-x-private', 'en-GB'],
  ['haw-US', 'haw-US'],
])('takes %s for %s', (tag, language) => {
  expect(deriveLanguage(tag, undefined)).toBe(language);
});

it.each([
  undefined,
  null,
  '',
  ' ',
  '*',
  'und',
  'und-US',
  'C',
  'english',
  'en-US.UTF-8',
  'de--DE',
  '1',
  'x-private',
  '__proto__',
  'en-'.repeat(10_000),
])('finds no language in %p', (tag) => {
  expect(deriveLanguage(tag, undefined)).toBe('(unknown)');
});

it.each([
  ['fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5', 'fr-CH'],
  ['en;q=0.2, de-DE;q=0.9', 'de-DE'],
  ['en;q=0.5,fr;q=0.5', 'en'],
  ['*, pt-BR;q=0.1', 'pt-BR'],
  ['de;q=0, it;q=0.1', 'it'],
  ['nonsense-tag-that-is-none, nl ; q=0.3', 'nl'],
  ['en;Q=0.1,da;q=1.000', 'da'],
  ['en;q=no, sv;q=0.1', 'sv'],
  ['', '(unknown)'],
  ['*', '(unknown)'],
  [',;,;q=', '(unknown)'],
])('finds in the header %p the language %s', (header, language) => {
  expect(deriveLanguage(undefined, header)).toBe(language);
});

it('believes the page before the header, unless it says nothing', () => {
  expect(deriveLanguage('de', 'en')).toBe('de');
  expect(deriveLanguage('*', 'en')).toBe('en');
});

it('reads no more of a header than a browser sends', () => {
  expect(deriveLanguage(undefined, `${',;q=1'.repeat(100_000)},de`)).toBe('(unknown)');
});

it('looks at the first ten tags alone, and parses none that cannot be a language', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}`).join();
  expect(deriveLanguage(undefined, `${tags(9)},de`)).toBe('de');
  expect(deriveLanguage(undefined, `${tags(10)},de`)).toBe('(unknown)');
  const parse = jest.spyOn(Intl, 'Locale');
  deriveLanguage(undefined, 'english,1000,c,nb-,de--AT,*,en-US.UTF-8');
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

it('never throws and always yields a short tag', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('e', 'n', '-', '_', ',', ';', 'q', '=', '1', '.') }),
  );
  fc.assert(
    fc.property(text, text, (tag, header) => {
      expect(deriveLanguage(tag, header)).toMatch(
        /^([a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?|\(unknown\))$/,
      );
    }),
    { numRuns: 2000 },
  );
});
