import { type Language, LANGUAGES } from '../../../../engine/ground/languages';
import { de } from './de';
import { en, type Words } from './en';

export const WORDS: Record<Language, Words> = { en, de };

export function inEachLanguage<T>(make: (language: Language) => T): Record<Language, T> {
  return Object.fromEntries(LANGUAGES.map((one) => [one, make(one)])) as Record<Language, T>;
}
