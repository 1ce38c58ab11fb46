import { emptyTextsIn, textsIn } from '../../../../test/support/texts-in';
import { de } from './de';
import { en } from './en';

it('has the same texts in all languages', () => expect(textsIn(de)).toEqual(textsIn(en)));

it('has no empty text, and none that is not translated', () => {
  expect([emptyTextsIn(en), emptyTextsIn(de)]).toEqual([[], []]);
  const textsOf = (table: object) => JSON.stringify(table).match(/"[^"]+"(?=[,}])/g)!;
  expect(textsOf(de).filter((text) => textsOf(en).includes(text))).toEqual([]);
});
