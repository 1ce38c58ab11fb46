import { inEachLanguage, WORDS } from './language/language';
import { changeOf, numberText } from './words';

it.each([
  ['en', '1,234,567', '+25%', '−13%', '±0%'],
  ['de', '1.234.567', '+25\u00a0%', '−13\u00a0%', '±0\u00a0%'],
] as const)('writes numbers as %s does', (language, number, up, down, same) => {
  const changes = [125, 87, 100].map(
    (count) => changeOf({ count, previous: 100 }, { language, since: undefined })?.text,
  );
  expect([numberText(1_234_567, language), ...changes]).toEqual([number, up, down, same]);
});

it('compares with nothing where there was nothing', () =>
  expect(changeOf({ count: 1, previous: 0 }, { language: 'de', since: undefined })).toBeUndefined());

it('has no change from a period that began before the first visitors', () =>
  expect(changeOf({ count: 9, previous: 1 }, { language: 'en', since: 20_000 })).toBeUndefined());

it('has one visitor and one page view', () => {
  const texts = inEachLanguage((language) => [
    WORDS[language].preview('1', '1'),
    WORDS[language].bar('Mon 2', '1', '2'),
  ]);
  expect(texts).toEqual({
    en: ['1 visitor and 1 page view', 'Mon 2: 1 visitor, 2 page views'],
    de: ['1 Besucher und 1 Seitenaufruf', 'Mon 2: 1 Besucher, 2 Seitenaufrufe'],
  });
});
