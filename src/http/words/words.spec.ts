import { emptyTextsIn, textsIn } from '../../../test/support/texts-in';
import { de } from './de';
import { en } from './en';

it('are the same texts in all languages', () => expect(textsIn(de)).toEqual(textsIn(en)));

it('are not empty, and translated', () => {
  expect([emptyTextsIn(en), emptyTextsIn(de)]).toEqual([[], []]);
  const inBoth = Object.keys(en).filter(
    (key) => JSON.stringify(en[key as 'home']) === JSON.stringify(de[key as 'home']),
  );
  // Functions are no part of JSON.
  expect(inBoth).toEqual(['console', 'statisticsOf']);
});
