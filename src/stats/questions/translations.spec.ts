import { Room, TextCodes } from '../../storage/text-codes';
import { Translations, untoldTexts } from './translations';

function codesOf(...texts: string[]): TextCodes {
  const codes = new TextCodes(new Room(1_000_000));
  for (const text of texts) codes.codeOf(text);
  return codes;
}

it('gives each code of another thread the own code of its text, and is told each text once', () => {
  const [own, theirs] = [codesOf('a', 'b'), codesOf('b', 'c')];
  const translations = new Translations();
  const tell = () => {
    const told = untoldTexts(theirs, translations.sizesOf([own]));
    return { told: told.texts.ends.length, codes: [...translations.add(own, told)] };
  };
  expect(tell()).toEqual({ told: 3, codes: [0, 2, 3] });
  theirs.codeOf('a');
  expect(tell()).toEqual({ told: 1, codes: [0, 2, 3, 1] });
  expect(own.texts).toEqual([null, 'a', 'b', 'c']);
});

it('is told all texts of others again, and keeps those of few', () => {
  const own = codesOf();
  const translations = new Translations();
  for (let reading = 0; reading < 20; reading++)
    expect([...translations.add(own, untoldTexts(codesOf('x', 'y'), translations.sizesOf([own])))]).toEqual([
      0, 1, 2,
    ]);
  expect(Object.keys(translations.sizesOf([own]))).toHaveLength(8);
  expect(translations.sizesOf([codesOf()])).toEqual({});
});

it('forgets nothing of what several threads were told that it knows, before all of them have answered', () => {
  const own = codesOf();
  const translations = new Translations();
  const others = Array.from({ length: 8 }, (_, thread) => codesOf('x', `y${thread}`));
  for (const theirs of others) translations.add(own, untoldTexts(theirs, {}));
  const told = translations.sizesOf([own]);
  translations.add(own, untoldTexts(codesOf('read anew'), told));
  expect(own.texts[translations.add(own, untoldTexts(others[0]!, told))[2]!]).toBe('y0');
  expect(Object.keys(translations.sizesOf([own]))).toHaveLength(8);
});
