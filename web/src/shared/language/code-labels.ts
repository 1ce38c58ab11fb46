import {
  continentLabel,
  countryLabel,
  languageLabel,
  pathLabel,
} from '../../../../engine/hits/readable-labels';
import type { Name } from '../names';
import { texts } from '../texts';
import { language, locale } from './language';

const regions = new Intl.DisplayNames(locale, { type: 'region' });
const languages = new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' });

/** Intl throws on invalid codes like `(unknown)`. */
function displayName(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Codes in the language of the page. The service has their labels in English. */
const CODED = {
  country: (code: string) => displayName(regions, code),
  language: (tag: string) => displayName(languages, tag),
  continent: (code: string) => (Object.hasOwn(texts.continents, code) ? texts.continents[code]! : code),
};

/** The words for the values of a name. Others stand for themselves. */
export const LABELS: Partial<Record<Name, (value: string) => string>> = {
  ...CODED,
  page: pathLabel,
  entry_page: pathLabel,
  exit_page: pathLabel,
  referrer_page: pathLabel,
};

const ENGLISH = { country: countryLabel, language: languageLabel, continent: continentLabel };
const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const PAIRS = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
const CODES = {
  country: PAIRS,
  language: PAIRS.map((pair) => pair.toLowerCase()),
  continent: Object.keys(texts.continents),
};

/** A search for a label, in the words of the service where one is meant. */
export function searchFor(name: Name, search: string): string {
  if (language === 'en' || search === '' || !isCoded(name)) return search;
  const wanted = search.toLocaleLowerCase(locale);
  const labelled = CODES[name].map((code) => ({ code, label: CODED[name](code).toLocaleLowerCase(locale) }));
  const known = labelled.filter(({ code, label }) => label !== code.toLowerCase());
  const found = known
    .filter(({ label }) => label.includes(wanted))
    .sort((one, other) => one.label.length - other.label.length);
  // Former codes of a country have its label.
  const isOne = new Set(found.map(({ label }) => label)).size === 1;
  const meant = isOne ? found[0] : found.find(({ label }) => isMeant(label, wanted));
  return meant ? ENGLISH[name](meant.code) : search;
}

/** A few letters begin many labels. */
const SURE_LENGTH = 4;

function isMeant(label: string, wanted: string): boolean {
  return label === wanted || (wanted.length >= SURE_LENGTH && label.startsWith(wanted));
}

function isCoded(name: Name): name is keyof typeof CODES {
  return Object.hasOwn(CODES, name);
}
